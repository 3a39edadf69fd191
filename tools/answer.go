package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/internal/safe"
	"deepresearch/research"
)

// view says which part of a run's result to show.
type view struct {
	section string // empty means the report
	cursor  string
	json    bool // the text is the structured result as JSON
}

// lists are the lists of a result in the order in which they get room beside the
// report: what a reader needs to judge it comes first.
var lists = []share{
	{"notes", 0.5}, {"gaps", 0.15}, {"warnings", 0.15}, {"assumptions", 0.15}, {"progress", 0.3},
	{"sources", 0.6}, {"claims", 0.8}, {"disagreements", 0.5}, {"queries", 0.5}, {"consulted", 1},
}

// Strings beside the report that are longer are cut: a question may have 20,000
// characters.
const longestString = 1500

// answer shows a run as text and as a structured result.
func (s *surface) answer(r research.Result, v view, news []string) (reply, error) {
	out := fieldsFrom(r)
	p, err := part(r.Report, out, v)
	if err != nil {
		return reply{}, err
	}
	next := nextCall(r, p)
	if r.Next != nil {
		next = r.Next
	}
	shorten(out)
	out.set("report", p.text)
	out.set("notes", s.notes(r))
	if news != nil {
		out.set("progress", news)
	}
	if p.cursor != "" {
		out.set("next_cursor", p.cursor)
	}
	if next != nil {
		out.set("next", next)
	}
	if p.list != "" {
		out[p.list] = encode(p.entries)
		if p.quotesLeft > 0 {
			out.merge("omitted", map[string]int{"quotes": p.quotesLeft})
		}
		out.fill(slices.Insert(slices.Clone(lists), 0, share{p.list, 1}), resultBytes)
	} else {
		if len(encode(out)) > resultBytes {
			oneQuoteEach(out)
		}
		out.fill(lists, resultBytes)
	}
	full := encode(out)
	if v.json {
		return reply{text: string(full), structured: full, links: links(r)}, nil
	}
	return reply{text: s.prose(r, p, next, news), structured: full, links: links(r)}, nil
}

// shorten cuts long strings beside the report.
func shorten(out fields) {
	cut := map[string]int{}
	for key, raw := range out {
		var value string
		if key == "report" || len(raw) <= longestString || raw[0] != '"' || json.Unmarshal(raw, &value) != nil {
			continue
		}
		short := clip(value, longestString/4)
		out.set(key, short)
		cut[key+"_chars"] = len([]rune(value)) - len([]rune(short)) + 1
	}
	if len(cut) > 0 {
		out.merge("omitted", cut)
	}
}

// oneQuoteEach leaves each source its first quote. A source stays useful that
// way, while many quotes of few sources would crowd out the others.
func oneQuoteEach(out fields) {
	sources, _ := out.entries("sources")
	left := 0
	for i := range sources {
		n := 0
		sources[i], n = withQuotes(sources[i], 0)
		left += n
	}
	if left > 0 {
		out.set("sources", sources)
		out.merge("omitted", map[string]int{"quotes": left})
	}
}

// withQuotes leaves an entry as many of its quotes as fit into so many bytes, but
// the first one always, and says how many it left out.
func withQuotes(entry json.RawMessage, budget int) (json.RawMessage, int) {
	source := fieldsFrom(entry)
	quotes, _ := source.entries("quotes")
	if len(quotes) < 2 || len(entry) <= budget {
		return entry, 0
	}
	keep, size := 1, len(entry)-len(source["quotes"])+len(quotes[0])
	for keep < len(quotes) && size+len(quotes[keep])+1 <= budget {
		size += len(quotes[keep]) + 1
		keep++
	}
	source.set("quotes", quotes[:keep])
	return encode(source), len(quotes) - keep
}

// notes are what a reader must know to use the result well.
func (s *surface) notes(r research.Result) []string {
	out := []string{}
	if !r.Status.Ended() {
		return out
	}
	if r.Mode == research.Extractive && r.Report != "" {
		out = append(out, "No language model wrote this report: its sentences are verbatim quotations. Answer only from them and cite each as [n].")
	}
	if failed := r.FailedEngines(); len(failed) > 0 {
		line := fmt.Sprintf("The search engine %s failed: %s", failed[0].Engine, clip(failed[0].Error, 200))
		if len(failed) > 1 {
			line += fmt.Sprintf(" (and %d more)", len(failed)-1)
		}
		out = append(out, line)
	}
	for _, g := range r.Suggestions {
		out = append(out, fmt.Sprintf("The terms of %s ask to show its searches beside the report: %s.", g.Engine, clip(strings.Join(g.Queries, " · "), 300)))
	}
	if s.Upgrade != "" && (r.Mode == research.Extractive || len(out) > 0) {
		out = append(out, s.Upgrade)
	}
	return out
}

// nextCall is what to do after a result, or nil when nothing is left to do.
func nextCall(r research.Result, p shown) *research.Next {
	if p.cursor == "" {
		return nil
	}
	arguments := map[string]any{"run_id": r.RunID, "cursor": p.cursor}
	if p.section != "" {
		arguments["section"] = p.section
	}
	return &research.Next{Tool: "research_result", Arguments: arguments, Say: "This is a part. Call research_result with these arguments for what follows."}
}

// prose is the text of an answer.
func (s *surface) prose(r research.Result, p shown, next *research.Next, news []string) string {
	var b strings.Builder
	if p.text != "" {
		b.WriteString(strings.TrimRight(p.text, "\n") + "\n\n")
	}
	if p.list != "" {
		fmt.Fprintf(&b, "%s from entry %d:\n\n", p.list, p.first)
		for _, e := range p.entries {
			b.WriteString(string(e) + "\n")
		}
		b.WriteString("\n")
	}
	if b.Len() > 0 {
		b.WriteString("---\n\n")
	}
	b.WriteString(standing(r) + "\n")
	for _, line := range news {
		b.WriteString("- " + line + "\n")
	}
	if len(r.Found) > 0 {
		b.WriteString("\nFound so far, word for word:\n")
		for _, f := range r.Found {
			fmt.Fprintf(&b, "- “%s” [%d] %s <%s>\n", safe.Markdown(f.Text), f.N, safe.Markdown(clip(f.Title, 100)), f.URL)
		}
	}
	for _, n := range s.notes(r) {
		b.WriteString("\n" + n + "\n")
	}
	if p.start == 0 && p.list == "" {
		bullets(&b, "Not found", r.Gaps)
		bullets(&b, "Warnings", r.Warnings)
	}
	if next != nil {
		b.WriteString("\n" + next.Say + "\n")
		if next.Tool != "" {
			fmt.Fprintf(&b, "Next call: %s %s\n", next.Tool, encode(next.Arguments))
		}
	}
	return b.String()
}

// standing says in one line where a run stands.
func standing(r research.Result) string {
	parts := []string{"Run " + r.RunID, "status " + string(r.Status)}
	if r.StopReason != "" {
		parts = append(parts, "stopped: "+r.StopReason)
	}
	parts = append(parts, fmt.Sprintf("%d sources cited", len(r.Sources)), fmt.Sprintf("%d pages read", r.Usage.Pages), fmt.Sprintf("%.1f s of work", r.Usage.Seconds))
	if r.Status == research.NoEvidence {
		parts = append(parts, "nothing was found that answers the question, so there is no report")
	}
	return strings.Join(parts, " · ") + "."
}

func bullets(b *strings.Builder, title string, lines []string) {
	const most = 8
	if len(lines) == 0 {
		return
	}
	b.WriteString("\n" + title + ":\n")
	for _, l := range lines[:min(most, len(lines))] {
		b.WriteString("- " + clip(l, 300) + "\n")
	}
	if n := len(lines) - most; n > 0 {
		fmt.Fprintf(b, "- and %d more\n", n)
	}
}

// links lead to the whole of a finished run.
func links(r research.Result) []mcp.ResourceLink {
	if r.Report == "" {
		return nil
	}
	return []mcp.ResourceLink{
		mcp.NewResourceLink(runURI(r.RunID, "report.md"), "report.md", "The whole report", "text/markdown"),
		mcp.NewResourceLink(runURI(r.RunID, "sources.json"), "sources.json", "All sources with all quotes", "application/json"),
	}
}
