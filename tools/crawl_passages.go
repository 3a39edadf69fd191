package tools

import (
	"fmt"
	"strings"

	"deepresearch/crawl"
)

// showPassages shows what the pages say of the query, best first. The text of
// a passage stands once in the structured result.
func (s *surface) showPassages(out fields, pages []crawl.Page, in crawlInput) string {
	type shown struct {
		URL string `json:"url"`
		crawl.Passage
	}
	tokens := pageBytes / tokenBytes
	if in.MaxTokens > 0 {
		tokens = min(tokens, in.MaxTokens)
	}
	var b, said strings.Builder
	entries := []shown{}
	for _, p := range crawl.Passages(pages, in.Query, tokens) {
		page := pages[p.Page]
		entries = append(entries, shown{page.URL, p})
		fmt.Fprintf(&said, "%s bytes %d-%d", page.URL, p.Start, p.End)
		if len(p.Path) > 0 {
			said.WriteString(" · " + clip(oneLine(strings.Join(p.Path, " > ")), 200))
		}
		said.WriteString("\n" + p.Text + "\n\n")
	}
	if len(entries) > 0 {
		b.WriteString(s.fence(fmt.Sprintf("passages about %s, best first", quote(clip(in.Query, 200))), said.String()))
	} else {
		fmt.Fprintf(&b, "No passage speaks of %s.\n", quote(clip(in.Query, 200)))
	}
	list := make([]fields, len(pages))
	for i, p := range pages {
		p.Links, p.Outline, p.Markdown = nil, nil, ""
		list[i] = fields{}
		for key, raw := range fieldsFrom(pageFields(p, page{}, "", resultBytes)) {
			if v := string(raw); v != `""` && v != "[]" && v != "0" {
				list[i][key] = raw
			}
		}
		if p.Outcome != crawl.OK {
			fmt.Fprintf(&b, "%s · outcome %s · %s\n", p.URL, p.Outcome, clip(p.Hint, 300))
		}
	}
	out.set("passages", entries)
	out.set("pages", list)
	out.set("warnings", []string{})
	return b.String()
}
