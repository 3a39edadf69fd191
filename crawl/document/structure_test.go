package document

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// outline writes the blocks of a document in the notation of testdata/*.txtar.
func outline(d *Document) string {
	var out strings.Builder
	names := map[Kind]string{KindParagraph: "p", KindHeading: "h", KindItem: "li", KindTerm: "dt", KindDefinition: "dd"}
	anchor := ""
	for _, b := range d.Blocks {
		name, ok := names[b.Kind]
		if !ok {
			name = string(b.Kind)
		}
		if b.Header {
			name += "*"
		}
		if b.Language != "" {
			name += ":" + b.Language
		}
		if b.Level > 0 {
			name += fmt.Sprint(b.Level)
		}
		if b.Number > 0 {
			name += fmt.Sprintf(".%d", b.Number)
		}
		if b.Anchor != anchor {
			name += " #" + b.Anchor
			anchor = b.Anchor
		}
		writeText(&out, name, b, d.Text)
		for _, in := range b.Inline {
			fmt.Fprintln(&out, strings.TrimSpace(fmt.Sprintf("  %s %q %s", in.Kind, in.In(d.Text), in.URL)))
		}
		writeCells(&out, b, d.Text)
	}
	for _, im := range d.Images {
		fmt.Fprintf(&out, "image %s %q %d\n", im.URL, im.Alt, im.Block)
	}
	return out.String()
}

func writeText(out *strings.Builder, name string, b Block, text string) {
	s := b.In(text)
	if b.Kind == KindCode {
		fmt.Fprintf(out, "%s\n| %s\n", name, strings.ReplaceAll(s, "\n", "\n| "))
		return
	}
	fmt.Fprintf(out, "%s %s\n", name, strings.ReplaceAll(s, "\n", "⏎"))
}

func writeCells(out *strings.Builder, b Block, text string) {
	var cells []string
	for _, c := range b.Cells {
		cells = append(cells, c.In(text))
	}
	if len(cells) > 0 && !slices.Equal(cells, strings.Split(b.In(text), " | ")) {
		fmt.Fprintf(out, "  cells")
		for _, c := range cells {
			fmt.Fprintf(out, " %q", c)
		}
		fmt.Fprintln(out)
	}
}

// unindented makes the hand-written notation comparable.
func unindented(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(line, "|") {
			line = strings.TrimSpace(line) + "\n"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}

func TestStructure(t *testing.T) {
	passed, all := 0, 0
	for _, file := range []string{"blocks", "hidden", "files"} {
		archive, err := txtar.ParseFile("testdata/" + file + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(archive.Files); i += 2 {
			in, want := archive.Files[i], archive.Files[i+1]
			all++
			if t.Run(file+"/"+in.Name, func(t *testing.T) {
				checkStructure(t, in.Name, in.Data, string(want.Data))
			}) {
				passed++
			}
		}
	}
	t.Logf("%d of %d", passed, all)
}

func checkStructure(t *testing.T, name string, body []byte, want string) {
	if path.Ext(name) == ".html" {
		name = "page.html"
	}
	doc, err := Parse(context.Background(), Input{URL: "https://example.com/dir/" + name, Body: body})
	if err != nil {
		t.Fatal(err)
	}
	checkSpans(t, doc)
	if diff := cmp.Diff(unindented(want), unindented(outline(doc))); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

// suite returns the inputs of the suite that have an extension.
func suite(t testing.TB, ext string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, file := range []string{"blocks", "hidden", "files"} {
		archive, err := txtar.ParseFile("testdata/" + file + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range archive.Files {
			if path.Ext(in.Name) == ext {
				out[file+"/"+in.Name] = in.Data
			}
		}
	}
	return out
}

// seed adds the pages of the suite to a fuzz corpus.
func seed(f *testing.F, ext string) {
	f.Helper()
	for _, page := range suite(f, ext) {
		f.Add(page)
	}
}

// checkSpans holds a document to what its comments promise of spans.
func checkSpans(t testing.TB, d *Document) {
	t.Helper()
	at := 0
	for i, b := range d.Blocks {
		gap := "\n\n"
		if i == 0 {
			gap = ""
		}
		if b.Start != at+len(gap) || d.Text[at:b.Start] != gap || b.Len() <= 0 {
			t.Fatalf("block %d %v does not follow the one that ends at %d", i, b.Span, at)
		}
		at = b.End
		for _, in := range b.Inline {
			if !b.Contains(in.Span) || in.Len() == 0 {
				t.Errorf("block %d %v: inline %v lies outside", i, b.Span, in)
			}
		}
		for _, c := range b.Cells {
			if c.Start > c.End || c.End > b.End || c.Len() == 0 && !b.Contains(c) {
				t.Errorf("block %d %v: cell %v", i, b.Span, c)
			}
		}
	}
	if at != len(d.Text) {
		t.Errorf("blocks end at %d, text at %d", at, len(d.Text))
	}
}
