package document

import "deepresearch/internal/text"

// PassageOptions sets the size of passages. The zero value is ready for use.
type PassageOptions struct {
	Sentences int // most sentences of a passage; 0 means 3
	Step      int // sentences from the start of one passage to the next; 0 means Sentences: no overlap
	MaxBytes  int // a passage ends before it grows longer; one sentence alone may; 0 means 1200
}

// Passage is a window of sentences within one block.
type Passage struct {
	text.Span
	Block int      // index into Document.Blocks
	Path  []string // the headings above it, outermost first
}
