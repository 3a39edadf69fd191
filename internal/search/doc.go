// Package search asks search engines and merges what they answer into one
// ranked list.
//
// Start with [New] and [Searcher.Search]. An [Engine] speaks one wire protocol
// and nothing else: choosing engines for a topic, shaping the query, pacing,
// circuit breaking, caching, filtering, fusion and the relevance gate all
// happen here, once, for every engine. The engines live one folder each below
// this package; package engines lists them and builds those that a
// configuration asks for.
//
// A failure is never an empty list: an engine returns results or a [*Failure],
// and every failure reaches the [Answer]. A filter that an engine cannot honour
// is named in the warnings and applied here.
//
// The package fetches no page, judges no source and keeps nothing on disk: it
// remembers through the [Memory] that the caller hands in.
package search
