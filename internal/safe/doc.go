// Package safe holds the rules for what comes from outside: text of pages and
// documents, addresses, queries, and what may be printed.
//
// Start with [Text], which every text from outside passes before it is stored.
// [Orders] tells sentences that address a reading model, [Markdown] escapes
// text for a report, [URL] and [Canonical] are the rules for addresses, and
// [Redactor] keeps secrets out of logs and errors.
//
// The package reads no HTML (what a stylesheet hides is decided where the
// document tree is known), opens no connection (see package guard) and does
// not translate or judge what a text says.
package safe
