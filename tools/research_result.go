package tools

import "context"

type researchResultInput struct {
	RunID       string `json:"run_id" required:"true" max:"100" about:"The id that deep_research returned"`
	WaitSeconds *int   `json:"wait_seconds" min:"0" max:"45" default:"45" about:"How long to wait for a run that is not done"`
	Answer      string `json:"answer" max:"20000" about:"The user's answer to what the run asks"`
	Section     string `json:"section" max:"300" about:"report (default), a heading of it, or a list of the result: claims, sources, consulted, disagreements, gaps, assumptions, queries, warnings"`
	Cursor      string `json:"cursor" max:"30" about:"next_cursor of the answer before, for what follows"`
	Format      string `json:"format" oneof:"md,json" default:"md" about:"md: text for a reader; json: the structured result as text"`
}

func (s *surface) researchResult() tool {
	return define(tool{
		name: "research_result", title: "Result of a research run",
		about: "Returns the report of a research run, or waits for it and says what is known so far.\n" +
			"Use it with the arguments that the answer before named in next, or to read more: a further page (cursor), one section, or a whole list (section). " +
			"A paused run is taken up where it stopped. Not for starting research.\n" +
			"Returns at once when the run is at rest, else after wait_seconds with status running, which is no error. Costs nothing beyond the run itself.",
		hints:  hints{repeatable: true, openWorld: true},
		output: runSchema, large: true,
	}, s.runResearchResult).bound("wait_seconds", s.MaxWait.Seconds())
}

func (s *surface) runResearchResult(ctx context.Context, c *call, in researchResultInput) (reply, error) {
	rep := c.report(ctx, "Waiting for the run")
	defer rep.close()
	if in.Answer != "" {
		if err := s.Engine.Answer(ctx, c.caller.ID, in.RunID, in.Answer); err != nil {
			return reply{}, err
		}
	}
	v := view{section: in.Section, cursor: in.Cursor, json: in.Format == "json"}
	return s.follow(ctx, c, in.RunID, s.waiting(in.WaitSeconds), v, rep)
}
