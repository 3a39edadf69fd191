package searchtest

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"deepresearch/internal/rank"
	"deepresearch/internal/text"
)

// Page is a document that a [Server] finds.
type Page struct {
	Title, URL, Text string
	Published        string // 2006-01-02
}

// Server speaks the wire formats of the engines over a few pages. The engine
// NAME finds it under /NAME/, so that one server stands in for all of them:
// its base URL is that of an httptest server and the name of the engine.
type Server struct {
	Pages []Page

	mu     sync.Mutex
	faults map[string]Fault
	asked  map[string]int
}

// Fault is a way for an engine of a [Server] to fail.
type Fault string

// The faults of a server.
const (
	None       Fault = ""
	Challenge  Fault = "202 with a page that asks for a human"
	Limited    Fault = "429"
	LimitedFor Fault = "429 with Retry-After: 7"
	ErrorIn200 Fault = "200 with an error in it"
	Nulls      Fault = "every list null"
	Drip       Fault = "a byte a second, without an end"
	Cut        Fault = "half an answer"
	WrongType  Fault = "a page instead of data"
	Unrelated  Fault = "pages about something else"
)

// Fail makes the engine of that name fail from now on; [None] heals it.
func (s *Server) Fail(engine string, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.faults == nil {
		s.faults = map[string]Fault{}
	}
	s.faults[engine] = f
}

// Asked returns how many requests the engine of that name got.
func (s *Server) Asked(engine string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[engine]
}

// ServeHTTP answers as the engine that the path begins with.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	f, known := formats[name]
	if !known {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	if s.asked == nil {
		s.asked = map[string]int{}
	}
	s.asked[name]++
	fault := s.faults[name]
	s.mu.Unlock()
	hits := s.find(asked(r, f.query))
	if fault == Unrelated {
		hits = []Page{{Title: "Cheap shoes", URL: "https://shoes.example/sale", Text: "Buy shoes online now."}}
	}
	body := f.write(hits)
	contentType := "application/json"
	if strings.HasPrefix(body, "<") {
		contentType = "text/html; charset=utf-8"
	}
	w.Header().Set("Content-Type", contentType)
	fail(w, r, fault, body)
}

// fail writes the body, or what the fault makes of it.
func fail(w http.ResponseWriter, r *http.Request, fault Fault, body string) {
	switch fault {
	case Challenge:
		w.WriteHeader(http.StatusAccepted)
		body = `<html><form id="challenge-form" action="/anomaly.js?cc=botnet"><div class="anomaly-modal__title">Prove it.</div></form></html>`
	case LimitedFor:
		w.Header().Set("Retry-After", "7")
		fallthrough
	case Limited:
		w.WriteHeader(http.StatusTooManyRequests)
		body = `{"error": "too many requests"}`
	case ErrorIn200:
		body = `{"error": {"code": "internal", "message": "something broke", "info": "something broke"}}`
	case Nulls:
		body = strings.NewReplacer("[", "null,\"was\":[").Replace(body)
	case Cut:
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		body = body[:len(body)/2]
	case WrongType:
		w.Header().Set("Content-Type", "text/html")
		body = "<html><body><h1>Welcome</h1></body></html>"
	case Drip:
		drip(w, r, body)
		return
	}
	io.WriteString(w, body)
}

func drip(w http.ResponseWriter, r *http.Request, body string) {
	for i := 0; ; i = (i + 1) % len(body) {
		if _, err := io.WriteString(w, body[i:i+1]); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// asked returns what a request looks for: the parameter or the field of that
// name.
func asked(r *http.Request, name string) string {
	if v := r.FormValue(name); v != "" {
		return v
	}
	var body map[string]any
	if json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&body) != nil {
		return ""
	}
	if messages, ok := body[name].([]any); ok && len(messages) > 0 { // of a model
		body, _ = messages[0].(map[string]any)
		name = "content"
	}
	v, _ := body[name].(string)
	return v
}

// find returns the pages that share a word with the query, best first.
func (s *Server) find(query string) []Page {
	index := rank.NewIndex(rank.Options{})
	for _, p := range s.Pages {
		index.Add(text.Terms(p.Title + " " + p.Text))
	}
	var hits []Page
	for _, h := range index.Search(text.Terms(query), 20) {
		hits = append(hits, s.Pages[h.Doc])
	}
	return hits
}

// format is the wire format of one engine: the name of the parameter with the
// query, and how hits are written.
type format struct {
	query string
	write func([]Page) string
}

// object is a JSON object to be sent.
type object map[string]any

// formats by the name of the engine. The World Bank is missing: it has no pages.
var formats = map[string]format{
	"searxng": {"q", func(hits []Page) string {
		return encode(object{"query": "q", "results": each(hits, "title", "url", "content", "publishedDate"), "unresponsive_engines": []any{}})
	}},
	"tavily": {"query", func(hits []Page) string {
		return encode(object{"results": each(hits, "title", "url", "content", "published_date"), "response_time": 0.1})
	}},
	"brave": {"q", func(hits []Page) string {
		return encode(object{"type": "search", "web": object{"results": each(hits, "title", "url", "description", "page_age")}})
	}},
	"perplexity": {"query", func(hits []Page) string {
		return encode(object{"results": each(hits, "title", "url", "snippet", "date")})
	}},
	"sonar": {"messages", func(hits []Page) string {
		return encode(object{"choices": []any{}, "search_results": each(hits, "title", "url", "snippet", "date")})
	}},
	"exa": {"query", func(hits []Page) string {
		return encode(object{"results": each(hits, "title", "url", "text", "publishedDate")})
	}},
	"serper": {"q", func(hits []Page) string {
		return encode(object{"searchParameters": object{}, "organic": each(hits, "title", "link", "snippet", "date")})
	}},
	"serpapi": {"q", func(hits []Page) string {
		return encode(object{"search_metadata": object{"status": "Success"}, "organic_results": each(hits, "title", "link", "snippet", "date")})
	}},
	"jina": {"q", func(hits []Page) string {
		return encode(object{"code": 200, "data": each(hits, "title", "url", "description", "date")})
	}},
	"iqs": {"query", func(hits []Page) string {
		return encode(object{"pageItems": each(hits, "title", "link", "snippet", "publishedTime")})
	}},
	"duckduckgo": {"q", duckduckgoPage},
	"wikipedia":  {"gsrsearch", mediawikiPages},
	"wikivoyage": {"gsrsearch", mediawikiPages},
	"arxiv":      {"search_query", arxivFeed},
	"crossref":   {"query.bibliographic", crossrefWorks},
	"openalex":   {"search", openalexWorks},
	"europepmc":  {"query", europepmcPapers},
	"hackernews": {"query", func(hits []Page) string {
		return encode(object{"hits": each(hits, "title", "url", "story_text", "created_at")})
	}},
	"stackexchange": {"q", func(hits []Page) string {
		return encode(object{"items": each(hits, "title", "link", "body", "created"), "quota_remaining": 100})
	}},
	"github": {"q", func(hits []Page) string {
		return encode(object{"total_count": len(hits), "items": each(hits, "full_name", "html_url", "description", "pushed_at")})
	}},
	"wayback": {"url", func([]Page) string {
		return "org,example)/ 20260102030405 https://example.org/ text/html 200 AAAA 1234\n"
	}},
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil { // objects of strings
		panic(err)
	}
	return string(b)
}

// each writes hits as objects with these names of fields.
func each(hits []Page, title, address, snippet, date string) []object {
	list := []object{}
	for _, h := range hits {
		list = append(list, object{title: h.Title, address: h.URL, snippet: h.Text, date: h.Published})
	}
	return list
}

func duckduckgoPage(hits []Page) string {
	var b strings.Builder
	b.WriteString(`<html><body><div id="links" class="results">`)
	for _, h := range hits {
		fmt.Fprintf(&b, `<div class="result web-result"><h2><a class="result__a" href="//duckduckgo.com/l/?uddg=%s&amp;rut=0">%s</a></h2><a class="result__snippet">%s</a></div>`,
			url.QueryEscape(h.URL), html.EscapeString(h.Title), html.EscapeString(h.Text))
	}
	if len(hits) == 0 {
		b.WriteString(`<div class="result result--no-result"><div class="no-results">No results.</div></div>`)
	}
	b.WriteString(`</div></body></html>`)
	return b.String()
}

func mediawikiPages(hits []Page) string {
	if len(hits) == 0 {
		return `{"batchcomplete":true}`
	}
	pages := each(hits, "title", "canonicalurl", "extract", "touched")
	for i := range pages {
		pages[i]["index"] = i + 1
	}
	return encode(object{"batchcomplete": true, "query": object{"pages": pages}})
}

// arxivFeed numbers the papers: arXiv knows no addresses but its own.
func arxivFeed(hits []Page) string {
	var b strings.Builder
	b.WriteString(`<feed xmlns="http://www.w3.org/2005/Atom">`)
	for i, h := range hits {
		fmt.Fprintf(&b, `<entry><id>http://arxiv.org/abs/2601.%05dv1</id><title>%s</title><summary>%s</summary><published>%sT00:00:00Z</published></entry>`,
			i+1, html.EscapeString(h.Title), html.EscapeString(h.Text), h.Published)
	}
	b.WriteString(`</feed>`)
	return b.String()
}

func crossrefWorks(hits []Page) string {
	items := []object{}
	for _, h := range hits {
		items = append(items, object{"URL": h.URL, "title": []string{h.Title}, "abstract": "<jats:p>" + html.EscapeString(h.Text) + "</jats:p>"})
	}
	return encode(object{"status": "ok", "message": object{"items": items}})
}

func openalexWorks(hits []Page) string {
	works := each(hits, "title", "id", "ignored", "publication_date")
	for i, h := range hits {
		index := map[string][]int{}
		for place, word := range strings.Fields(h.Text) {
			index[word] = append(index[word], place)
		}
		works[i]["abstract_inverted_index"] = index
	}
	return encode(object{"meta": object{"count": len(works)}, "results": works})
}

func europepmcPapers(hits []Page) string {
	papers := each(hits, "title", "ignored", "abstractText", "firstPublicationDate")
	for i := range papers {
		papers[i]["source"], papers[i]["id"] = "MED", fmt.Sprint(i+1)
	}
	return encode(object{"hitCount": len(papers), "resultList": object{"result": papers}})
}
