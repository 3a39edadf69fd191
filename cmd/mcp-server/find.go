package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"deepresearch/internal/config"
	"deepresearch/internal/library"
	"deepresearch/internal/rank"
	"deepresearch/internal/safe"
	"deepresearch/internal/search"
)

// searchCommand asks the engines, and the user's documents.
type searchCommand struct {
	settingFlags
	Query string `arg:"" help:"What to look for"`
}

func (searchCommand) Help() string {
	return example(`search "tcp congestion control" --recency year --max-results 5`)
}

// Run prints what was found.
func (c *searchCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	if err := onlyList(settings); err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		answer, err := find(p.ctx, made, settings.Config, c.Query)
		if err != nil {
			return err
		}
		return p.printAnswer(settings, answer)
	})
}

// printAnswer prints what was found. An answer without results is printed as
// JSON whatever was asked for: its failures are all there is.
func (p *process) printAnswer(settings *config.Settings, answer search.Answer) error {
	failed := nothingFound(answer)
	asJSON := settings.General.JSON || settings.Output.Format == "json" || failed != nil
	for _, sentence := range answer.Warnings {
		if !asJSON { // where they are part of the answer
			p.warn(sentence)
		}
	}
	return errors.Join(p.write(settings, func(w io.Writer) error {
		if asJSON {
			return printJSON(w, answer)
		}
		return printResults(w, answer)
	}), failed)
}

// find asks the engines unless it must stay offline, and the documents if any
// are named.
func find(ctx context.Context, made *product, c config.Config, text string) (search.Answer, error) {
	text, _ = safe.Text(text)
	q := search.Query{
		Text: text, Language: c.Ask.Language, Recency: string(c.Ask.Recency), Include: c.Ask.IncludeDomains, Exclude: c.Ask.ExcludeDomains,
		Topic: c.Ask.Topic, N: c.Search.MaxResults, MaxCalls: c.Limits.Searches, Fresh: c.Ask.Fresh,
	}
	if strings.TrimSpace(text) == "" {
		return search.Answer{}, usageError(search.ErrEmptyQuery.Error())
	}
	var own []search.Result
	warnings := []string{}
	if len(c.Ask.Files)+len(c.Ask.Libraries) > 0 {
		lib, err := made.libraries.Open(ctx, library.Request{Paths: c.Ask.Files, Names: c.Ask.Libraries})
		if err != nil {
			return search.Answer{}, err
		}
		if own, err = documents(ctx, lib, q); err != nil {
			return search.Answer{}, err
		}
		if sentence := lib.LeftOut(); sentence != "" {
			warnings = append(warnings, sentence)
		}
	}
	if c.Ask.Offline {
		if len(c.Ask.Files)+len(c.Ask.Libraries) == 0 {
			return search.Answer{}, usageError("--offline leaves nothing to search: name documents with --files or --libraries")
		}
		return search.Answer{Query: text, Results: ranked(own), Failures: []search.Failure{}, Warnings: warnings}, nil
	}
	answer, err := made.searcher.Search(ctx, q, c.Search.Engines)
	if errors.Is(err, search.ErrPrivate) {
		return search.Answer{}, usageError(err.Error())
	}
	if err != nil {
		return search.Answer{}, err
	}
	answer.Results, answer.Warnings = fused(own, answer.Results, q.N), append(answer.Warnings, warnings...)
	return answer, nil
}

// snippetLength bounds what is shown of a passage, in bytes.
const snippetLength = 300

// documents are the hits of the user's own documents as results.
func documents(ctx context.Context, lib *library.Library, q search.Query) ([]search.Result, error) {
	hits, err := lib.Search(ctx, q.Text, q.N)
	if err != nil {
		return nil, err
	}
	var out []search.Result
	for _, hit := range hits {
		r := search.Result{Title: hit.Title, URL: hit.URL, Published: hit.Published, Engines: []string{"files"}, Score: hit.Score}
		if r.Title == "" {
			r.Title = hit.Name
		}
		if len(hit.Passages) > 0 {
			span := hit.Passages[0]
			if page := hit.PageAt(span.Start); page > 0 {
				r.URL += fmt.Sprintf("#page=%d", page)
			}
			r.Snippet = shorten(strings.Join(strings.Fields(hit.Text[span.Start:span.End]), " "), snippetLength)
		}
		out = append(out, r)
	}
	return out, nil
}

// shorten cuts at a space, at most n bytes.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if i := strings.LastIndex(s[:n], " "); i > 0 {
		return s[:i] + " ..."
	}
	return strings.ToValidUTF8(s[:n], "") + " ..."
}

// fused ranks the user's documents and the web's pages together by the rank
// that each has among its own.
func fused(own, web []search.Result, n int) []search.Result {
	if len(own) == 0 {
		return web
	}
	byURL := map[string]search.Result{}
	var lists [2][]string
	for i, list := range [2][]search.Result{own, web} {
		for _, r := range list {
			byURL[r.URL] = r
			lists[i] = append(lists[i], r.URL)
		}
	}
	var out []search.Result
	for _, f := range rank.Fuse(lists[:], nil, 0) {
		r := byURL[f.Key]
		r.Score = f.Score
		out = append(out, r)
	}
	return ranked(out[:min(n, len(out))])
}

func ranked(results []search.Result) []search.Result {
	for i := range results {
		results[i].Rank = i + 1
	}
	if results == nil {
		return []search.Result{}
	}
	return results
}

// nothingFound is the error of an answer without results: a key that is missing
// or wrong is a matter of configuration, anything else of evidence.
func nothingFound(a search.Answer) error {
	if len(a.Results) > 0 {
		return nil
	}
	code, sentence := exitNoEvidence, "nothing was found"
	keys := len(a.Failures) > 0
	var why []string
	for _, f := range a.Failures {
		keys = keys && f.Kind == search.Auth
		why = append(why, strings.TrimSpace(f.Error()+" "+f.Hint))
	}
	if keys {
		code = exitConfig
	}
	if len(why) > 0 {
		sentence += ": " + strings.Join(why, "; ")
	}
	return &codedError{code, sentence}
}

// printResults writes results as a Markdown list.
func printResults(w io.Writer, a search.Answer) error {
	var b strings.Builder
	for _, r := range a.Results {
		fmt.Fprintf(&b, "%d. [%s](<%s>)\n", r.Rank, safe.Markdown(r.Title), r.URL)
		if r.Snippet != "" {
			fmt.Fprintf(&b, "   %s\n", safe.Markdown(r.Snippet))
		}
		fmt.Fprintf(&b, "   %s\n", strings.TrimSpace(strings.Join(r.Engines, ", ")+" "+r.Published))
	}
	for _, shown := range a.Suggestions { // the engine's terms ask for it
		fmt.Fprintf(&b, "\n%s searched for: %s\n", shown.Engine, safe.Markdown(strings.Join(shown.Queries, "; ")))
	}
	for _, f := range a.Failures {
		fmt.Fprintf(&b, "\nNot asked or without answer: %s\n", safe.Markdown(f.Error()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
