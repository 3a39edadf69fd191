package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"

	"deepresearch/citations"
	"deepresearch/crawl"
	"deepresearch/internal/config"
	"deepresearch/internal/library"
)

// verifyCommand checks a report that was written anywhere against its sources.
type verifyCommand struct {
	settingFlags
	Report string `arg:"" help:"The report, in Markdown"`
}

func (verifyCommand) Help() string { return example("verify report.md --files notes --json") }

// verified is what verify found, in the words of the structured result.
type verified struct {
	Claims   []citations.Claim  `json:"claims"`
	Sources  []citations.Source `json:"sources"`
	Metrics  citations.Metrics  `json:"metrics"`
	Warnings []string           `json:"warnings"`
}

// Run checks each claim of the report and prints what it found, whatever that
// is. A model is asked only where one was named.
func (c *verifyCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	if settings.Ask.Offline && len(settings.Ask.Files) == 0 {
		return usageError("--offline leaves no source to read: name documents with --files")
	}
	body, err := os.ReadFile(c.Report)
	if err != nil {
		return usageError(err.Error())
	}
	report, err := citations.ParseReport(string(body))
	if err != nil {
		return usageError(fmt.Sprintf("%s: %v", c.Report, err))
	}
	return p.with(settings, func(made *product) error {
		read, err := p.sourceReader(made, settings)
		if err != nil {
			return err
		}
		how, err := judging(made, settings, report)
		if err != nil {
			return err
		}
		found, err := verify(p.ctx, report, read, how)
		if err != nil {
			return err
		}
		return p.write(settings, func(w io.Writer) error {
			if settings.General.JSON {
				return printJSON(w, found)
			}
			return printVerified(w, found)
		})
	})
}

// readSource returns the text of a listed source, and the source with what its
// text tells of it.
type readSource func(ctx context.Context, s citations.Source) (citations.Source, string, error)

// sourceReader looks sources up in the user's documents when there are some, and
// reads their pages otherwise.
func (p *process) sourceReader(made *product, settings *config.Settings) (readSource, error) {
	if len(settings.Ask.Files) == 0 {
		return func(ctx context.Context, s citations.Source) (citations.Source, string, error) {
			return readListed(ctx, made.reader, settings, s)
		}, nil
	}
	lib, err := made.libraries.Open(p.ctx, library.Request{Paths: settings.Ask.Files})
	if err != nil {
		return nil, err
	}
	p.leftOut(lib)
	docs, err := lib.Documents(p.ctx)
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, s citations.Source) (citations.Source, string, error) {
		d, ok := listedDocument(docs, s)
		if !ok {
			return s, "", errors.New("no document has its title or file name")
		}
		s.URL, s.Private, s.Author, s.Site, s.Language = d.URL, true, d.Author, d.Site, d.Language
		s.Title = orElse(d.Title, s.Title)
		return s, d.Text, nil
	}, nil
}

// readListed reads the page of a source, which the user asked for.
func readListed(ctx context.Context, reader *crawl.Reader, settings *config.Settings, s citations.Source) (citations.Source, string, error) {
	if s.URL == "" {
		return s, "", errors.New("its entry has no address; name documents with --files")
	}
	page := reader.Read(ctx, crawl.Request{URL: s.URL, AskedByUser: true, Timeout: settings.Crawl.Timeout})
	if page.Document == nil || page.Outcome != crawl.OK && page.Outcome != crawl.Partial {
		return s, "", fmt.Errorf("%s: %s", page.Outcome, page.Hint)
	}
	d := page.Document
	s.Title, s.Author, s.Site, s.Language = orElse(d.Title, s.Title), d.Author, d.Site, d.Language
	return s, d.Text, nil
}

// listedDocument is the document that an entry of a source list means: the one
// of its address, or whose title or file name, the longest, stands in the entry.
func listedDocument(docs []library.Document, s citations.Source) (found library.Document, ok bool) {
	if i := slices.IndexFunc(docs, func(d library.Document) bool { return d.URL == s.URL }); i >= 0 {
		return docs[i], true
	}
	entry, longest := spaced(s.Title+" "+path.Base(s.URL)), 0
	for _, d := range docs {
		base := path.Base(d.Name)
		for _, name := range []string{d.Title, base, strings.TrimSuffix(base, path.Ext(base))} {
			if name = spaced(name); len(name) > max(longest, len("  ")) && strings.Contains(entry, name) {
				found, longest = d, len(name)
			}
		}
	}
	return found, longest > 0
}

// spaced are the words of a text in small letters, with a blank around each.
func spaced(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return " " + strings.Join(words, " ") + " "
}

// heldTexts are the texts that were read, by SHA-256: a citations.Archive.
type heldTexts map[string]string

func (t heldTexts) Text(_ context.Context, sha256 string) (string, error) {
	text, ok := t[sha256]
	if !ok {
		return "", errors.New("it was not read")
	}
	return text, nil
}

// verify reads the sources of a report and checks its claims against them.
func verify(ctx context.Context, report citations.Parsed, read readSource, how citations.VerifyOptions) (verified, error) {
	out := verified{Sources: []citations.Source{}, Warnings: []string{}}
	ledger, held, ids, failed := citations.NewLedger(), heldTexts{}, map[int]string{}, map[int]string{}
	for _, s := range report.Sources {
		full, text, err := read(ctx, s)
		if err == nil {
			ids[s.N], err = ledger.AddSource(full, text)
		}
		if err != nil {
			delete(ids, s.N)
			failed[s.N] = fmt.Sprintf("source [%d] could not be read: %v", s.N, err)
			out.Warnings = append(out.Warnings, failed[s.N])
			continue
		}
		held[citations.Hash(text)] = text
	}
	for _, n := range report.Dangling {
		failed[n] = fmt.Sprintf("[%d] leads to no entry of the source list", n)
		out.Warnings = append(out.Warnings, failed[n])
	}
	v, err := citations.Verify(ctx, report.Cited(ids), ledger, held, how)
	if err != nil {
		return out, err
	}
	if v.JudgeErr != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%v; the other claims were checked without a model", v.JudgeErr))
	}
	out.Claims = v.Claims
	for i, c := range out.Claims {
		if len(c.Marks) > 0 && len(c.Cites) == 0 { // the reason is not that it has no mark
			suggested := strings.TrimPrefix(c.Reason, citations.ReasonUncited)
			out.Claims[i].Reason = failed[c.Marks[0]] + suggested
		}
	}
	for _, s := range report.Sources {
		if full, ok := v.Ledger.Source(ids[s.N]); ok {
			full.N = s.N
			s = full
		}
		if s.Quotes == nil {
			s.Quotes = []citations.Quote{}
		}
		if s.Author == nil {
			s.Author = []string{}
		}
		out.Sources = append(out.Sources, s)
	}
	out.Metrics = citations.Measure(out.Claims, out.Sources, func(s citations.Source) (string, bool) {
		text, ok := held[s.SHA256]
		return text, ok
	})
	return out, nil
}

// printVerified prints a line a claim and the figures of the whole.
func printVerified(w io.Writer, v verified) error {
	var b strings.Builder
	for _, c := range v.Claims {
		fmt.Fprintf(&b, "%-12s ", c.Label)
		for _, n := range c.Marks {
			fmt.Fprintf(&b, "[%d]", n)
		}
		fmt.Fprintf(&b, " %s\n", c.Text)
		if c.Reason != "" {
			fmt.Fprintf(&b, "%12s   %s\n", "", c.Reason)
		}
	}
	m := v.Metrics
	fmt.Fprintf(&b, "\n%d claims, %d with a mark; %d of the cited ones were decided, %.0f %% of these hold. %d sources listed, %d never cited.\n",
		m.Claims, m.CitedClaims, m.Decided, 100*m.CitationAccuracy, m.Sources, m.UncitedSources)
	for _, warning := range v.Warnings {
		fmt.Fprintf(&b, "Warning: %s\n", warning)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
