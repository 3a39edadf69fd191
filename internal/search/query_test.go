package search

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestParseRecency(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	day := func(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }
	for in, want := range map[string]Window{
		"":                       {},
		"week":                   {From: now.AddDate(0, 0, -7), Unit: "week"},
		"2026-01-02..2026-02-03": {From: day(2026, 1, 2), To: day(2026, 2, 4).Add(-1)},
		"2026-01-02..":           {From: day(2026, 1, 2)},
		"..2026-02-03":           {To: day(2026, 2, 4).Add(-1)},
	} {
		got, err := ParseRecency(in, now)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", in, err, diff)
		}
		if got.Open() != (in == "") {
			t.Errorf("%q: open is %t", in, got.Open())
		}
	}
}

func FuzzParseRecency(f *testing.F) {
	f.Add("2026-01-02..2026-02-03")
	f.Add("week")
	f.Fuzz(func(t *testing.T, s string) {
		w, err := ParseRecency(s, time.Unix(0, 0))
		if err == nil && !w.From.IsZero() && !w.To.IsZero() && w.To.Before(w.From) {
			t.Errorf("%q: %+v", s, w)
		}
	})
}

func TestShape(t *testing.T) {
	long := strings.Repeat("tides ", 100)
	for _, c := range []struct {
		name   string
		q      Query
		caps   Capabilities
		want   Query
		unable []string
	}{
		{"as it is", Query{Text: `"tidal power" -wind`, N: 25}, Capabilities{Operators: true}, Query{Text: `"tidal power" -wind`, N: 25}, nil},
		{"without operators", Query{Text: `"tidal power" +sea -wind site:x.example (a)`}, Capabilities{}, Query{Text: "tidal power sea wind x.example a"}, nil},
		{"C++ and e-mail stay", Query{Text: "C++ e-mail std::vector 12:30"}, Capabilities{}, Query{Text: "C++ e-mail std::vector 12:30"}, nil},
		{"only operators", Query{Text: `"--"`}, Capabilities{}, Query{Text: `"--"`}, nil},
		{"cut at a word", Query{Text: long}, Capabilities{MaxQuery: 20}, Query{Text: "tides tides tides"}, nil},
		{"cut by words", Query{Text: long}, Capabilities{MaxWords: 2}, Query{Text: "tides tides"}, nil},
		{"cut Chinese", Query{Text: strings.Repeat("潮", 50)}, Capabilities{MaxQuery: 30}, Query{Text: strings.Repeat("潮", 30)}, nil},
		{"number", Query{Text: "tides", N: 50}, Capabilities{MaxResults: 20}, Query{Text: "tides", N: 20}, nil},
		{"some to spare", Query{Text: "tides", N: 4}, Capabilities{}, Query{Text: "tides", N: 8}, nil},
		{"its own language", Query{Text: "tides", Language: "en"}, Capabilities{}, Query{Text: "tides"}, nil},
		{"all filters unable", Query{Text: "tides", Recency: "week", Include: []string{"a"}, Language: "de"}, Capabilities{}, Query{Text: "tides"}, []string{"recency", "sites", "language"}},
		{"a range is more than a unit", Query{Text: "tides", Recency: "2026-01-02.."}, Capabilities{Recency: true}, Query{Text: "tides"}, []string{"recency"}},
		{"all filters able", Query{Text: "tides", Recency: "week", Exclude: []string{"a"}, Language: "de"}, Capabilities{Recency: true, Sites: true, Language: true},
			Query{Text: "tides", Recency: "week", Exclude: []string{"a"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := ParseRecency(c.q.Recency, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			got, unable, _ := request{Query: c.q, window: w, topics: []string{General}, language: c.q.Language}.shape(c.caps)
			want := c.want
			want.Topic, want.Language = General, c.q.Language
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !slices.Equal(unable, c.unable) {
				t.Errorf("unable %v, want %v", unable, c.unable)
			}
		})
	}
}

func FuzzShape(f *testing.F) {
	f.Add("tides \"and\" -currents", 10, 3)
	f.Fuzz(func(t *testing.T, text string, characters, words int) {
		got := shorten(withoutOperators(text), characters%1000, words%100)
		if n := utf8.RuneCountInString(got); characters%1000 > 0 && n > characters%1000 {
			t.Errorf("%d characters, allowed %d", n, characters%1000)
		}
	})
}

func TestLanguageAndRegionOfAQuery(t *testing.T) {
	s := New(Options{})
	for _, c := range []struct {
		q                Query
		language, region string
	}{
		{Query{Text: "tidal power"}, "", ""},
		{Query{Text: "三峡大坝的发电量"}, "zh", "CN"},
		{Query{Text: "三峡大坝的发电量", Region: "TW"}, "zh", "TW"},
		{Query{Text: "三峡大坝的发电量", Language: "en"}, "en", ""},
		{Query{Text: "潮力発電の仕組み"}, "ja", "JP"},
		{Query{Text: "조력 발전소"}, "ko", "KR"},
		{Query{Text: "Приливная электростанция"}, "ru", "RU"},
		{Query{Text: "Los Angeles population"}, "", ""},
		{Query{Text: "wie hoch ist der Eiffelturm"}, "de", ""},
	} {
		r, err := s.read(c.q)
		if err != nil || r.language != c.language || r.region != c.region {
			t.Errorf("%+v: language %q, region %q, want %q and %q (%v)", c.q, r.language, r.region, c.language, c.region, err)
		}
	}
}

func TestClassify(t *testing.T) {
	for query, want := range map[string]string{
		"tidal power":                                     "general",
		"papers on attention mechanism":                   "academic",
		"arxiv preprint on quantum error correction":      "academic",
		"side effects of metformin in patients":           "medical",
		"golang context deadline exceeded error":          "code",
		"kubernetes pod crash python api":                 "code",
		"latest news on the election results":             "news",
		"Apple stock price and earnings":                  "finance",
		"EU AI Act regulation and copyright court":        "law",
		"GDP per capita of France":                        "data",
		"things to do in Kyoto, 3 day itinerary":          "travel",
		"who was Ada Lovelace":                            "encyclopedia",
		"大模型 注意力机制 论文":                                    "academic",
		"糖尿病 药物 副作用":                                      "medical",
		"北京 旅游 攻略":                                        "travel",
		"腾讯 股价 财报":                                        "finance",
		"什么 是 合同法 诉讼":                                     "law",
		"clinical trials of a vaccine, systematic review": "medical academic",
	} {
		if got := strings.Join(Classify(query), " "); got != want && !strings.HasPrefix(got, want+" ") {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
		if n := len(Classify(query)); n < 1 || n > 2 {
			t.Errorf("%q: %d topics", query, n)
		}
	}
}

func TestHosts(t *testing.T) {
	if diff := cmp.Diff([]string{"example.org", "example.org", "org", "example.org:8080"}, bareHosts([]string{"https://Example.org/path?x", "*.example.org", ".org", "example.org:8080", " ", "//"})); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		host, suffix string
		want         bool
	}{
		{"example.org", "example.org", true}, {"www.example.org", "example.org", true}, {"badexample.org", "example.org", false},
		{"example.org:8080", "example.org", true}, {"example.org", "example.org:8080", false}, {"a.example.org:8080", "example.org:8080", true},
	} {
		if got := under(c.host, c.suffix); got != c.want {
			t.Errorf("%s under %s: %t", c.host, c.suffix, got)
		}
	}
}

func TestOfficial(t *testing.T) {
	for address, want := range map[string]bool{
		"https://docs.python.org/3/": true, "https://go.dev/ref/spec": true, "https://example.org/docs/a": true, "https://example.org/en/docs/a": true,
		"https://x.readthedocs.io/en/latest": true, "https://example.org/blog/docs-are-good": false, "https://example.org/documents/a": false, "https://www.example.org/": false,
	} {
		if got := official(address); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
}

func TestMemoryForgetsWhatEndsFirst(t *testing.T) {
	m := NewMemory(2)
	at := func(n int) time.Time { return time.Unix(int64(n), 0) }
	for i, key := range []string{"a", "b", "c"} {
		if err := m.Put(t.Context(), key, []byte(key), at([]int{5, 3, 4}[i])); err != nil {
			t.Fatal(err)
		}
	}
	for key, want := range map[string]string{"a": "a", "b": "", "c": "c"} {
		if got, _, _ := m.Get(t.Context(), key); string(got) != want {
			t.Errorf("%s holds %q, want %q", key, got, want)
		}
	}
}
