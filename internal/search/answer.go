package search

import "time"

// Result is one hit.
type Result struct {
	// Rank counts from 1 in an answer; engines leave it zero.
	Rank    int    `json:"rank"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
	// Published is empty or a date as exact as it is known: 2006, 2006-01,
	// 2006-01-02 or a time in RFC 3339.
	Published string `json:"published"`
	// Engines are those that returned the page, best rank first.
	Engines []string `json:"engines"`
	// Score orders the results of one answer; it compares with nothing else.
	Score float64 `json:"score"`
	// Raw is the text of the page as the engine sent it, plain or Markdown.
	// Most engines send none.
	Raw string `json:"-"`
	// Also lists other addresses of the same text: open copies that the engine
	// knows, and near duplicates found here.
	Also []string `json:"also,omitempty"`
	// Licence is the SPDX identifier or name of the licence that the engine
	// states for the snippet or raw text.
	Licence string `json:"licence,omitempty"`
}

// Answer is what a search came to. With no results it says why: each engine
// that was asked and gave nothing has its failure. No list is nil.
type Answer struct {
	Query    string    `json:"query"`
	Results  []Result  `json:"results"`
	Failures []Failure `json:"failures"`
	Warnings []string  `json:"warnings"`
	// Suggestions are what the terms of engines ask to show beside the results.
	Suggestions []Suggestion `json:"search_suggestions,omitempty"`
	// Calls has one entry for each engine that was chosen, in that order.
	Calls []Call `json:"-"`
	// Trace has one entry for each page that came back, best first, dropped
	// ones last.
	Trace []Trace `json:"-"`
}

// Suggestion is what an engine that searches by itself wants a reader to be
// shown beside its results: the searches it ran, and its own way to show them.
type Suggestion struct {
	Engine  string   `json:"engine"`
	Queries []string `json:"queries"`
	HTML    string   `json:"html"` // as the engine wrote it: not to be trusted with scripts
}

// Call is what one engine did for an answer.
type Call struct {
	Engine string
	// Text is the query as the engine was sent it.
	Text string
	// Shortened tells that the engine takes no query as long as the one asked.
	Shortened bool
	// Requests counts the searches that were sent; zero when the answer came
	// from the cache or the engine was not asked.
	Requests int
	Results  int
	Cached   bool
	Elapsed  time.Duration
	// Cost is an estimate in US dollars.
	Cost float64
	// Failure is nil when the engine returned results.
	Failure *Failure
}

// Requests is the number of requests that the answer sent to engines.
func (a Answer) Requests() int {
	n := 0
	for _, c := range a.Calls {
		n += c.Requests
	}
	return n
}

// EngineRank is the place of a page among the results of one engine, from 1.
type EngineRank struct {
	Engine string
	Rank   int
}

// Trace is how one page came to its place: the score of each stage.
type Trace struct {
	URL string
	// Ranks has the best rank in each engine that returned the page.
	Ranks []EngineRank
	// Votes is the sum of reciprocal ranks, one vote an index family.
	Votes float64
	// Overlap is the share of the query's terms found in title and snippet, or
	// in the address when those hold too few.
	Overlap float64
	// BM25 of title, snippet and raw text against the query.
	BM25 float64
	// Site is the weight of the site, from -1 to 1.
	Site float64
	// Freshness is the factor for age, 1 when the question is not about time.
	Freshness float64
	Score     float64
	// Dropped says why the page is not in the results, empty when it is.
	Dropped string
}
