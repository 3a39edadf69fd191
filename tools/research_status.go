package tools

import (
	"context"
	"fmt"
	"strings"

	"deepresearch/research"
)

type researchStatusInput struct {
	RunID string `json:"run_id" max:"100" about:"One run; all of yours when left out"`
}

// listedRuns is how many runs a list shows.
const listedRuns = 50

const statusSchema = `{"type":"object","properties":{` +
	`"runs":{"type":"array"},"run_id":{"type":"string"},"status":{"type":"string"},"phase":{"type":"string"},"elapsed_s":{"type":"number"},` +
	`"findings":{"type":"integer"},"sources":{"type":"integer"},"usage":{"type":"object"},"next":{"type":"object"}}}`

func (s *surface) researchStatus() tool {
	return define(tool{
		name: "research_status", title: "Status of research runs",
		about: "Says where a research run stands, or lists your runs, newest first, without waiting and without taking one up.\n" +
			"Use it to find a run again or to look at its progress and what it has spent. Not for reading a report. Answers at once and costs nothing.\n" +
			"Returns {runs:[{run_id, status, question, effort, created_at, usage}]}, or for one run its status, phase, elapsed_s, findings, sources, usage and next.",
		hints:  hints{repeatable: true},
		output: statusSchema,
	}, s.runResearchStatus)
}

// standingOf is the structured result for one run.
type standingOf struct {
	RunID    string          `json:"run_id"`
	Status   research.Status `json:"status"`
	Phase    string          `json:"phase"`
	Elapsed  float64         `json:"elapsed_s"`
	Findings int             `json:"findings"`
	Sources  int             `json:"sources"`
	Usage    research.Usage  `json:"usage"`
	Next     *research.Next  `json:"next,omitempty"`
}

func (s *surface) runResearchStatus(ctx context.Context, c *call, in researchStatusInput) (reply, error) {
	if in.RunID == "" {
		return s.listRuns(ctx, c)
	}
	r, err := s.Engine.Result(ctx, c.caller.ID, in.RunID)
	if err != nil {
		return reply{}, err
	}
	out := standingOf{
		RunID: r.RunID, Status: r.Status, Phase: s.watch.phase(c.caller.ID, r.RunID), Elapsed: r.Usage.Seconds,
		Findings: len(r.Claims), Sources: len(r.Sources), Usage: r.Usage, Next: withNext(r).Next,
	}
	if r.Status == research.Running && out.Next == nil {
		out.Next = s.again(r.RunID, false)
	}
	line := standing(r)
	if out.Phase != "" && !r.Status.Ended() {
		line += " Phase: " + out.Phase + "."
	}
	if out.Next != nil {
		line += fmt.Sprintf("\nNext call: %s %s", out.Next.Tool, encode(out.Next.Arguments))
	}
	return simple(out, "%s", line), nil
}

func (s *surface) listRuns(ctx context.Context, c *call) (reply, error) {
	runs, err := s.Engine.List(ctx, c.caller.ID, listedRuns)
	if err != nil {
		return reply{}, err
	}
	if len(runs) == 0 {
		return simple(map[string]any{"runs": []int{}}, "You have no research runs."), nil
	}
	var b strings.Builder
	for i := range runs {
		runs[i].Question = clip(runs[i].Question, 200)
		fmt.Fprintf(&b, "- %s · %s · %s · %s\n", runs[i].RunID, runs[i].Status, runs[i].CreatedAt.UTC().Format("2006-01-02 15:04"), runs[i].Question)
	}
	out := fieldsFrom(map[string]any{"runs": runs})
	out.fill([]share{{"runs", 1}}, resultBytes)
	return reply{text: b.String(), structured: encode(out)}, nil
}
