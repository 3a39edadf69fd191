package graph

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// branchState is how far a branch of the current step is.
type branchState uint8

const (
	branchOpen   branchState = iota
	branchSaving             // its result is being committed: it can no longer be skipped
	branchIn                 // its result counts
	branchCut                // it must run again
)

// stepRun is the execution of one step.
type stepRun[S, D any] struct {
	g    *Graph[S, D]
	ctx  context.Context
	r    *live
	s    S
	f    Frontier
	next atomic.Int64 // the next branch to begin

	mu      sync.Mutex
	states  []branchState
	results []Result[D]
	errs    []error
	groups  map[string]*group
	open    int           // branches that are neither in, cut nor failed
	over    chan struct{} // closed when none is open
}

// group is the branches of a node that may be skipped.
type group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	quorum int
	in     int
	timer  *time.Timer
}

// errSkipped is the cause that a skipped branch's context ends with.
var errSkipped = errors.New("the step closed without this branch")

func newStep[S, D any](ctx context.Context, g *Graph[S, D], r *live, s S, f Frontier, done map[int]Result[D]) *stepRun[S, D] {
	n := len(f.Branches)
	st := &stepRun[S, D]{
		g: g, ctx: ctx, r: r, s: s, f: f, states: make([]branchState, n), results: make([]Result[D], n),
		open: n, over: make(chan struct{}),
	}
	for _, b := range f.Branches {
		if p := g.nodes[b.Node].policy; (p.Quorum > 0 || p.SoftDeadline > 0) && st.groups[b.Node] == nil {
			st.addGroup(b.Node, p.Quorum, p.SoftDeadline)
		}
	}
	for i, res := range done {
		st.in(i, res)
	}
	return st
}

func (st *stepRun[S, D]) addGroup(node string, quorum int, soft time.Duration) {
	if st.groups == nil {
		st.groups = map[string]*group{}
	}
	gr := &group{quorum: quorum}
	gr.ctx, gr.cancel = context.WithCancelCause(st.ctx)
	st.groups[node] = gr
	if soft > 0 {
		gr.timer = time.AfterFunc(soft, func() {
			st.mu.Lock()
			defer st.mu.Unlock()
			st.skip(node, "deadline")
		})
	}
}

// run returns when every branch is in, cut, failed or skipped, or when all workers have stopped for a pause.
func (st *stepRun[S, D]) run() {
	st.announce()
	workers := min(st.r.l.o.Concurrency, len(st.states))
	if workers == 1 && st.groups == nil {
		st.work()
		return
	}
	var active sync.WaitGroup
	for range workers {
		active.Add(1)
		st.r.late.Go(func() { defer active.Done(); st.work() })
	}
	stopped := make(chan struct{})
	st.r.late.Go(func() { active.Wait(); close(stopped) })
	select {
	case <-st.over:
	case <-stopped:
	}
	for _, gr := range st.groups {
		gr.cancel(errSkipped)
		if gr.timer != nil {
			gr.timer.Stop()
		}
	}
}

func (st *stepRun[S, D]) announce() {
	nodes := map[string]int{}
	for _, b := range st.f.Branches {
		nodes[b.Node]++
	}
	body, _ := json.Marshal(nodes)
	st.r.log(st.f.Step, 0, "", EventStep, body)
}

// work takes branch after branch until there is none or the run takes no new work.
func (st *stepRun[S, D]) work() {
	for {
		i := int(st.next.Add(1)) - 1
		if i >= len(st.states) || st.ctx.Err() != nil || st.r.pausing.Load() != nil {
			return
		}
		st.mu.Lock()
		open := st.states[i] == branchOpen
		st.mu.Unlock()
		if open {
			st.branch(i)
		}
	}
}

// branch runs one branch and takes in what came of it.
func (st *stepRun[S, D]) branch(i int) {
	begun := st.r.l.o.Now()
	next := st.f.Branches[i]
	b := Branch{Run: st.r.id, Step: st.f.Step, Index: i, Next: next, Landing: st.f.Landed, Answers: st.r.answers}
	if st.f.Landed {
		b.Spent = st.f.Spent
	}
	ctx := st.ctx
	if gr := st.groups[next.Node]; gr != nil {
		ctx = gr.ctx
	}
	res, err := st.g.ExecBranch(ctx, st.s, b, st.r, Clock{st.r.l.o.Now, st.r.l.o.Rand})
	st.mu.Lock()
	if st.states[i] != branchOpen {
		st.mu.Unlock()
		return // skipped meanwhile
	}
	st.states[i] = branchSaving
	st.mu.Unlock()
	if err == nil && res.Ask == nil {
		res.Usage = st.r.ledger.close(i)
		st.r.logBranch(b, begun, res.Usage, res.Skipped, res.Err)
		if len(st.states) > 1 {
			err = st.save(i, res)
		}
	}
	if res.Ask != nil {
		res.Ask = st.r.asking(*res.Ask)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	switch {
	case err == nil:
		st.in(i, res)
	case errors.Is(err, ErrPaused) || st.ctx.Err() != nil:
		st.out(i)
	default:
		st.errs = append(st.errs, err)
		st.out(i)
	}
}

func (st *stepRun[S, D]) save(i int, res Result[D]) error {
	row, err := branchRow(st.f.Step, i, res)
	if err != nil {
		return err
	}
	return st.r.commit(Batch{Branches: []BranchRow{row}})
}

// in counts a result; the caller holds mu, or is alone.
func (st *stepRun[S, D]) in(i int, res Result[D]) {
	st.states[i], st.results[i] = branchIn, res
	st.less()
	node := st.f.Branches[i].Node
	if gr := st.groups[node]; gr != nil && res.Skipped == "" && res.Ask == nil {
		if gr.in++; gr.in == gr.quorum {
			st.skip(node, "quorum")
		}
	}
}

// out ends a branch that has no result; the caller holds mu.
func (st *stepRun[S, D]) out(i int) {
	st.states[i] = branchCut
	st.less()
}

func (st *stepRun[S, D]) less() {
	if st.open--; st.open == 0 {
		close(st.over)
	}
}

// skip closes a node's branches that are not in; the caller holds mu.
func (st *stepRun[S, D]) skip(node, why string) {
	st.groups[node].cancel(errSkipped)
	for i, b := range st.f.Branches {
		if b.Node == node && st.states[i] == branchOpen {
			st.states[i] = branchIn
			st.results[i] = Result[D]{Skipped: why, Usage: st.r.ledger.close(i)}
			st.less()
		}
	}
}
