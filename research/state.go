package research

import (
	"cmp"
	"slices"

	"deepresearch/citations"
	"deepresearch/crawl/document"
	"deepresearch/internal/search"
	"deepresearch/internal/text"
)

// State is everything a run knows. Nodes read it and never change what it
// points to; they return an [Update] and [reduce] makes the next state. Page
// texts are not in it: they lie in the archive under their SHA-256.
type State struct {
	Question Question
	Before   *Before `json:",omitempty"` // of the run that this one continues
	Analysis Analysis
	Round    int                 // rounds of searching that are finished
	Pending  []Query             // queries of the round to come
	Asked    []QueryRun          // every query, by engine, in order
	Found    []Found             // every result, best first within its round
	Reading  []Found             // results chosen to be read in this round
	Pages    []PageText          // every page that was read, in order
	Unread   []Consulted         // results that could not be read
	Suggest  []search.Suggestion `json:",omitempty"` // what the terms of engines ask to show beside the report
	Accepted []int               // pages that gave something, after each round
	Verdict  Reflection          // of the last round
	Spent    string              // the budget that refused a call, which ends searching but not reading
	Stop     string              // why searching ended
	Written  *Written
	Report   *citations.Rendered
	Warnings []string
	Clarify  *Clarification `json:",omitempty"` // what the person behind the run was asked about the question
	Draft    *Plan          `json:",omitempty"` // waits for approval
	Rejected []Rejection    `json:",omitempty"` // drafts that were not approved
	Plan     *Plan          `json:",omitempty"` // that is followed
	Tasks    []TaskState    `json:",omitempty"` // of the plan, in its order
	Reviews  []Review       `json:",omitempty"` // of tasks, in this round
	Computed []Computation  `json:",omitempty"` // by compute tasks
	Memory   []Known        `json:",omitempty"` // the running summary of a run with rolling memory
	Task     *Task          `json:"-"`          // the one that this view of the state is for
	Calls    int            // of models, so far
	Answers  int            // of models, that went into the work
	Unpriced bool           // a model without a known price was used
}

// Notes is what a node tells of its work with models, beside its result.
type Notes struct {
	Calls    int      // answers that were paid for
	Answers  int      // answers that went into the result
	Unpriced bool     // one was paid for at no known price
	Spent    string   // the budget that refused a call
	Warnings []string // for the report
}

// Add joins what two calls left behind.
func (n Notes) Add(o Notes) Notes {
	return Notes{
		Calls: n.Calls + o.Calls, Answers: n.Answers + o.Answers, Unpriced: n.Unpriced || o.Unpriced,
		Spent: cmp.Or(n.Spent, o.Spent), Warnings: append(slices.Clip(n.Warnings), o.Warnings...),
	}
}

// Analysis is what a question asks for.
type Analysis struct {
	Language    string // BCP 47
	Date        string // the day on which the run began, YYYY-MM-DD
	Shape       Shape
	Facets      []Facet
	Subjects    []string // the things a comparison compares
	Queries     []Query  // of the first round
	Assumptions []string
	Clarify     *Clarification `json:",omitempty"` // what is unclear about the question
	Decline     string         `json:",omitempty"` // why nothing is to be researched
	Restated    string         `json:",omitempty"` // the question as it is understood, in one sentence
	Notes       Notes          `json:",omitzero"`
}

// Shape is the form of answer that a question wants.
type Shape string

// The shapes of an answer.
const (
	Lookup     Shape = "lookup"     // one fact, or a short explanation
	Comparison Shape = "comparison" // several things side by side
	Timeline   Shape = "timeline"   // what happened when
	Survey     Shape = "survey"     // a subject from several sides
)

// Facet is one part of what is asked. A report has a section for each.
type Facet struct {
	Title string   // as a heading, in the language of the question
	Terms []string // what a sentence about it speaks of
	Kind  Shape    // how its evidence is shown best
	About string   `json:",omitempty"` // the thing that its sentences must be about, where one is compared with others
	Since int      `json:",omitempty"` // the first year that it asks about
	Wants Wants    `json:",omitempty"`
}

// Wants is what an answer to a facet has in it.
type Wants string

// What a question word asks for.
const (
	WantsDate   Wants = "date"
	WantsNumber Wants = "number"
)

// Query is a text to search for.
type Query struct {
	Text     string
	Private  bool    `json:",omitempty"` // derived from the user's own files: goes to no remote engine
	Document string  `json:",omitempty"` // URL of a document of the user's library to open instead of searching
	Rank     float64 `json:",omitempty"` // of what it finds: behind the page that led to it
	Why      string  `json:",omitempty"` // what it is meant to find, for the trace
	Task     string  `json:",omitempty"` // of the plan that it is sent for
}

// Found is a result worth reading.
type Found struct {
	URL, Title, Snippet, Published string
	Engines                        []string
	Query                          string
	Rank                           float64 // from 0 within its query
	Round                          int
	Known                          string `json:",omitempty"` // SHA-256 of a text that is archived already: nothing to fetch
	Closely                        bool   `json:",omitempty"` // worth a model's call
	Task                           string `json:",omitempty"` // of the plan, that the query was sent for
}

// PageText is a page that was read: what it is, where its text lies and which
// of its sentences could serve as evidence.
type PageText struct {
	Source   citations.Source
	From     string `json:",omitempty"` // the address that led to it, where that is another
	Round    int
	Rank     float64 // of the result that led to it, from 0; pages found by following others lie between
	Excerpts []Excerpt
	Closely  bool      `json:",omitempty"` // a model read it, and Findings is all that it says on the question
	Findings []Finding `json:",omitempty"`
	Tasks    []string  `json:",omitempty"` // of the plan, that led to it
}

// gave reports whether the page has something for the report.
func (p PageText) gave() bool {
	if p.Closely {
		return len(p.Findings) > 0
	}
	return len(p.Excerpts) > 0
}

// Reading is what a method found in one page.
type Reading struct {
	Closely  bool // it was read; false leaves the page with its excerpts
	Findings []Finding
	Notes    Notes
}

// Finding is one thing that a page says on the question: in the words of its
// reader, and where the page says it. It is as private as its page.
type Finding struct {
	Says  string
	Spans []text.Span // of whole sentences of the archived text
}

// Excerpt is a sentence, or a table row, of a page's archived text.
type Excerpt struct {
	text.Span
	Kind    document.Kind
	Heading text.Span `json:",omitzero"` // of the heading above it
	Place   int       // number of the sentence within the page, from 0
}

// Reflection is the judgement after a round.
type Reflection struct {
	Sufficient bool
	Gaps       []string // what is not known, in the language of the question
	FollowUps  []Query
	Reason     string // for the trace
	Notes      Notes  `json:",omitzero"`
}

// Written is a report before its marks are numbered.
type Written struct {
	Draft    citations.Draft
	Ledger   *citations.Ledger
	Claims   []citations.Claim // as they were checked; none: what the quotes alone tell
	Summary  string
	Mode     Mode
	Gaps     []string
	Disagree []citations.Disagreement // by quote id; numbered when the report is rendered
	Notes    Notes                    `json:",omitzero"`
}

// Update is what a node adds to the state. Empty fields change nothing.
type Update struct {
	Analysis *Analysis           `json:",omitempty"`
	Asked    []QueryRun          `json:",omitempty"`
	Found    []Found             `json:",omitempty"`
	Reading  *[]Found            `json:",omitempty"`
	Pages    []PageText          `json:",omitempty"`
	Unread   []Consulted         `json:",omitempty"`
	Suggest  []search.Suggestion `json:",omitempty"`
	Verdict  *Reflection         `json:",omitempty"`
	Clarify  *Clarification      `json:",omitempty"`
	Draft    *Plan               `json:",omitempty"`
	Rejected *Rejection          `json:",omitempty"`
	Plan     *Plan               `json:",omitempty"`
	Tasks    []TaskState         `json:",omitempty"`
	Reviews  []Review            `json:",omitempty"`
	Computed []Computation       `json:",omitempty"`
	Memory   []Known             `json:",omitempty"`
	Spent    string              `json:",omitempty"`
	Stop     string              `json:",omitempty"`
	Written  *Written            `json:",omitempty"`
	Report   *citations.Rendered `json:",omitempty"`
	Warnings []string            `json:",omitempty"`
	Notes    Notes               `json:",omitzero"`
}

// reduce is the only place where a state changes.
func reduce(s State, u Update) State {
	if u.Analysis != nil {
		s.Analysis, s.Pending = *u.Analysis, u.Analysis.Queries
		if s.Before != nil { // its pages are among the run's own now
			s.Before = &Before{Asked: s.Before.Asked}
		}
	}
	if u.Reading != nil {
		s.Reading = *u.Reading
	}
	if u.Verdict != nil {
		if s.searched() {
			s = s.roundOver()
		}
		s.Verdict, s.Pending = *u.Verdict, u.Verdict.FollowUps
		s.Tasks, s.Reviews = u.Tasks, nil
	}
	if u.Stop != "" {
		s.Stop = u.Stop
	}
	if s.Spent == "" {
		s.Spent = u.Spent
	}
	if u.Written != nil {
		s.Written = u.Written
	}
	if u.Report != nil {
		s.Report = u.Report
	}
	s = s.decided(u)
	s.Asked = append(slices.Clip(s.Asked), u.Asked...)
	s.Found = append(slices.Clip(s.Found), u.Found...)
	s.Unread = append(slices.Clip(s.Unread), u.Unread...)
	s.Suggest = append(slices.Clip(s.Suggest), u.Suggest...)
	s.Pages = appendPages(s.Pages, u.Pages)
	s.Calls, s.Answers, s.Unpriced = s.Calls+u.Notes.Calls, s.Answers+u.Notes.Answers, s.Unpriced || u.Notes.Unpriced
	for _, w := range slices.Concat(u.Warnings, u.Notes.Warnings) {
		if !slices.Contains(s.Warnings, w) {
			s.Warnings = append(slices.Clip(s.Warnings), w)
		}
	}
	return s
}

// decided takes in what has to do with a plan and with running memory.
func (s State) decided(u Update) State {
	if u.Clarify != nil {
		s.Clarify = u.Clarify
		s.Question.Clarified = u.Clarify.told()
	}
	if u.Draft != nil {
		s.Draft = u.Draft
	}
	if u.Rejected != nil {
		s.Rejected = append(slices.Clip(s.Rejected), *u.Rejected)
	}
	if u.Memory != nil {
		s.Memory = u.Memory
	}
	s.Reviews = append(slices.Clip(s.Reviews), u.Reviews...)
	s.Computed = append(slices.Clip(s.Computed), u.Computed...)
	if u.Plan != nil {
		s = s.follow(*u.Plan)
	}
	return s
}

// appendPages adds pages whose text is not there yet, and what a close reading
// found to those that are.
func appendPages(have, more []PageText) []PageText {
	have = slices.Clone(have)
	for _, p := range more {
		at := slices.IndexFunc(have, func(h PageText) bool { return h.Source.SHA256 == p.Source.SHA256 })
		if at < 0 {
			have = append(have, p)
			continue
		}
		if p.Closely && !have[at].Closely {
			have[at].Closely, have[at].Findings = true, append(slices.Clip(have[at].Findings), p.Findings...)
		}
		have[at].Tasks = joinTasks(have[at].Tasks, p.Tasks)
	}
	return have
}

// useful counts the pages that gave something.
func (s State) useful() int {
	n := 0
	for _, p := range s.Pages {
		if p.gave() {
			n++
		}
	}
	return n
}

// joinTasks are the tasks of both. A page that was there before the plan has
// none and stays everybody's.
func joinTasks(have, more []string) []string {
	if len(have) == 0 {
		return have
	}
	have = slices.Clone(have)
	for _, t := range more {
		if !slices.Contains(have, t) {
			have = append(have, t)
		}
	}
	return have
}
