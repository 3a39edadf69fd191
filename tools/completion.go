package tools

import (
	"context"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// completions completes arguments of prompts and of resource templates.
type completions struct{ s *surface }

// choices are what arguments with few values may be.
var choices = map[string][]string{
	"effort":   {"quick", "standard", "deep"},
	"language": {"de", "en", "es", "fr", "it", "ja", "ko", "pt", "ru", "zh-Hans", "zh-Hant"},
	"recency":  {"day", "week", "month", "year"},
}

// mostCompletions is the protocol's bound on values in one answer.
const mostCompletions = 100

// CompletePromptArgument completes arguments with a closed set of values.
func (completions) CompletePromptArgument(_ context.Context, _ string, a mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	return matching(choices[a.Name], a.Value), nil
}

// CompleteResourceArgument completes ids of runs and numbers of sources.
func (c completions) CompleteResourceArgument(ctx context.Context, _ string, a mcp.CompleteArgument, with mcp.CompleteContext) (*mcp.Completion, error) {
	caller := callerOf(ctx).ID
	var values []string
	switch a.Name {
	case "id":
		runs, err := c.s.Engine.List(ctx, caller, listedRuns)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			values = append(values, r.RunID)
		}
	case "n":
		// A run that is not named yet, or not known, has no sources to offer.
		if r, err := c.s.Engine.Result(ctx, caller, with.Arguments["id"]); err == nil {
			for i := range r.Sources {
				values = append(values, strconv.Itoa(i+1))
			}
		}
	}
	return matching(values, a.Value), nil
}

func matching(values []string, prefix string) *mcp.Completion {
	out := &mcp.Completion{Values: []string{}}
	for _, v := range values {
		if strings.HasPrefix(strings.ToLower(v), strings.ToLower(strings.TrimSpace(prefix))) {
			out.Total++
			if len(out.Values) < mostCompletions {
				out.Values = append(out.Values, v)
			}
		}
	}
	out.HasMore = out.Total > len(out.Values)
	return out
}
