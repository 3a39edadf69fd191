package research

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"time"

	"deepresearch/citations"
	"deepresearch/internal/graph"
)

// Ports are what the nodes reach the world through. All but Now are needed.
type Ports struct {
	Method    Method
	Searcher  Searcher
	Reader    Reader
	Archive   Archive
	Libraries Libraries
	Now       func() time.Time // for the time of retrieval; nil is the clock
}

// nodes are the functions of the research graph.
type nodes struct{ Ports }

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
	a, err := n.Method.Analyse(ctx, s.Question)
	if err != nil {
		return Update{}, fmt.Errorf("analysing the question: %w", err)
	}
	tell(ctx, "analysing", "%s question, %d queries to start with", a.Shape, len(a.Queries))
	return Update{Analysis: &a}, nil
}

// reflect judges the round that is over and decides whether another follows.
func (n nodes) reflect(ctx context.Context, s State) (Update, error) {
	r, err := n.Method.Reflect(ctx, s)
	if err != nil {
		return Update{}, fmt.Errorf("reflecting: %w", err)
	}
	r.FollowUps = s.fresh(r.FollowUps)
	u := Update{Verdict: &r, Stop: s.stop(r)}
	if u.Stop != "" {
		tell(ctx, "reflecting", "%d pages read; stopping: %s", len(s.Pages), u.Stop)
	} else {
		tell(ctx, "reflecting", "%s; round %d follows", r.Reason, s.Round+2)
	}
	return u, nil
}

// stop says why searching ends after the round just judged, or is empty.
func (s State) stop(r Reflection) string {
	rounds := s.Round + 1
	useful := s.useful()
	switch {
	case s.Spent != "":
		return "budget_" + s.Spent
	case s.Question.Effort == Quick:
		return StopSingleRound
	case r.Sufficient:
		return StopSufficient
	case len(r.FollowUps) == 0 && useful == 0:
		return StopNoSources
	case len(r.FollowUps) == 0:
		return StopNoNew
	case len(s.Accepted) > 0 && useful == s.Accepted[len(s.Accepted)-1] && rounds > 1 && useful > 0:
		return StopNoNew
	case rounds >= s.Question.MaxLoops:
		return StopLoopLimit
	}
	return ""
}

// maxPrivateLeads bounds the documents of the user that one round follows.
const maxPrivateLeads = 9

// fresh are the follow-ups that ask something new, within the number of queries
// a round may send.
func (s State) fresh(follow []Query) []Query {
	asked := map[string]bool{}
	for _, q := range s.Analysis.Queries {
		asked[q.Text] = true
	}
	for _, q := range s.Asked {
		asked[q.Text] = true
	}
	for _, q := range s.Pending {
		asked[q.Text+q.Document] = true
	}
	var out []Query
	remote, private := 0, 0
	for _, q := range follow {
		if asked[q.Text] || asked[q.Text+q.Document] || q.Text == "" {
			continue
		}
		asked[q.Text+q.Document] = true
		if q.Private {
			if private++; private > maxPrivateLeads {
				continue
			}
		} else if remote++; remote > s.Question.Queries {
			continue
		}
		out = append(out, q)
	}
	return out
}

func (n nodes) write(ctx context.Context, s State) (Update, error) {
	tell(ctx, "writing", "writing from %d pages", len(s.Pages))
	w, err := n.Method.Write(ctx, s)
	if err != nil {
		return Update{}, fmt.Errorf("writing: %w", err)
	}
	u := Update{Written: &w}
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
	r := citations.Render(s.Written.Draft, s.Written.Ledger, citations.RenderOptions{})
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
