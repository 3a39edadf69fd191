package write

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"deepresearch/internal/llm"
	"deepresearch/prompts"
	"deepresearch/research"
)

var gapSchema = json.RawMessage(`{"type":"object","properties":{
"sufficient":{"type":"boolean","description":"enough is known to answer"},
"gaps":{"type":"array","items":{"type":"string"},"description":"what is missing, each in a few words"},
"follow_ups":{"type":"array","items":{"type":"string"},"description":"search queries"}},
"required":["sufficient","gaps","follow_ups"]}`)

// Bounds of a reflection.
const (
	knownTokens = 3000 // findings in the prompt
	maxGaps     = 5
	maxGap      = 200 // characters
)

// Reflect asks a model what is missing, of the whole or of one task. It shows findings alone, never a text of
// a page, so no page can choose a query. Without findings, without a call that
// may be made or without a usable answer the extractive method decides: each
// facet needs two independent witnesses.
func (m *Method) Reflect(ctx context.Context, s research.State) (research.Reflection, error) {
	plain, err := m.opt.Extract.Reflect(ctx, s)
	if err != nil {
		return plain, err
	}
	known, private := known(s, true)
	if s.Question.Effort == research.Quick || len(known) == 0 || left(s) <= landing(s) || lookup(s) {
		return plain, nil
	}
	t := &talk{m: m, effort: s.Question.Effort}
	in := prompts.Gaps{
		Task: m.taskOf(s), N: s.Question.Queries, Parts: parts(s.Analysis), Findings: known,
		Round: s.Round + 1, Rounds: s.Question.MaxLoops,
	}
	if s.Task != nil {
		in.Title, in.Detail = s.Task.Title, s.Task.Detail
	}
	in.Mark = fence(in.Question, says(known)...)
	prompt, err := m.opt.Prompts.Gaps(in)
	var said struct {
		Sufficient bool
		Gaps       []string
		FollowUps  []string `json:"follow_ups"`
	}
	ok, err := t.askFor(ctx, reflecting, prompt, err, &said)
	if err != nil {
		return plain, err
	}
	if !ok {
		plain.Notes = t.notes
		return plain, nil
	}
	r := research.Reflection{Sufficient: said.Sufficient, Gaps: gapsOf(said.Gaps, s.Question.Text), Reason: reasonOf(said.Sufficient, said.Gaps)}
	r.FollowUps = t.followUps(said.FollowUps, r.Reason, private && !s.Question.SharePrivate)
	r.FollowUps = append(r.FollowUps, leads(plain.FollowUps)...)
	r.Notes = t.notes
	return r, nil
}

// known is what the run knows on a question or a task: the findings of the
// readers, the newest pages last, or the lines of the running summary. Without
// private it leaves out what stems from the user's own documents. private tells
// whether there is some of that among it.
func known(s research.State, withPrivate bool) (out []prompts.Finding, private bool) {
	tokens := 0
	for _, f := range told(s) {
		cost := llm.EstimateTokens(f.Says) + 8
		if f.Says == "" || tokens+cost > knownTokens || f.private && !withPrivate {
			continue
		}
		tokens += cost
		private = private || f.private
		out = append(out, f.Finding)
	}
	return out, private
}

// hidden counts what known leaves out because it is private.
func hidden(s research.State) int {
	n := 0
	for _, f := range told(s) {
		if f.Says != "" && f.private {
			n++
		}
	}
	return n
}

// finding is a line of what is known, and whether it stems from a private
// document.
type finding struct {
	prompts.Finding
	private bool
}

// told are all findings as prompts tell them.
func told(s research.State) []finding {
	if s.Question.Memory == research.Rolling {
		return remembered(s)
	}
	var out []finding
	for i, p := range s.Pages {
		for _, f := range p.Findings {
			out = append(out, finding{prompts.Finding{Says: f.Says, Source: strconv.Itoa(i + 1), Date: date(p.Source.Published)}, p.Source.Private})
		}
	}
	return out
}

// remembered are the lines of the summary that rest on pages of the state.
func remembered(s research.State) []finding {
	place := map[string]int{}
	for i, p := range s.Pages {
		place[p.Source.SHA256] = i + 1
	}
	var out []finding
	for _, k := range s.Memory {
		f := finding{Finding: prompts.Finding{Says: k.Says}}
		var numbers []string
		for _, p := range k.Passages {
			n := place[p.SHA256]
			if n == 0 {
				// of a page that this task does not see, which may be private
				f.private = f.private || s.Question.HasLibrary() || s.Question.ContinueFrom != ""
				continue
			}
			f.private = f.private || s.Pages[n-1].Source.Private
			numbers = appendNew(numbers, strconv.Itoa(n))
			f.Date = cmp.Or(f.Date, date(s.Pages[n-1].Source.Published))
		}
		if f.Source = strings.Join(numbers, ", "); f.Source != "" {
			out = append(out, f)
		}
	}
	return out
}

// date is a date of a page, or nothing when it is not one.
func date(s string) string {
	if strings.Trim(s, "0123456789-") != "" {
		return ""
	}
	return s
}

func says(known []prompts.Finding) []string {
	out := make([]string, len(known))
	for i, f := range known {
		out[i] = f.Says
	}
	return out
}

func gapsOf(said []string, question string) []string {
	var out []string
	for _, g := range said {
		clean, ok := statement(g, maxGap)
		if ok && figuresFrom(clean, question) && len(out) < maxGaps && !slices.Contains(out, clean) {
			out = append(out, clean)
		}
	}
	return out
}

func reasonOf(sufficient bool, gaps []string) string {
	if sufficient {
		return "enough is known"
	}
	if len(gaps) == 0 {
		return "something is missing"
	}
	return "missing: " + strings.Join(gaps[:min(len(gaps), maxGaps)], "; ")
}

// followUps are the queries that a model wants, as private as what it was shown:
// nobody can tell which finding led to which query.
func (t *talk) followUps(said []string, why string, private bool) []research.Query {
	var out []research.Query
	refused := 0
	for _, f := range said {
		if clean, ok := query(f); ok {
			out = appendQuery(out, research.Query{Text: clean, Why: why, Private: private})
		} else {
			refused++
		}
	}
	t.dropped(refused, "Queries of a model that were not sent, because they are too long or hold an address")
	return out
}

// leads are the follow-ups that open a document of the user.
func leads(follow []research.Query) []research.Query {
	return slices.DeleteFunc(slices.Clone(follow), func(q research.Query) bool { return q.Document == "" })
}
