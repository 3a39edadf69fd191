package eval

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"deepresearch/internal/text"
	"deepresearch/research"
)

// Bars of short questions over a folder of notes and over the documents of the
// demo, chosen before anything was tuned.
const (
	barFirstThree = 0.90 // answerable: the answering sentence is among the first three
	barNoEvidence = 0.80 // unanswerable: the run says that there is no evidence
	barLookup     = 6    // quotes of an answer on average, so that it stays an answer
)

// notesFolder holds notes as people keep them: minutes, decisions, a changelog,
// tables, keywords, in five languages.
const notesFolder = "testdata/notes"

// answerable are questions with words of the sentence that answers each.
var answerable = []struct{ question, answer string }{
	{"Which storage engine did we decide to keep?", "keep SQLite as the storage engine"},
	{"Why did we keep SQLite?", "because it needs no administration"},
	{"How many writes per second does SQLite handle?", "4,200 writes per second"},
	{"Who owns the release plan?", "Bo will own the release plan"},
	{"Who writes the migration guide?", "write the migration guide"},
	{"When is the nightly backup?", "02:00 to 04:30"},
	{"Who attended the planning meeting?", "Attendees: Ana Duarte"},
	{"Why was the beta late?", "the installer failed on Windows"},
	{"Who takes over the support rota?", "Farid takes over"},
	{"How often does the client retry a failed upload?", "up to five times"},
	{"What did we decide about retries?", "retries a failed upload"},
	{"Why was RabbitMQ rejected?", "nobody in the team has run it"},
	{"Where are jobs kept?", "kept in a database table"},
	{"When was version 1.0.0 released?", "2025-06-30"},
	{"What replaced the XML export?", "use the JSON export"},
	{"How do I reset the database?", "delete the folder"},
	{"How do I install Heron?", "install the service"},
	{"What is the default port of Heron?", "7740"},
	{"How large may a single file be?", "64 GB"},
	{"Which licence does Heron have?", "Apache License 2.0"},
	{"What is a tombstone?", "a marker that a file was deleted"},
	{"What is split brain?", "occurs when two devices"},
	{"What is a delta?", "the list of blocks that differ"},
	{"Where is the server osprey?", "Frankfurt"},
	{"How do I move Heron to a new laptop?", "Copy the key file"},
	{"Why is the first sync slow?", "every file must be hashed"},
	{"What is the VPN port?", "51820"},
	{"When are deploys forbidden?", "never on Fridays"},
	{"How often must the coffee machine be descaled?", "every 6 weeks"},
	{"How tall is the Ostra lighthouse?", "57.5 metres tall"},
	{"How heavy is the Ostra lighthouse?", "2,900 tonnes"},
	{"Who built the Ostra lighthouse?", "Hedda Nyberg"},
	{"Wann beginnt der Umzug des Rechenzentrums?", "14. April 2025"},
	{"Warum haben wir uns gegen die Cloud entschieden?", "weil die laufenden Kosten"},
	{"Was ist ein Lastabwurf?", "das gezielte Abschalten"},
	{"为什么延迟上升？", "因为索引没有及时更新"},
	{"什么是冷数据？", "是指超过一年"},
	{"日志保留多少天？", "延长到90天"},
	{"Qu'est-ce que la dérive d'horloge ?", "On appelle dérive d'horloge"},
	{"差分同期とは何ですか？", "同期方式のことである"},
}

// unanswerable are questions to which the notes give no answer: some speak of
// nothing that is there, most of something that is there but not of that.
var unanswerable = []string{
	"What is the capital of Peru?",
	"Who won the chess championship in 2019?",
	"How do I bake sourdough bread?",
	"Why is the sky blue?",
	"How many moons does Jupiter have?",
	"When was the Treaty of Westphalia signed?",
	"What did we decide about the Tokyo office?",
	"Which Kubernetes version do we run?",
	"How much did the Oracle contract cost?",
	"What is the password of the vault?",
	"Who is the new marketing director?",
	"Where is the company picnic?",
	"What did Priya say about GraphQL?",
	"How tall is the Brandur lighthouse?",
	"Who painted the portrait of Hedda Nyberg?",
	"How many customers cancelled their contracts?",
	"What is the salary of Ana Duarte?",
	"Which bank finances the data centre?",
	"Why did we choose MongoDB?",
	"When does Farid go on parental leave?",
	"How do I export to PDF?",
	"What is a Merkle tree?",
	"How deep is the harbour of Ostra?",
	"Which colour is the company logo?",
	"When was version 3.2.0 released?",
	"Does Heron support Android?",
	"Wer ist der neue Datenschutzbeauftragte?",
	"Was kostet die Kantine in Leipzig?",
	"Wann wurde der Kölner Dom gebaut?",
	"谁负责招聘新的设计师？",
	"公司的股票价格是多少？",
	"什么是量子纠缠？",
	"What did the security audit by Northwind Consulting recommend about the storage of passwords?",
	"Why did the migration of the customer portal to the new data centre in Oslo fail twice?",
	"How many support requests did the team in charge of billing answer after the summer holidays?",
	"Which of the two candidates for the post of chief accountant was invited to a second interview?",
	"Qui a gagné la coupe du monde ?",
	"東京タワーの高さは何メートルですか？",
}

// demoAnswerable and demoUnanswerable are asked of the documents of the demo.
var demoAnswerable = []struct{ question, answer string }{
	{"What is a data race?", "consists of two accesses"},
	{"什么是数据竞争？", "是指两个线程"},
	{"What is the Go race detector?", "is a dynamic tool"},
	{"How do I switch on the Go race detector?", "flag -race"},
	{"Who wrote the paper on data races at Uber?", "Milind Chabbi"},
	{"How many microservices did Uber have?", "2,100"},
	{"When was Go 1.22 released?", "February 6, 2024"},
	{"Why did Uber not block code changes on the race detector?", "A dynamic detector reports a race only when"},
	{"How much slower does the Orchard replay run with the race detector?", "times"},
}

var demoUnanswerable = []string{
	"What is the boiling point of ethanol?",
	"Who invented the COBOL language?",
	"How does Haskell implement lazy evaluation?",
	"How many employees does Uber have in Berlin?",
	"What does the Erlang scheduler do?",
	"When was the Zig compiler rewritten?",
	"How do I install PostgreSQL on Debian?",
	"Why did Kotlin replace Scala at Netflix?",
}

func TestAnswerable(t *testing.T) {
	r := newRig(t)
	var found, asked, quoted, anywhere int
	ask := func(q research.Question, answer string) {
		asked++
		got := r.ask(t, q)
		quotes := inOrder(got)
		quoted += len(quotes)
		at := slices.IndexFunc(quotes, func(s string) bool { return strings.Contains(text.Normalize(s), text.Normalize(answer)) })
		if at >= 0 {
			anywhere++
		}
		if at >= 0 && at < 3 {
			found++
			return
		}
		t.Logf("%q: %q is at %d of %d, first %q", q.Text, answer, at, len(quotes), quotes[:min(3, len(quotes))])
	}
	for _, q := range answerable {
		ask(notes(t, q.question), q.answer)
	}
	documents := demoDocuments(t)
	for _, q := range demoAnswerable {
		ask(research.Question{Text: q.question, Documents: documents, Offline: true}, q.answer)
	}
	mean := share(quoted, asked)
	t.Logf("answerable: the answer is among the first three sentences of %.3f (bar %.2f), anywhere in %.3f; %.1f quotes an answer (at most %d) over %d questions",
		share(found, asked), barFirstThree, share(anywhere, asked), mean, barLookup, asked)
	if share(found, asked) < barFirstThree || mean > barLookup {
		t.Error("below the bar")
	}
}

func TestUnanswerable(t *testing.T) {
	r := newRig(t)
	none, asked := 0, 0
	ask := func(q research.Question) {
		asked++
		got := r.ask(t, q)
		if got.Status == research.NoEvidence {
			none++
			return
		}
		quotes := inOrder(got)
		t.Logf("%q: %d quotes, first %q", q.Text, len(quotes), quotes[:min(1, len(quotes))])
	}
	for _, q := range unanswerable {
		ask(notes(t, q))
	}
	documents := demoDocuments(t)
	for _, q := range demoUnanswerable {
		ask(research.Question{Text: q, Documents: documents, Offline: true})
	}
	t.Logf("unanswerable: %.3f say that there is no evidence (bar %.2f) over %d questions", share(none, asked), barNoEvidence, asked)
	if share(none, asked) < barNoEvidence {
		t.Error("below the bar")
	}
}

// TestTimelineOfALog finds entries whose dates stand in the headings above them,
// however they are written.
func TestTimelineOfALog(t *testing.T) {
	log := "# Project log\n\n## 4 March 2024: kickoff\n\nThe steering group approved the budget.\n\n## 2. Mai 2024\n\nDer erste Prototyp lief auf der Messe.\n\n" +
		"## 2024年7月9日\n\n发布了测试版。\n\n## [1.0.0] - 2024-11-30\n\n### Added\n\n- The first customer went live.\n"
	got := newRig(t).research(t, research.Question{Text: "Timeline of the project", Documents: []research.Document{{Name: "log.md", Text: log}}, Offline: true})
	at := 0
	for _, want := range []string{"4 March 2024", "approved the budget", "Mai 2024", "Prototyp", "2024年7月9日", "发布了测试版", "2024-11-30", "went live"} {
		n := strings.Index(got.Report[at:], want)
		if n < 0 {
			t.Fatalf("%q is missing or out of order in\n%s", want, got.Report)
		}
		at += n
	}
}

// notes is a question over the folder of notes.
func notes(t *testing.T, question string) research.Question {
	t.Helper()
	folder, err := filepath.Abs(notesFolder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Fatal(err)
	}
	return research.Question{Text: question, Files: []string{folder}, Offline: true}
}

// inOrder are the quoted sentences in the order in which the report shows them.
func inOrder(r research.Result) []string {
	var out []string
	for _, c := range r.Claims {
		out = append(out, c.Text)
	}
	return out
}
