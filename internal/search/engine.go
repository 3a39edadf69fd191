package search

import (
	"context"
	"slices"
	"time"
)

// Engine asks one search back end.
//
// Search returns at least one result or an error that is a [*Failure]; an
// engine that worked and found nothing returns a failure of kind [Empty], one
// that answered from part of its index returns its results together with a
// failure of kind [Degraded]. The
// query has been shaped to the engine's capabilities: its text is within
// MaxQuery, its language and region are set where they are known. Search obeys
// ctx, waits for every goroutine it starts, and may be called by several
// goroutines at once.
type Engine interface {
	// Name is the engine's name in configuration and answers: lower case,
	// without spaces.
	Name() string
	// Capabilities says what the engine can honour; it never changes.
	Capabilities() Capabilities
	// Search asks the engine once.
	Search(ctx context.Context, q Query) ([]Result, error)
}

// Capabilities says which parts of a query an engine honours and how it may be
// asked. The zero value honours nothing and has no limits.
type Capabilities struct {
	Recency  bool // honours day, week, month and year
	Range    bool // honours a range of dates
	Sites    bool // honours Include and Exclude
	Language bool // honours Language or Region
	News     bool // has an index of news for topic news
	FullText bool // sends the text of pages in Raw
	// Operators tells that quotes, minus signs and the like mean something to
	// the engine; for others they are taken out of the query.
	Operators bool
	// Semantic tells that the engine matches meaning: its results may share no
	// word with the query, so the relevance gate lets them pass.
	Semantic bool

	MaxQuery   int // longest query in characters; zero means no limit
	MaxWords   int // longest query in words; zero means no limit
	MaxResults int // most results one request gives; zero means no limit

	// Family names the index behind the engine. Engines of one family have one
	// vote together; empty means an index of its own.
	Family string
	// Site is the host when the engine searches one site only; its results
	// are not capped by host.
	Site string
	// Topics are those the engine is meant for. Without topics and Site it is
	// a general engine of the whole web.
	Topics []string
	// Languages the engine is especially good at, as primary tags.
	Languages []string

	// Cost is the price of one search in US dollars; zero means free.
	Cost float64
	// Searches is how many searches one request is reckoned to take, for a
	// [Finder] that runs as many as it likes; zero means one.
	Searches int
	// Pace is how the engine may be asked.
	Pace Pace
	// Loopback tells that the engine runs on this machine, so that asking it
	// sends nothing out.
	Loopback bool
	// Verified tells that the parser was checked against a recorded answer of
	// the real engine.
	Verified bool
}

// Found is what a [Finder] brings.
type Found struct {
	Results []Result
	// Searches is how many searches were run and are paid for; zero means one.
	Searches int
	// Suggested is what the terms of the engine ask to show beside what it
	// found; usually nil. The searcher names the engine in it.
	Suggested *Suggestion
}

// Finder is an engine that has more to tell than results. It is asked through
// Find in place of Search; both keep the same promises.
type Finder interface {
	Engine
	Find(ctx context.Context, q Query) (Found, error)
}

// General reports whether the engine searches the whole web.
func (c Capabilities) General() bool { return len(c.Topics) == 0 && c.Site == "" }

// covers reports whether the engine is meant for one of the topics.
func (c Capabilities) covers(topics []string) bool {
	return slices.ContainsFunc(topics, func(t string) bool { return slices.Contains(c.Topics, t) })
}

// On is what makes an engine be asked although the user has not named it.
type On string

// What switches an engine on.
const (
	OnAlways  On = "always"
	OnKey     On = "key"     // its key is set
	OnAddress On = "address" // its address is set
	OnName    On = "name"    // nothing but its name in the list of engines
)

// Pace limits how often and how widely an engine is asked.
type Pace struct {
	Every    time.Duration // one request per this time; zero means no limit
	Burst    int           // requests that may come at once; zero means one
	Parallel int           // requests in flight; zero means three
}
