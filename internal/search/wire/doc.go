// Package wire is the HTTP and JSON plumbing that the search engines share: one
// request with a size cap, statuses and error bodies turned into a
// [search.Failure], lists of results read by path.
//
// Start with [New]: it makes a [search.Engine] of a [Spec], which is a table of
// what is particular to one engine. The package builds no HTTP client: the
// caller hands one in that keeps the rules for addresses.
package wire
