package research

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"deepresearch/citations"
	"deepresearch/internal/graph"
	"deepresearch/internal/text"
)

// Ports are what the nodes reach the world through. All but Files, Filter and
// Now are needed.
type Ports struct {
	Method    Method
	Searcher  Searcher
	Reader    Reader
	Archive   Archive
	Libraries Libraries
	Files     Files            // the zero value keeps no HTML
	Filter    Filter           // of queries to engines; nil sends them as they are
	Plans     Plans            // nil keeps none
	Now       func() time.Time // for the time of retrieval; nil is the clock
}

// nodes are the functions of the research graph.
type nodes struct {
	Ports
	replays bool // answers are in the record: nobody is asked
}

// Progress is what a node tells of its work while it runs.
type Progress struct {
	Phase string `json:"phase"` // analysing, searching, reading, reflecting, writing, checking
	Text  string `json:"text"`  // at most 150 characters
	Done  int    `json:"done,omitempty"`
	Total int    `json:"total,omitempty"`
}

// tell reports progress. Texts are cut to what hosts show.
func tell(ctx context.Context, phase, format string, args ...any) {
	graph.Emit(ctx, Progress{Phase: phase, Text: cut(fmt.Sprintf(format, args...), 150)})
}

func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

func (n nodes) analyse(ctx context.Context, s State) (Update, error) {
	a, err := n.analysis(ctx, s)
	if err != nil {
		return Update{}, err
	}
	a.Queries = s.unasked(a.Queries)
	var u Update
	if s.Question.ContinueFrom != "" {
		// What an earlier run knew is recorded like a call: it may be deleted before
		// this run is replayed.
		call := graph.Call{Kind: "continue", Request: s.Question.ContinueFrom, Optional: true}
		u, err = graph.Once(ctx, call, func(ctx context.Context) (Update, graph.Usage, error) {
			u, err := n.takeOver(ctx, s, a)
			return u, graph.Usage{}, err
		})
		if err != nil {
			return Update{}, err
		}
	}
	tell(ctx, "analysing", "%s question, %d queries to start with", a.Shape, len(a.Queries))
	for _, q := range a.Queries {
		trace(ctx, "query", q.Text, q.Why)
	}
	if a.Decline != "" {
		u.Warnings = append(u.Warnings, a.Decline)
	}
	u.Analysis, u.Notes = &a, a.Notes
	u.Analysis.Notes = Notes{} // it is in the state once
	return u, nil
}

// analysis takes a question apart and dates it. What is unclear about it and
// cannot be asked back becomes an assumption.
func (n nodes) analysis(ctx context.Context, s State) (Analysis, error) {
	a, err := n.Method.Analyse(ctx, s.Question)
	if err != nil {
		return a, fmt.Errorf("analysing the question: %w", err)
	}
	a.Date = n.Now().UTC().Format(time.DateOnly)
	if s.Clarify != nil || !s.Question.MayAsk {
		if a.Clarify != nil && a.Clarify.Assume != "" && s.Question.Clarified == "" {
			a.Assumptions = append(slices.Clip(a.Assumptions), a.Clarify.Assume)
		}
		a.Clarify = nil
	}
	return a, nil
}

// reflect judges the round that is over and decides whether another follows.
func (n nodes) reflect(ctx context.Context, s State) (Update, error) {
	r, tasks, err := n.verdict(ctx, s)
	if err != nil {
		return Update{}, err
	}
	u := Update{Verdict: &r, Tasks: tasks, Spent: r.Notes.Spent, Notes: r.Notes}
	r.Notes = Notes{}
	s.Spent = cmp.Or(s.Spent, u.Spent)
	u.Stop = s.stop(r)
	if u.Stop != "" {
		tell(ctx, "reflecting", "%d pages read; stopping: %s", len(s.Pages), u.Stop)
		trace(ctx, "stop", u.Stop, r.Reason)
		return u, nil
	}
	tell(ctx, "reflecting", "%s; round %d follows", r.Reason, s.Round+2)
	for _, q := range r.FollowUps {
		trace(ctx, "query", q.Text, q.Why)
	}
	return u, nil
}

// verdict is what the method says of the whole, or what the reviews of the tasks
// come to.
func (n nodes) verdict(ctx context.Context, s State) (Reflection, []TaskState, error) {
	if s.Plan != nil {
		r, tasks := s.judged()
		r.FollowUps = s.fresh(r.FollowUps)
		return r, tasks, nil
	}
	r, err := n.Method.Reflect(ctx, s)
	if err != nil {
		return r, nil, fmt.Errorf("reflecting: %w", err)
	}
	r.FollowUps = s.fresh(r.FollowUps)
	return r, nil, nil
}

// stop says why searching ends after the round just judged, or is empty.
func (s State) stop(r Reflection) string {
	switch {
	case s.Spent != "":
		return "budget_" + s.Spent
	case s.Question.Effort == Quick:
		return StopSingleRound
	case r.Sufficient:
		return StopSufficient
	case len(r.FollowUps) == 0 && s.useful() == 0:
		return StopNoSources
	case len(r.FollowUps) == 0 || s.Plan == nil && s.dry(): // what a plan has left to begin is not dry
		return StopNoNew
	case s.rounds() >= s.Question.MaxLoops:
		return StopLoopLimit
	}
	return ""
}

// dryRounds is how many rounds may give nothing new before searching ends.
const dryRounds = 2

// dry reports whether the round just judged and those before it gave nothing.
func (s State) dry() bool {
	if s.Round+1 < dryRounds {
		return false
	}
	before := 0
	if at := s.Round - dryRounds; at >= 0 && at < len(s.Accepted) {
		before = s.Accepted[at]
	}
	return s.useful() == before
}

// maxPrivateLeads bounds the documents of the user that one round follows.
const maxPrivateLeads = 9

// fresh are the follow-ups that ask something new, within the number of queries
// that a round may send, for each task. Two queries of the same words are one, in whatever order.
func (s State) fresh(follow []Query) []Query {
	asked := map[string]bool{}
	for _, q := range slices.Concat(s.Analysis.Queries, s.Pending) {
		asked[q.key()] = true
	}
	for _, q := range s.Asked {
		asked[Query{Text: q.Text}.key()] = true
	}
	if s.Before != nil {
		for _, t := range s.Before.Asked {
			asked[Query{Text: t}.key()] = true
		}
	}
	var out []Query
	remote, private := map[string]int{}, 0 // of each task
	for _, q := range follow {
		if asked[q.key()] || q.Text == "" {
			continue
		}
		asked[q.key()] = true
		if q.Private {
			if private++; private > maxPrivateLeads {
				continue
			}
		} else if remote[q.Task]++; remote[q.Task] > s.Question.Queries {
			continue
		}
		out = append(out, q)
	}
	return out
}

// SameQuery reports whether two queries ask the same: the same words, in
// whatever order.
func SameQuery(a, b Query) bool { return a.key() == b.key() }

// key is the same for queries that ask the same.
func (q Query) key() string {
	if q.Document != "" {
		return q.Document
	}
	terms := text.Terms(q.Text)
	if len(terms) == 0 {
		return oneLine(q.Text)
	}
	slices.Sort(terms)
	return strings.Join(slices.Compact(terms), " ")
}

func (n nodes) write(ctx context.Context, s State) (Update, error) {
	if s.Analysis.Decline != "" { // pages of an earlier run are no answer to it
		return Update{Written: &Written{}, Stop: StopNoSources}, nil
	}
	tell(ctx, "writing", "writing from %d pages", len(s.Pages))
	w, err := n.Method.Write(ctx, s)
	if err != nil {
		return Update{}, fmt.Errorf("writing: %w", err)
	}
	u := Update{Written: &w, Notes: w.Notes}
	w.Notes = Notes{}
	if spent := graph.Spent(ctx); spent != "" {
		u.Stop = "budget_" + spent
	} else if len(w.Draft.Blocks) == 0 {
		u.Stop = StopNoSources
	}
	return u, nil
}

// render numbers the marks. A draft without blocks has no report.
func (n nodes) render(_ context.Context, s State) (Update, error) {
	if s.Written == nil || len(s.Written.Draft.Blocks) == 0 {
		return Update{Report: &citations.Rendered{Claims: []citations.Claim{}, Sources: []citations.Source{}}}, nil
	}
	r := citations.Render(s.Written.Draft, s.Written.Ledger, citations.RenderOptions{Checked: s.Written.Claims})
	return Update{Report: &r}, nil
}

// hostOf is the host of a URL, or the name of a file, for progress lines.
func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "a page"
	}
	if u.Host == "" {
		return path.Base(u.Path)
	}
	return u.Host
}
