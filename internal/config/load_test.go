package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/config"
)

// sources returns sources whose file, environment and flags are as given, with
// a home folder of their own.
func sources(t *testing.T, file string, env []string, flags map[string][]string) config.Sources {
	t.Helper()
	home := t.TempDir()
	if file != "" {
		folder := filepath.Join(home, ".config", "deepresearch")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "config.toml"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config.Sources{Env: append(env, "HOME="+home), Flags: flags, OS: "linux", Engines: []string{"searxng", "wikipedia", "duckduckgo"}}
}

func TestTheStrongestSourceWins(t *testing.T) {
	file := "effort = \"deep\"\nmax-loops = 4\nmemory = \"rolling\"\n"
	env := []string{"DEEPRESEARCH_EFFORT=standard", "DEEPRESEARCH_MAX_LOOPS=3"}
	flags := map[string][]string{"effort": {"quick"}}
	got, err := config.Load(sources(t, file, env, flags))
	if err != nil {
		t.Fatal(err)
	}
	type from struct {
		Value  any
		Origin config.Origin
	}
	want := []from{{"quick", config.FromFlag}, {3, config.FromEnv}, {"rolling", config.FromFile}, {"md", config.FromDefault}}
	have := []from{
		{got.Ask.Effort, got.Origin("effort")}, {got.Ask.MaxLoops, got.Origin("max-loops")},
		{got.Ask.Memory, got.Origin("memory")}, {got.Output.Format, got.Origin("format")},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDefaults(t *testing.T) {
	got, err := config.Load(config.Sources{OS: "linux", Env: []string{"HOME=/home/ann"}})
	if err != nil {
		t.Fatal(err)
	}
	var want config.Config
	want.General.DataDir = "/home/ann/.local/state/deepresearch"
	want.Ask.Effort, want.Ask.Memory = "standard", "full"
	want.Search.MaxResults = 10
	want.Crawl.Mode, want.Crawl.Depth = "page", 2
	want.Output.Format = "md"
	want.Server.Listen, want.Server.MaxWait = "127.0.0.1:8080", 45*time.Second
	if diff := cmp.Diff(want, got.Config, cmp.AllowUnexported(config.Secret{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestEverySourceReadsEveryKind(t *testing.T) {
	check := func(t *testing.T, s config.Sources) {
		t.Helper()
		got, err := config.Load(s)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Ask.Offline || got.Ask.Queries != 7 || got.Limits.Cost != 0.25 || got.Crawl.Timeout != 90*time.Second {
			t.Errorf("offline %v, queries %d, cost %v, timeout %v", got.Ask.Offline, got.Ask.Queries, got.Limits.Cost, got.Crawl.Timeout)
		}
		if diff := cmp.Diff([]string{"wikipedia", "searxng"}, got.Search.Engines); diff != "" {
			t.Errorf("engines (-want +got)\n%s", diff)
		}
		if want := (config.Model{BackEnd: "ollama", Name: "qwen3:4b"}); got.Models.For("judge") != want {
			t.Errorf("model of the judge is %v, want %v", got.Models.For("judge"), want)
		}
	}
	t.Run("file", func(t *testing.T) {
		check(t, sources(t, `offline = true
queries = 7
max_cost = 0.25
timeout = "90s"
engines = ["wikipedia", "searxng"]
model = "ollama:qwen3:4b"
`, nil, nil))
	})
	t.Run("env", func(t *testing.T) {
		check(t, sources(t, "", []string{
			"DEEPRESEARCH_OFFLINE=yes", "DEEPRESEARCH_QUERIES=7", "DEEPRESEARCH_MAX_COST=.25", "DEEPRESEARCH_TIMEOUT=90",
			"DEEPRESEARCH_SEARCH= wikipedia,searxng,", "DEEPRESEARCH_MODEL=ollama:qwen3:4b",
		}, nil))
	})
	t.Run("flags", func(t *testing.T) {
		check(t, sources(t, "", nil, map[string][]string{
			"offline": {"true"}, "queries": {"3", "7"}, "max-cost": {"0.25"}, "timeout": {"1m30s"},
			"engines": {"wikipedia", "searxng"}, "model": {"ollama:qwen3:4b"},
		}))
	})
}

func TestAPathMayHoldACommaInAFlag(t *testing.T) {
	got, err := config.Load(sources(t, "", nil, map[string][]string{"files": {"a, b.txt", "c"}, "engines": {"wikipedia,searxng"}}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a, b.txt", "c"}, got.Ask.Files); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestProblems(t *testing.T) {
	for _, test := range []struct {
		name, file string
		env        []string
		flags      map[string][]string
		want       []string // in this order
	}{
		{
			name:  "all at once, strongest source first",
			file:  "quieries = 3\nformat = \"pdf\"\n",
			env:   []string{"DEEPRESEARCH_MAX_LOOPS=many", "DEEPRESEARCH_MODEL=gemni:flash", "DEEPRESEARCH_OFFLINE=maybe"},
			flags: map[string][]string{"queries": {"0"}},
			want: []string{
				`6 settings cannot be used:`, `--queries: "0" is not a whole number from 1 to 20`,
				`DEEPRESEARCH_MAX_LOOPS: "many"`, `DEEPRESEARCH_OFFLINE: "maybe" is neither`, `DEEPRESEARCH_MODEL: "gemni"`, `did you mean gemini?`,
				`quieries in `, `did you mean queries?`, `format in `, `"pdf"`, `use md, json`,
			},
		},
		{name: "model without a name", env: []string{"DEEPRESEARCH_MODEL_JUDGE=openai"}, want: []string{`DEEPRESEARCH_MODEL_JUDGE: `, `use openai:NAME`}},
		{name: "unknown engine", env: []string{"DEEPRESEARCH_SEARCH=wikipeda"}, want: []string{`DEEPRESEARCH_SEARCH: there is no engine "wikipeda": use searxng, wikipedia, duckduckgo; did you mean wikipedia?`}},
		{name: "engine of a URL", env: []string{"DEEPRESEARCH_NOWHERE_URL=http://127.0.0.1:1"}, want: []string{`DEEPRESEARCH_NOWHERE_URL: there is no engine "nowhere"`}},
		{name: "URL", env: []string{"SEARXNG_URL=127.0.0.1:8080"}, want: []string{`SEARXNG_URL: it is not a URL: write it like http://`}},
		{name: "allowed hosts", env: []string{"DEEPRESEARCH_ALLOW_HOSTS=127.0.0.1:8081,localhost"}, want: []string{`DEEPRESEARCH_ALLOW_HOSTS: "localhost" is not host:port`}},
		{name: "recency", flags: map[string][]string{"recency": {"2026-13-01.."}}, want: []string{"--recency: it is not a time"}},
		{name: "contradiction", flags: map[string][]string{"no-model": {"true"}, "model": {"gemini:x"}}, want: []string{"--no-model: it contradicts --model"}},
		{name: "broken file", file: "effort = \n", want: []string{"config.toml: line 1, column"}},
		{name: "list for one value", file: "effort = [\"quick\"]", want: []string{"effort in ", "it takes one value"}},
		{name: "table for a text", file: "[effort]\na = 1", want: []string{"effort in ", "it is neither text"}},
		{name: "text for a table", file: "engine-urls = \"x\"", want: []string{"engine-urls in ", "[engine-urls]"}},
		{name: "the file's own name", file: "config = \"x\"", want: []string{"config in ", "there is no such setting"}},
		{name: "named file that is not there", flags: map[string][]string{"config": {"/nowhere/c.toml"}}, want: []string{"--config: reading the configuration: open /nowhere/c.toml"}},
		{name: "recency backwards", env: []string{"DEEPRESEARCH_RECENCY=2026-02-28..2026-01-31"}, want: []string{`DEEPRESEARCH_RECENCY: "2026-02-28..2026-01-31" ends before it begins: write the earlier date first`}},
		{name: "host", flags: map[string][]string{"include-domains": {"example.org", "not a host"}}, want: []string{`--include-domains: "not a host" is not a host: write it like example.org`}},
		{name: "excluded host", file: `exclude-domains = ["https://"]`, want: []string{"exclude-domains in ", `"https://" is not a host`}},
		{name: "language", env: []string{"DEEPRESEARCH_LANGUAGE=Englisch"}, want: []string{`DEEPRESEARCH_LANGUAGE: "Englisch" is not the tag of a language: write it like en`}},
		{name: "negative number", file: "max-pages = -3", want: []string{"max-pages in ", `"-3" is not a whole number from 1 to`}},
		{name: "negative cost", flags: map[string][]string{"max-cost": {"-0.5"}}, want: []string{`--max-cost: "-0.5" is not a number from 0.0001 to`}},
		{name: "negative time", env: []string{"DEEPRESEARCH_MAX_WAIT=-1"}, want: []string{`DEEPRESEARCH_MAX_WAIT: "-1" is not a number of seconds from 1 to`}},
		{name: "weight", file: "[sources.weights]\nexample.org = 3", want: []string{"example.org of sources.weights in ", `"3" is not a weight: use a number from -1`}},
		{name: "weight of no host", env: []string{"DEEPRESEARCH_SOURCES_WEIGHTS=a b=1"}, want: []string{`DEEPRESEARCH_SOURCES_WEIGHTS: "a b" is not a host`}},
		{name: "weight without a number", env: []string{"DEEPRESEARCH_SOURCES_WEIGHTS=example.org"}, want: []string{`DEEPRESEARCH_SOURCES_WEIGHTS: "" is not a weight`}},
		{name: "no such list of sources", file: "[sources]\nwieghts = 1", want: []string{"sources.wieghts in ", "did you mean sources.weights?"}},
		{name: "copied key", env: []string{"TAVILY_API_KEY=abc def"}, want: []string{"TAVILY_API_KEY: it contains spaces"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := config.Load(sources(t, test.file, test.env, test.flags))
			if err == nil {
				t.Fatal("no error")
			}
			rest := err.Error()
			for _, want := range test.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("%q is missing, or not in its place, in\n%s", want, err)
				}
				rest = after
			}
		})
	}
}

func TestOnlyFlags(t *testing.T) {
	for _, test := range []struct {
		env   []string
		flags map[string][]string
		want  bool
	}{
		{nil, map[string][]string{"effort": {"x"}}, true},
		{[]string{"DEEPRESEARCH_EFFORT=x"}, nil, false},
		{[]string{"DEEPRESEARCH_EFFORT=x"}, map[string][]string{"memory": {"x"}}, false},
	} {
		_, err := config.Load(sources(t, "", test.env, test.flags))
		problems, ok := errors.AsType[config.Problems](err)
		if !ok || problems.OnlyFlags() != test.want {
			t.Errorf("%v %v: %v, only flags is not %v", test.env, test.flags, err, test.want)
		}
	}
}

func TestAnOverriddenMistakeDoesNotMatter(t *testing.T) {
	got, err := config.Load(sources(t, "effort = \"huge\"", nil, map[string][]string{"effort": {"quick"}}))
	if err != nil || got.Ask.Effort != "quick" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestEngineURLs(t *testing.T) {
	got, err := config.Load(sources(t, "[engine-urls]\nwikipedia = \"http://127.0.0.1:1\"\nsearxng = \"http://127.0.0.1:2/\"\n",
		[]string{"DEEPRESEARCH_WIKIPEDIA_URL=http://127.0.0.1:3", "OPENAI_BASE_URL=http://127.0.0.1:4/v1"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]config.URL{"wikipedia": "http://127.0.0.1:3", "searxng": "http://127.0.0.1:2"}
	if diff := cmp.Diff(want, got.Search.EngineURLs); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got.Origin("engine-urls") != config.FromEnv {
		t.Errorf("origin is %s", got.Origin("engine-urls"))
	}
}

func TestHosts(t *testing.T) {
	hosts := []string{"example.org", "*.example.org", ".org", "https://Example.org/page?x", "münchen.example", "127.0.0.1:8080", "[::1]", "localhost", "a_b.example"}
	got, err := config.Load(sources(t, "", nil, map[string][]string{"include-domains": hosts}))
	if err != nil || len(got.Ask.IncludeDomains) != len(hosts) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, host := range []string{"a b", "..", "user@example.org", "a..b", "*", "https:///x", "exa$mple"} {
		if _, err := config.Load(sources(t, "", nil, map[string][]string{"exclude-domains": {host}})); err == nil {
			t.Errorf("%q is taken for a host", host)
		}
	}
}

func TestWeights(t *testing.T) {
	file := "\ufeff[sources.weights]\n\"Farm.example\" = -1\ndocs.example.org = 0.5\nnews.example = \"0.25\"\n"
	got, err := config.Load(sources(t, file, []string{"DEEPRESEARCH_SOURCES_WEIGHTS=news.example=-0.5, .org=0.1"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]config.Weight{"farm.example": -1, "docs.example.org": 0.5, "news.example": -0.5, ".org": 0.1}
	if diff := cmp.Diff(want, got.Search.Weights); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestPrivateWords(t *testing.T) {
	got, err := config.Load(sources(t, `private-words = ["Project Blue", "Ann"]`, nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	if !got.FiltersPrivate() || got.Search.PrivateFilter || got.Search.PrivateWords[0].Reveal() != "Project Blue" {
		t.Errorf("got %+v", got.Search)
	}
	if shown := fmt.Sprint(got.Effective()); strings.Contains(shown, "Blue") {
		t.Errorf("the words are shown: %s", shown)
	}
}

func TestOllamaAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1":                   "http://127.0.0.1:11434",
		"0.0.0.0:11500":               "http://127.0.0.1:11500",
		":11500":                      "http://127.0.0.1:11500",
		"http://models.example":       "http://models.example:80",
		"https://models.example/sub/": "https://models.example:443/sub",
		"[::1]:11434":                 "http://[::1]:11434",
		"::1":                         "http://[::1]:11434",
		"host:port":                   "",
		"ftp://host":                  "",
	} {
		var got config.Ollama
		err := got.UnmarshalText([]byte(text))
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%q gives %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	s := sources(t, "tavily-api-key = \"k\"", []string{"DEEPRESEARCH_EFORT=deep", "DEEPRESEARCH_FIXTURES=x", "TAVILY_APIKEY=x"}, nil)
	path := filepath.Join(strings.TrimPrefix(s.Env[len(s.Env)-1], "HOME="), ".config", "deepresearch", "config.toml")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := config.Load(s)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		path + " holds keys and other users can read it: run chmod 600 on it",
		"DEEPRESEARCH_EFORT is no setting and was ignored; did you mean DEEPRESEARCH_EFFORT?",
	}
	if diff := cmp.Diff(want, got.Warnings); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestSecretsStaySecret(t *testing.T) {
	const key = "sk-do-not-print-me"
	s := sources(t, "brave-api-key = \""+key+"\"", []string{
		"DEEPRESEARCH_PRIVATE_WORDS=" + key, "GOOGLE_API_KEY=" + key, "DEEPRESEARCH_HTTP_TOKEN=" + key + ",second", "DEEPRESEARCH_PROXY=http://ann:" + key + "@proxy.example:3128",
	}, nil)
	got, err := config.Load(s)
	if err != nil {
		t.Fatal(err)
	}
	if got.Models.GeminiKey.Reveal() != key || got.Search.BraveKey.Reveal() != key || len(got.Server.Tokens) != 2 {
		t.Fatal("the secrets did not arrive")
	}
	asJSON, err := json.Marshal(got.Config)
	if err != nil {
		t.Fatal(err)
	}
	effective, err := json.Marshal(got.Effective())
	if err != nil {
		t.Fatal(err)
	}
	got.Crawl.Proxy = "" // a URL is text to fmt's %#v; what prints it goes through String
	for _, text := range []string{string(asJSON), string(effective), fmt.Sprintf("%v", got.Config), fmt.Sprintf("%+v", got.Config), fmt.Sprintf("%#v", got.Config), fmt.Sprint(got.Effective())} {
		if strings.Contains(text, key) {
			t.Errorf("the key is printed in %s", text)
		}
	}
	if !strings.Contains(string(effective), `"********"`) {
		t.Error("a set secret does not show as set")
	}
}

func TestFolders(t *testing.T) {
	for _, test := range []struct {
		system, want string
		env          []string
	}{
		{"linux", "/home/ann/.local/state/deepresearch", []string{"HOME=/home/ann"}},
		{"linux", "/state/deepresearch", []string{"HOME=/home/ann", "XDG_STATE_HOME=/state"}},
		{"linux", "/home/ann/.local/state/deepresearch", []string{"HOME=/home/ann", "XDG_STATE_HOME=relative"}},
		{"darwin", "/Users/ann/Library/Application Support/deepresearch", []string{"HOME=/Users/ann"}},
		{"windows", "/local/deepresearch", []string{"LocalAppData=/local"}},
		{"linux", "", nil},
	} {
		got, err := config.Load(config.Sources{OS: test.system, Env: test.env})
		if err != nil || filepath.ToSlash(got.General.DataDir) != test.want {
			t.Errorf("%s %v: got %q, %v, want %q", test.system, test.env, got.General.DataDir, err, test.want)
		}
	}
}

func TestOpenFolder(t *testing.T) {
	t.Run("makes it, private", func(t *testing.T) {
		want := filepath.Join(t.TempDir(), "a", "b")
		got, err := config.OpenFolder(want)
		if err != nil || got.Path != want || got.Warning != "" {
			t.Fatalf("got %+v, %v", got, err)
		}
		stat, err := os.Stat(want)
		if err != nil || stat.Mode().Perm() != 0o700 {
			t.Errorf("got %v, %v", stat.Mode(), err)
		}
		if left, err := os.ReadDir(want); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	t.Run("a temporary one stands in", func(t *testing.T) {
		t.Setenv("TMPDIR", t.TempDir())
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{filepath.Join(file, "below"), ""} {
			got, err := config.OpenFolder(want)
			if err != nil || got.Path == want || !strings.Contains(got.Warning, got.Path) || !strings.Contains(got.Warning, "--data-dir") {
				t.Errorf("got %+v, %v", got, err)
			}
		}
	})
}

func ExampleLoad() {
	settings, err := config.Load(config.Sources{
		Flags: map[string][]string{"effort": {"deep"}},
		Env:   []string{"DEEPRESEARCH_MAX_LOOPS=3", "GEMINI_API_KEY=secret"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range settings.Effective() {
		if s.Origin != config.FromDefault {
			fmt.Println(s.Name, s.Value, s.From)
		}
	}
	// Output:
	// effort deep --effort
	// max-loops 3 DEEPRESEARCH_MAX_LOOPS
	// gemini-api-key ******** GEMINI_API_KEY
}
