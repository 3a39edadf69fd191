package search

import (
	"errors"
	"strings"
	"testing"

	"deepresearch/internal/safe"
)

func TestQueriesGoOutWithoutPrivateData(t *testing.T) {
	e := returns("e", Capabilities{}, hitOf("Tidal power", "https://x.example/", "Stations."))
	s := start(t, Options{Private: safe.NewPrivate("Project Heron")}, e)
	got := mustSearch(t, s, Query{Text: "tidal power of project heron for ann@mail.example"}, "e")
	if sent := got.Calls[0].Text; sent != "tidal power of for" || got.Query != sent {
		t.Errorf("sent %q, answered for %q", sent, got.Query)
	}
	if len(got.Warnings) == 0 || got.Warnings[0] != "the query was sent without what is private in it: a mail address, a word of your own list" {
		t.Errorf("warnings %q", got.Warnings)
	}
	if got := mustSearch(t, s, Query{Text: "tidal power"}, "e"); len(got.Warnings) > 0 {
		t.Errorf("warnings %q for nothing", got.Warnings)
	}
	_, err := s.Search(t.Context(), Query{Text: "ann@mail.example"}, []string{"e"})
	if !errors.Is(err, ErrPrivate) || strings.Contains(err.Error(), "ann@") {
		t.Errorf("got %v", err)
	}
}
