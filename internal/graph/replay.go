package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Replay is what a run did: enough to run it again without doing it. With [Options.Replay] no call is made; each is
// answered from its row, failures and refusals too, and time does not pass. A call without a row fails the run with a
// [ReplayError].
type Replay struct {
	Calls []CallRow `json:"calls"`          // of all steps, as the store has them
	Late  int       `json:"late,omitempty"` // the step that the run landed in because its seconds were spent; 0: it did not
}

// ReplayOf picks the record of a run out of what a store has of it.
func ReplayOf(calls []CallRow, events []Event) Replay {
	p := Replay{Calls: calls}
	for _, e := range events {
		var land struct{ Spent string }
		if e.Kind == EventLand && json.Unmarshal(e.Body, &land) == nil && land.Spent == budgetNames[seconds] {
			p.Late = e.Step
		}
	}
	return p
}

// ReplayError names a call that a record does not have: the record is of another run, or of another version.
type ReplayError struct {
	Kind, Request string
	CallKey
}

func (e *ReplayError) Error() string {
	return fmt.Sprintf("the record has no %s call %.200s (step %d, branch %d)", e.Kind, e.Request, e.Step, e.Index)
}

// recorded are the rows of a replay: of each call the last try, with what all its tries spent.
type recorded struct {
	rows map[CallKey]CallRow
	late int
}

func (p *Replay) recorded() *recorded {
	if p == nil {
		return nil
	}
	rec := &recorded{map[CallKey]CallRow{}, p.Late}
	for _, row := range p.Calls {
		if old, ok := rec.rows[row.CallKey]; ok {
			row.Usage = row.Usage.Add(old.Usage)
			if old.Try > row.Try {
				old.Usage = row.Usage
				row = old
			}
		}
		rec.rows[row.CallKey] = row
	}
	return rec
}

// answer is what the recorded run got for a call. It is charged what it spent then.
func (rec *recorded) answer(r *live, row CallRow) (json.RawMessage, error) {
	old, ok := rec.rows[row.CallKey]
	if !ok {
		err := &ReplayError{row.Kind, string(row.Request), row.CallKey}
		r.abort(err)
		return nil, err
	}
	r.ledger.charge(row.Index, old.Usage)
	if old.State == CallDone {
		return old.Result, nil
	}
	for _, name := range budgetNames {
		if spent := (&BudgetError{name}); strings.HasPrefix(old.Err, spent.Error()) {
			return nil, spent
		}
	}
	return nil, errors.New(first(old.Err, "the call was not finished"))
}

// active is the active time of a replayed run: none, until the recorded run had spent its own.
func (rec *recorded) active(step int, budget Budget) float64 {
	if rec.late > 0 && step >= rec.late-1 {
		return budget.Seconds
	}
	return 0
}
