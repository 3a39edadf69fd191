// Package crawl turns the address of a page into a [Page]: its text, what is
// known about it, and an honest word on how reading it went.
//
// Start with [NewFetcher] and [NewReader]; [Reader.Read] never fails without
// saying why: every page has an [Outcome], and one that is not [OK] a hint on
// what to do. [Fetcher.Fetch] is the half below: bytes over HTTP with robots.txt
// (RFC 9309), limits per host, retries, a cache with validators, and caps on
// size and time. [Reader.Walk] reads the pages of a site, by its links or its
// sitemaps, or lists them, within budgets; [Passages] finds what pages say of a
// query. Which addresses may be reached at all is decided by package
// guard, what is text in a page by package document.
//
// The package runs no script, fills no form, sends no cookie of the user and
// solves no challenge.
package crawl
