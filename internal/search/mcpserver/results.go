package mcpserver

import (
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/tidwall/gjson"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// mostResults bounds what is read of one answer.
const mostResults = 50

// Results reads what a search tool answered: the list in its structured
// content, else the lists in its texts, else its links to resources and the
// addresses in its texts.
func Results(reply *mcp.CallToolResult) ([]search.Result, error) {
	texts, links := contents(reply)
	said := strings.Join(texts, "\n\n")
	if reply.IsError {
		return nil, &search.Failure{Kind: kindOf(said), Message: "the tool failed: " + clip(said)}
	}
	listed, prose := false, ""
	for _, document := range append([]string{string(raw(reply))}, texts...) {
		if !isJSON(document) {
			prose += document + "\n\n"
			continue
		}
		results, ok := list(document)
		if listed = listed || ok; len(results) > 0 {
			return results, nil
		}
	}
	if results := append(links, inText(prose)...); len(results) > 0 && !listed {
		return results[:min(len(results), mostResults)], nil
	}
	if listed || strings.TrimSpace(said) == "" || nothing().MatchString(said) {
		return nil, wire.Nothing()
	}
	return nil, &search.Failure{Kind: search.LayoutChanged, Message: "the tool's answer holds no addresses: " + clip(said)}
}

// isJSON reports whether a text is an object or a list in JSON.
func isJSON(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && (s[0] == '{' || s[0] == '[') && gjson.Valid(s)
}

// contents returns the texts of an answer and its links to web pages.
func contents(reply *mcp.CallToolResult) (texts []string, links []search.Result) {
	for _, c := range reply.Content {
		switch c := c.(type) {
		case mcp.TextContent:
			texts = append(texts, c.Text)
		case mcp.ResourceLink:
			title := c.Title
			if title == "" {
				title = c.Name
			}
			links = append(links, webPages([]search.Result{{Title: title, URL: c.URI, Snippet: c.Description}})...)
		case mcp.EmbeddedResource:
			if r, ok := c.Resource.(mcp.TextResourceContents); ok {
				links = append(links, webPages([]search.Result{wire.Shortened(search.Result{URL: r.URI, Snippet: r.Text})})...)
			}
		}
	}
	return texts, links
}

// webPages returns the results that lead to pages, each with a title.
func webPages(all []search.Result) []search.Result {
	var kept []search.Result
	for _, r := range all {
		if !strings.HasPrefix(r.URL, "https://") && !strings.HasPrefix(r.URL, "http://") {
			continue
		}
		if r.Title == "" {
			r.Title = r.URL
		}
		kept = append(kept, r)
	}
	return kept
}

// listPaths are the places where servers put their results.
var listPaths = []string{
	"results", "data", "items", "hits", "organic", "organic_results", "search_results", "searchResults", "pages", "documents", "articles", "papers",
	"web.results", "webPages.value", "data.results", "data.webPages.value", "response.results", "output.results", "result.results",
}

// fields are the names that servers give to the parts of a result.
var fields = wire.Fields{
	Title: "title,name,headline", URL: "url,link,href,uri,source_url,sourceUrl", Snippet: "snippet,description,summary,content,text,body,highlights,abstract",
	Published: "published,publishedDate,published_date,publishedAt,datePublished,date,page_age,pubDate", Raw: "raw_content,rawContent,markdown,full_text",
}

// list reads a JSON document; ok reports whether it holds a list of results in
// a shape that we know, which may be empty.
func list(document string) (results []search.Result, ok bool) {
	doc := gjson.Parse(document)
	if wrapped := doc.Get("result"); wrapped.IsArray() { // a list that had to become an object
		doc = wrapped
	} else if isJSON(wrapped.Str) { // a text that had to
		doc = gjson.Parse(wrapped.Str)
	}
	found := doc
	for _, path := range listPaths {
		if found.IsArray() {
			break
		}
		found = doc.Get(path)
	}
	if !found.IsArray() {
		return nil, false
	}
	for _, hit := range found.Array() {
		r := search.Result{URL: hit.Str}
		if hit.IsObject() {
			r = fields.Result(hit)
		}
		if results = append(results, webPages([]search.Result{r})...); len(results) == mostResults {
			break
		}
	}
	return results, len(results) > 0 || len(found.Array()) == 0
}

// signs of the kinds of failure in what a server says.
var signs = []struct {
	kind  search.Kind
	words []string
}{
	{search.Rate, []string{"429", "rate limit", "too many requests"}},
	{search.Quota, []string{"402", "quota", "credits", "usage limit", "billing"}},
	{search.Auth, []string{"401", "403", "unauthorized", "forbidden", "api key", "api_key", "apikey", "authenticat"}},
	{search.Timeout, []string{"timeout", "timed out", "deadline"}},
}

// kindOf guesses a kind of failure; [search.Network] when nothing tells.
func kindOf(said string) search.Kind {
	said = strings.ToLower(said)
	for _, s := range signs {
		for _, word := range s.words {
			if strings.Contains(said, word) {
				return s.kind
			}
		}
	}
	return search.Network
}

var nothing = onceRegexp(`(?i)\b(?:no|0|zero)\b[^.\n]{0,40}\b(?:results?|matches|hits|pages?|documents?|found)\b|nothing (?:was )?found|没有(?:找到)?(?:相关)?结果|未找到`)
