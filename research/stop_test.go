package research

import "testing"

// TestStop holds the reasons to stop to the contract: each row is a round that
// was just judged.
func TestStop(t *testing.T) {
	more := []Query{{Text: "something new"}}
	for name, test := range map[string]struct {
		s    State
		r    Reflection
		want string
	}{
		"sufficient":                       {state(Standard, 2, 0, 1), Reflection{Sufficient: true}, StopSufficient},
		"sufficient with follow-ups":       {state(Standard, 2, 0, 1), Reflection{Sufficient: true, FollowUps: more}, StopSufficient},
		"goes on":                          {state(Standard, 2, 0, 1), Reflection{FollowUps: more}, ""},
		"goes on after one empty round":    {state(Standard, 3, 0, 0), Reflection{FollowUps: more}, ""},
		"insufficient without a follow-up": {state(Standard, 2, 0, 1), Reflection{}, StopNoNew},
		"nothing at all":                   {state(Standard, 2, 0, 0), Reflection{}, StopNoSources},
		"the first round is the last":      {state(Standard, 1, 0, 1), Reflection{FollowUps: more}, StopLoopLimit},
		"loop limit":                       {state(Standard, 2, 1, 2, 1), Reflection{FollowUps: more}, StopLoopLimit},
		"loop limit of five":               {state(Standard, 5, 3, 4, 1, 2, 3), Reflection{FollowUps: more}, ""},
		"one dry round":                    {state(Standard, 5, 1, 1, 1), Reflection{FollowUps: more}, ""},
		"two dry rounds":                   {state(Standard, 5, 2, 1, 1, 1), Reflection{FollowUps: more}, StopNoNew},
		"two dry rounds from the start":    {state(Standard, 5, 1, 0, 0), Reflection{FollowUps: more}, StopNoNew},
		"quick":                            {state(Quick, 1, 0, 1), Reflection{FollowUps: more}, StopSingleRound},
		"budget":                           {spent(state(Standard, 2, 0, 1), "calls"), Reflection{Sufficient: true}, "budget_calls"},
	} {
		if got := test.s.stop(test.r); got != test.want {
			t.Errorf("%s: stop %q, want %q", name, got, test.want)
		}
	}
}

// state is a run in the given round, with pages that gave something now and
// after each earlier round.
func state(e Effort, loops, round, useful int, accepted ...int) State {
	s := State{Question: Question{Effort: e, MaxLoops: loops, Queries: 3}, Round: round, Accepted: accepted}
	for range useful {
		s.Pages = append(s.Pages, PageText{Excerpts: []Excerpt{{}}})
	}
	return s
}

func spent(s State, budget string) State {
	s.Spent = budget
	return s
}

// TestFresh keeps a run from asking twice: neither its own queries, nor those of
// an earlier round, nor the same words in another order.
func TestFresh(t *testing.T) {
	s := State{
		Question: Question{Queries: 2},
		Analysis: Analysis{Queries: []Query{{Text: "Varn Bridge opening"}}},
		Asked:    []QueryRun{{Text: "length of the Varn Bridge"}},
		Pending:  []Query{{Text: "engineer of the bridge"}},
	}
	got := s.fresh([]Query{
		{Text: "opening Varn Bridge"}, {Text: "Varn Bridge length"}, {Text: "engineer of the bridge"}, {Text: ""},
		{Text: "cost of the Varn Bridge"}, {Text: "Varn Bridge cost"}, {Text: "Varn Bridge repairs"}, {Text: "Varn Bridge traffic"},
		{Text: "diary", Private: true}, {Text: "diary", Private: true, Document: "file:///diary.md"},
	})
	want := []string{"cost of the Varn Bridge", "Varn Bridge repairs", "diary", "diary"}
	if len(got) != len(want) {
		t.Fatalf("fresh follow-ups %+v, want %q", got, want)
	}
	for i := range want {
		if got[i].Text != want[i] {
			t.Errorf("follow-up %d is %q, want %q", i, got[i].Text, want[i])
		}
	}
}
