package document

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFeeds(t *testing.T) {
	const want = `# News of the harbour

All that happens at the quay

## [Ship in](https://example.org/in)

2026-01-05T10:00:00Z · Ann

The ship came **in** today, and it brought coal.

##### Cargo

Forty tons of coal.

## [Ship out](https://example.org/out)

2026-01-03

The ship < the quay.
`
	cases := map[string]Input{
		"RSS": {ContentType: "application/rss+xml", Body: []byte(`<?xml version="1.0"?><rss version="2.0" xmlns:content="c" xmlns:dc="d"><channel><title>News of the harbour</title><description>All that happens at the quay</description><language>en</language>
<image><title>No</title></image>
<item><title>Ship in</title><link>https://example.org/in</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate><dc:creator>Ann</dc:creator><description>short</description><content:encoded><![CDATA[<style>section{display:none}</style><p>The ship came <b>in</b> today, and it brought coal.</p><h3>Cargo</h3><div><p>Forty tons of coal.]]></content:encoded></item>
<item><title>Ship out</title><link>/out</link><pubDate>2026-01-03</pubDate><description>The ship &amp;lt; the quay.</description></item></channel></rss>`), URL: "https://example.org/feed.xml"},
		"Atom": {Body: []byte(`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title type="html">News of the &lt;b&gt;harbour&lt;/b&gt;</title><subtitle>All that happens at the quay</subtitle>
<entry><title>Ship in</title><link rel="self" href="/self"/><link href="https://example.org/in"/><updated>2026-01-06T10:00:00Z</updated><published>2026-01-05T10:00:00Z</published><author><name>Ann</name></author><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>The ship came <b>in</b> today, and it brought coal.</p><h3>Cargo</h3><p>Forty tons of coal.</p></div></content></entry>
<entry><title>Ship out</title><link href="out"/><published>2026-01-03</published><summary>The ship &lt; the quay.</summary></entry></feed>`), URL: "https://example.org/feed"},
		"JSON": {ContentType: "application/feed+json", Body: []byte(`{"version":"https://jsonfeed.org/version/1.1","title":"News of the harbour","description":"All that happens at the quay","items":[
{"id":"1","url":"https://example.org/in","title":"Ship in","date_published":"2026-01-05T10:00:00Z","authors":[{"name":"Ann"}],"content_html":"<p>The ship came <b>in</b> today, and it brought coal.</p><h3>Cargo</h3><p>Forty tons of coal."},
{"id":"2","url":"/out","title":"Ship out","date_published":"2026-01-03","content_text":"The ship < the quay."}]}`), URL: "https://example.org/feed.json"},
	}
	for name, in := range cases {
		doc, err := Parse(t.Context(), in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, doc.Markdown()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if doc.Title != "News of the harbour" || doc.Modified < "2026-01-05T10:00:00Z" || doc.PageType != PageListing || len(doc.Links) != 2 || doc.Language != "en" {
			t.Errorf("%s: %q %q %q %v %q", name, doc.Title, doc.Modified, doc.PageType, doc.Links, doc.Language)
		}
	}
}

// What begins like a feed and is none is still read.
func TestBrokenFeeds(t *testing.T) {
	for _, body := range []string{"<rss><channel><title>Cut off</title><item><title>One</title></item><item><ti", `<rss><channel><item><title>a</title><description>` + "<p><p>" + `</description></item></channel>`} {
		if doc, err := Parse(t.Context(), Input{Body: []byte(body)}); err != nil || doc.Text == "" {
			t.Errorf("%q: %v", body, err)
		}
	}
	for _, body := range []string{"<rss", "<feed></feed>", `{"version":"https://jsonfeed.org/version/1"`} {
		if doc, err := Parse(t.Context(), Input{Body: []byte(body)}); err == nil && doc.Text == "" {
			t.Errorf("%q: an empty document", body)
		}
	}
}

func FuzzFeed(f *testing.F) {
	f.Add([]byte("<rss><channel><item><title>a</title></item></channel></rss>"))
	f.Add([]byte(`<feed><entry><content type="xhtml"><p>a</content></entry></feed>`))
	f.Add([]byte(`{"version":"https://jsonfeed.org/version/1","items":[{"content_html":"<b>"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		doc, err := readFeed(t.Context(), Input{Body: body})
		if err == nil && doc == nil {
			t.Error("neither a document nor an error")
		}
	})
}
