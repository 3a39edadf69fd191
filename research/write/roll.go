package write

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"deepresearch/internal/llm"
	"deepresearch/internal/rank"
	"deepresearch/internal/text"
	"deepresearch/prompts"
	"deepresearch/research"
)

// Bounds of one merging: its prompt and its answer fit a window of 8,192 tokens
// whatever the length of the summary.
const (
	newTokens  = 1600 // of findings that are new
	noteTokens = 2200 // of lines of the summary
	maxMerged  = 600  // characters of a line
)

// Roll lets a model join lines of the running summary with what is new. It names
// the lines that belong together and says them as one; a line that it leaves
// alone stays as it is, so a forgetful model forgets nothing. Of a summary that
// is too long for the prompt the lines nearest to what is new are shown. A joined
// line that names what was not shown, or has a figure that its lines have not, is
// dropped.
func (m *Method) Roll(ctx context.Context, s research.State, fresh []research.Known) ([]research.Known, research.Notes, error) {
	shown := notesFor(s.Memory, fresh)
	if len(shown.known) < 2 || left(s) <= landing(s) {
		return nil, research.Notes{}, nil
	}
	t := &talk{m: m, effort: s.Question.Effort}
	in := prompts.Roll{Task: m.taskOf(s), Lines: shown.old, New: shown.fresh}
	in.Mark = fence(in.Question, shown.says()...)
	prompt, err := m.opt.Prompts.Roll(in)
	reply, ok, err := t.ask(ctx, merging, prompt, err)
	if err != nil || !ok {
		return nil, t.notes, err
	}
	var out []research.Known
	dropped := 0
	for _, said := range joinedLines(reply.Text) {
		k, ok := shown.join(said)
		if !ok {
			dropped++
		} else if len(said.names) > 1 || len(k.Says) < len(shown.known[said.names[0]].Says) { // else it only says a line again
			out = append(out, k)
		}
	}
	if len(out) == 0 {
		t.notes.Answers--
	}
	t.dropped(dropped, "Lines of a model that were left out of the running summary, because they name lines that are not there or say what those do not")
	return out, t.notes, nil
}

// notes are the lines of one merging, by their names.
type notes struct {
	old, fresh []prompts.Named
	known      map[string]research.Known
}

// notesFor chooses what is shown: what is new in its order, and of the summary the
// lines nearest to it.
func notesFor(memory, fresh []research.Known) notes {
	out := notes{known: map[string]research.Known{}}
	show := func(k research.Known, name string, budget *int) (prompts.Named, bool) {
		cost := llm.EstimateTokens(k.Says) + 8
		if k.Says == "" || cost > *budget {
			return prompts.Named{}, false
		}
		*budget -= cost
		out.known[name] = k
		return prompts.Named{Name: name, Says: oneLine(k.Says)}, true
	}
	left, about := newTokens, ""
	for i, k := range fresh {
		if line, ok := show(k, "N"+strconv.Itoa(i+1), &left); ok {
			out.fresh = append(out.fresh, line)
			about += " " + k.Says
		}
	}
	left = noteTokens
	for _, i := range nearestLines(memory, about) {
		if line, ok := show(memory[i], "L"+strconv.Itoa(i+1), &left); ok {
			out.old = append(out.old, line)
		}
	}
	slices.SortFunc(out.old, func(a, b prompts.Named) int { return cmp.Compare(number(a.Name), number(b.Name)) })
	return out
}

// nearestLines are the places of all lines, those that share most with what is new
// first, the others with the newest first.
func nearestLines(memory []research.Known, about string) []int {
	index := rank.NewIndex(rank.Options{})
	for _, k := range memory {
		index.Add(text.Words(k.Says))
	}
	var out []int
	for _, h := range index.Search(rank.Set(text.Terms(about)), len(memory)) {
		out = append(out, h.Doc)
	}
	for i := range slices.Backward(memory) {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

func number(name string) int {
	n, _ := strconv.Atoi(strings.TrimLeft(name, "LN")) // names are ours
	return n
}

// says are the texts of all lines shown.
func (n notes) says() []string {
	var out []string
	for _, line := range slices.Concat(n.old, n.fresh) {
		out = append(out, line.Name+line.Says)
	}
	return out
}

// join is a line that a model made of others, with all their passages.
func (n notes) join(said joinedLine) (research.Known, bool) {
	clean, ok := statement(said.text, maxMerged)
	if !ok || len(said.names) == 0 {
		return research.Known{}, false
	}
	out := research.Known{Says: clean}
	var sources []string
	for _, name := range said.names {
		k, known := n.known[name]
		if !known {
			return research.Known{}, false
		}
		sources = append(sources, k.Says)
		out.Passages = append(out.Passages, k.Passages...)
	}
	return out, figuresFrom(clean, sources...)
}

// joinedLine is a line as a model wrote it.
type joinedLine struct {
	text  string
	names []string
}

var (
	lineNames = text.NewPattern(`\[((?:\[?\s*[LN]\d{1,4}\s*\]?[,;\s]*)+)\]`)
	lineName  = text.NewPattern(`[LN]\d{1,4}`)
	nothing   = text.NewPattern(`(?i)^\W*nothing to join\W*$`)
)

// joinedLines reads an answer line by line: text with names in brackets, as asked
// for, or the JSON that models like better. A line without names is talk.
func joinedLines(answer string) []joinedLine {
	var out []joinedLine
	add := func(body string, names []string) {
		slices.Sort(names)
		if names = slices.Compact(names); len(names) > 0 {
			out = append(out, joinedLine{body, names})
		}
	}
	for _, entry := range entriesIn(answer) {
		add(entry.Text, entry.From)
	}
	if len(out) > 0 {
		return out
	}
	for line := range strings.Lines(answer) {
		var names []string
		for _, m := range lineNames.FindAllString(line, -1) {
			names = append(names, lineName.FindAllString(m, -1)...)
		}
		body := lineNames.ReplaceAllString(line, "")
		if !nothing.MatchString(body) {
			add(loose.ReplaceAllString(oneLine(strings.Trim(body, " \t\r\n*")), "$1"), names)
		}
	}
	return out
}

// jsonLine is a line of an answer in JSON.
type jsonLine struct {
	Text string   `json:"text"`
	From []string `json:"from"`
}

// entriesIn are the JSON objects of an answer, whatever stands around them.
func entriesIn(answer string) []jsonLine {
	var out []jsonLine
	for at := strings.IndexByte(answer, '{'); at >= 0 && len(out) < maxJoined; {
		var one jsonLine
		d := json.NewDecoder(strings.NewReader(answer[at:]))
		next := at + 1
		if d.Decode(&one) == nil && one.Text != "" {
			out = append(out, one)
			next = at + int(d.InputOffset())
		}
		i := strings.IndexByte(answer[next:], '{')
		if i < 0 {
			break
		}
		at = next + i
	}
	return out
}

// maxJoined bounds the lines of one answer.
const maxJoined = 200
