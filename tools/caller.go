package tools

import (
	"context"

	"github.com/mark3labs/mcp-go/server"
)

// Caller is who makes a call. Runs belong to callers.
type Caller struct {
	// ID is equal for equal callers across sessions and processes. It is stored
	// with runs, so it is never a secret itself.
	ID string
	// Local callers share this machine's file system with the server and may
	// name files under a root.
	Local bool
}

// anonymous is who calls when the transport did not say: nobody in particular,
// and not of this machine.
var anonymous = Caller{ID: "anonymous"}

type callerKey struct{}

// WithCaller says who makes the calls under ctx. Transports call it.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

func callerOf(ctx context.Context) Caller {
	if c, ok := ctx.Value(callerKey{}).(Caller); ok && c.ID != "" {
		return c
	}
	return anonymous
}

// clientOf names the software that calls, as far as it said.
func clientOf(ctx context.Context) string {
	if p := server.RequestProtocolInfoFromContext(ctx); p != nil && p.ClientInfo != nil {
		return p.ClientInfo.Name
	}
	if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return s.GetClientInfo().Name
	}
	return ""
}
