package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"
	"time"

	"deepresearch/internal/config"
	"deepresearch/internal/library"
	"deepresearch/internal/safe"
	"deepresearch/internal/search"
	"deepresearch/research"
)

// researchCommand runs one question in the foreground.
type researchCommand struct {
	settingFlags
	Question string `arg:"" optional:"" help:"What to find out"`
}

func (researchCommand) Help() string {
	return example(`research "How do Go and Java define a data race?" --effort quick`) +
		"\n\nCtrl-C pauses the run and prints the command that takes it up again."
}

// Run researches the question and prints the report.
func (c *researchCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	if err := reportForm(settings); err != nil {
		return err
	}
	switch file := settings.Ask.Replay; {
	case file != "" && c.Question != "":
		return usageError("--replay: the question is in the record, so give none")
	case file != "":
		return p.replay(settings, file)
	}
	q := question(settings.Config, c.Question)
	if q.Plan, err = planFrom(settings.Ask.PlanFile); err != nil {
		return err
	}
	return p.research(settings, q)
}

// maxPlan is the longest file with a plan that is read, in bytes.
const maxPlan = 1 << 20

// planFrom reads the plan in a file; no file is no plan.
func planFrom(file string) (*research.Plan, error) {
	if file == "" {
		return nil, nil
	}
	refuse := func(reason string) (*research.Plan, error) {
		return nil, &research.InputError{Field: "plan", Reason: reason, Fix: "name a file that mcp-server plan --json has written"}
	}
	if st, err := os.Stat(file); err != nil {
		return refuse(err.Error())
	} else if !st.Mode().IsRegular() || st.Size() > maxPlan { // a pipe could keep us waiting for ever
		return refuse(file + " is no file of at most 1 MB")
	}
	body, err := os.ReadFile(file)
	if err != nil {
		return refuse(err.Error())
	}
	return research.ParsePlan(string(body))
}

// question is what the configuration makes of a text. Characters that no reader
// sees are left out: they would go into queries, reports and terminals.
func question(c config.Config, text string) research.Question {
	text, _ = safe.Text(text)
	return research.Question{
		Text: text, Effort: research.Effort(c.Ask.Effort), Memory: research.Memory(c.Ask.Memory), ApprovePlan: c.Ask.ApprovePlan, Queries: c.Ask.Queries, MaxLoops: c.Ask.MaxLoops, Engines: c.Search.Engines,
		Topic: c.Ask.Topic, Language: c.Ask.Language, Style: c.Ask.Style, Audience: c.Ask.Audience, ContinueFrom: c.Ask.ContinueFrom, IncludeDomains: c.Ask.IncludeDomains, ExcludeDomains: c.Ask.ExcludeDomains,
		Recency: string(c.Ask.Recency), Files: c.Ask.Files, Libraries: c.Ask.Libraries, Offline: c.Ask.Offline, SharePrivate: c.Ask.SharePrivate,
		Limits: research.Limits{
			Seconds: c.Limits.Seconds, Tokens: c.Limits.Tokens, Cost: c.Limits.Cost, Calls: c.Limits.Calls, Searches: c.Limits.Searches,
			Pages: c.Limits.Pages, SourceTokens: c.Ask.MaxSourceTokens, Concurrency: c.Limits.Concurrency,
		},
	}
}

// research starts a run, follows it to its rest and prints the result.
func (p *process) research(settings *config.Settings, q research.Question) error {
	if q.Offline && !q.HasLibrary() && q.ContinueFrom == "" {
		return usageError("--offline leaves nothing to search: name documents or a folder with --files or a library with --libraries, or leave it out")
	}
	return p.with(settings, func(made *product) error {
		p.announce(made, settings, q)
		id, err := made.engine.Start(p.ctx, callerID(osUser()), q, settings.Ask.Fresh)
		if err != nil {
			return err
		}
		if lib, err := research.OpenFor(p.ctx, made.libraries, q); err == nil && lib != nil {
			p.leftOut(lib)
		}
		return p.follow(made, settings, id)
	})
}

// leftOut says which of the user's files were not read.
func (p *process) leftOut(lib *library.Library) {
	if sentence := lib.LeftOut(); sentence != "" {
		p.warn(sentence)
	}
}

// announce says which engines a question about the user's own files goes to, and
// how to keep it here.
func (p *process) announce(made *product, settings *config.Settings, q research.Question) {
	if q.Offline || !q.HasLibrary() || settings.General.Quiet {
		return
	}
	engines := q.Engines
	if len(engines) == 0 {
		engines, _ = made.searcher.Route(search.Query{Text: q.Text, Topic: q.Topic})
	}
	p.say("The question also goes to " + strings.Join(engines, ", ") + "; text of your files does not. --offline keeps all of it here.")
}

// follow attaches to a run and prints what it comes to. When the process is
// interrupted the run pauses; what was paid for is kept.
func (p *process) follow(made *product, settings *config.Settings, id string) error {
	bar := p.progress(settings)
	result, err := made.engine.Follow(p.ctx, everyCaller, id, 0, bar.tell)
	bar.clear()
	switch {
	case p.ctx.Err() != nil:
		result, err = p.pause(made, id)
	case err == nil && result.Status == research.Paused:
		err = checked(p.ctx, made.db) // nobody asked for the pause
	}
	if err != nil {
		return err
	}
	if err := p.printRun(made.engine, settings, result); err != nil {
		return err
	}
	if result.Status == research.Done {
		for _, q := range result.FailedEngines() {
			p.warn("a search engine gave nothing: " + q.Error)
		}
	}
	p.farewell(settings, result)
	if result.Ask != nil && result.Ask.Plan != nil && !settings.General.JSON {
		if err := printPlan(p.err, *result.Ask.Plan); err != nil {
			return err
		}
	}
	return outcome(result)
}

// farewell says where the report of a finished run can be found again.
func (p *process) farewell(settings *config.Settings, r research.Result) {
	if settings.General.Quiet || r.Status != research.Done {
		return
	}
	line := fmt.Sprintf("run %s: mcp-server runs show %s", r.RunID, r.RunID)
	if r.ReportFile != "" {
		line += "; as a page: " + r.ReportFile
	}
	p.say(line)
}

// pause lets calls in flight finish and returns what is known.
func (p *process) pause(made *product, id string) (research.Result, error) {
	p.say("pausing: calls in flight may finish, a second Ctrl-C ends at once")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), pausing)
	defer cancel()
	if err := made.engine.Pause(ctx, everyCaller, id); err != nil {
		return research.Result{}, err
	}
	for {
		r, err := made.engine.Result(ctx, everyCaller, id)
		if err != nil || r.Status != research.Running {
			return r, err
		}
		select {
		case <-ctx.Done():
			return r, nil
		case <-time.After(settling):
		}
	}
}

// settling is how often a run that is being paused is looked at.
const settling = 50 * time.Millisecond

// outcome is the error of a run that is not done, or nil.
func outcome(r research.Result) error {
	switch r.Status {
	case research.Done:
		return nil
	case research.NoEvidence:
		return &codedError{exitNoEvidence, "nothing was found that answers the question" + because(r)}
	case research.Failed, research.Cancelled:
		return &codedError{exitFailed, fmt.Sprintf("run %s is %s%s", r.RunID, r.Status, because(r))}
	}
	if r.Ask != nil {
		return &codedError{exitPaused, fmt.Sprintf("run %s waits. %s Answer with: mcp-server runs answer %s approve", r.RunID, r.Ask.Text, r.RunID)}
	}
	return &codedError{exitPaused, fmt.Sprintf("run %s is %s; go on with: mcp-server runs resume %s", r.RunID, r.Status, r.RunID)}
}

// because names the engines that failed and the warnings of a run.
func because(r research.Result) string {
	var why []string
	for _, q := range r.FailedEngines() {
		why = append(why, q.Error)
	}
	if why = append(why, r.Warnings...); len(why) == 0 {
		return ""
	}
	return ": " + strings.Join(why, "; ")
}

// planCommand says how a question would be researched.
type planCommand struct {
	settingFlags
	Question string `arg:"" help:"What to find out"`
}

func (planCommand) Help() string {
	return example(`plan "How do Go and Java define a data race?" --effort deep`)
}

// Run prints the plan. Nothing is searched.
func (c *planCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	if err := onlyList(settings); err != nil {
		return err
	}
	return p.with(settings, func(made *product) error {
		plan, err := made.engine.Plan(p.ctx, question(settings.Config, c.Question))
		if err != nil {
			return err
		}
		return p.write(settings, func(w io.Writer) error {
			if settings.General.JSON || settings.Output.Format == "json" {
				return printJSON(w, plan)
			}
			return printPlan(w, plan)
		})
	})
}

func printPlan(w io.Writer, plan research.Plan) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", plan.Title)
	for _, t := range plan.Tasks {
		fmt.Fprintf(&b, "\n%s. %s\n", t.ID, t.Title)
		if t.Detail != "" {
			fmt.Fprintf(&b, "   %s\n", t.Detail)
		}
		for _, q := range t.Queries {
			fmt.Fprintf(&b, "   - %s\n", q)
		}
	}
	for _, assumption := range plan.Assumptions {
		fmt.Fprintf(&b, "\nAssumed: %s\n", assumption)
	}
	if plan.Estimate.Seconds > 0 {
		fmt.Fprintf(&b, "\nAt most %d s, %d searches, %d calls of models.\n", plan.Estimate.Seconds, plan.Estimate.Searches, plan.Estimate.ModelCalls)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// with opens the product for one command.
func (p *process) with(settings *config.Settings, use func(*product) error) (err error) {
	if err := place(settings.Output.Out); err != nil {
		return err
	}
	c, leave, err := p.lodge(settings.Config)
	if err != nil {
		return err
	}
	defer func() { err = leave(err) }()
	made, err := open(p.ctx, c, p.warn)
	if err != nil {
		return p.interrupted(err)
	}
	defer func() { err = errors.Join(err, made.close(p.ctx)) }()
	return made.db.Explain(p.interrupted(use(made)))
}

// lodge finds the folder for data. A temporary one is removed by leave, unless
// there is a run in it that may be gone on with.
func (p *process) lodge(c config.Config) (_ config.Config, leave func(error) error, _ error) {
	folder, err := config.OpenFolder(c.General.DataDir)
	if err != nil {
		return c, nil, err
	}
	if folder.Warning == "" {
		return c, func(err error) error { return err }, nil
	}
	p.warn(folder.Warning + ". It is removed in the end, unless a run rests in it")
	c.General.DataDir = folder.Path
	return c, func(err error) error {
		if exitCode(err) == exitPaused {
			return err
		}
		return errors.Join(err, os.RemoveAll(folder.Path))
	}, nil
}

// interrupted is the error of a command that was interrupted before there was
// anything to pause.
func (p *process) interrupted(err error) error {
	if why := context.Cause(p.ctx); why != nil && (errors.Is(err, why) || errors.Is(err, context.Canceled)) {
		return &codedError{exitPaused, "interrupted before a run began: nothing was spent, and there is nothing to go on with"}
	}
	return err
}

func (p *process) progress(settings *config.Settings) *progress {
	if settings.General.Quiet {
		return &progress{}
	}
	return &progress{w: p.err, terminal: p.terminalErr}
}

// everyCaller sees the runs of all callers: the command line is the user's own.
const everyCaller = ""

// osUser names the user of the operating system, to whom runs of the command
// line and of stdio belong.
func osUser() string {
	u, err := user.Current()
	if err != nil {
		return "local"
	}
	return u.Uid
}

func callerID(user string) string { return "user:" + user }
