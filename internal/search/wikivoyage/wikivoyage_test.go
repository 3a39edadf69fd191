package wikivoyage

import (
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

var suite = searchtest.Case{
	New: New,
	Good: `{"batchcomplete": true, "query": {"pages": [{"pageid": 9, "ns": 0, "title": "St. Malo", "index": 1,
 "extract": "St. Malo has high tides.", "canonicalurl": "https://en.wikivoyage.org/wiki/St._Malo"}]}}`,
	Empty: `{"batchcomplete": true}`,
	Want:  []search.Result{{Title: "St. Malo", URL: "https://en.wikivoyage.org/wiki/St._Malo", Snippet: "St. Malo has high tides.", Licence: "CC-BY-SA-4.0"}},
	Asked: []string{"GET /w/api.php?", "gsrsearch=tidal+power"},
	Kinds: map[string]search.Kind{"403": search.Blocked},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }
