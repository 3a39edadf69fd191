package write

import (
	"iter"
	"slices"

	"deepresearch/citations"
)

// Draft sentences are changed by citations.Revise; what remains is put in order
// here.

// supported keeps the sentences that a quote carries. What a reader could not
// check does not stand in a report. It returns the new blocks and how many
// sentences went.
func supported(blocks []citations.Block, l *citations.Ledger) (out []citations.Block, gone int) {
	carried := func(s citations.Sentence) bool {
		return slices.ContainsFunc(cited(s), func(id string) bool {
			_, q, ok := l.Lookup(id)
			return ok && q.ID != ""
		})
	}
	keep := func(list []citations.Sentence) []citations.Sentence {
		var kept []citations.Sentence
		for _, s := range list {
			if carried(s) {
				kept = append(kept, s)
			} else if plain(s) != "" {
				gone++
			}
		}
		return kept
	}
	for _, b := range blocks {
		switch b.Kind {
		case citations.Paragraph:
			b.Sentences = keep(b.Sentences)
		case citations.List:
			rows := b.Rows
			b.Rows = nil
			for _, row := range rows {
				if row = keep(row); len(row) > 0 {
					b.Rows = append(b.Rows, row)
				}
			}
		case citations.Table:
			b.Rows = filled(b.Rows, carried)
		}
		out = append(out, b)
	}
	return tidy(out), gone
}

// carried reports whether any sentence names a quote.
func carried(blocks []citations.Block) bool {
	for s := range sentences(blocks) {
		if names(s) {
			return true
		}
	}
	return false
}

// names reports whether a sentence names a quote.
func names(s citations.Sentence) bool { return len(cited(s)) > 0 }

// filled keeps the rows of a table in which at least two cells, or the only one
// beside the first, rest on a quote.
func filled(rows [][]citations.Sentence, carried func(citations.Sentence) bool) [][]citations.Sentence {
	var out [][]citations.Sentence
	for _, row := range rows {
		row = slices.Clone(row)
		n := 0
		for i := 1; i < len(row); i++ {
			if carried(row[i]) {
				n++
			} else {
				row[i] = citations.Sentence{Text: "—"}
			}
		}
		if n >= min(2, len(row)-1) {
			out = append(out, row)
		}
	}
	return out
}

// tidy removes blocks without content and headings under which nothing stands.
func tidy(blocks []citations.Block) []citations.Block {
	full := slices.DeleteFunc(slices.Clone(blocks), func(b citations.Block) bool {
		return b.Kind != citations.Code && len(b.Sentences)+len(b.Rows) == 0
	})
	var out []citations.Block
	for i, b := range full {
		bare := i+1 == len(full) || full[i+1].Kind == citations.Heading && full[i+1].Level <= b.Level
		if b.Kind != citations.Heading || !bare {
			out = append(out, b)
		}
	}
	return out
}

// sentences walks over the sentences of paragraphs, lists and tables.
func sentences(blocks []citations.Block) iter.Seq[citations.Sentence] {
	return func(yield func(citations.Sentence) bool) {
		for _, b := range blocks {
			if b.Kind == citations.Heading || b.Kind == citations.Note {
				continue
			}
			for _, list := range append([][]citations.Sentence{b.Sentences}, b.Rows...) {
				for _, s := range list {
					if !yield(s) {
						return
					}
				}
			}
		}
	}
}

func headingBlock(s string) citations.Block {
	return citations.Block{Kind: citations.Heading, Level: 2, Sentences: []citations.Sentence{{Text: s}}}
}

func note(s string) citations.Block {
	return citations.Block{Kind: citations.Note, Sentences: []citations.Sentence{{Text: s}}}
}

// claims counts the blocks that say something of the world.
func claims(blocks []citations.Block) int {
	n := 0
	for _, b := range blocks {
		if b.Kind == citations.Paragraph || b.Kind == citations.List || b.Kind == citations.Table {
			n++
		}
	}
	return n
}
