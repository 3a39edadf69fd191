package wire

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestDate(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "yesterday-ish": "", "12": "", "2026": "2026", "2026-01": "2026-01", "2026-01-02": "2026-01-02", "2026/01/02": "2026-01-02", "2026-1-2": "2026-01-02",
		"2026-01-02T03:04:05Z": "2026-01-02T03:04:05Z", "2026-01-02T03:04:05+08:00": "2026-01-01T19:04:05Z", "2026-01-02T03:04:05": "2026-01-02T03:04:05Z",
		"2026-01-02T03:04:05.123Z": "2026-01-02T03:04:05Z", "Fri, 02 Jan 2026 03:04:05 GMT": "2026-01-02T03:04:05Z", "Jan 2, 2026": "2026-01-02",
		"January 2, 2026": "2026-01-02", "2 January 2026": "2026-01-02", "2026年1月2日": "2026-01-02", "1767323045": "2026-01-02T03:04:05Z", "1767323045000": "2026-01-02T03:04:05Z",
	} {
		if got := Date(in); got != want {
			t.Errorf("Date(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"3 days ago": "2026-11-27", "an hour ago": "2026-11-30", "1 week ago": "2026-11-23", "2 months ago": "2026-10-01", "3天前": "2026-11-27", "2 个月前": "2026-10-01",
		"Jan 2, 2026": "2026-01-02", "99999 days ago": "", "soon": "",
	} {
		if got := DateAt(in, noon); got != want {
			t.Errorf("DateAt(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzDate(f *testing.F) {
	f.Add("3 days ago")
	f.Add("2026-01-02T03:04:05+08:00")
	f.Fuzz(func(t *testing.T, s string) {
		if d := DateAt(s, noon); d != "" && DateAt(d, noon) != d {
			t.Errorf("%q reads as %q, which reads as %q", s, d, DateAt(d, noon))
		}
	})
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		"plain  text":                          "plain text",
		"5 &lt; 6 &amp; 7":                     "5 < 6 & 7",
		"a <b>bold</b><i>er</i> word":          "a bolder word",
		"<p>One.</p><p>Two.</p>":               "One. Two.",
		"<jats:p>CO<jats:sub>2</jats:sub></p>": "CO2",
		"a < b and c > d":                      "a < b and c > d",
		"<span class='searchmatch'>x</span>y":  "xy",
		"&#039;&#039;CHECK":                    "''CHECK",
	} {
		if got := Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{"": 0, "7": 7 * time.Second, "0": 0, "-3": 0, "1.5": 1500 * time.Millisecond, "soon": 0, "1h": 0} {
		if got := retryAfter(http.Header{"Retry-After": {value}}); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
	date := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	if got := retryAfter(http.Header{"Retry-After": {date}}); got < 59*time.Minute || got > time.Hour {
		t.Errorf("a date an hour from now: %s", got)
	}
}

func TestWordsOfAnError(t *testing.T) {
	for body, want := range map[string]string{
		`{"error": "a"}`: "a", `{"error": {"message": "a"}}`: "a", `{"detail": {"error": "a"}}`: "a", `{"detail": "a"}`: "a", `{"message": " a \n b "}`: "a b",
		`{"detail": [{"msg": "a"}]}`: "a", `{"errors": [{"message": "a"}]}`: "a", `{"code": 7}`: "", `[{"message": [{"value": "a"}]}]`: "a", `"429"`: "",
		"not json": "not json", `{"error": "` + strings.Repeat("é", 400) + `"}`: strings.Repeat("é", 150) + "...",
	} {
		a := Reply{Status: 400, Body: []byte(body), Header: http.Header{"Content-Type": {"text/plain"}}}
		if got := a.Said(); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	html := Reply{Body: []byte("<html>secret page</html>"), Header: http.Header{"Content-Type": {"text/html"}}}
	if got := html.Said(); got != "" {
		t.Errorf("an HTML page says %q", got)
	}
}

func TestFieldsTakeTheFirstThatHasText(t *testing.T) {
	f := Fields{Title: "a,b", URL: "u", Snippet: "many", Published: "d"}
	got := f.Result(gjson.Parse(`{"a": null, "b": "B", "u": " https://x.example/ ", "many": ["one", 2, "two"], "d": 1767323045}`))
	want := search.Result{Title: "B", URL: "https://x.example/", Snippet: "one … two", Published: "2026-01-02T03:04:05Z"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLongSnippetBecomesRawText(t *testing.T) {
	long := strings.Repeat("tides and currents ", 200)
	r := Shortened(search.Result{Snippet: long})
	if r.Raw != long || len(r.Snippet) > longestSnippet+len(" …") || !strings.HasSuffix(r.Snippet, "and …") && !strings.HasSuffix(r.Snippet, "tides …") && !strings.HasSuffix(r.Snippet, "currents …") {
		t.Errorf("raw of %d bytes, snippet ends %q", len(r.Raw), r.Snippet[len(r.Snippet)-20:])
	}
	if kept := Shortened(search.Result{Snippet: long, Raw: "page"}); kept.Raw != "page" {
		t.Errorf("raw text was replaced by %.20q", kept.Raw)
	}
}

func TestGooglePeriod(t *testing.T) {
	for recency, want := range map[string]string{
		"": "", "day": "qdr:d", "year": "qdr:y", "2026-01-02..2026-11-03": "cdr:1,cd_min:1/2/2026,cd_max:11/3/2026", "2026-01-02..": "cdr:1,cd_min:1/2/2026",
	} {
		if got := GooglePeriod(search.Query{Recency: recency}, noon); got != want {
			t.Errorf("%q: %q, want %q", recency, got, want)
		}
	}
}

func TestWithSites(t *testing.T) {
	for _, c := range []struct {
		q    search.Query
		want string
	}{
		{search.Query{}, "x"},
		{search.Query{Include: []string{"a.example"}}, "x site:a.example"},
		{search.Query{Include: []string{"a.example", "b.example"}, Exclude: []string{"c.example"}}, "x (site:a.example OR site:b.example) -site:c.example"},
	} {
		if got := WithSites("x", c.q); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	if diff := cmp.Diff([]string{"GDP", "France", "2024"}, Words("what is the GDP of France in 2024?", 5)); diff != "" {
		t.Error(diff)
	}
}

func TestIsLoopback(t *testing.T) {
	for address, want := range map[string]bool{
		"http://127.0.0.1:8888": true, "http://localhost/": true, "http://[::1]:80": true, "https://example.org": false, "": false, "http://10.0.0.1": false, "%": false,
	} {
		if got := IsLoopback(address); got != want {
			t.Errorf("%q: %t", address, got)
		}
	}
}
