package arxiv

import (
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
	"deepresearch/internal/search/wire"
)

var suite = searchtest.Case{
	New: New,
	Good: `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">ArXiv Query</title><id>http://arxiv.org/api/x</id>
 <entry><id>http://arxiv.org/abs/2601.00001v2</id><updated>2026-02-01T00:00:00Z</updated><published>2026-01-02T03:04:05Z</published>
  <title>Tidal power and
  its limits</title><summary>  We estimate how much
power tides give.
</summary><author><name>A. Author</name></author></entry>
 <entry><id>http://arxiv.org/abs/physics/9901001v1</id><title>Barrages</title><summary></summary></entry></feed>`,
	Empty:       `<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title></feed>`,
	ContentType: "application/atom+xml",
	Want: []search.Result{
		{Title: "Tidal power and its limits", URL: "https://arxiv.org/abs/2601.00001v2", Snippet: "We estimate how much power tides give.",
			Raw: "We estimate how much power tides give.", Published: "2026-01-02T03:04:05Z"},
		{Title: "Barrages", URL: "https://arxiv.org/abs/physics/9901001v1"},
	},
	Asked: []string{"GET /api/query?", "max_results=5", "search_query=all%3Atidal+AND+all%3Apower+AND+submittedDate%3A%5B20"},
	Kinds: map[string]search.Kind{"403": search.Blocked},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }

func TestRecorded(t *testing.T) {
	results, err := searchtest.Replay(t, New, "application/atom+xml", "arxiv/query-id-list.xml")
	if err != nil || len(results) != 1 || results[0].URL != "https://arxiv.org/abs/1601.00001v1" || results[0].Published != "2015-12-26T21:19:45Z" {
		t.Errorf("got %+v and %v", results, err)
	}
}

func TestErrorIsAnEntry(t *testing.T) {
	_, err := searchtest.Answer(t, New, "application/atom+xml", 200,
		`<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/api/errors#incorrect</id><title>Error</title><summary>incorrect id format</summary></entry></feed>`)
	if f := search.AsFailure("", err); f == nil || f.Kind != search.BadQuery || f.Message != "incorrect id format" {
		t.Errorf("got %v", err)
	}
}

func TestQuery(t *testing.T) {
	for text, want := range map[string]string{
		"what is the power of tides": "all:power AND all:tides",
		"a b":                        `all:b`,
		"the of":                     `all:"the of"`,
		"one two three four five six seven eight": "all:two AND all:three AND all:four AND all:five AND all:six AND all:seven",
	} {
		if got := ask(wire.Options{}, search.Query{Text: text, N: 5}).Query.Get("search_query"); got != want {
			t.Errorf("%q asks %q, want %q", text, got, want)
		}
	}
}
