package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"deepresearch/crawl"
	"deepresearch/internal/config"
	"deepresearch/internal/safe"
	"deepresearch/research"
)

// passageTokens is how much --query prints without --max-tokens.
const passageTokens = 4000

// walk reads or lists the pages of sites and prints each as it comes, so that
// a large site needs no more memory than a small one. With a query it keeps the
// pages, since the best passages are known at the end.
func (c *crawlCommand) walk(p *process, made *product, settings *config.Settings) error {
	walk, err := made.reader.Walk(c.site(settings))
	if err != nil {
		return usageError(err.Error())
	}
	var bad []crawl.Page
	err = p.stream(settings, func(w io.Writer) error {
		bar := p.progress(settings)
		defer bar.clear()
		turn := crawl.Turn{Progress: func(s crawl.Step) { bar.tell(research.Progress{Text: s.String()}) }}
		if settings.Crawl.Query != "" && settings.Crawl.Mode != "map" {
			var pages []crawl.Page
			turn.Visit = func(page crawl.Page) { pages = append(pages, page) }
			walk.Run(p.ctx, turn)
			bar.clear()
			bad = withoutText(pages)
			return c.printPassages(w, settings, pages, walk.Warnings())
		}
		out := pageWriter{w: w, asJSON: settings.General.JSON}
		if out.asJSON {
			out.w = exact(w)
		}
		turn.Visit = func(page crawl.Page) {
			bad = append(bad, withoutText([]crawl.Page{page})...)
			page.Markdown = c.cut(c.form(page))
			bar.clear()
			out.page(page)
		}
		walk.Run(p.ctx, turn)
		bar.clear()
		return out.end(walk)
	})
	for _, warning := range walk.Warnings() {
		if !settings.General.Quiet {
			p.warn(warning)
		}
	}
	survey := walk.Survey()
	switch {
	case err != nil:
		return err
	case p.ctx.Err() != nil:
		return &codedError{exitFailed, fmt.Sprintf("stopped after %d pages", survey.Read)}
	case len(survey.Found) == 0 && survey.Read == len(bad):
		return unreadable(bad)
	}
	return nil
}

// stream is write for a result that may be larger than memory: on stdout it
// stands as it comes.
func (p *process) stream(settings *config.Settings, result func(io.Writer) error) error {
	if settings.Output.Out != "" || settings.Crawl.Query != "" {
		return p.write(settings, result)
	}
	return result(p.out)
}

func withoutText(pages []crawl.Page) []crawl.Page {
	var bad []crawl.Page
	for _, page := range pages {
		if page.Outcome != crawl.OK && page.Outcome != crawl.Partial {
			bad = append(bad, page)
		}
	}
	return bad
}

func (c *crawlCommand) site(settings *config.Settings) crawl.Site {
	site := crawl.Site{
		Mode: crawl.Mode(settings.Crawl.Mode), Query: settings.Crawl.Query, Depth: settings.Crawl.Depth, MaxPages: c.MaxPages,
		Include: c.Include, Exclude: c.Exclude, Focus: c.Focus, Timeout: settings.Crawl.Timeout,
	}
	if site.Depth == 0 {
		site.Depth = -1
	}
	if settings.Ask.Fresh {
		site.MaxAge = -1
	}
	for _, address := range c.URLs {
		site.URLs = append(site.URLs, withScheme(address))
	}
	return site
}

// pageWriter prints the pages of a walk one by one: as Markdown with the address
// of each, or as one JSON value.
type pageWriter struct {
	w      io.Writer
	asJSON bool
	n      int
	err    error
}

// write prints a piece. In text, characters that hide text or steer a terminal
// are taken out; in JSON they are spelled as escapes.
func (o *pageWriter) write(format string, args ...any) {
	if o.err != nil {
		return
	}
	piece := fmt.Sprintf(format, args...)
	if !o.asJSON {
		piece, _ = safe.Text(piece)
	}
	_, o.err = io.WriteString(o.w, piece)
}

// first is what comes before the first page, else what comes between two.
func (o *pageWriter) first(before, between string) string {
	if o.n == 0 {
		return before
	}
	return between
}

func (o *pageWriter) page(page crawl.Page) {
	body := strings.TrimRight(page.Markdown, "\n")
	switch {
	case o.asJSON:
		o.write("%s%s", o.first("{\n  \"pages\": [\n    ", ",\n    "), nested(page, "    "))
	case body == "":
		return
	default:
		o.write("%s<!-- %s -->\n\n%s\n", o.first("", "\n---\n\n"), page.URL, body)
	}
	o.n++
}

func (o *pageWriter) end(walk *crawl.Walk) error {
	found := walk.Survey().Found
	if !o.asJSON {
		for _, f := range found {
			o.write("%s\n", strings.TrimRight(fmt.Sprintf("- [%s](<%s>) %s", safe.Markdown(cmp.Or(f.Title, f.URL)), f.URL, f.Modified), " "))
		}
		return o.err
	}
	if o.n == 0 {
		o.write("{\n  \"pages\": [")
	}
	if found == nil {
		found = []crawl.Found{}
	}
	o.write("],\n  \"urls\": %s,\n  \"warnings\": %s\n}\n", nested(found, "  "), nested(walk.Warnings(), "  "))
	return o.err
}

// nested is v as JSON, indented as part of a larger value.
func nested(v any, prefix string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, "  ")
	if err := enc.Encode(v); err != nil {
		return "null"
	}
	return string(visible(bytes.TrimRight(b.Bytes(), "\n")))
}

// printPassages prints what the pages say of the query, best first.
func (c *crawlCommand) printPassages(w io.Writer, settings *config.Settings, pages []crawl.Page, warnings []string) error {
	tokens := passageTokens
	if c.MaxTokens > 0 {
		tokens = c.MaxTokens
	}
	passages := crawl.Passages(pages, settings.Crawl.Query, tokens)
	if settings.General.JSON {
		type shown struct {
			URL string `json:"url"`
			crawl.Passage
		}
		list := make([]shown, len(passages))
		for i, q := range passages {
			list[i] = shown{pages[q.Page].URL, q}
		}
		for i := range pages {
			pages[i].Markdown = ""
		}
		return printJSON(w, map[string]any{"pages": append([]crawl.Page{}, pages...), "passages": list, "warnings": warnings})
	}
	out := pageWriter{w: w}
	for i, q := range passages {
		if i > 0 {
			out.write("\n")
		}
		place := pages[q.Page].URL
		if len(q.Path) > 0 {
			place += " · " + strings.Join(q.Path, " > ")
		}
		out.write("> %s\n\n%s (bytes %d-%d)\n", strings.ReplaceAll(safe.Markdown(q.Text), "\n", "\n> "), safe.Markdown(place), q.Start, q.End)
	}
	return out.err
}
