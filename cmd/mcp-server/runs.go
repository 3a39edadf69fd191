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
	ID string `arg:"" help:"The run: its id, or the beginning of it"`
}

func (runsShowCommand) Help() string { return example("runs show r_3x5c --json") }

// Run prints the report, or where the run stands.
func (c *runsShowCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		result, err := storedResult(p.ctx, made, c.ID)
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
	ID string `arg:"" help:"The run: its id, or the beginning of it"`
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
			id, err := storedRun(p.ctx, made, c.ID)
			if err != nil {
				return err
			}
			return p.exportRecord(made, settings, id)
		}
		result, err := storedResult(p.ctx, made, c.ID)
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
	ID string `arg:"" help:"The run: its id, or the beginning of it"`
}

func (runsResumeCommand) Help() string { return example("runs resume r_3x5c") }

// Run takes the run up again, unless it has ended well, and follows it.
func (c *runsResumeCommand) Run(p *process) error {
	return p.takeUp(c.settingFlags, c.ID, func(made *product, id string) error {
		result, err := made.engine.Result(p.ctx, everyCaller, id)
		if err != nil || result.Status == research.Done || result.Status == research.NoEvidence {
			return err
		}
		return made.engine.Resume(p.ctx, everyCaller, id)
	})
}

type runsAnswerCommand struct {
	settingFlags
	ID   string `arg:"" help:"The run: its id, or the beginning of it"`
	Text string `arg:"" help:"approve, what to change, or a whole plan as JSON"`
}

func (runsAnswerCommand) Help() string { return example("runs answer r_3x5c approve") }

// Run answers what the run asks and follows it.
func (c *runsAnswerCommand) Run(p *process) error {
	return p.takeUp(c.settingFlags, c.ID, func(made *product, id string) error {
		return made.engine.Answer(p.ctx, everyCaller, id, c.Text)
	})
}

// takeUp has a stored run go on, after what begin does, and follows it to its rest.
func (p *process) takeUp(flags settingFlags, beginning string, begin func(made *product, id string) error) error {
	settings, err := p.load(flags)
	if err != nil {
		return err
	}
	if err := reportForm(settings); err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		id, err := storedRun(p.ctx, made, beginning)
		if err != nil {
			return err
		}
		if err := begin(made, id); err != nil {
			return err
		}
		return p.follow(made, settings, id)
	})
}

type runsCancelCommand struct {
	settingFlags
	ID string `arg:"" help:"The run: its id, or the beginning of it"`
}

func (runsCancelCommand) Help() string { return example("runs cancel r_3x5c") }

// Run stops the run, in whatever process it is worked on.
func (c *runsCancelCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		id, err := storedRun(p.ctx, made, c.ID)
		if err != nil {
			return err
		}
		before, err := made.engine.Result(p.ctx, everyCaller, id)
		if err != nil {
			return err
		}
		if before.Status.Ended() && before.Status != research.Cancelled {
			return fmt.Errorf("run %s is %s already, so there is nothing to cancel", id, before.Status)
		}
		if err := made.engine.Cancel(p.ctx, everyCaller, id, "cancelled at the command line"); err != nil {
			return err
		}
		return p.confirm(settings, "cancelled", id)
	})
}

type runsDeleteCommand struct {
	settingFlags
	ID  string `arg:"" optional:"" help:"The run: its id, or the beginning of it"`
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
		var ids []string
		if c.All {
			ids, err = everyRun(p.ctx, made)
		} else {
			ids = make([]string, 1)
			ids[0], err = storedRun(p.ctx, made, c.ID)
		}
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := made.engine.Delete(p.ctx, everyCaller, id); err != nil {
				return err
			}
		}
		return p.confirm(settings, "deleted", ids...)
	})
}

// storedRun is the id of the run that a person means: the id itself or its
// beginning, as far as no other run has the same.
func storedRun(ctx context.Context, made *product, given string) (string, error) {
	ids, err := everyRun(ctx, made)
	if err != nil {
		return "", err
	}
	var like []string
	for _, id := range ids {
		switch beginning := strings.ToUpper(strings.TrimPrefix(given, "r_")); {
		case id == given:
			return id, nil
		case beginning != "" && strings.HasPrefix(id, "r_"+beginning):
			like = append(like, id)
		}
	}
	switch len(like) {
	case 0:
		return "", fmt.Errorf("%w: %q; mcp-server runs list shows those there are", research.ErrNoRun, given)
	case 1:
		return like[0], nil
	}
	return "", usageError(fmt.Sprintf("%q is the beginning of %d runs: %s", given, len(like), strings.Join(like, ", ")))
}

func storedResult(ctx context.Context, made *product, given string) (research.Result, error) {
	id, err := storedRun(ctx, made, given)
	if err != nil {
		return research.Result{}, err
	}
	return made.engine.Result(ctx, everyCaller, id)
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
	ID string `arg:"" help:"The run: its id, or the beginning of it"`
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
		id, err := storedRun(p.ctx, made, c.ID)
		if err != nil {
			return err
		}
		text, err := made.engine.Source(p.ctx, everyCaller, id, c.N)
		if err != nil {
			return err
		}
		return p.write(settings, func(w io.Writer) error {
			if settings.General.JSON {
				return printJSON(w, map[string]any{"run_id": id, "n": c.N, "text": text})
			}
			_, err := io.WriteString(exact(w), text)
			return err
		})
	})
}
