package tools

import (
	"sync"
	"time"

	"deepresearch/research"
)

const (
	// patience is after how many answers "still running" in a row a model is told
	// to stop and let the user ask again.
	patience = 4
	// giveUpShare is which part of the age at which a client gave a call up later
	// calls of it wait: early enough to answer before it does so again.
	giveUpShare = 0.6
	// giveUpMemory is how long that is remembered: a user who cancelled once looks
	// the same as a client that always does.
	giveUpMemory = 30 * time.Minute
	// watched bounds what is remembered.
	watched = 2000
	// toldLines bounds the progress lines of one run that are remembered.
	toldLines = 500
)

// watch remembers what callers were told about their runs, and how long their
// clients wait. It forgets with the process: nothing of weight depends on it.
type watch struct {
	mu      sync.Mutex
	now     func() time.Time
	runs    map[runOf]*seen
	clients map[clientSeen]giveUp
}

type runOf struct{ caller, run string }

type clientSeen struct{ caller, client string }

type giveUp struct {
	most time.Duration
	at   time.Time
}

// seen is what one caller knows of one run.
type seen struct {
	answers int // "still running" in a row
	phase   string
	told    map[string]bool
}

func newWatch(now func() time.Time) *watch {
	return &watch{now: now, runs: map[runOf]*seen{}, clients: map[clientSeen]giveUp{}}
}

// waitFor is how long a call may wait that wants to wait for want.
func (w *watch) waitFor(c *call, want time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	g, ok := w.clients[clientSeen{c.caller.ID, c.client}]
	if ok && w.now().Sub(g.at) < giveUpMemory {
		want = min(want, g.most)
	}
	return want
}

// gaveUp notes that the client of a call left it at this age.
func (w *watch) gaveUp(c *call, age time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	makeRoom(w.clients)
	most := time.Duration(giveUpShare * float64(age))
	key := clientSeen{c.caller.ID, c.client}
	if g, ok := w.clients[key]; ok && w.now().Sub(g.at) < giveUpMemory {
		most = min(most, g.most)
	}
	w.clients[key] = giveUp{most: most, at: w.now()}
}

// running notes an answer "still running", with the lines of progress that came
// in, and returns those the caller was not told before and whether its patience
// is at an end. The next answer begins anew.
func (w *watch) running(caller, run string, progress []research.Progress) (news []string, enough bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.seen(caller, run)
	for _, p := range progress {
		s.phase = p.Phase
		if !s.told[p.Text] && len(s.told) < toldLines {
			s.told[p.Text] = true
			news = append(news, p.Text)
		}
	}
	if s.answers++; s.answers >= patience {
		s.answers, enough = 0, true
	}
	return news, enough
}

// untold are the facts that the caller was not told before.
func (w *watch) untold(caller, run string, facts []research.Fact) []research.Fact {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.seen(caller, run)
	var out []research.Fact
	for _, f := range facts {
		if !s.told[f.Text] && len(s.told) < toldLines {
			s.told[f.Text] = true
			out = append(out, f)
		}
	}
	return out
}

// phase is what a run was last seen doing.
func (w *watch) phase(caller, run string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen(caller, run).phase
}

// rest forgets a run that does not change any more.
func (w *watch) rest(caller, run string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.runs, runOf{caller, run})
}

func (w *watch) seen(caller, run string) *seen {
	key := runOf{caller, run}
	if w.runs[key] == nil {
		makeRoom(w.runs)
		w.runs[key] = &seen{told: map[string]bool{}}
	}
	return w.runs[key]
}

// makeRoom drops an entry, whichever comes, from a map that is full.
func makeRoom[K comparable, V any](m map[K]V) {
	if len(m) < watched {
		return
	}
	for k := range m {
		delete(m, k)
		return
	}
}
