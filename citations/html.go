package citations

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
)

//go:embed report.html.tmpl
var pageSource string

// pageTemplate is parsed at first use.
var pageTemplate = sync.OnceValues(func() (*template.Template, error) {
	return template.New("report").Parse(pageSource)
})

// HTML writes the draft as one page that needs nothing else: no script, no
// remote resource. Each mark opens the claim's label, reason and quotes; printed,
// the quotes stand in the source list. The numbers are those of [Render].
func HTML(w io.Writer, d Draft, l *Ledger, opt RenderOptions) error {
	page, err := pageTemplate()
	if err != nil {
		return fmt.Errorf("reading the report's template: %w", err)
	}
	if err := page.Execute(w, viewOf(resolve(d, l, opt))); err != nil {
		return fmt.Errorf("writing the report as HTML: %w", err)
	}
	return nil
}

// The page as its template reads it.
type pageView struct {
	Lang, Title string
	Say         phrases
	Counts      []countView
	Blocks      []blockView
	Sources     []sourceView
}

type countView struct {
	Label Label
	Name  string
	N     int
}

type blockView struct {
	Kind    Kind
	Level   int
	Ordered bool
	Text    string
	Line    []runView
	Header  []string
	Rows    [][]lineView
	Notes   []noteView
	SVG     template.HTML // of a figure
}

type lineView struct{ Runs []runView }

// runView is a stretch of text in one style, or a mark.
type runView struct {
	Text       string
	Bold, Code bool
	N          int    // of a mark
	ID         string // of a claim's first mark: where closing its note leads
	Note       string // id of the note that a mark opens
	Label      Label
	Name       string // of the label
}

// noteView is what a mark opens.
type noteView struct {
	ID, Back      string
	Label         Label
	Name          string
	Reason, Judge string
	Quotes        []quoteView
}

type quoteView struct {
	N    int
	Text string
	Link template.URL // checked by destination
	Page int
}

type sourceView struct {
	Source
	Name   string
	Link   template.URL
	About  string
	Quotes []quoteView
}

// phrases are the words of the page itself.
type phrases struct {
	Sources, Judge, Open, Close, Private string
	Labels                               map[Label]string
}

var english = phrases{
	Sources: "Sources", Judge: "judged by", Open: "open the passage", Close: "close", Private: "private file",
	Labels: map[Label]string{Quoted: "quoted", Supported: "supported", Partial: "partly supported", Unsupported: "not supported", Contradicted: "contradicted", Unchecked: "not checked"},
}

var mandarin = phrases{
	Sources: "来源", Judge: "判定模型", Open: "打开原文", Close: "关闭", Private: "私人文件",
	Labels: map[Label]string{Quoted: "原文引用", Supported: "有依据", Partial: "部分有依据", Unsupported: "无依据", Contradicted: "与来源矛盾", Unchecked: "未核查"},
}

// viewer turns a resolved draft into the page.
type viewer struct {
	r   resolved
	say phrases
}

func viewOf(r resolved) pageView {
	v := viewer{r: r, say: english}
	lang := r.draft.Language
	if lang == "" {
		lang = "en"
	}
	if chinese(lang) {
		v.say = mandarin
	}
	page := pageView{Lang: lang, Title: oneLine(r.draft.Title), Say: v.say, Counts: v.counts()}
	for i := range r.draft.Blocks {
		page.Blocks = append(page.Blocks, v.block(&r.draft.Blocks[i]))
	}
	for _, s := range r.sources {
		page.Sources = append(page.Sources, v.source(s))
	}
	return page
}

// counts says how many claims carry each label.
func (v viewer) counts() []countView {
	var out []countView
	for _, label := range []Label{Quoted, Supported, Partial, Unsupported, Contradicted, Unchecked} {
		n := 0
		for _, c := range v.r.claims {
			if c.Label == label {
				n++
			}
		}
		if n > 0 {
			out = append(out, countView{label, v.say.Labels[label], n})
		}
	}
	return out
}

func (v viewer) block(b *Block) blockView {
	out := blockView{Kind: b.Kind, Level: headingLevel(b.Level), Ordered: b.Ordered, Text: b.Text, Header: b.Header}
	out.Line = v.run(b.Sentences, &out.Notes)
	if b.Kind == Figure {
		out.SVG = template.HTML(b.Text) //nolint:gosec // figures are drawn by code, which escapes their texts
	}
	for _, row := range b.Rows {
		var cells []lineView
		if b.Kind == List {
			cells = []lineView{{v.run(row, &out.Notes)}}
		} else {
			for i := range row {
				cells = append(cells, lineView{v.run(row[i:i+1], &out.Notes)})
			}
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// run writes sentences in a row and collects the notes of their marks.
func (v viewer) run(sentences []Sentence, notes *[]noteView) []runView {
	var out []runView
	for i := range sentences {
		l := v.r.lines[&sentences[i]]
		if len(out) > 0 && !endsWide(plainOf(out)) {
			out = append(out, runView{Text: " "})
		}
		var note noteView
		if l.claim >= 0 && len(v.r.claims[l.claim].Marks) > 0 {
			note = v.note(l)
			*notes = append(*notes, note)
		}
		back := note.Back
		for _, p := range l.parts {
			for _, m := range p.marks {
				out = append(out, runView{N: m.n, ID: back, Note: note.ID, Label: note.Label, Name: note.Name})
				back = ""
			}
			if len(p.marks) == 0 {
				out = append(out, styledRuns(p.text)...)
			}
		}
	}
	return out
}

// plainOf is the text that was written last.
func plainOf(runs []runView) string {
	for _, r := range slices.Backward(runs) {
		if r.N == 0 {
			return r.Text
		}
	}
	return ""
}

// styledRuns splits a text at its **bold** and `code`.
func styledRuns(s string) []runView {
	var out []runView
	at := 0
	for _, m := range style.FindAllStringIndex(s, -1) {
		if m[0] > at {
			out = append(out, runView{Text: s[at:m[0]]})
		}
		code := s[m[0]] == '`'
		out = append(out, runView{Text: strings.Trim(s[m[0]:m[1]], "*`"), Code: code, Bold: !code})
		at = m[1]
	}
	if at < len(s) {
		out = append(out, runView{Text: s[at:]})
	}
	return out
}

func (v viewer) note(l line) noteView {
	c := v.r.claims[l.claim]
	n := noteView{ID: fmt.Sprintf("c%d", l.claim+1), Label: c.Label, Name: v.say.Labels[c.Label], Reason: c.Reason, Judge: c.Judge}
	n.Back = "r" + n.ID
	seen := map[string]bool{}
	for _, p := range l.parts {
		for _, m := range p.marks {
			for _, q := range m.quotes {
				if !seen[q.ID] {
					seen[q.ID] = true
					n.Quotes = append(n.Quotes, quoteViewOf(m.n, q))
				}
			}
		}
	}
	return n
}

func quoteViewOf(n int, q Quote) quoteView {
	return quoteView{N: n, Text: Shown(q.Text), Link: safeLink(q.Link), Page: q.Page}
}

func (v viewer) source(s Source) sourceView {
	about := strings.Trim(oneLine(s.Site)+", "+s.Published, ", ")
	out := sourceView{Source: s, Name: s.Name(), About: about, Link: safeLink(s.URL)}
	for _, q := range s.Quotes {
		out.Quotes = append(out.Quotes, quoteViewOf(s.N, q))
	}
	return out
}

// safeLink is an address that the template takes as it is; "" when it leads
// nowhere in a browser.
func safeLink(address string) template.URL {
	if strings.HasPrefix(address, "document:") {
		return ""
	}
	return template.URL(destination(address, inAutolink)) //nolint:gosec // destination lets web and file addresses through, encoded
}
