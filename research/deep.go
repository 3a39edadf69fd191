package research

import (
	"context"
	"fmt"

	"deepresearch/internal/compute"
)

// Computation is what a compute task came to. Inputs of its program cite quotes by
// their ids in a ledger of the run's pages.
type Computation struct {
	Task    string
	Failed  string          `json:",omitempty"` // why there is no result
	Program compute.Program `json:",omitzero"`
	Result  compute.Result  `json:",omitzero"` // with the numbers as JSON has them; a longer one is a text
}

// plan drafts a plan, or takes the one that the caller gave. It is followed at
// once unless it must be approved.
func (n nodes) plan(ctx context.Context, s State) (Update, error) {
	if given := s.Question.Plan; given != nil && len(s.Rejected) == 0 {
		trace(ctx, "plan", given.ID, "given with the question")
		if s.Question.ApprovePlan {
			return Update{Draft: given}, nil
		}
		return Update{Plan: given}, nil
	}
	tell(ctx, "planning", "planning from %d pages", len(s.Pages))
	p, notes, err := n.drafted(ctx, s)
	if err != nil {
		return Update{}, err
	}
	u := Update{Notes: notes, Spent: notes.Spent}
	for _, t := range p.Tasks {
		trace(ctx, "task", t.ID+": "+t.Title, t.Detail)
	}
	if s.Question.ApprovePlan {
		u.Draft = &p
		return u, nil
	}
	u.Plan = &p
	if p.Enough {
		tell(ctx, "planning", "what was found is enough")
	} else {
		tell(ctx, "planning", "%d tasks: %s", len(p.Tasks), p.Title)
	}
	return u, nil
}

// review judges one task by what its own pages say.
func (n nodes) review(ctx context.Context, s State, id string) (Update, error) {
	r, err := n.Method.Reflect(ctx, s.of(id))
	if err != nil {
		return Update{}, fmt.Errorf("reviewing task %s: %w", id, err)
	}
	v := Review{Task: id, Sufficient: r.Sufficient, Gaps: r.Gaps, FollowUps: r.FollowUps, Reason: r.Reason}
	t := s.Plan.task(id)
	for i := range v.FollowUps {
		v.FollowUps[i].Task = id
		v.FollowUps[i].Private = v.FollowUps[i].Private || t.Private && !s.Question.SharePrivate
	}
	trace(ctx, "review", t.Title, r.Reason)
	return Update{Reviews: []Review{v}, Notes: r.Notes, Spent: r.Notes.Spent}, nil
}

// compute does one compute task.
func (n nodes) compute(ctx context.Context, s State, id string) (Update, error) {
	t := *s.Plan.task(id)
	computer, ok := n.Method.(Computer)
	if !ok {
		return Update{Computed: []Computation{{Task: id, Failed: "computing takes a language model, and none was used"}}}, nil
	}
	tell(ctx, "computing", "computing: %s", t.Title)
	c, notes, err := computer.Compute(ctx, s, t)
	if err != nil {
		return Update{}, fmt.Errorf("computing task %s: %w", id, err)
	}
	c.Task = id
	return Update{Computed: []Computation{c}, Notes: notes}, nil
}
