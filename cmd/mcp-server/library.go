package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"deepresearch/internal/config"
	"deepresearch/internal/library"
	"deepresearch/internal/search"
	"deepresearch/research"
)

// libraryCommand is what can be done with named libraries.
type libraryCommand struct {
	Add    libraryAddCommand    `cmd:"" help:"Read files and folders into a library, or what has changed of them"`
	List   libraryListCommand   `cmd:"" help:"List the libraries"`
	Remove libraryRemoveCommand `cmd:"" help:"Remove a library; the files stay"`
	Search librarySearchCommand `cmd:"" help:"Search one library"`
}

type libraryAddCommand struct {
	settingFlags
	Name        string   `arg:"" help:"The library, which is made when there is none of the name"`
	Paths       []string `arg:"" optional:"" help:"Files and folders; without any, those that the library has are read again"`
	Description string   `help:"What the library holds, in a sentence" placeholder:"TEXT"`
}

func (libraryAddCommand) Help() string {
	return example(`library add papers ~/papers --description "What we have on tides"`)
}

// Run reads the files and says what came of it.
func (c *libraryAddCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		bar := p.progress(settings)
		added, err := library.Add(p.ctx, made.shelf, library.Addition{
			Name: c.Name, Description: c.Description, Paths: c.Paths, PDF: made.pdf,
			Progress: func(files int) { bar.tell(research.Progress{Text: fmt.Sprintf("looked at %d files", files)}) },
		})
		bar.clear()
		if err != nil {
			return err
		}
		if added.Skipped == nil {
			added.Skipped = []library.Skipped{}
		}
		return p.write(settings, func(w io.Writer) error {
			if settings.General.JSON {
				return printJSON(w, added)
			}
			return printAdded(w, added)
		})
	})
}

func printAdded(w io.Writer, a library.Added) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d documents (%d read, %d unchanged, %d removed), %.1f MB\n", a.Name, a.Documents, a.Read, a.Unchanged, a.Removed, float64(a.Bytes)/1e6)
	for _, s := range a.Skipped {
		fmt.Fprintf(&b, "not read: %s: %s\n", s.Path, s.Reason)
	}
	if a.More > 0 {
		fmt.Fprintf(&b, "not read: %d more\n", a.More)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

type libraryListCommand struct{ settingFlags }

func (libraryListCommand) Help() string { return example("library list --json") }

// Run lists the libraries.
func (c *libraryListCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		list, err := made.shelf.List(p.ctx)
		if err != nil {
			return err
		}
		return p.write(settings, func(w io.Writer) error {
			if settings.General.JSON {
				return printJSON(w, map[string]any{"libraries": list})
			}
			return printLibraries(w, list)
		})
	})
}

func printLibraries(out io.Writer, list []library.Entry) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range list {
		fmt.Fprintf(w, "%s\t%d documents\t%.1f MB\t%s\t%s\n", e.Name, e.Documents, float64(e.Bytes)/1e6, e.Updated.Local().Format("2006-01-02 15:04"), e.Description)
	}
	return w.Flush()
}

type libraryRemoveCommand struct {
	settingFlags
	Name string `arg:"" help:"The library"`
}

func (libraryRemoveCommand) Help() string { return example("library remove papers") }

// Run removes the library.
func (c *libraryRemoveCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		if err := unknownLibrary(made.shelf.Remove(p.ctx, c.Name)); err != nil {
			return err
		}
		return p.write(settings, func(w io.Writer) error {
			if settings.General.JSON {
				return printJSON(w, map[string]any{"removed": c.Name})
			}
			_, err := fmt.Fprintln(w, "removed "+c.Name)
			return err
		})
	})
}

// unknownLibrary makes a name that no library has a mistake of usage.
func unknownLibrary(err error) error {
	if errors.Is(err, library.ErrNoLibrary) {
		return usageError(err.Error() + "; library list shows those there are")
	}
	return err
}

type librarySearchCommand struct {
	settingFlags
	Name  string `arg:"" help:"The library"`
	Query string `arg:"" help:"What to look for"`
}

func (librarySearchCommand) Help() string {
	return example(`library search papers "storm surge in estuaries" --max-results 5`)
}

// Run prints the documents that were found.
func (c *librarySearchCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		answer, err := c.find(p, made, settings)
		if err != nil {
			return err
		}
		return p.printAnswer(settings, answer)
	})
}

func (c *librarySearchCommand) find(p *process, made *product, settings *config.Settings) (search.Answer, error) {
	if strings.TrimSpace(c.Query) == "" {
		return search.Answer{}, usageError(search.ErrEmptyQuery.Error())
	}
	lib, err := made.libraries.Open(p.ctx, library.Request{Names: []string{c.Name}})
	if err != nil {
		return search.Answer{}, unknownLibrary(err)
	}
	own, err := documents(p.ctx, lib, search.Query{Text: c.Query, N: settings.Search.MaxResults})
	return search.Answer{Query: c.Query, Results: ranked(own), Failures: []search.Failure{}, Warnings: []string{}}, err
}
