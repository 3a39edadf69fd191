package engines

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/search"
)

var update = flag.Bool("update", false, "rewrite docs/engines.md")

const page = "../../../docs/engines.md"

func TestEnginesAreDocumented(t *testing.T) {
	got := written(Describe())
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("docs/engines.md is not true any more: go test ./internal/search/engines -update (-page +engines):\n%s", diff)
	}
}

const (
	head = `# Engines

Generated from the engines themselves; a test keeps it true. Without any key or address a question goes to those that are always asked. They are in order of
preference: of the general ones two are asked, and others when none of those answers; of the engines for single topics up to four that fit the question.
` + "`DEEPRESEARCH_SEARCH=a,b` asks exactly these, whatever the topic. `mcp-server doctor` says which are ready here and how often each was asked this month." + `

| engine | asked | topics | filters | a search costs | parser checked |
| --- | --- | --- | --- | --- | --- |
`
	foot = `
Asked: what must be set for the engine to be asked without being named. Filters: those that the engine applies itself; others are applied to its results, and a
warning says so. Parser checked: against recorded answers of the real engine, not only against its documentation.

An MCP server with a search tool can be an engine, too, under a name of its own: as a command, which runs for one search at a time and sees no key but those given
to it, or as a URL. Its results are read from structured content, JSON in texts, links to resources, or texts with addresses in them.

` + "```toml" + `
[mcp-servers.tides]                        # the engine's name: --engines tides
command = "npx"
args = ["-y", "tide-mcp-server"]
env = { TIDES_KEY = "..." }                # beside PATH, HOME and the like
tool = "find"                              # its search tool
argument = "q"                             # of the query; "query" when left out
arguments = { count = "{number}" }         # sent beside it
topics = ["academic"]                      # when it is not for the whole web

[mcp-servers.sea]
url = "https://sea.example/mcp"
headers = { Authorization = "Bearer ..." }
tool = "search"

[sources.weights]                          # of every engine's results
docs.example.org = 0.5
farm.example = -1                          # below 0: never shown
` + "```" + `
`
)

func written(all []Description) string {
	var b strings.Builder
	b.WriteString(head)
	for _, d := range all {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", d.Name, when(d), topics(d), filters(d), price(d), map[bool]string{true: "yes", false: "no"}[d.Verified])
	}
	return b.String() + foot
}

func when(d Description) string {
	switch {
	case d.On != search.OnAlways:
		return strings.NewReplacer("DEEPRESEARCH_SEARCH", "`DEEPRESEARCH_SEARCH`", d.Key+d.Address, "`"+d.Key+d.Address+"`").Replace(d.Needs())
	case d.Key != "":
		return "always; more with `" + d.Key + "`"
	case d.Site != "" && len(d.Topics) == 0:
		return "by name"
	}
	return "always"
}

func topics(d Description) string {
	if d.General() || len(d.Topics) == len(search.Topics) {
		return "all"
	}
	return strings.Join(d.Topics, ", ")
}

func filters(d Description) string {
	var out []string
	for _, f := range []struct {
		name string
		has  bool
	}{{"recency", d.Recency}, {"dates", d.Range}, {"sites", d.Sites}, {"language", d.Language}} {
		if f.has {
			out = append(out, f.name)
		}
	}
	return strings.Join(out, ", ")
}

func price(d Description) string {
	switch {
	case d.Cost == 0:
		return "-"
	case d.Searches > 1:
		return fmt.Sprintf("$%g, about %d a question", d.Cost, d.Searches)
	}
	return fmt.Sprintf("$%g", d.Cost)
}

func TestDescriptionsTellWhatIsNeeded(t *testing.T) {
	for _, d := range Describe() {
		want := map[string]string{
			"searxng": "SEARXNG_URL", "tavily": "TAVILY_API_KEY", "gemini": "GEMINI_API_KEY", "openalex": "OPENALEX_API_KEY", "opentripmap": "OPENTRIPMAP_API_KEY",
			"sonar": "PERPLEXITY_API_KEY and its name in DEEPRESEARCH_SEARCH", "duckduckgo": "", "github": "",
		}
		if needs, known := want[d.Name]; known && d.Needs() != needs {
			t.Errorf("%s needs %q, want %q", d.Name, d.Needs(), needs)
		}
		if d.Name == "" || d.On == "" || d.On == search.OnKey && d.Key == "" {
			t.Errorf("%+v", d)
		}
	}
}
