package citations

import (
	"iter"
	"strings"

	"deepresearch/internal/text"
)

// Draft is a report before numbering: what was written, with quotes named by
// id. It is a value; stages return a new one.
type Draft struct {
	Title    string  `json:"title"`
	Language string  `json:"language"` // BCP 47; decides the words of the source list
	Blocks   []Block `json:"blocks"`
}

// Kind says what a block is.
type Kind string

// The kinds of a block and the fields they use.
const (
	Heading   Kind = "heading"   // Level 2 to 4, Sentences
	Paragraph Kind = "paragraph" // Sentences
	List      Kind = "list"      // Rows, one list entry a row; Ordered
	Table     Kind = "table"     // Header, Rows, one cell a sentence
	Note      Kind = "note"      // Sentences about the report itself; no claim is made of them
	Code      Kind = "code"      // Text, shown as it is
	Figure    Kind = "figure"    // Text, an SVG of our own that HTML shows as it is; Sentences, its caption
)

// Block is a part of a draft.
type Block struct {
	Kind      Kind         `json:"kind"`
	Level     int          `json:"level,omitempty"`
	Ordered   bool         `json:"ordered,omitempty"`
	Text      string       `json:"text,omitempty"`
	Sentences []Sentence   `json:"sentences,omitempty"`
	Header    []string     `json:"header,omitempty"`
	Rows      [][]Sentence `json:"rows,omitempty"`
}

// Sentence is what one claim is made of: plain text (never Markdown or HTML;
// *emphasis* and `code` pass) and the ids of the quotes that carry it. Text may
// hold tokens [[id]] where a mark belongs; quotes without a token are marked at
// the end, before the full stop.
type Sentence struct {
	Text   string   `json:"text"`
	Quotes []string `json:"quotes,omitempty"`
}

// tokenPattern finds everything that looks like a token, known or forged.
// Several ids in one pair of brackets are accepted.
var tokenPattern = text.NewPattern(`\[\[\s*(S[0-9][0-9.qS,;\s]{0,400}?)\s*\]\]`)

var idInToken = text.NewPattern(idForm)

// Token is the internal mark of a quote in draft text.
func Token(id string) string { return "[[" + id + "]]" }

// piece is a stretch of a sentence: text, or the ids of one place for marks.
type piece struct {
	text string
	ids  []string
}

// pieces splits a sentence at its tokens in one pass. Unknown ids are left out
// and counted.
func pieces(s Sentence, known func(id string) bool) (ps []piece, forged int) {
	accept := func(ids []string) (kept []string) {
		for _, id := range ids {
			if known(id) {
				kept = append(kept, id)
			} else {
				forged++
			}
		}
		return kept
	}
	at, named := 0, map[string]bool{}
	for _, m := range tokenPattern.FindAllStringSubmatchIndex(s.Text, -1) {
		ps = append(ps, piece{text: s.Text[at:m[0]]})
		at = m[1]
		ids := idInToken.FindAllString(s.Text[m[2]:m[3]], -1)
		if len(ids) == 0 {
			forged++
		}
		ids = accept(ids)
		for _, id := range ids {
			named[id] = true
		}
		ps = append(ps, piece{ids: ids})
	}
	ps = append(ps, piece{text: s.Text[at:]})
	var rest []string
	for _, id := range accept(s.Quotes) {
		if !named[id] {
			named[id] = true
			rest = append(rest, id)
		}
	}
	if len(rest) > 0 {
		ps = insertBeforeStop(ps, rest)
	}
	return tidy(ps), forged
}

// stops end a sentence; marks of the sentence stand before them.
const stops = ".!?。！？…；;"

// insertBeforeStop puts the marks of a whole sentence where a reader looks for
// them: at its end, before the final stop; after it when a quotation closes the
// sentence, so that no mark stands inside the quotation.
func insertBeforeStop(ps []piece, ids []string) []piece {
	last := &ps[len(ps)-1]
	body := strings.TrimRight(last.text, " \t\n")
	cut := strings.TrimRight(body, stops)
	stop := body[len(cut):]
	if cut == "" && len(ps) == 1 {
		cut, stop = body, ""
	}
	last.text = cut
	ps = append(ps, piece{ids: ids})
	if stop != "" {
		ps = append(ps, piece{text: stop})
	}
	return ps
}

// tidy joins neighbours of the same sort and removes the blank before a mark
// and what a removed token leaves behind.
func tidy(ps []piece) []piece {
	var out []piece
	for i, p := range ps {
		between := i > 0 && i+1 < len(ps) && len(ps[i-1].ids) > 0 && len(ps[i+1].ids) > 0
		if len(p.ids) == 0 && (p.text == "" || between && strings.TrimSpace(p.text) == "") {
			continue
		}
		last := len(out) - 1
		switch {
		case len(p.ids) > 0 && last >= 0 && len(out[last].ids) > 0:
			out[last].ids = append(out[last].ids, p.ids...)
		case len(p.ids) == 0 && last >= 0 && len(out[last].ids) == 0:
			out[last].text = joinText(out[last].text, p.text)
		default:
			out = append(out, p)
		}
	}
	for i := 0; i+1 < len(out); i++ {
		if len(out[i+1].ids) > 0 {
			out[i].text = strings.TrimRight(out[i].text, " ")
		}
	}
	return out
}

func joinText(a, b string) string {
	if strings.HasSuffix(a, " ") && (b == "" || strings.HasPrefix(b, " ") || strings.ContainsAny(b[:1], ".,;:!?)")) {
		a = strings.TrimRight(a, " ")
	}
	return a + b
}

// plainText is the sentence without tokens.
func plainText(ps []piece) string {
	var b strings.Builder
	for _, p := range ps {
		b.WriteString(p.text)
	}
	return strings.TrimSpace(b.String())
}

// idsOf are the ids of all marks, in order, without repeats.
func idsOf(ps []piece) []string {
	var ids []string
	seen := map[string]bool{}
	for _, p := range ps {
		for _, id := range p.ids {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// sentences walks over the sentences that may make claims, in report order.
func (d Draft) sentences() iter.Seq[*Sentence] {
	return func(yield func(*Sentence) bool) {
		for i := range d.Blocks {
			for s := range d.Blocks[i].sentences() {
				if !yield(s) {
					return
				}
			}
		}
	}
}

func (b *Block) sentences() iter.Seq[*Sentence] {
	return func(yield func(*Sentence) bool) {
		if b.Kind != Paragraph && b.Kind != List && b.Kind != Table && b.Kind != Figure {
			return
		}
		for i := range b.Sentences {
			if !yield(&b.Sentences[i]) {
				return
			}
		}
		for _, row := range b.Rows {
			for i := range row {
				if !yield(&row[i]) {
					return
				}
			}
		}
	}
}

// clone copies the draft so that no slice is shared.
func (d Draft) clone() Draft {
	blocks := make([]Block, len(d.Blocks))
	for i, b := range d.Blocks {
		b.Header = append([]string(nil), b.Header...)
		b.Sentences = cloneSentences(b.Sentences)
		rows := make([][]Sentence, len(b.Rows))
		for j, row := range b.Rows {
			rows[j] = cloneSentences(row)
		}
		b.Rows = rows
		blocks[i] = b
	}
	d.Blocks = blocks
	return d
}

func cloneSentences(from []Sentence) []Sentence {
	if from == nil {
		return nil
	}
	to := make([]Sentence, len(from))
	for i, s := range from {
		to[i] = Sentence{Text: s.Text, Quotes: append([]string(nil), s.Quotes...)}
	}
	return to
}
