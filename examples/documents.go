// Package examples holds what the demo researches: [Documents], a small set of
// articles on memory models and data races that ship inside the binary, so that
// the demo runs without a network and without a checkout.
//
// Start with [Documents]. The package neither parses nor ranks them; ABOUT.md
// beside it says which documents disagree on purpose, and questions.json lists
// questions with the facts that an answer from these documents must contain.
package examples

import "embed"

// Documents is the folder "documents": Markdown, HTML, plain text, CSV and JSON
// files in UTF-8, in English and Chinese, each with its date except the two
// tables. All were written for this project and are under its licence. The two
// files named orchard-benchmark-* report invented figures of an invented
// program and say so.
//
//go:embed documents
var Documents embed.FS
