package selection

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// page builds a page from lines "path text", path being tags and classes such as
// body/div.main/p; equal paths are one element, and #2 sets a second one apart.
func page(lines ...string) *Page {
	p := &Page{}
	at := map[string]int{}
	for _, line := range lines {
		path, text, _ := strings.Cut(line, " ")
		parent, name := -1, ""
		for part := range strings.SplitSeq(path, "/") {
			name += "/" + part
			e, ok := at[name]
			if !ok {
				tag, _, _ := strings.Cut(part, "#")
				tag, class, _ := strings.Cut(tag, ".")
				n := &html.Node{Type: html.ElementNode, Data: tag, DataAtom: atom.Lookup([]byte(tag))}
				if class != "" {
					n.Attr = []html.Attribute{{Key: "class", Val: class}}
				}
				e = len(p.Elems)
				p.Elems = append(p.Elems, Elem{Node: n, Parent: parent})
				at[name] = e
			}
			parent = e
		}
		words := len(strings.Fields(text))
		p.Blocks = append(p.Blocks, Block{Elem: parent, Kind: "paragraph", Text: []byte(text), Words: words})
	}
	return p
}

func TestColumns(t *testing.T) {
	names := Columns()
	if len(names) != Width+Around {
		t.Errorf("%d columns, want Width+Around = %d", len(names), Width+Around)
	}
	s := Survey(page("body/p One.", "body/p#2 Two."))
	if len(s.rows) != 2*Width {
		t.Errorf("%d numbers for two rows of Width %d", len(s.rows), Width)
	}
	if got := s.Around([]float64{.2, .8}); len(got) != 2 || len(got[0]) != Around {
		t.Errorf("rows around of %d", len(got[0]))
	}
}

func TestBest(t *testing.T) {
	for _, c := range []struct {
		name   string
		words  []int
		chance []float64
		prose  bool
		want   []bool
	}{
		{"no blocks", nil, nil, false, []bool{}},
		{"clear", []int{10, 10, 10}, []float64{.9, .9, .1}, true, []bool{true, true, false}},
		{"nothing is likely", []int{10, 10, 10}, []float64{.2, .18, .18}, false, []bool{true, true, true}},
		{"one long block is", []int{100, 10, 10}, []float64{.99, .3, .3}, true, []bool{true, false, false}},
		{"the better of two", []int{10, 100}, []float64{.01, .2}, false, []bool{false, true}},
		{"no words", []int{0, 0}, []float64{.5, .9}, false, []bool{true, true}},
		{"doubt on a page of prose", []int{100, 10}, []float64{.9, .4}, true, []bool{true, false}},
		{"doubt on a list", []int{100, 10}, []float64{.9, .4}, false, []bool{true, true}},
	} {
		s := &Sheet{wordings: make([]wording, len(c.words))}
		for i, w := range c.words {
			s.blocks = append(s.blocks, Block{Words: w})
			s.wordings[i].sentence = c.prose
		}
		if got := s.best(c.chance); !slices.Equal(got, c.want) {
			t.Errorf("%s: best(%v of %v words) = %v, want %v", c.name, c.chance, c.words, got, c.want)
		}
	}
}

func TestJoin(t *testing.T) {
	p := page("body/ul/li#1 One two", "body/ul/li#2 Three four", "body/p Text", "body/pre code", "body/p#2 More", "body/table a | b", "body/table c | d")
	for i, kind := range []string{"item", "item", "paragraph", "code", "paragraph", "row", "row"} {
		p.Blocks[i].Kind = kind
		p.Blocks[i].Words = 2
	}
	chance := []float64{.25, .75, .875, .125, .625, 0, 1}
	Survey(p).join(chance)
	if want := []float64{.5, .5, .875, .625, .625, .5, .5}; !slices.Equal(chance, want) {
		t.Errorf("chances %v, want %v", chance, want)
	}
}

func TestRoles(t *testing.T) {
	names := newNamer()
	for name, want := range map[string]string{
		"post-comments":     "comment",
		"RelatedArticles":   "related",
		"entryContent main": "entry",
		"x9f3 a":            "",
	} {
		got := names.name(name)
		if want == "" && got != 0 {
			t.Errorf("%q has roles %b, want none", name, got)
		}
		if want != "" && got&roleWords()[want] == 0 {
			t.Errorf("%q lacks the role of %q", name, want)
		}
	}
	if len(roles) != tagRoles[atom.Article] || len(tagRoles) == 0 {
		t.Errorf("%d roles by name, the first by tag is %d", len(roles), tagRoles[atom.Article])
	}
}

func TestTopics(t *testing.T) {
	for text, topic := range map[string]int{
		"Subscribe to our newsletter": topicSubscribe,
		"You may also like":           topicRelated,
		"Add to cart":                 topicBuy,
		"© 2020 Somebody":             topicLegal,
		"Only £3":                     topicMoney,
	} {
		s := &Sheet{}
		if got := s.read(Block{Text: []byte(text)}, nil); got.topics>>topic&1 == 0 {
			t.Errorf("%q: topics %b, want %s", text, got.topics, topicNames[topic])
		}
	}
}

func TestSentence(t *testing.T) {
	for text, want := range map[string]bool{
		"He said: “It is so.”": true, "So it is!)": true, "它是这样。": true,
		"A label": false, "": false, "( )": false,
	} {
		if got := endsSentence([]byte(text)); got != want {
			t.Errorf("endsSentence(%q) = %v", text, got)
		}
	}
}

// TestMeasures checks sums and places on a page with a heading, prose and a list of
// cards.
func TestMeasures(t *testing.T) {
	sentence := " a sentence of well more than nine words stands here."
	p := page("body/nav/a Home", "body/main/h1 The title of it", "body/main/div/p#1"+sentence, "body/main/div/p#2"+sentence,
		"body/main/ul/li.card#1 One", "body/main/ul/li.card#2 Two", "body/main/ul/li.card#3 Three", "body/footer The end")
	p.Title = "The title of it"
	s := Survey(p)
	if s.heading != 1 {
		t.Errorf("heading is block %d, want 1", s.heading)
	}
	if tag := s.elems[s.prose].tag; tag != atom.Div {
		t.Errorf("prose is in %s, want div", tag)
	}
	last := s.elems[s.blocks[6].Elem]
	if last.alike != 3 || s.elems[last.withHeading].tag != atom.Main {
		t.Errorf("card: %d alike, with the heading in %s", last.alike, s.elems[last.withHeading].tag)
	}
	if s.elems[0].words != s.total || s.elems[0].blocks != int32(len(p.Blocks)) {
		t.Errorf("root has %v of %v words, %d of %d blocks", s.elems[0].words, s.total, s.elems[0].blocks, len(p.Blocks))
	}
}

func TestManyBlocks(t *testing.T) {
	p := page("body/p A paragraph.", "body/nav/a Home")
	for range maxBlocks {
		p.Blocks = append(p.Blocks, p.Blocks[0])
	}
	keep := Select(p)
	if len(keep) != len(p.Blocks) {
		t.Fatalf("%d decisions on %d blocks", len(keep), len(p.Blocks))
	}
	if keep[maxBlocks] != keep[maxBlocks-1] {
		t.Error("a block beyond the bound does not go with the one before it")
	}
}

func TestModelIsWhole(t *testing.T) {
	m, err := ReadModel(modelBytes)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(m.Append(nil), modelBytes) {
		t.Error("model does not pack to the same bytes")
	}
	for _, n := range []int{0, 3, 8, len(modelBytes) / 2, len(modelBytes) - 1} {
		if _, err := ReadModel(modelBytes[:n]); err == nil {
			t.Errorf("%d of %d bytes are read as a model", n, len(modelBytes))
		}
	}
}

func FuzzModel(f *testing.F) {
	small := Model{
		First:  Forest{Start: 1, Trees: [][]Node{{{Feature: 2, Left: 1, Value: .5}, {Feature: -1, Value: 1}, {Feature: -1, Value: -1}}}},
		Second: Forest{Trees: [][]Node{{{Feature: -1, Value: 2}}}},
	}
	f.Add(small.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ReadModel(b)
		if err != nil {
			return
		}
		row := make([]float32, Width+Around)
		m.First.Chance(row[:Width])
		m.Second.Chance(row)
	})
}
