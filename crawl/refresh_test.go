package crawl

import "testing"

func TestRefreshOf(t *testing.T) {
	const page = "https://example.org/docs/index.html"
	cases := []struct {
		source string
		length int
		want   string
	}{
		{`<meta http-equiv="refresh" content="0; url=latest/">`, 0, "https://example.org/docs/latest/"},
		{`<META HTTP-EQUIV=Refresh CONTENT='1;URL="/new?a=1&amp;b=2#part"'>`, 20, "https://example.org/new?a=1&b=2"},
		{`<meta content="0;url=https://other.example/" http-equiv="refresh">`, 0, "https://other.example/"},
		{`<meta http-equiv="refresh" content="0; url=latest/">`, 5000, ""},
		{`<meta http-equiv="refresh" content="30; url=latest/">`, 0, ""},
		{`<meta http-equiv="refresh" content="0">`, 0, ""},
		{`<meta http-equiv="refresh" content="0; url=index.html#top">`, 0, ""},
		{`<noscript><meta http-equiv="refresh" content="0; url=/nojs"></noscript>`, 0, ""},
		{`<p>http-equiv="refresh" content="0; url=x"</p>`, 0, ""},
		{``, 0, ""},
	}
	for _, c := range cases {
		if got := refreshOf([]byte(c.source), page, c.length); got != c.want {
			t.Errorf("%s: %q, want %q", c.source, got, c.want)
		}
	}
}

func FuzzRefreshOf(f *testing.F) {
	f.Add([]byte(`<meta http-equiv=refresh content="0;url=//x">`), "https://example.org/")
	f.Fuzz(func(t *testing.T, source []byte, page string) { refreshOf(source, page, 0) })
}
