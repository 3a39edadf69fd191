package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"deepresearch/research"
)

// failure turns an error into a result that tells a model what to do next.
func failure(t tool, err error) *mcp.CallToolResult {
	return reply{text: explain(t, err), failed: true}.result()
}

func explain(t tool, err error) string {
	var bad *research.InputError
	switch {
	case errors.As(err, &bad):
		return fmt.Sprintf("%s was not called, because of its arguments:\n%s\nCorrect them and call it again.", t.name, lines(err))
	case errors.Is(err, research.ErrNoRun):
		return err.Error() + ". research_status without an id lists the runs that you may see."
	case errors.Is(err, context.DeadlineExceeded):
		return "the time for this call was over before it could answer: " + err.Error()
	case errors.Is(err, context.Canceled):
		return "the call was given up. A run that it waited for is kept: research_status lists it, research_result goes on with it."
	}
	return fmt.Sprintf("%s failed: %s", t.name, clip(err.Error(), 1000))
}

// lines writes joined errors one a line.
func lines(err error) string {
	var b strings.Builder
	for line := range strings.SplitSeq(err.Error(), "\n") {
		b.WriteString("- " + line + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
