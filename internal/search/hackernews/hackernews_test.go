package hackernews

import (
	"testing"

	"deepresearch/internal/search"
	"deepresearch/internal/search/searchtest"
)

var suite = searchtest.Case{
	New: New,
	Good: `{"hits": [
 {"objectID": "1", "title": "Tidal power, explained", "url": "https://example.org/tides", "points": 120, "num_comments": 45, "created_at": "2026-01-02T03:04:05Z", "created_at_i": 1767323045, "story_text": null},
 {"objectID": "2", "title": "Ask HN: Barrages?", "url": null, "story_text": "<p>Has anyone built one?</p>", "points": 3, "created_at": "2025-05-05T00:00:00Z"}],
 "nbHits": 2, "page": 0, "nbPages": 1}`,
	Empty: `{"hits": [], "nbHits": 0, "page": 0, "nbPages": 0}`,
	Want: []search.Result{
		{Title: "Tidal power, explained", URL: "https://example.org/tides", Snippet: "Tidal power, explained (120 points, 45 comments on Hacker News)", Published: "2026-01-02T03:04:05Z"},
		{Title: "Ask HN: Barrages?", URL: "https://news.ycombinator.com/item?id=2", Snippet: "Has anyone built one?", Published: "2025-05-05T00:00:00Z"},
	},
	Asked: []string{"GET /api/v1/search?", "query=tidal+power", "tags=story", "hitsPerPage=5", "numericFilters=created_at_i%3E1"},
	Kinds: map[string]search.Kind{"403": search.Blocked},
}

func TestEngine(t *testing.T) { searchtest.Run(t, suite) }
func FuzzAnswer(f *testing.F) { searchtest.Fuzz(f, suite) }
