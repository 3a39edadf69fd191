package pdf

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deepresearch/crawl/document/internal/pdfium"
)

// lineAt is a line at a place, of a size.
func lineAt(text string, left, bottom, size float32) line {
	right := left + float32(len(text))*size/2
	return line{text: text, cells: []cell{{text, left, right}}, left: left, right: right, bottom: bottom, size: size}
}

func TestCompose(t *testing.T) {
	parted := lineAt("It is not unbro", 70, 676, 10)
	parted.parted = true
	pages := []page{
		{1, []line{
			lineAt("1 Harbours and their well-known tides", 70, 740, 10), // the outline says that it is a heading
			lineAt("The harbour lies north. It is a well-", 70, 700, 10), lineAt("known place.", 70, 688, 10),
			lineAt("• one entry", 70, 640, 10), lineAt("• and another", 70, 626, 10),
		}},
		{2, []line{parted, lineAt("ken, as all agree and the", 70, 664, 10)}},
		{3, []line{lineAt("records show.", 70, 740, 10), lineAt("港口在北", 70, 700, 10), lineAt("方。", 70, 688, 10)}},
	}
	got := compose(pages, []pdfium.Entry{{Title: "Harbours and their well-known tides", Level: 2, Page: 1}})
	want := []Block{
		{Kind: Heading, Level: 2, Text: "1 Harbours and their well-known tides", Page: 1},
		{Kind: Paragraph, Text: "The harbour lies north. It is a well-known place.", Page: 1},
		{Kind: Entry, Text: "one entry", Page: 1},
		{Kind: Entry, Text: "and another", Page: 1},
		{Kind: Paragraph, Text: "It is not unbroken, as all agree and the records show.", Page: 2, Turns: []Turn{{3, 41}}},
		{Kind: Paragraph, Text: "港口在北方。", Page: 3},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDropMargins(t *testing.T) {
	var pages []page
	for i := range 4 {
		pages = append(pages, page{i + 1, []line{
			lineAt("Tides of the north", 70, 800, 8), lineAt("text "+strings.Repeat("a", i+1), 70, 700, 10),
			lineAt("more "+strings.Repeat("b", i+1), 70, 688, 10), lineAt("last", 70, float32(300+50*i), 10), lineAt("Page "+string(rune('1'+i)), 290, 30, 8),
		}})
	}
	if dropped := dropMargins(pages); len(dropped) != 8 {
		t.Errorf("dropped %q", dropped)
	}
	for _, p := range pages {
		if len(p.lines) != 3 {
			t.Errorf("page %d keeps %d lines", p.number, len(p.lines))
		}
	}
}

// FuzzCompose reads lines and places from the input.
func FuzzCompose(f *testing.F) {
	f.Add("A heading\nrunning text that is un-\nbroken\f1. entry\n2. entry\t3\t4\n", []byte{10, 20, 30, 40, 200, 7})
	f.Fuzz(func(t *testing.T, text string, places []byte) {
		at := func(i int) float32 {
			if len(places) == 0 {
				return 0
			}
			return float32(places[i%len(places)])
		}
		var pages []page
		n := 0
		for i, body := range strings.Split(text, "\f") {
			chars := pdfium.Page{Fonts: map[int]string{}}
			for _, r := range body {
				n++
				chars.Chars = append(chars.Chars, pdfium.Char{Rune: r, Left: at(n), Right: at(n) + at(n+1), Bottom: at(n + 2), Top: at(n+2) + at(n+3)/8})
				if r == '\t' {
					chars.Fonts[len(chars.Chars)] = "CMTT10"
				}
			}
			pages = append(pages, page{i + 1, linesOf(chars)})
		}
		began := time.Now()
		dropMargins(pages)
		blocks := compose(pages, []pdfium.Entry{{Title: text, Level: 9, Page: 1}, {Title: "A heading", Level: 1, Page: 1}})
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
		last := 0
		for _, b := range blocks {
			if b.Page < last || b.Level < 0 || b.Level > 6 {
				t.Fatalf("%+v after page %d", b, last)
			}
			last = b.Page
			at := 0
			for _, turn := range b.Turns {
				if turn.At < at || turn.At > len(b.Text) || turn.Page <= last {
					t.Fatalf("%+v", b)
				}
				at, last = turn.At, turn.Page
			}
		}
	})
}
