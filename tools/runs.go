package tools

import (
	"context"
	"fmt"
	"time"

	"deepresearch/research"
)

// follow waits for a run and shows what it has come to. The call as a whole takes
// no longer than was asked for, nor than its client bears.
func (s *surface) follow(ctx context.Context, c *call, id string, wait time.Duration, v view, rep *reporter) (reply, error) {
	left := s.watch.waitFor(c, wait) - s.Now().Sub(c.begun)
	r, err := s.Engine.Follow(ctx, c.caller.ID, id, max(left, time.Millisecond), rep.tell)
	if ctx.Err() != nil {
		// Hosts that lose patience and users who press stop look the same: the
		// call is left, the run is not.
		s.watch.gaveUp(c, s.Now().Sub(c.begun))
		return reply{}, context.Cause(ctx)
	}
	if err != nil {
		return reply{}, err
	}
	if r.Status == research.Waiting && r.Ask != nil {
		return s.waitingRun(ctx, c, r, wait, v, rep)
	}
	if r.Status != research.Running {
		s.watch.rest(c.caller.ID, id)
		return s.answer(withNext(r), v, nil)
	}
	s.changes.announceEnd(c.caller.ID, id)
	news, enough := s.watch.running(c.caller.ID, id, rep.lines())
	r.Found = s.watch.untold(c.caller.ID, id, r.Found)
	r.Next = s.again(id, enough)
	return s.answer(r, v, orEmpty(news))
}

// waitingRun hands on what a run waits for, or goes on when its answer came with
// the call.
func (s *surface) waitingRun(ctx context.Context, c *call, r research.Result, wait time.Duration, v view, rep *reporter) (reply, error) {
	went, err := s.answered(ctx, c, r)
	if err != nil {
		return reply{}, err
	}
	if went {
		return s.follow(ctx, c, r.RunID, wait, v, rep)
	}
	if c.elicits {
		return reply{inquiry: r.Ask, run: r.RunID, structured: encode(standingOf{RunID: r.RunID, Status: r.Status})}, nil
	}
	r.Next = toAnswer(r)
	return s.answer(r, v, nil)
}

// again is the call that goes on waiting for a run.
func (s *surface) again(id string, enough bool) *research.Next {
	if enough {
		return &research.Next{Arguments: map[string]any{}, Say: "The research is still running. Stop calling now: show the user what is known so far, say that it goes on, and wait until they ask for it again."}
	}
	return &research.Next{
		Tool: "research_result", Arguments: map[string]any{"run_id": id, "wait_seconds": int(s.MaxWait.Seconds())},
		Say: "The research is still running; that is no error. Make the next call now: it waits for the result.",
	}
}

// withNext adds what to do with a run that rests and is not at its end.
func withNext(r research.Result) research.Result {
	if r.Status == research.Paused && r.Next == nil {
		r.Next = &research.Next{
			Tool: "research_result", Arguments: map[string]any{"run_id": r.RunID},
			Say: "The run is paused. The next call takes it up where it stopped and pays nothing twice.",
		}
	}
	return r
}

// waiting is the time that a call asked to wait. Not to wait at all still holds
// the run for a moment: one that nobody ever held pauses.
func (s *surface) waiting(seconds *int) time.Duration {
	if seconds == nil {
		return s.MaxWait
	}
	return min(time.Duration(*seconds)*time.Second, s.MaxWait)
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// runSchema is the structured result of a run. What lists and objects hold is in
// the server's documentation; here it would cost every conversation its tokens.
const runSchema = `{"type":"object","properties":{` +
	`"run_id":{"type":"string"},"status":{"type":"string"},"stop_reason":{"type":"string"},"mode":{"type":"string"},` +
	`"report":{"type":"string"},"claims":{"type":"array"},"sources":{"type":"array"},"gaps":{"type":"array"},"notes":{"type":"array"},"warnings":{"type":"array"},` +
	`"ask":{"type":"object"},"next":{"type":"object"},"next_cursor":{"type":"string"},"omitted":{"type":"object"}},"required":["run_id","status"]}`

// simple is a reply whose text is a sentence and whose structured result is v.
func simple(v any, format string, args ...any) reply {
	return reply{text: fmt.Sprintf(format, args...), structured: encode(v)}
}
