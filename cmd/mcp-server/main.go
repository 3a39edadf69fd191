// Command mcp-server gives hosts deep research as tools, and the same at the
// command line.
//
// Start with the grammar in grammar.go: each command is a type there, with one
// file for each group of them. wire.go is the only place that knows which
// implementations there are. The package holds no research of its own: what a
// command does beyond reading flags and printing lives in the packages below.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"deepresearch/crawl/document"
	"deepresearch/internal/compute"
	"deepresearch/internal/config"
	"deepresearch/internal/safe"
	"deepresearch/internal/sandbox"
	"deepresearch/internal/search/engines"
)

// version is set by the linker: make build.
var version = "dev"

func main() {
	if child() {
		return
	}
	os.Exit(start())
}

// child does the job for which this process was started by another of the same
// binary, and reports whether there was one.
func child() bool {
	jobs := map[string]sandbox.Job{compute.JobName: compute.Job}
	if job, folder := sandbox.Asked(); job == document.JobPDF {
		jobs[job] = document.PDFJob(folder)
	}
	return sandbox.Child(jobs)
}

// start runs the command line of this process and returns its exit code.
func start() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends at once
	p := process{
		ctx: ctx, in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Environ(),
		terminalIn: isTerminal(os.Stdin), terminalErr: isTerminal(os.Stderr), exit: os.Exit,
	}
	return p.run(os.Args[1:])
}

// process is what a command may touch of the outside.
type process struct {
	ctx         context.Context //nolint:containedctx // it ends with the process
	in          io.Reader
	out         io.Writer // the result or the protocol, nothing else
	err         io.Writer // everything for a person
	env         []string
	terminalIn  bool // a person types, not a host
	terminalErr bool
	exit        func(code int) // for --help, which ends the process
}

// run parses args, runs the command and returns the exit code.
func (p *process) run(args []string) int {
	err := p.dispatch(args)
	if err != nil && err.Error() != "" {
		p.say("mcp-server: " + err.Error())
	}
	return exitCode(err)
}

func (p *process) dispatch(args []string) error {
	g := newGrammar(commandOf(args))
	parser, err := kong.New(g,
		kong.Name("mcp-server"), kong.Description(about), kong.Writers(p.out, p.err), kong.Exit(p.exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}), kong.ShortUsageOnError(),
	)
	if err != nil {
		return fmt.Errorf("reading the grammar of the command line: %w", err)
	}
	if err := knownCommand(parser, args); err != nil {
		return err
	}
	parsed, err := parser.Parse(joined(args))
	if err != nil {
		return err
	}
	return parsed.Run(p)
}

// joined gives negative numbers to the flags before them. The parser would take
// them for flags themselves.
func joined(args []string) []string {
	var out []string
	for i, a := range args {
		if i > 0 && strings.HasPrefix(args[i-1], "--") && !strings.Contains(args[i-1], "=") && negative(a) {
			out[len(out)-1] += "=" + a
			continue
		}
		out = append(out, a)
	}
	return out
}

func negative(s string) bool {
	digits, ok := strings.CutPrefix(s, "-")
	return ok && digits != "" && strings.Trim(digits, "0123456789.") == ""
}

// knownCommand refuses a first word that is no command. The parser would take
// it for an argument of stdio, which is what runs without a command.
func knownCommand(parser *kong.Kong, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return nil
	}
	var names []string
	for _, command := range parser.Model.Children {
		names = append(names, command.Name)
	}
	switch near := config.Nearest(args[0], names); {
	case slices.Contains(names, args[0]):
		return nil
	case near != "":
		return usageError(fmt.Sprintf("there is no command %q; did you mean %s?", args[0], near))
	default:
		return usageError(fmt.Sprintf("there is no command %q: use %s", args[0], strings.Join(names, ", ")))
	}
}

// load reads the configuration with the flags that were given, and says on
// stderr what is odd about it.
func (p *process) load(flags settingFlags) (*config.Settings, error) {
	settings, err := config.Load(config.Sources{Flags: flags.given(), Env: p.env, Engines: engines.Names()})
	if err != nil {
		return nil, err
	}
	for _, warning := range settings.Warnings {
		p.warn(warning)
	}
	return settings, nil
}

func (p *process) warn(sentence string) { p.say("warning: " + sentence) }

// say writes a line for a person. When stderr is closed nobody reads it, and
// that is no reason to fail.
func (p *process) say(line string) {
	line, _ = safe.Text(line)
	_, _ = fmt.Fprintln(p.err, line)
}
