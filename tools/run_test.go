package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/citations"
	"deepresearch/crawl"
	"deepresearch/crawl/document"
	"deepresearch/internal/search"
	"deepresearch/research"
	"deepresearch/tools"
)

// A whole run through a real engine: the report in both forms, every way to read
// it again, and nobody else's eyes on it.
func TestResearch(t *testing.T) {
	dir := folder(t)
	h := newHost(t, tools.Options{FilesRoots: []string{dir}, Upgrade: "A key for a model would let it write the report.", Defaults: research.Question{Offline: true}})
	ctx := as(local)
	r := h.call(ctx, "deep_research", object{"question": tides, "files": []string{dir}, "effort": "quick"})
	if r.failed || r.fields["status"] != "done" || r.fields["mode"] != "extractive" {
		t.Fatalf("%s\n%v", r.text, r.fields)
	}
	report, _ := r.fields["report"].(string)
	id, _ := r.fields["run_id"].(string)
	contains(t, "text", r.text, report, id, "status done", "verbatim quotations", "A key for a model", "16 metres", "[[1]]")
	if r.fields["omitted"] != nil {
		t.Errorf("something is left out of a small result: %v", r.fields["omitted"])
	}
	contains(t, "notes", fmt.Sprint(r.fields["notes"]), "verbatim quotations", "A key for a model")
	if len(r.content) != 3 {
		t.Errorf("%d contents, want the text and two links", len(r.content))
	}
	h.mu.Lock()
	if len(h.progress) == 0 {
		t.Error("no progress was reported")
	}
	h.mu.Unlock()

	again := h.call(ctx, "deep_research", object{"question": tides, "files": []string{dir}, "effort": "quick"})
	if again.fields["run_id"] != id {
		t.Errorf("asking the same again made the run %v", again.fields["run_id"])
	}
	sources := h.call(ctx, "research_result", object{"run_id": id, "section": "sources", "format": "json"})
	if list, _ := sources.fields["sources"].([]any); sources.failed || len(list) == 0 || !json.Valid([]byte(sources.text)) {
		t.Errorf("sources: %s", sources.text)
	}
	bad := h.call(ctx, "research_result", object{"run_id": id, "section": "claimz"})
	if contains(t, "section", bad.text, "section", "did you mean claims?"); !bad.failed {
		t.Error("an unknown section is no failure")
	}

	list := h.call(ctx, "research_status", object{})
	contains(t, "list", list.text, id, "done")
	one := h.call(ctx, "research_status", object{"run_id": id})
	if one.fields["status"] != "done" || one.fields["sources"] == 0.0 {
		t.Errorf("status: %v", one.fields)
	}
	stopped := h.call(ctx, "research_cancel", object{"run_id": id})
	if stopped.failed || stopped.fields["status"] != "done" {
		t.Errorf("cancelling a finished run: %v %s", stopped.fields, stopped.text)
	}
	for _, name := range []string{"research_result", "research_status", "research_cancel"} {
		foreign := h.call(as(remote), name, object{"run_id": id})
		if contains(t, name, foreign.text, "no such run"); !foreign.failed {
			t.Errorf("%s: another caller saw the run", name)
		}
	}
	if foreign := h.call(as(remote), "research_status", nil); strings.Contains(foreign.text, id) {
		t.Error("another caller sees the run in its list")
	}
	resources(t, h, id, report)
}

func resources(t *testing.T, h *host, id, report string) {
	t.Helper()
	read := func(caller tools.Caller, uri string) (string, error) {
		var req mcp.ReadResourceRequest
		req.Params.URI = uri
		got, err := h.ReadResource(as(caller), req)
		if err != nil {
			return "", err
		}
		text, _ := got.Contents[0].(mcp.TextResourceContents)
		return text.Text, nil
	}
	base := "research://runs/" + id
	if got, err := read(local, base+"/report.md"); err != nil || got != report {
		t.Errorf("report.md: %v\n%s", err, got)
	}
	var full research.Result
	if got, err := read(local, base+"/report.json"); err != nil || json.Unmarshal([]byte(got), &full) != nil || len(full.Sources) == 0 {
		t.Fatalf("report.json: %v %s", err, got)
	}
	for _, s := range full.Sources {
		text, err := read(local, fmt.Sprintf("%s/sources/%d.txt", base, s.N))
		if err != nil || citations.Hash(text) != s.SHA256 {
			t.Errorf("source %d: %v", s.N, err)
		}
		for _, q := range s.Quotes {
			if text[q.Start:q.End] != q.Text {
				t.Errorf("source %d: %q is not at %d", s.N, q.Text, q.Start)
			}
		}
	}
	if got, err := read(local, base+"/sources.json"); err != nil || !strings.HasPrefix(got, "[{") {
		t.Errorf("sources.json: %v %s", err, got)
	}
	if got, err := read(local, "research://runs"); err != nil || !strings.Contains(got, id) {
		t.Errorf("runs: %v %s", err, got)
	}
	if got, err := read(local, base+"/report.html"); err != nil || !strings.HasPrefix(got, "<!") || !strings.Contains(got, "16 metres") {
		t.Errorf("report.html: %v %.200s", err, got)
	}
	events, err := read(local, base+"/trace.jsonl")
	for line := range strings.Lines(events) {
		if !json.Valid([]byte(line)) {
			t.Errorf("trace.jsonl: %q is no JSON", line)
		}
	}
	if err != nil || strings.Count(events, "\n") < 5 {
		t.Errorf("trace.jsonl: %v %s", err, events)
	}
	list, err := h.ListResources(as(local), mcp.ListResourcesRequest{})
	if err != nil || len(list.Resources) != 2 || list.Resources[1].URI != base+"/report.md" {
		t.Errorf("the list of resources: %v %+v", err, list)
	}
	if list, err := h.ListResources(as(remote), mcp.ListResourcesRequest{}); err != nil || len(list.Resources) != 1 {
		t.Errorf("another caller's list of resources: %v %+v", err, list)
	}
	for _, view := range []string{"report.html", "trace.jsonl"} {
		if _, err := read(remote, base+"/"+view); err == nil {
			t.Errorf("another caller read %s", view)
		}
	}
	for _, uri := range []string{base + "/sources/99.txt", base + "/sources/x.txt", "research://runs/r_none/report.md"} {
		if _, err := read(local, uri); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("%s: %v", uri, err)
		}
	}
	if _, err := read(remote, base+"/report.md"); err == nil {
		t.Error("another caller read the report")
	}
}

func TestResearchOverHTTPTakesDocuments(t *testing.T) {
	h := newHost(t, tools.Options{Defaults: research.Question{Offline: true}})
	r := h.call(as(remote), "deep_research", object{
		"question": "What colour is the roof of the mill?", "effort": "quick",
		"documents": []object{{"name": "mill.md", "text": "# The mill\n\nThe roof of the mill is green. The mill was built in 1804.\n"}},
	})
	if r.failed || r.fields["status"] != "done" {
		t.Fatalf("%s", r.text)
	}
	contains(t, "report", r.text, "The roof of the mill is green")
}

func TestNoEvidence(t *testing.T) {
	h := newHost(t, tools.Options{})
	r := h.call(as(local), "deep_research", object{"question": tides, "effort": "quick"})
	if r.failed || r.fields["status"] != "no_evidence" || r.fields["report"] != "" {
		t.Fatalf("%v\n%s", r.fields, r.text)
	}
	contains(t, "text", r.text, "nothing was found")
}

func TestPlan(t *testing.T) {
	h := newHost(t, tools.Options{})
	r := h.call(as(local), "plan", object{"question": tides})
	if tasks, _ := r.fields["tasks"].([]any); r.failed || len(tasks) == 0 {
		t.Fatalf("%s", r.text)
	}
	contains(t, "text", r.text, "query:", "Plan p_", "Estimate")
}

// slowWeb is a network with one page, which answers when it is released.
type slowWeb struct{ asked, released chan struct{} }

func (w slowWeb) Search(ctx context.Context, q search.Query, _ []string) (search.Answer, error) {
	w.asked <- struct{}{}
	select {
	case <-w.released:
	case <-ctx.Done():
		return search.Answer{}, ctx.Err()
	}
	return search.Answer{Query: q.Text, Results: []search.Result{{Rank: 1, Title: "The Bay of Fundy", URL: "https://example.org/bay", Engines: []string{"wikipedia"}, Score: 1}}}, nil
}

func (slowWeb) Read(ctx context.Context, r crawl.Request) crawl.Page {
	d, err := document.Parse(ctx, document.Input{URL: r.URL, Name: "bay.md", Body: []byte("# The Bay of Fundy\n\nThe largest tides of the Bay of Fundy reach 16 metres at Burntcoat Head.\n")})
	if err != nil {
		return crawl.Page{URL: r.URL, Outcome: crawl.Failed, Hint: err.Error()}
	}
	return crawl.Page{URL: r.URL, FinalURL: r.URL, Status: 200, Outcome: crawl.OK, Markdown: d.Markdown(), SHA256: d.SHA256, Document: d}
}

// A run outlives the calls that wait for it: one that does not wait, one that
// its client gives up, and then the one that gets the report. Nothing is asked
// twice.
func TestRunsOutliveCalls(t *testing.T) {
	w := slowWeb{make(chan struct{}, 10), make(chan struct{})}
	h := newHost(t, tools.Options{Engine: engineOver(t, w, w)})
	first := h.call(as(local), "deep_research", object{"question": tides, "effort": "quick", "wait_seconds": 0})
	id, _ := first.fields["run_id"].(string)
	if first.failed || first.fields["status"] != "running" || id == "" {
		t.Fatalf("%s", first.text)
	}
	contains(t, "running", first.text, "no error", `Next call: research_result {"run_id":"`+id+`","wait_seconds":45}`)
	<-w.asked
	status := h.call(as(local), "research_status", object{"run_id": id})
	if status.fields["status"] != "running" {
		t.Errorf("status: %v", status.fields)
	}
	ctx, cancel := context.WithCancel(as(local))
	time.AfterFunc(10*time.Millisecond, cancel)
	if given := h.call(ctx, "research_result", object{"run_id": id}); !given.failed {
		t.Errorf("a call that was given up: %s", given.text)
	}
	close(w.released)
	for range 4 {
		if last := h.call(as(local), "research_result", object{"run_id": id}); last.fields["status"] != "running" {
			contains(t, "report", last.text, "16 metres", "https://example.org/bay", "status done")
			break
		}
	}
	if len(w.asked) > 0 {
		t.Error("a search was sent twice")
	}
}

// running is an engine whose run never ends within a call.
func running() *fake {
	f := &fake{result: research.Result{RunID: "r_1", Status: research.Running, Question: "q"}}
	f.follow = func(_ context.Context, _ time.Duration, tell func(research.Progress)) (research.Result, error) {
		tell(research.Progress{Phase: "searching", Text: fmt.Sprintf("searching for the %d. time", len(f.waits))})
		tell(research.Progress{Phase: "searching", Text: "the same line"})
		return f.result, nil
	}
	return f
}

func TestRunningNamesTheNextCallAndThenStops(t *testing.T) {
	f := running()
	h := newHost(t, tools.Options{Engine: f})
	r := h.call(as(local), "deep_research", object{"question": "q"})
	for i := 1; i <= 8; i++ {
		next, _ := r.fields["next"].(map[string]any)
		tool, _ := next["tool"].(string)
		say, _ := next["say"].(string)
		if r.failed || r.fields["status"] != "running" {
			t.Fatalf("answer %d: %s", i, r.text)
		}
		contains(t, "text", r.text, say, fmt.Sprintf("the %d. time", i))
		if strings.Contains(r.text, "the same line") != (i == 1) {
			t.Errorf("answer %d tells what was told before: %s", i, r.text)
		}
		if stop := i%4 == 0; stop != (tool == "") || stop == strings.Contains(r.text, "Next call: research_result") {
			t.Errorf("answer %d: next %v\n%s", i, next, r.text)
		}
		r = h.call(as(local), "research_result", object{"run_id": "r_1", "wait_seconds": 45})
	}
}

func TestWait(t *testing.T) {
	for _, c := range []struct {
		most  time.Duration
		given any
		want  time.Duration
	}{
		{0, nil, 45 * time.Second},
		{0, 0, time.Millisecond}, // a run that nobody holds would pause
		{0, 7, 7 * time.Second},
		{0, "7", 7 * time.Second},
		{100 * time.Second, nil, 100 * time.Second},
		{100 * time.Second, 60, 60 * time.Second},
	} {
		f := running()
		now := time.Unix(0, 0)
		h := newHost(t, tools.Options{Engine: f, MaxWait: c.most, Now: func() time.Time { return now }})
		arguments := object{"run_id": "r_1"}
		if c.given != nil {
			arguments["wait_seconds"] = c.given
		}
		h.call(as(local), "research_result", arguments)
		if f.waits[0] != c.want {
			t.Errorf("--max-wait %v, wait_seconds %v: waits %v, want %v", c.most, c.given, f.waits[0], c.want)
		}
	}
	h := newHost(t, tools.Options{Engine: running()})
	r := h.call(as(local), "research_result", object{"run_id": "r_1", "wait_seconds": 46})
	contains(t, "too long a wait", r.text, "wait_seconds", "out of range", "0 to 45")
}

// A client that left a call at age t is answered within 0.6 t from then on.
func TestWaitsAreShorterThanTheClientsPatience(t *testing.T) {
	f := running()
	now := time.Unix(0, 0)
	h := newHost(t, tools.Options{Engine: f, Now: func() time.Time { return now }})
	wait := func(caller tools.Caller) time.Duration {
		h.call(as(caller), "research_result", object{"run_id": "r_1"})
		return f.waits[len(f.waits)-1]
	}
	ctx, cancel := context.WithCancel(as(local))
	answer := f.follow
	f.follow = func(ctx context.Context, _ time.Duration, _ func(research.Progress)) (research.Result, error) {
		now = now.Add(20 * time.Second)
		cancel()
		<-ctx.Done()
		return research.Result{}, context.Cause(ctx)
	}
	if r := h.call(ctx, "research_result", object{"run_id": "r_1"}); !r.failed {
		t.Error("a call that was given up succeeded")
	}
	f.follow = answer
	if got := wait(local); got != 12*time.Second {
		t.Errorf("waits %v after a call was given up at 20 s, want 12 s", got)
	}
	if got := wait(remote); got != 45*time.Second {
		t.Errorf("another caller waits %v", got)
	}
	now = now.Add(time.Hour)
	if got := wait(local); got != 45*time.Second {
		t.Errorf("waits %v an hour later", got)
	}
}

func TestDefaults(t *testing.T) {
	f := &fake{result: research.Result{RunID: "r_1", Status: research.Done}}
	h := newHost(t, tools.Options{Engine: f, Defaults: research.Question{
		Text: "never", Effort: research.Deep, Engines: []string{"searxng"}, Files: []string{"/operator"}, Limits: research.Limits{Pages: 7, Calls: 3},
	}})
	h.call(as(remote), "deep_research", object{"question": "q", "engines": "wikipedia, arxiv", "max_calls": 5})
	q := f.asked
	if q.Text != "q" || q.Effort != research.Deep || fmt.Sprint(q.Engines) != "[wikipedia arxiv]" ||
		fmt.Sprint(q.Files) != "[/operator]" || q.Limits.Pages != 7 || q.Limits.Calls != 5 {
		t.Errorf("%+v", q)
	}
}

// A server that stays offline says what it cannot do, instead of finding nothing.
func TestOfflineServer(t *testing.T) {
	f := &fake{result: research.Result{RunID: "r_1", Status: research.Done}}
	h := newHost(t, tools.Options{Engine: f, Defaults: research.Question{Offline: true}})
	documents := []object{{"name": "a.md", "text": "The mill is green."}}
	for want, arguments := range map[string]object{
		"- engines: this server was started with --offline": {"question": "q", "engines": "wikipedia", "documents": documents},
		"- files: this server was started with --offline":   {"question": "q"},
	} {
		if r := h.call(as(remote), "deep_research", arguments); !r.failed || !strings.Contains(r.text, want) {
			t.Errorf("%v: %s", arguments, r.text)
		}
	}
	if r := h.call(as(remote), "deep_research", object{"question": "q", "documents": documents}); r.failed || !f.asked.Offline {
		t.Errorf("%s: %+v", r.text, f.asked)
	}
}

// large is a result beyond every bound: what a deep run may come to, in Chinese
// and with text that grows when it is encoded.
func large() research.Result {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "## Part %d\n\n", i)
		for range 4 {
			b.WriteString(strings.Repeat("内存模型规定 <b>读写</b> \"顺序\"。", 12) + "\n\n")
		}
	}
	r := research.Result{
		RunID: "r_1", Status: research.Done, Mode: research.ByModel, Question: strings.Repeat("问", 20_000),
		Summary: strings.Repeat("summary ", 2000), Report: b.String(),
	}
	for i := range 90 {
		r.Claims = append(r.Claims, citations.Claim{Text: strings.Repeat("claim ", 60), Marks: []int{i + 1}, Label: citations.Quoted})
		s := citations.Source{N: i + 1, URL: "https://example.org/" + strings.Repeat("x", 100), Title: "title"}
		for range 9 {
			s.Quotes = append(s.Quotes, citations.Quote{ID: "S1.q1", Text: strings.Repeat("quote ", 50)})
		}
		if i == 5 { // more quotes than one answer carries
			for range 40 {
				s.Quotes = append(s.Quotes, citations.Quote{ID: "S1.q1", Text: strings.Repeat("長", 1300)})
			}
		}
		r.Sources = append(r.Sources, s)
		r.Consulted = append(r.Consulted, research.Consulted{URL: "https://example.org", WhyNotCited: "other pages answered the question better"})
		r.Warnings = append(r.Warnings, strings.Repeat("warning ", 20))
		r.Gaps = append(r.Gaps, "gap")
	}
	return r
}

func TestLargeResults(t *testing.T) {
	full := large()
	h := newHost(t, tools.Options{Engine: &fake{result: full}})
	var report strings.Builder
	arguments := object{"run_id": "r_1"}
	for range 100 {
		r := h.call(as(local), "research_result", arguments)
		page, _ := r.fields["report"].(string)
		if r.failed || r.bytes > 40_000 || len(page) > 24_000 || len([]rune(page)) > 20_000 || page == "" {
			t.Fatalf("structured %d bytes, page %d bytes, %s", r.bytes, len(page), r.text[:min(200, len(r.text))])
		}
		if !strings.Contains(r.text, strings.TrimSpace(page)) {
			t.Fatal("the text lacks the page of the report")
		}
		omitted, _ := r.fields["omitted"].(map[string]any)
		for _, list := range []string{"claims", "sources", "quotes", "warnings", "consulted"} {
			if n, _ := omitted[list].(float64); n <= 0 {
				t.Errorf("omitted does not count %s: %v", list, omitted)
			}
		}
		report.WriteString(page)
		cursor, more := r.fields["next_cursor"].(string)
		if !more {
			break
		}
		contains(t, "text", r.text, `Next call: research_result {"cursor":"`+cursor)
		if !strings.HasSuffix(page, "\n\n") {
			t.Error("the page does not end at a border between blocks")
		}
		arguments["cursor"] = cursor
	}
	if report.String() != full.Report {
		t.Errorf("the pages make %d bytes, the report has %d", report.Len(), len(full.Report))
	}
	for list, want := range map[string]int{"claims": 90, "sources": 90, "warnings": 90} {
		if got := all(t, h, list); got != want {
			t.Errorf("section %s gives %d entries, want %d", list, got, want)
		}
	}
	part := h.call(as(local), "research_result", object{"run_id": "r_1", "section": "Part 7"})
	contains(t, "section", part.text, "## Part 7")
	if strings.Contains(part.text, "## Part 8") {
		t.Error("a section holds the next one")
	}
}

// all counts the entries of a list over its pages.
func all(t *testing.T, h *host, list string) int {
	t.Helper()
	n := 0
	arguments := object{"run_id": "r_1", "section": list}
	for range 1000 {
		r := h.call(as(local), "research_result", arguments)
		if r.failed || r.bytes > 40_000 {
			t.Fatalf("%d bytes: %s", r.bytes, r.text[:min(200, len(r.text))])
		}
		entries, _ := r.fields[list].([]any)
		n += len(entries)
		cursor, more := r.fields["next_cursor"].(string)
		if !more {
			return n
		}
		arguments["cursor"] = cursor
	}
	t.Fatal("the pages do not end")
	return 0
}

func TestFilesStayUnderTheirRoots(t *testing.T) {
	dir, outside := folder(t), folder(t)
	for _, name := range []string{".env", "id_rsa", "server.pem", "credentials.json", "my.env.md", "a.tfstate"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("secret secret secret"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"out": outside, "in": filepath.Join(dir, "tides.md"), "env": filepath.Join(dir, ".env")} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	f := &fake{result: research.Result{RunID: "r_1", Status: research.Done}}
	h := newHost(t, tools.Options{Engine: f, FilesRoots: []string{dir}})
	ask := func(caller tools.Caller, path string) result {
		f.asked = research.Question{}
		return h.call(as(caller), "deep_research", object{"question": "q", "files": []string{path}})
	}
	for path, want := range map[string]string{
		dir: dir, filepath.Join(dir, "tides.md"): filepath.Join(dir, "tides.md"), "tides.md": filepath.Join(dir, "tides.md"),
		"file://" + dir + "/bay.md": filepath.Join(dir, "bay.md"), filepath.Join(dir, "in"): filepath.Join(dir, "tides.md"),
	} {
		if r := ask(local, path); r.failed || len(f.asked.Files) != 1 || f.asked.Files[0] != want {
			t.Errorf("%s: %v %s", path, f.asked.Files, r.text)
		}
	}
	for _, path := range []string{
		outside, filepath.Join(dir, "..", filepath.Base(outside)), "../" + filepath.Base(outside), filepath.Join(dir, "out"), filepath.Join(dir, "out", "bay.md"),
		filepath.Join(dir, ".env"), filepath.Join(dir, "env"), filepath.Join(dir, "id_rsa"), filepath.Join(dir, "server.pem"), filepath.Join(dir, "credentials.json"), filepath.Join(dir, "my.env.md"), filepath.Join(dir, "a.tfstate"),
		filepath.Join(dir, ".git"), "/dev/zero", "/etc/passwd", "/", filepath.Join(dir, "none"), "file://elsewhere" + dir, "a\x00b",
	} {
		r := ask(local, path)
		if contains(t, path, r.text, "files", "--files-root"); !r.failed || f.asked.Text != "" {
			t.Errorf("%s was let through", path)
		}
	}
	r := ask(remote, filepath.Join(dir, "tides.md"))
	if contains(t, "remote", r.text, "documents"); !r.failed {
		t.Error("a caller over HTTP named a path")
	}
	none := newHost(t, tools.Options{Engine: f})
	contains(t, "no roots", none.call(as(local), "deep_research", object{"question": "q", "files": dir}).text, "--files-root")
}

// What a run has found stands in its answers while it works, each passage once.
func TestRunningTellsWhatItFound(t *testing.T) {
	f := running()
	told := f.follow
	f.follow = func(ctx context.Context, wait time.Duration, tell func(research.Progress)) (research.Result, error) {
		r, err := told(ctx, wait, tell)
		r.Found = []research.Fact{{N: 2, Text: "The bay *resonates*.", Title: "Bay", URL: "https://bay.example/"}}
		return r, err
	}
	h := newHost(t, tools.Options{Engine: f})
	first := h.call(as(local), "deep_research", object{"question": "q"})
	contains(t, "text", first.text, "Found so far", `“The bay \*resonates\*.” [2] Bay <https://bay.example/>`)
	if found, _ := first.fields["found"].([]any); len(found) != 1 {
		t.Errorf("found %v", first.fields["found"])
	}
	if again := h.call(as(local), "research_result", object{"run_id": "r_1"}); strings.Contains(again.text, "Found so far") || again.fields["found"] != nil {
		t.Errorf("what was told is told again:\n%s", again.text)
	}
}
