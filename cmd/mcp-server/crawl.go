package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"deepresearch/crawl"
	"deepresearch/internal/config"
	"deepresearch/internal/safe"
	"deepresearch/research"
)

// crawlCommand reads pages that the user names, or the pages of sites.
type crawlCommand struct {
	settingFlags
	URLs      []string `arg:"" name:"url" help:"The pages to read, or where sites begin"`
	Format    string   `enum:"markdown,text,links" default:"markdown" help:"Form of the page: markdown, text, links [markdown]"`
	MaxTokens int      `placeholder:"N" help:"Tokens to print of each page [all], or of all passages with --query [4000]"`
	MaxPages  int      `placeholder:"N" default:"10" help:"Pages of a site to read [10]"`
	Include   []string `sep:"none" placeholder:"PATTERN" help:"Only addresses like this: /docs/ is the beginning of a path, * stands for anything [the folder of the first page]"`
	Exclude   []string `sep:"none" placeholder:"PATTERN" help:"No addresses like this"`
	Focus     string   `placeholder:"TEXT" help:"The part of a page to keep: a heading, a CSS selector such as main .price, or full"`
}

func (crawlCommand) Help() string {
	return example("crawl https://go.dev/ref/mem --format text") + "\n  mcp-server crawl https://go.dev/doc/ --mode site --max-pages 50 --query \"memory model\""
}

// pagesAtOnce bounds the pages in flight; hosts have a limit of their own.
const pagesAtOnce = 8

// tokenBytes is what a token is taken to have: about four letters of English.
const tokenBytes = 4

// Run reads the pages and prints them in the order in which they were named.
func (c *crawlCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	if settings.Ask.Offline {
		return usageError("--offline leaves no page to read: leave it out, or research files with --files")
	}
	if slices.ContainsFunc(c.URLs, func(u string) bool { return strings.TrimSpace(u) == "" }) {
		return usageError("url: it is empty, give the address of a page")
	}
	if c.MaxPages < 1 {
		return usageError("--max-pages: give a number from 1 on")
	}
	return p.with(settings, func(made *product) error {
		if settings.Crawl.Mode != "page" {
			return c.walk(p, made, settings)
		}
		pages := c.read(p, made, settings)
		return errors.Join(p.write(settings, func(w io.Writer) error { return c.print(w, settings, pages) }), unreadable(pages))
	})
}

func (c *crawlCommand) read(p *process, made *product, settings *config.Settings) []crawl.Page {
	bar := p.progress(settings)
	defer bar.clear()
	slots := make(chan struct{}, pagesAtOnce)
	pages := make([]crawl.Page, len(c.URLs))
	var wg sync.WaitGroup
	for i, address := range c.URLs {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			req := crawl.Request{URL: withScheme(address), AskedByUser: true, Timeout: settings.Crawl.Timeout, Focus: c.Focus}
			if settings.Ask.Fresh {
				req.MaxAge = -1
			}
			pages[i] = made.reader.Read(p.ctx, req)
			bar.tell(research.Progress{Text: fmt.Sprintf("read %s: %s", pages[i].URL, pages[i].Outcome)})
		})
	}
	wg.Wait()
	return pages
}

// withScheme takes an address as people write it.
func withScheme(address string) string {
	if !strings.Contains(address, "://") {
		return "https://" + address
	}
	return address
}

func (c *crawlCommand) print(w io.Writer, settings *config.Settings, pages []crawl.Page) error {
	if settings.Crawl.Query != "" {
		return c.printPassages(w, settings, pages, []string{})
	}
	for i := range pages {
		pages[i].Markdown = c.cut(c.form(pages[i]))
	}
	if settings.General.JSON {
		return printJSON(w, map[string]any{"pages": pages, "warnings": []string{}})
	}
	var bodies []string
	for _, page := range pages {
		if body := strings.TrimRight(page.Markdown, "\n"); body != "" {
			bodies = append(bodies, body+"\n")
		}
	}
	_, err := io.WriteString(w, strings.Join(bodies, "\n---\n\n"))
	return err
}

func (c *crawlCommand) form(page crawl.Page) string {
	switch {
	case c.Format == "text" && page.Document != nil:
		return page.Document.Text
	case c.Format == "links":
		var b strings.Builder
		for _, l := range page.Links {
			fmt.Fprintf(&b, "- [%s](<%s>)\n", safe.Markdown(l.Text), l.URL)
		}
		return b.String()
	}
	return page.Markdown
}

// cut ends a text at the last line within the limit.
func (c *crawlCommand) cut(text string) string {
	limit := c.MaxTokens * tokenBytes
	if limit <= 0 || len(text) <= limit {
		return text
	}
	if i := strings.LastIndexByte(text[:limit], '\n'); i > 0 {
		return text[:i]
	}
	return strings.ToValidUTF8(text[:limit], "")
}

// unreadable is the error when a page gave no text.
func unreadable(pages []crawl.Page) error {
	var why []string
	for _, page := range pages {
		if page.Outcome != crawl.OK && page.Outcome != crawl.Partial {
			why = append(why, strings.TrimSpace(fmt.Sprintf("%s: %s: %s", page.URL, page.Outcome, page.Hint)))
		}
	}
	if len(why) == 0 {
		return nil
	}
	return &codedError{exitFailed, strings.Join(why, "; ")}
}
