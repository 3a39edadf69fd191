package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"deepresearch/tools"
)

// stdioWorkers is how many calls of tools run at once. The library's default of
// five would let five waiting calls keep a sixth from asking for their status.
const stdioWorkers = 100

// serveStdio speaks MCP over in and out until in ends or ctx does; both are an
// orderly end. Nothing but JSON-RPC is written to out, complaints go to
// complaints. user is who calls: the user of the operating system.
//
// The library keeps one stdio session a process, so it is called once.
func serveStdio(ctx context.Context, m *tools.Server, user string, in io.Reader, out, complaints io.Writer) error {
	s := server.NewStdioServer(m.MCPServer)
	server.WithErrorLogger(slog.NewLogLogger(slog.NewTextHandler(complaints, nil), slog.LevelWarn))(s)
	server.WithWorkerPoolSize(stdioWorkers)(s)
	server.WithQueueSize(10 * stdioWorkers)(s)
	ctx = tools.WithCaller(ctx, tools.Caller{ID: "user:" + user, Local: true})
	ctx, cancel := context.WithCancel(ctx)
	locked := &lockedWriter{w: out}
	tasks := &stdioTasks{take: m.Task, out: locked}
	rest := tasks.read(ctx, in)
	err := s.Listen(ctx, rest, locked)
	cancel()
	_ = rest.Close() // it never fails
	tasks.close()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// lockedWriter lets one message be written at a time. The library locks its
// answers but not the requests it sends to the client.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
