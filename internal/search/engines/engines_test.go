package engines

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/guard"
	"deepresearch/internal/search/mcpserver"
)

func newGuard(t *testing.T) *guard.Guard {
	t.Helper()
	g, err := guard.New(guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		has    string
		lacks  string
	}{
		{"nothing configured", Config{}, "duckduckgo wikipedia arxiv crossref europepmc stackexchange github hackernews worldbank wikivoyage wayback", "searxng tavily openalex gemini opentripmap"},
		{"an instance of SearXNG", Config{URLs: map[string]string{"searxng": "http://127.0.0.1:8888"}}, "searxng duckduckgo wikipedia", "tavily"},
		{"a model", Config{Model: grounded{}}, "gemini duckduckgo", "tavily"},
		{"an MCP server", Config{Servers: []mcpserver.Options{{Name: "ours", Tool: "search", URL: "http://127.0.0.1:1/mcp"}}}, "ours duckduckgo", "tavily"},
		{"a key", Config{Keys: map[string]string{"perplexity": "k", "sonar": "k"}}, "perplexity duckduckgo wikipedia", "sonar tavily"},
	} {
		engines, err := Choose(c.config, newGuard(t))
		if err != nil {
			t.Fatal(err)
		}
		got := namesOf(engines)
		for want := range strings.FieldsSeq(c.has) {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %v lacks %s", c.name, got, want)
			}
		}
		for unwanted := range strings.FieldsSeq(c.lacks) {
			if slices.Contains(got, unwanted) {
				t.Errorf("%s: %v holds %s", c.name, got, unwanted)
			}
		}
	}
}

func TestNamedEnginesInOrderAndNoOthers(t *testing.T) {
	engines, err := Choose(Config{Names: []string{"wikipedia", "searxng", "wikipedia"}}, newGuard(t))
	if diff := cmp.Diff([]string{"wikipedia", "searxng"}, namesOf(engines)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := Choose(Config{Names: []string{"altavista"}}, newGuard(t)); err == nil || !strings.Contains(err.Error(), "duckduckgo") {
		t.Errorf("an unknown engine: got %v, want an error that lists the engines", err)
	}
	if _, err := Choose(Config{URLs: map[string]string{"wikipedia": "ftp://x"}}, newGuard(t)); err == nil || !strings.Contains(err.Error(), "wikipedia") {
		t.Errorf("an address that is none: got %v", err)
	}
}

func TestEveryEngineHasANameOfItsOwn(t *testing.T) {
	if all := Names(); len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
		t.Errorf("a name comes twice: %v", all)
	}
}

func TestServersAreChecked(t *testing.T) {
	for says, server := range map[string]mcpserver.Options{
		"another engine": {Name: "wikipedia", Tool: "search", Command: []string{"x"}}, "search tool": {Name: "ours", Command: []string{"x"}},
		"address of engine ours": {Name: "ours", Tool: "search", URL: "ftp://x"},
	} {
		if _, err := Choose(Config{Servers: []mcpserver.Options{server}}, newGuard(t)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: got %v, want an error about %s", server, err, says)
		}
	}
	twice := mcpserver.Options{Name: "ours", Tool: "search", Command: []string{"x"}}
	if _, err := Choose(Config{Servers: []mcpserver.Options{twice, twice}}, newGuard(t)); err == nil {
		t.Error("two servers have one name")
	}
}
