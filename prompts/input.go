package prompts

// Task is what every prompt tells: what is asked, when, and what was done so
// far. Texts are single lines.
type Task struct {
	Question string
	Date     string   // the day of the run, YYYY-MM-DD
	Language string   // name of the language to answer in, such as "German (de)"
	Queries  []string // sent to search engines so far
	Earlier  string   // the question before, whose answer the reader has; empty: none
	// Clarified is what was asked back about the question, and the answer.
	Clarified string
	Restated  string // the question in other words
}

// Queries asks for the first queries of a run.
type Queries struct {
	Task
	N        int      // queries wanted at most
	Parts    []string // of the question, as rules found them
	Subjects []string // that it compares
	Recency  string   // "day", "week", "month" or "year"; empty: any time
	Deep     bool     // the question is to be understood first
	MayAsk   bool     // one question back may be put
}

// Plan asks for the tasks of a research.
type Plan struct {
	Task
	Mark     string
	N        int  // tasks wanted at most
	PerTask  int  // queries of one at most
	Computes bool // compute tasks can be done
	Parts    []string
	Findings []Finding
	Hidden   int // findings in private documents, which are not shown
	Rejected []Rejected
	Draft    *Draft // that could not be followed; nil: none
}

// Draft is a plan as lines.
type Draft struct {
	Title string
	Tasks []string
	Wrong []string // why it cannot be followed
}

// Rejected is a plan that was not approved, and why.
type Rejected struct {
	Title string
	Tasks []string
	Why   string
}

// Page asks what one page says.
type Page struct {
	Task
	Mark      string // unguessable; fences the page
	Title     string // of the page, its site and its date, where known
	Site      string
	Published string
	Parts     []string // of the question
	Lines     []Line
}

// Line is a sentence of a page with the number that names it, or a heading,
// which has none.
type Line struct {
	N    int
	Text string
}

// Gaps asks whether enough is known.
type Gaps struct {
	Task
	N        int // follow-up queries wanted at most
	Mark     string
	Parts    []string
	Findings []Finding
	Round    int    // the one just done, from 1
	Rounds   int    // at most
	Title    string // of the task of the plan that is judged; empty: the whole question is
	Detail   string // of that task
}

// Finding is a line of what is known: never a text of a page.
type Finding struct {
	Says   string
	Source string // number of the page within this prompt, or numbers
	Date   string // of the page
}

// Roll asks which lines of a running summary belong together.
type Roll struct {
	Task
	Mark  string
	Lines []Named // of the summary
	New   []Named // what the last round found
}

// Named is a line with the short name by which an answer refers to it.
type Named struct {
	Name string
	Says string
}

// Outline asks for the sections of a report.
type Outline struct {
	Task
	Mark     string
	N        int // sections at most
	Shape    string
	Audience string
	Parts    []string
	Quotes   []Quote
}

// Quote is a passage with the short name by which it is cited.
type Quote struct {
	ID     string // S1.q2
	Says   string // what its reader took from it
	Text   string
	Source string // title or site, and date
}

// Section asks for the text of one section.
type Section struct {
	Task
	Mark     string
	Heading  string   // empty: the whole report is this one section
	Others   []string // headings of the other sections
	Style    string   // "brief", "report", "comparison", "timeline"
	Audience string
	Words    int // at most
	Quotes   []Quote
}

// Table asks for the rows of a table.
type Table struct {
	Task
	Mark     string
	Columns  []string // the first names the row
	Timeline bool     // rows are dated and in order
	N        int      // rows at most
	Audience string
	Quotes   []Quote
}

// Program asks for a program that computes with passages.
type Program struct {
	Task
	Mark    string
	Title   string // of the task
	Detail  string
	Guide   string // how to write a program
	Quotes  []Quote
	Results []Named // of computations before this one
	Code    string  // that did not work; empty: none
	Wrong   []string
}

// Summary asks for the opening of a report.
type Summary struct {
	Task
	Mark     string
	Title    string
	Audience string
	Lines    []string // sentences of the report with their marks
}

// Verdicts asks whether claims stand in passages.
type Verdicts struct {
	Task
	Mark   string
	Claims []Claim
}

// Claim is one sentence to judge.
type Claim struct {
	N        int
	Text     string
	Context  string   // the sentence before
	Doubt    string   // what an exact check found
	Passages []string // that it may rest on
}

// Queries renders plan/queries.
func (s *Set) Queries(in Queries) (Prompt, error) { return s.render(queries, in) }

// Plan renders plan/tasks.
func (s *Set) Plan(in Plan) (Prompt, error) { return s.render(tasks, in) }

// Roll renders reflect/roll.
func (s *Set) Roll(in Roll) (Prompt, error) { return s.render(roll, in) }

// Page renders search/page.
func (s *Set) Page(in Page) (Prompt, error) { return s.render(page, in) }

// Gaps renders reflect/gaps.
func (s *Set) Gaps(in Gaps) (Prompt, error) { return s.render(gaps, in) }

// Outline renders write/outline.
func (s *Set) Outline(in Outline) (Prompt, error) { return s.render(outline, in) }

// Section renders write/section.
func (s *Set) Section(in Section) (Prompt, error) { return s.render(section, in) }

// Table renders write/table.
func (s *Set) Table(in Table) (Prompt, error) { return s.render(table, in) }

// Program renders write/program.
func (s *Set) Program(in Program) (Prompt, error) { return s.render(program, in) }

// Summary renders write/summary.
func (s *Set) Summary(in Summary) (Prompt, error) { return s.render(summary, in) }

// Verdicts renders judge/verdicts.
func (s *Set) Verdicts(in Verdicts) (Prompt, error) { return s.render(verdicts, in) }
