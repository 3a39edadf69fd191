package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// process is a server on this machine, spoken to over its standard streams.
type process struct {
	command *exec.Cmd
	kill    context.CancelFunc
	stdin   io.WriteCloser
	stdout  io.ReadCloser
	left    allowance
	said    tail // on its standard error
	over    transport.Interface
}

// startProcess starts a server that dies with ctx at the latest, together with
// the processes it starts.
func startProcess(ctx context.Context, command, env []string) (*process, error) {
	ctx, kill := context.WithCancel(ctx)
	p := &process{kill: kill, left: allowance{left: wire.MaxAnswer}}
	//nolint:gosec // the command is the user's own configuration
	p.command = exec.CommandContext(ctx, command[0], command[1:]...)
	p.command.Env = append([]string{}, env...) // nil would be our own
	p.command.Stderr = &p.said
	p.command.WaitDelay = time.Second
	withFamily(p.command)
	var err error
	if p.stdin, err = p.command.StdinPipe(); err == nil {
		p.stdout, err = p.command.StdoutPipe()
	}
	if err == nil {
		err = p.command.Start()
	}
	if err != nil {
		kill()
		failure := &search.Failure{Kind: search.Network, Message: "starting the MCP server: " + err.Error(), Cause: err}
		if errors.Is(err, exec.ErrNotFound) {
			failure.Hint = fmt.Sprintf("Install %s, or correct the command.", command[0])
		}
		return nil, failure
	}
	p.over = transport.NewIO(p.left.reader(p.stdout), p.stdin, nil)
	return p, nil
}

func (p *process) transport() transport.Interface { return p.over }

// failure tells what the process said before it went, if it said anything. As
// long as it answers, what it says there is of no interest.
func (p *process) failure(err error) *search.Failure {
	if p.left.spent.Load() {
		return tooLong()
	}
	if said := p.said.String(); said != "" && lost(err) {
		return &search.Failure{Kind: kindOf(said), Message: "the MCP server gave up: " + said}
	}
	return nil
}

// patience is how long a process may take to end by itself once its input has.
const patience = 500 * time.Millisecond

// close waits for the process, which the protocol has told to end by closing its
// input, and kills it when it takes its time.
func (p *process) close() {
	impatient := time.AfterFunc(patience, p.kill)
	defer impatient.Stop()
	_ = p.stdin.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(p.stdout, wire.MaxAnswer)) // else it may block on what nobody reads
	_ = p.command.Wait()                                                 // how it ended is of no interest now
	killFamily(p.command)
	p.kill()
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-longestSaid):]...)
	t.text = t.text[max(0, len(t.text)-longestSaid):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return clip(strings.ToValidUTF8(string(t.text), ""))
}
