package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"deepresearch/internal/config"
	"deepresearch/research"
)

// runsCommand is what can be done with stored runs.
type runsCommand struct {
	List   runsListCommand   `cmd:"" help:"List stored runs, the newest first"`
	Show   runsShowCommand   `cmd:"" help:"Print what a run has come to"`
	Export runsExportCommand `cmd:"" help:"Print the report of a finished run"`
	Resume runsResumeCommand `cmd:"" help:"Take a run up again and print its result"`
	Answer runsAnswerCommand `cmd:"" help:"Answer what a run asks, and print its result"`
	Cancel runsCancelCommand `cmd:"" help:"Stop a run for good"`
	Delete runsDeleteCommand `cmd:"" help:"Delete a run, or all of them"`
	Source runsSourceCommand `cmd:"" help:"Print the archived text of a source, byte for byte"`
}

type runsListCommand struct{ settingFlags }

func (runsListCommand) Help() string { return example("runs list --json") }

// Run lists the runs of all callers.
func (c *runsListCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		list, err := made.engine.List(p.ctx, everyCaller, 0)
		if err != nil {
			return err
		}
		return p.write(settings, func(w io.Writer) error {
			if settings.General.JSON {
				return printJSON(w, map[string]any{"runs": list})
			}
			return printRuns(w, list)
		})
	})
}

func printRuns(out io.Writer, list []research.Summary) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.RunID, r.Status, r.UpdatedAt.Local().Format("2006-01-02 15:04"), strings.Join(strings.Fields(r.Question), " "))
	}
	return w.Flush()
}

type runsShowCommand struct {
	settingFlags
	ID string `arg:"" help:"The run"`
}

func (runsShowCommand) Help() string { return example("runs show r_3x5c --json") }

// Run prints the report, or where the run stands.
func (c *runsShowCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		result, err := made.engine.Result(p.ctx, everyCaller, c.ID)
		if err != nil {
			return err
		}
		if result.Report == "" {
			p.say(fmt.Sprintf("run %s is %s%s", result.RunID, result.Status, because(result)))
		}
		return p.printRun(made.engine, settings, result)
	})
}

type runsExportCommand struct {
	settingFlags
	ID string `arg:"" help:"The run"`
}

func (runsExportCommand) Help() string {
	return example("runs export r_3x5c --format bibtex --out sources.bib")
}

// Run prints the report in the chosen form; a run without one is an error.
func (c *runsExportCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		if settings.Output.Format == "replay" {
			return p.exportRecord(made, settings, c.ID)
		}
		result, err := made.engine.Result(p.ctx, everyCaller, c.ID)
		if err != nil {
			return err
		}
		if result.Report == "" {
			return fmt.Errorf("run %s is %s and has no report%s", result.RunID, result.Status, because(result))
		}
		return p.printRun(made.engine, settings, result)
	})
}

type runsResumeCommand struct {
	settingFlags
	ID string `arg:"" help:"The run"`
}

func (runsResumeCommand) Help() string { return example("runs resume r_3x5c") }

// Run takes the run up again, unless it has ended well, and follows it.
func (c *runsResumeCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	if err := reportForm(settings); err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		result, err := made.engine.Result(p.ctx, everyCaller, c.ID)
		if err != nil {
			return err
		}
		if result.Status != research.Done && result.Status != research.NoEvidence {
			if err := made.engine.Resume(p.ctx, everyCaller, c.ID); err != nil {
				return err
			}
		}
		return p.follow(made, settings, c.ID)
	})
}

type runsAnswerCommand struct {
	settingFlags
	ID   string `arg:"" help:"The run"`
	Text string `arg:"" help:"approve, what to change, or a whole plan as JSON"`
}

func (runsAnswerCommand) Help() string { return example("runs answer r_3x5c approve") }

// Run answers what the run asks and follows it.
func (c *runsAnswerCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	if err := reportForm(settings); err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		if err := made.engine.Answer(p.ctx, everyCaller, c.ID, c.Text); err != nil {
			return err
		}
		return p.follow(made, settings, c.ID)
	})
}

type runsCancelCommand struct {
	settingFlags
	ID string `arg:"" help:"The run"`
}

func (runsCancelCommand) Help() string { return example("runs cancel r_3x5c") }

// Run stops the run, in whatever process it is worked on.
func (c *runsCancelCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		if err := made.engine.Cancel(p.ctx, everyCaller, c.ID, "cancelled at the command line"); err != nil {
			return err
		}
		return p.confirm(settings, "cancelled", c.ID)
	})
}

type runsDeleteCommand struct {
	settingFlags
	ID  string `arg:"" optional:"" help:"The run"`
	All bool   `help:"Delete every run"`
}

func (runsDeleteCommand) Help() string { return example("runs delete --all") }

// Run deletes one run or all, with the texts that nothing else cites.
func (c *runsDeleteCommand) Run(p *process) error {
	if c.All == (c.ID != "") {
		return usageError("name one run to delete, or --all")
	}
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		ids := []string{c.ID}
		if c.All {
			if ids, err = everyRun(p.ctx, made); err != nil {
				return err
			}
		}
		for _, id := range ids {
			if err := made.engine.Delete(p.ctx, everyCaller, id); err != nil {
				return err
			}
		}
		return p.confirm(settings, "deleted", ids...)
	})
}

func everyRun(ctx context.Context, made *product) ([]string, error) {
	list, err := made.engine.List(ctx, everyCaller, 0)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(list))
	for i, r := range list {
		ids[i] = r.RunID
	}
	return ids, nil
}

// confirm says what was done to runs.
func (p *process) confirm(settings *config.Settings, done string, ids ...string) error {
	if settings.General.JSON {
		return p.write(settings, func(w io.Writer) error { return printJSON(w, map[string]any{done: ids}) })
	}
	p.say(done + " " + strings.Join(ids, ", "))
	return nil
}

type runsSourceCommand struct {
	settingFlags
	ID string `arg:"" help:"The run"`
	N  int    `arg:"" help:"The number of the source"`
}

func (runsSourceCommand) Help() string { return example("runs source r_3x5c 1 | sha256sum") }

// Run prints the text whose sum the report gives, and not a byte more.
func (c *runsSourceCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		text, err := made.engine.Source(p.ctx, everyCaller, c.ID, c.N)
		if err != nil {
			return err
		}
		return p.write(settings, func(w io.Writer) error {
			if settings.General.JSON {
				return printJSON(w, map[string]any{"run_id": c.ID, "n": c.N, "text": text})
			}
			_, err := io.WriteString(exact(w), text)
			return err
		})
	})
}
