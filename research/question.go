package research

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxQuestion is the longest question that is accepted, in characters.
const MaxQuestion = 20_000

// MaxAudience is the longest description of an audience, in characters.
const MaxAudience = 200

// Effort says how much work a question is worth.
type Effort string

// The three efforts, cheapest first.
const (
	Quick    Effort = "quick"    // one round of one query
	Standard Effort = "standard" // parallel queries and a reflection loop
	Deep     Effort = "deep"     // plan, tasks and a reflection for each
)

// Memory says what a run keeps in mind while it searches.
type Memory string

// The two memories.
const (
	Full    Memory = "full"    // every finding
	Rolling Memory = "rolling" // one running summary, for models with small windows: one query a round
)

// Question is everything a caller may ask: the question itself and what bounds
// its answer. The zero value of each field means the default; Normalize fills
// them in. It is serialised into the run, so a run can be asked for again.
type Question struct {
	Text           string     `json:"question"`
	Effort         Effort     `json:"effort,omitempty"`
	Memory         Memory     `json:"memory,omitempty"`
	Queries        int        `json:"queries,omitempty"`
	MaxLoops       int        `json:"max_loops,omitempty"`
	Engines        []string   `json:"engines,omitempty"`
	Topic          string     `json:"topic,omitempty"`
	Language       string     `json:"language,omitempty"` // BCP 47, of the report
	Style          string     `json:"style,omitempty"`
	Audience       string     `json:"audience,omitempty"` // whom the report is for, in a few words
	IncludeDomains []string   `json:"include_domains,omitempty"`
	ExcludeDomains []string   `json:"exclude_domains,omitempty"`
	Recency        string     `json:"recency,omitempty"`
	Files          []string   `json:"files,omitempty"`     // paths of files and folders
	Libraries      []string   `json:"libraries,omitempty"` // names of the user's libraries
	Documents      []Document `json:"documents,omitempty"`
	Offline        bool       `json:"offline,omitempty"`       // no engine and no page is asked
	SharePrivate   bool       `json:"share_private,omitempty"` // private text may enter queries to remote engines
	ContinueFrom   string     `json:"continue_from,omitempty"` // id of the caller's run whose sources and findings this one begins with
	Earlier        string     `json:"earlier,omitempty"`       // what that run was about; [Engine.Start] fills it in
	Plan           *Plan      `json:"plan,omitempty"`          // to follow as it is
	PlanID         string     `json:"-"`                       // names it instead; [Engine.Start] looks it up
	ApprovePlan    bool       `json:"approve_plan,omitempty"`  // the run waits until its plan is approved
	MayAsk         bool       `json:"may_ask,omitempty"`       // somebody is there to answer a question back
	Clarified      string     `json:"clarified,omitempty"`     // what was asked back and answered; the run fills it in
	Limits         Limits     `json:"limits"`
}

// Document is a text that a caller hands in instead of naming a file.
type Document struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Limits are the hard budgets of a run. Zero means the default of the effort.
type Limits struct {
	Seconds      int     `json:"max_seconds,omitempty"`
	Tokens       int     `json:"max_tokens,omitempty"`
	Cost         float64 `json:"max_cost,omitempty"` // US dollars
	Calls        int     `json:"max_calls,omitempty"`
	Searches     int     `json:"max_searches,omitempty"`
	Pages        int     `json:"max_pages,omitempty"`
	SourceTokens int     `json:"max_source_tokens,omitempty"`
	Concurrency  int     `json:"concurrency,omitempty"`
}

// InputError is a mistake in what the caller gave: it names the field, the
// reason and what to do, in one sentence.
type InputError struct {
	Field  string // the argument or flag, such as "question" or "files"
	Reason string
	Fix    string
}

func (e *InputError) Error() string {
	s := e.Field + ": " + e.Reason
	if e.Fix != "" {
		s += "; " + e.Fix
	}
	return s
}

// effortDefaults are the numbers that each effort stands for.
var effortDefaults = map[Effort]struct {
	queries, loops, seconds, calls, searches, pages int
	cost                                            float64
}{
	Quick:    {1, 1, 45, 6, 6, 12, 0.05},
	Standard: {3, 2, 180, 30, 24, 40, 0.50},
	Deep:     {5, 5, 1200, 150, 120, 200, 3.00},
}

// Normalize returns the question with defaults filled in, or an *InputError
// for the first field that cannot be used. Explicit numbers win over the
// effort's.
func (q Question) Normalize() (Question, error) {
	q.Text = strings.TrimSpace(q.Text)
	if q.Text == "" && q.Plan != nil {
		q.Text = q.Plan.Question
	}
	if err := q.validate(); err != nil {
		return q, err
	}
	if q.Effort == "" {
		q.Effort = Standard
	}
	if q.Memory == Full {
		q.Memory = "" // one spelling of the default: the same question leads to the same run
	}
	if q.Memory == Rolling {
		q.Queries = 1
	}
	d := effortDefaults[q.Effort]
	for _, f := range []struct {
		to *int
		by int
	}{
		{&q.Queries, d.queries}, {&q.MaxLoops, d.loops}, {&q.Limits.Seconds, d.seconds}, {&q.Limits.Calls, d.calls},
		{&q.Limits.Searches, d.searches}, {&q.Limits.Pages, d.pages}, {&q.Limits.SourceTokens, 1000}, {&q.Limits.Concurrency, 8},
	} {
		if *f.to == 0 {
			*f.to = f.by
		}
	}
	if q.Limits.Cost == 0 {
		q.Limits.Cost = d.cost
	}
	return q, nil
}

// choices are the fields with a closed set of values.
func (q Question) choices() []choice {
	return []choice{
		{"effort", string(q.Effort), []string{"quick", "standard", "deep"}},
		{"memory", string(q.Memory), []string{"full", "rolling"}},
		{"style", q.Style, []string{"brief", "report", "comparison", "timeline", "literature_review"}},
	}
}

type choice struct {
	field, value string
	allowed      []string
}

func (q Question) validate() error {
	if q.Text == "" {
		return &InputError{"question", "it is empty", "ask something in 1 to 20,000 characters"}
	}
	if n := utf8.RuneCountInString(q.Text); n > MaxQuestion {
		return &InputError{"question", fmt.Sprintf("it has %d characters, the most is %d", n, MaxQuestion), "shorten it and hand long material over as files or documents"}
	}
	if !utf8.ValidString(q.Text) {
		return &InputError{"question", "it is not valid UTF-8", "send it in UTF-8"}
	}
	for _, c := range q.choices() {
		if c.value != "" && !slices.Contains(c.allowed, c.value) {
			return &InputError{c.field, fmt.Sprintf("%q is not one of its values", c.value), "use " + strings.Join(c.allowed, ", ")}
		}
	}
	if n := utf8.RuneCountInString(q.Audience); n > MaxAudience {
		return &InputError{"audience", fmt.Sprintf("it has %d characters, the most is %d", n, MaxAudience), "name the readers in a few words, such as \"engineers new to the field\""}
	}
	for _, n := range []struct {
		field string
		value int
		most  int
	}{
		{"queries", q.Queries, 20}, {"max_loops", q.MaxLoops, 50}, {"max_seconds", q.Limits.Seconds, 86_400}, {"max_tokens", q.Limits.Tokens, 1_000_000_000},
		{"max_calls", q.Limits.Calls, 100_000}, {"max_searches", q.Limits.Searches, 100_000}, {"max_pages", q.Limits.Pages, 100_000},
		{"max_source_tokens", q.Limits.SourceTokens, 100_000}, {"concurrency", q.Limits.Concurrency, 256},
	} {
		if n.value < 0 || n.value > n.most {
			return &InputError{n.field, fmt.Sprintf("%d is out of range", n.value), fmt.Sprintf("give a number from 1 to %d, or leave it out", n.most)}
		}
	}
	if q.Limits.Cost < 0 {
		return &InputError{"max_cost", "it is negative", "give US dollars, such as 0.50, or leave it out"}
	}
	return q.validateDocuments()
}

// maxDocument is the most text that one handed-in document may carry, in bytes.
const maxDocument = 1 << 20

func (q Question) validateDocuments() error {
	for i, d := range q.Documents {
		field := fmt.Sprintf("documents[%d]", i)
		switch {
		case strings.TrimSpace(d.Name) == "":
			return &InputError{field, "it has no name", "give each document a name"}
		case strings.TrimSpace(d.Text) == "":
			return &InputError{field, fmt.Sprintf("%q has no text", d.Name), "leave it out or fill it"}
		case len(d.Text) > maxDocument:
			return &InputError{field, fmt.Sprintf("%q has %d bytes, the most is %d", d.Name, len(d.Text), maxDocument), "split it or name it as a file"}
		}
	}
	return nil
}
