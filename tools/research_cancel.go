package tools

import "context"

type researchCancelInput struct {
	RunID string `json:"run_id" required:"true" max:"100" about:"The run to stop"`
}

func (s *surface) researchCancel() tool {
	return define(tool{
		name: "research_cancel", title: "Stop a research run",
		about: "Stops a research run for good and aborts its calls in flight. What it found stays readable.\n" +
			"Use it only when the user wants a run stopped: a run that is merely no longer waited for pauses by itself and can be taken up again. Answers at once.\n" +
			"Returns run_id and status.",
		hints:  hints{writes: true, repeatable: true},
		output: `{"type":"object","properties":{"run_id":{"type":"string"},"status":{"type":"string"}},"required":["run_id","status"]}`,
	}, s.runResearchCancel)
}

func (s *surface) runResearchCancel(ctx context.Context, c *call, in researchCancelInput) (reply, error) {
	before, err := s.Engine.Result(ctx, c.caller.ID, in.RunID)
	if err != nil {
		return reply{}, err
	}
	if !before.Status.Ended() {
		if err := s.Engine.Cancel(ctx, c.caller.ID, in.RunID, "asked by the caller"); err != nil {
			return reply{}, err
		}
	}
	s.watch.rest(c.caller.ID, in.RunID)
	after, err := s.Engine.Result(ctx, c.caller.ID, in.RunID)
	if err != nil {
		return reply{}, err
	}
	return simple(map[string]any{"run_id": after.RunID, "status": after.Status}, "%s", standing(after)), nil
}
