// Package llm asks language models. Start with [New], which gives every [Role]
// a chain of models with retries, limits and readable answers around it; call
// [Models.Generate] with a [Request]. The back ends live in one folder each and
// are built by package backends.
//
// Request and [Reply] are plain values that survive JSON, so that a caller can
// commit a reply before it goes on. A reply never holds a model's thinking, and
// its JSON fits the schema that was asked for; a failure is an [*Error] whose
// [Kind] says what to do. The package writes no prompts, keeps no conversation
// and runs no tools.
package llm

import (
	"context"
	"encoding/json"
	"time"
)

// Role is what a model is wanted for; each may have a model of its own.
type Role string

// The roles, as the settings name them.
const (
	Plan    Role = "plan"    // queries and the plan
	Search  Role = "search"  // reads pages, searches with grounding
	Reflect Role = "reflect" // looks for gaps
	Write   Role = "write"   // outline, sections, summary
	Judge   Role = "judge"   // checks claims
)

// Roles are all roles in the order of a run.
var Roles = [...]Role{Plan, Search, Reflect, Write, Judge}

// Speaker is who said a message.
type Speaker string

// The two sides of a conversation.
const (
	User      Speaker = "user"
	Assistant Speaker = "assistant"
)

// Message is one turn of a conversation.
type Message struct {
	From Speaker `json:"from"`
	Text string  `json:"text"`
}

// Ask is a conversation of one question.
func Ask(text string) []Message { return []Message{{User, text}} }

// Thinking is how long a model may think before it answers. A back end that
// knows fewer levels takes the nearest.
type Thinking string

// The levels of thinking. The empty level leaves it to the model.
const (
	NoThinking     Thinking = "off"
	LowThinking    Thinking = "low"
	MediumThinking Thinking = "medium"
	HighThinking   Thinking = "high"
)

// Form is how a back end asks for JSON when a request has a schema. The zero
// value lets it take the firmest form that its server knows.
type Form string

// The forms from firm to loose. Each server knows some of them; whatever comes
// back is read as if it were loose.
const (
	SchemaForm Form = "schema" // the server holds the model to the schema
	ObjectForm Form = "object" // the server holds the model to some JSON object
	TextForm   Form = "text"   // the prompt asks for JSON and shows the schema
)

// Request is one question to a model. The zero value of each field but Messages
// is a sensible choice.
type Request struct {
	Role     Role      `json:"role,omitempty"`
	System   string    `json:"system,omitempty"`
	Messages []Message `json:"messages"` // the last is from the user

	// Schema is the JSON schema of the answer; none for prose. Keep it flat: an
	// object of at most ten properties with type, description, enum, items and
	// required. Servers differ on everything else.
	Schema json.RawMessage `json:"schema,omitempty"`
	// Fallback is returned, with a warning, when no answer could be read. Without
	// it that is an error of kind BrokenOutput.
	Fallback json.RawMessage `json:"fallback,omitempty"`
	Form     Form            `json:"form,omitempty"`
	// Attempts bounds the answers that may be asked for and paid: one that cannot
	// be read, is cut or empty is asked for again. 0: DefaultAttempts.
	Attempts int `json:"attempts,omitempty"`

	MaxOutput   int      `json:"max_output,omitempty"` // tokens, thinking included; 0: DefaultMaxOutput
	Temperature *float64 `json:"temperature,omitempty"`
	Thinking    Thinking `json:"thinking,omitempty"`
	Grounding   bool     `json:"grounding,omitempty"` // let the model search the web itself, where it can; prose only
}

// DefaultMaxOutput is the output limit of a request that names none, in tokens.
// Thinking counts inside it: smaller limits give answers without any text.
const DefaultMaxOutput = 8192

// DefaultAttempts is how many answers a request may take: one as asked, one
// longer, one with its mistake pointed out.
const DefaultAttempts = 3

// OutputLimit is the request's output limit in tokens.
func (r Request) OutputLimit() int {
	if r.MaxOutput > 0 {
		return r.MaxOutput
	}
	return DefaultMaxOutput
}

// Finish is why a model stopped.
type Finish string

// The reasons to stop.
const (
	Stopped Finish = "stop"   // it had said everything
	Length  Finish = "length" // the output limit, or the end of its context
)

// Reply is a model's answer.
type Reply struct {
	Text      string          `json:"text,omitempty"` // without thinking
	JSON      json.RawMessage `json:"json,omitempty"` // fits Request.Schema
	Finish    Finish          `json:"finish,omitempty"`
	Usage     Usage           `json:"usage"` // of all attempts, also beside an error
	Model     string          `json:"model,omitempty"`
	Grounding *Grounding      `json:"grounding,omitempty"`
	Warnings  []string        `json:"warnings,omitempty"` // what was repaired, cut or replaced, one sentence each
	// Form is how a back end asked for the JSON, which may be looser than the
	// request wanted; the next attempt is looser still.
	Form Form `json:"-"`
	// Pause is how long the server wants no further request, because a limit has
	// nothing left. It is of the moment and not part of a stored reply.
	Pause time.Duration `json:"-"`
}

// Grounding is what a model found on the web by itself. Every part may be
// missing. Its sentences are claims, its sources are pages to read.
type Grounding struct {
	Queries []string `json:"queries,omitempty"` // what was searched
	// Suggestions is HTML that Google's terms ask to show beside the answer.
	Suggestions string    `json:"suggestions,omitempty"`
	Sources     []WebPage `json:"sources,omitempty"`
	Supports    []Support `json:"supports,omitempty"`
}

// WebPage is a page that a model says it used.
type WebPage struct {
	URL        string `json:"url"`
	Title      string `json:"title,omitempty"`      // often the bare domain
	Unresolved bool   `json:"unresolved,omitempty"` // the URL is a redirect of the back end that expires
}

// Support ties a stretch of Reply.Text to sources: Text[Start:End], in bytes.
type Support struct {
	Start   int   `json:"start"`
	End     int   `json:"end"`
	Sources []int `json:"sources"` // indices into Grounding.Sources
}

// Model is one language model of one back end. Generate makes at most one
// request that can be paid for, and returns an *Error for every failure but the
// end of ctx, which it returns as it is. It is safe for concurrent use.
type Model interface {
	Generate(ctx context.Context, r Request) (Reply, error)
	// Name is the back end and the name it has there, such as
	// "gemini:gemini-3.8-flash".
	Name() string
}

// Streamer is a model that can hand out its text as it comes. emit gets pieces
// of Reply.Text in order and stops the answer by returning an error.
type Streamer interface {
	Stream(ctx context.Context, r Request, emit func(text string) error) (Reply, error)
}

// Counter is a model that counts the input tokens of a request exactly.
type Counter interface {
	CountTokens(ctx context.Context, r Request) (int, error)
}

// Embedder is a model that turns texts into vectors, one each.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Windowed is a model that knows the length of its context, in tokens of input
// and output together.
type Windowed interface {
	ContextLength(ctx context.Context) (int, error)
}
