package research

import (
	"slices"
	"strings"

	"deepresearch/citations"
	"deepresearch/internal/graph"
	"deepresearch/internal/search"
)

// Status is where a run stands.
type Status string

// The states of a run. Running, waiting and paused can still change.
const (
	Running    Status = "running"
	Waiting    Status = "waiting" // for an answer to Result.Ask
	Paused     Status = "paused"
	Done       Status = "done"
	NoEvidence Status = "no_evidence" // finished without a single source, so without a report
	Failed     Status = "failed"
	Cancelled  Status = "cancelled"
)

// Ended reports whether the run will not change any more.
func (s Status) Ended() bool {
	return s == Done || s == NoEvidence || s == Failed || s == Cancelled
}

// Mode says who wrote the report.
type Mode string

// The modes of a report.
const (
	Extractive Mode = "extractive" // sentences are quotations, no model was used
	ByModel    Mode = "model"      // a model wrote all of it
	Mixed      Mode = "mixed"      // a model planned or wrote part of it
)

// Why a run stopped searching: the values of Result.StopReason beside
// budget_seconds, budget_calls and the other budgets' names.
const (
	StopSufficient  = "sufficient"
	StopLoopLimit   = "loop_limit"
	StopNoNew       = "no_new_evidence"
	StopSingleRound = "single_round"
	StopNoSources   = "no_sources"
	StopError       = "error"
)

// Result is what a run has come to: its whole state for a caller, finished or
// not. It is the structured result that the tools and the CLI print.
type Result struct {
	RunID       string                   `json:"run_id"`
	Status      Status                   `json:"status"`
	StopReason  string                   `json:"stop_reason,omitempty"`
	Question    string                   `json:"question"`
	Effort      Effort                   `json:"effort"`
	Language    string                   `json:"language"`
	Mode        Mode                     `json:"mode"`
	Title       string                   `json:"title"`
	Summary     string                   `json:"summary"`
	Report      string                   `json:"report"`                // Markdown
	ReportFile  string                   `json:"report_file,omitempty"` // path of the saved HTML
	Claims      []citations.Claim        `json:"claims"`
	Sources     []citations.Source       `json:"sources"` // cited, numbered 1..k
	Consulted   []Consulted              `json:"consulted"`
	Disagree    []citations.Disagreement `json:"disagreements"`
	Gaps        []string                 `json:"gaps"`
	Assumptions []string                 `json:"assumptions"`
	Queries     []QueryRun               `json:"queries"`
	Suggestions []search.Suggestion      `json:"search_suggestions"` // what the terms of engines ask to show beside the report
	Usage       Usage                    `json:"usage"`
	Estimate    Estimate                 `json:"estimate"`        // of the whole run, made before it began
	Plan        *Plan                    `json:"plan,omitempty"`  // that was followed
	Ask         *Inquiry                 `json:"ask,omitempty"`   // what the run waits for
	Found       []Fact                   `json:"found,omitempty"` // before there is a report: what is known so far
	Next        *Next                    `json:"next,omitempty"`  // the call that goes on from here
	Warnings    []string                 `json:"warnings"`
}

// Consulted is a page that was read and not cited.
type Consulted struct {
	URL         string `json:"url"`
	WhyNotCited string `json:"why_not_cited"`
}

// QueryRun is one query as it was sent to one engine.
type QueryRun struct {
	Text    string `json:"text"`
	Engine  string `json:"engine"`
	Results int    `json:"results"`
	Error   string `json:"error,omitempty"`
}

// Usage is what a run has spent. Cost is nil when a price is unknown.
type Usage struct {
	Seconds    float64  `json:"seconds"` // active time
	ModelCalls int      `json:"model_calls"`
	TokensIn   int      `json:"tokens_in"`
	TokensOut  int      `json:"tokens_out"`
	Cost       *float64 `json:"cost_usd"`
	Searches   int      `json:"searches"` // queries sent to engines
	Pages      int      `json:"pages"`    // pages fetched
}

// Next names the call that continues from a result. An empty Tool means: stop
// and show what is known.
type Next struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Say       string         `json:"say"`
}

// resultOf shows a run and its state as a result.
func resultOf(run graph.Run, s State) Result {
	r := Result{
		RunID: run.ID, Status: statusOf(run, s), StopReason: s.Stop, Question: s.Question.Text, Effort: s.Question.Effort,
		Language: s.Analysis.Language, Mode: Extractive, Gaps: s.Verdict.Gaps, Assumptions: s.Analysis.Assumptions,
		Queries: s.Asked, Usage: usageOf(run.Usage), Warnings: s.Warnings, Plan: s.Plan, Suggestions: s.Suggest,
	}
	if run.Status == graph.StatusWaiting {
		r.Ask = askOf(run)
	}
	if s.Unpriced {
		r.Usage.Cost = nil
	}
	if r.Status == Failed {
		r.StopReason = StopError
		reason, _, _ := strings.Cut(run.Reason, "\n") // a panic's stack stays in the trace
		r.Warnings = append(slices.Clip(r.Warnings), reason)
	}
	if s.Written != nil && s.Report != nil {
		w := s.Written
		r.Mode, r.Title, r.Summary, r.Gaps = w.Mode, w.Draft.Title, w.Summary, w.Gaps
		r.Report, r.Claims, r.Sources = s.Report.Markdown, s.Report.Claims, s.Report.Sources
		r.Disagree = numbered(w.Disagree, r.Sources)
	}
	r.Consulted = consulted(s, r.Sources)
	return r.filled()
}

// filled makes empty lists of missing ones: the result is read by programs.
func (r Result) filled() Result {
	fill(&r.Claims)
	fill(&r.Sources)
	fill(&r.Consulted)
	fill(&r.Disagree)
	fill(&r.Gaps)
	fill(&r.Assumptions)
	fill(&r.Queries)
	fill(&r.Suggestions)
	fill(&r.Warnings)
	return r
}

func fill[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}

// statusOf is the status of the product for that of the graph.
func statusOf(run graph.Run, s State) Status {
	if run.Status == graph.StatusDone && (s.Report == nil || s.Report.Markdown == "") {
		return NoEvidence
	}
	return Status(run.Status)
}

func usageOf(u graph.Usage) Usage {
	out := Usage{
		Seconds: u.Seconds, ModelCalls: int(u.Calls), TokensIn: int(u.TokensIn), TokensOut: int(u.TokensOut),
		Searches: int(u.Searches), Pages: int(u.Pages),
	}
	cost := float64(u.CostMicros) / 1e6
	out.Cost = &cost
	return out
}

// numbered gives the sides of disagreements the numbers that their sources have
// in the report. A disagreement with a side that is not cited is left out.
func numbered(found []citations.Disagreement, sources []citations.Source) []citations.Disagreement {
	number := map[string]int{}
	for _, s := range sources {
		for _, q := range s.Quotes {
			number[q.ID] = s.N
		}
	}
	var out []citations.Disagreement
	for _, d := range found {
		d.Sides = slices.Clone(d.Sides)
		for i := range d.Sides {
			d.Sides[i].N = number[d.Sides[i].ID]
		}
		if !slices.ContainsFunc(d.Sides, func(s citations.Side) bool { return s.N == 0 }) {
			out = append(out, d)
		}
	}
	return out
}

// consulted are the pages that were read or tried and not cited.
func consulted(s State, cited []citations.Source) []Consulted {
	have := map[string]bool{}
	for _, c := range cited {
		have[c.SHA256] = true
	}
	out := append([]Consulted{}, s.Unread...)
	for _, p := range s.Pages {
		if have[p.Source.SHA256] {
			continue
		}
		why := "other pages answered the question better"
		switch {
		case p.Closely && len(p.Findings) == 0:
			why = "it says nothing on the question"
		case !p.gave():
			why = "no sentence of it could be quoted"
		}
		out = append(out, Consulted{URL: p.Source.URL, WhyNotCited: why})
	}
	return out
}

// FailedEngines are the engines that gave nothing because they failed, each
// once, with the reason.
func (r Result) FailedEngines() []QueryRun {
	var out []QueryRun
	seen := map[string]bool{}
	for _, q := range r.Queries {
		if q.Error != "" && q.Results == 0 && !seen[q.Engine] {
			seen[q.Engine] = true
			q.Error = strings.TrimSpace(q.Error)
			out = append(out, q)
		}
	}
	return out
}
