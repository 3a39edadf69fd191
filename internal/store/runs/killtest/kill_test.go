// Package killtest kills processes that work on runs, at random points and without warning, and checks that nothing
// that was finished is done again and that the reports do not differ. It has tests only:
//
//	go test ./internal/store/runs/killtest -trials 200 -v
package killtest

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"deepresearch/internal/graph"
	"deepresearch/internal/store"
	"deepresearch/internal/store/cache"
	"deepresearch/internal/store/runs"
)

var trials = flag.Int("trials", 20, "runs to kill processes of")

const (
	concurrency = 4
	branches    = 40
	loops       = 3
	calls       = 3 // of each branch
	maxKills    = 4 // of one run
)

// childDir in the environment makes the test binary the process that is killed.
const childDir = "KILLTEST_DIR"

func TestMain(m *testing.M) {
	flag.Parse()
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(context.Background(), dir, os.Getenv("KILLTEST_NORMAL") != ""); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type state struct {
	Loop  int
	Found []string
}

type update struct {
	Loop  int      `json:",omitempty"`
	Found []string `json:",omitempty"`
}

// work is a graph of loops of parallel branches with several calls each. Log gets a line when a call is made and
// another when its result is committed.
func work(log func(string)) (*graph.Graph[state, update], error) {
	b := graph.New("work", "1", func(s state, u update) state {
		return state{s.Loop + u.Loop, append(slices.Clip(s.Found), u.Found...)}
	})
	call := func(ctx context.Context, id string) (string, error) {
		v, err := graph.Once(ctx, graph.Call{Kind: "search", Request: id}, func(context.Context) (string, graph.Usage, error) {
			log("call " + id)
			return "result of " + id, graph.Usage{Searches: 1}, nil
		})
		if err == nil {
			log("done " + id)
		}
		return v, err
	}
	b.Node("plan", func(context.Context, state) (update, error) { return update{Loop: 1}, nil }, graph.Policy[update]{})
	search := graph.AddWorker(b, "search", func(ctx context.Context, s state, i int) (update, error) {
		var u update
		for k := range calls {
			v, err := call(ctx, fmt.Sprintf("%d.%d.%d", s.Loop, i, k))
			if err != nil {
				return u, err
			}
			u.Found = append(u.Found, v)
			graph.Emit(ctx, v)
		}
		return u, nil
	}, graph.Policy[update]{})
	b.Node("reflect", func(ctx context.Context, s state) (update, error) {
		v, err := call(ctx, fmt.Sprintf("reflect %d", s.Loop))
		return update{Found: []string{v}}, err
	}, graph.Policy[update]{})
	b.Route("plan", func(state) (next []graph.Next) {
		for i := range branches {
			next = append(next, search.To(i))
		}
		return next
	}, "search")
	b.Edge("search", "reflect")
	b.Route("reflect", func(s state) []graph.Next {
		if s.Loop < loops {
			return graph.To("plan")
		}
		return graph.To(graph.End)
	}, "plan", graph.End)
	return b.Build()
}

// child works on the one run of a folder to its end, sweeping all the while, and leaves the report.
func child(ctx context.Context, dir string, normal bool) error {
	db, err := store.Open(ctx, store.Options{Dir: dir, Normal: normal})
	if err != nil {
		return err
	}
	defer db.Close()
	l, err := open(db, func(line string) { fmt.Println(line) })
	if err != nil {
		return err
	}
	defer l.Close(ctx)
	ctx, cancel := context.WithCancel(ctx)
	swept := make(chan error)
	go func() { swept <- sweep(ctx, db) }()
	r, err := finish(ctx, l)
	cancel()
	if serr := <-swept; err == nil && serr != nil {
		err = serr
	}
	if err != nil {
		return err
	}
	// Written aside and renamed, so that a kill leaves no half report.
	path := filepath.Join(dir, "report")
	if err := os.WriteFile(path+".part", r.State, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

func open(db *store.DB, log func(string)) (*graph.Local, error) {
	g, err := work(log)
	if err != nil {
		return nil, err
	}
	return graph.NewLocal(graph.Options{Store: runs.New(db), Concurrency: concurrency, Snapshot: 2}, g)
}

func finish(ctx context.Context, l *graph.Local) (graph.Run, error) {
	r, err := l.Start(ctx, graph.Request{Graph: "work", Key: "the run", Input: json.RawMessage(`{}`)})
	if err != nil {
		return r, err
	}
	if _, err := l.Attach(ctx, r.ID); err != nil {
		return r, err
	}
	if r, err = l.Wait(ctx, r.ID); err == nil && r.Status != graph.StatusDone {
		err = fmt.Errorf("the run rests as %s: %s", r.Status, r.Reason)
	}
	return r, err
}

// sweep fills a cache with what has expired and sweeps it, until ctx ends.
func sweep(ctx context.Context, db *store.DB) error {
	c := cache.New(db, "filler")
	for i := 0; ctx.Err() == nil; i++ {
		if err := c.Put(ctx, fmt.Sprint(i), make([]byte, 5000), 0, 0); err != nil && ctx.Err() == nil {
			return err
		}
		if i%20 == 19 {
			if _, err := db.Sweep(ctx, store.Limits{MaxBytes: 1 << 30}); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
	return nil
}

// trial is one run and what its processes logged.
type trial struct {
	dir    string
	normal bool
	kills  int
	made   map[string]int
	done   map[string]bool
	faults []string
}

func (tr *trial) line(s string) {
	switch verb, id, _ := strings.Cut(s, " "); verb {
	case "call":
		if tr.done[id] {
			tr.faults = append(tr.faults, "made again after it was committed: "+id)
		}
		tr.made[id]++
	case "done":
		tr.done[id] = true
	}
}

func (tr *trial) repeated() (n int) {
	for _, made := range tr.made {
		n += made - 1
	}
	return n
}

// process runs a child and kills it after so many lines; it reports whether the child came to its end. Begun is called
// at the first line.
func (tr *trial) process(t *testing.T, after int, begun func()) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+tr.dir)
	if tr.normal {
		cmd.Env = append(cmd.Env, "KILLTEST_NORMAL=1")
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for n := 0; ; n++ {
		if n == after {
			if cmd.Process.Kill() == nil { // else it has just ended by itself
				tr.kills++
			}
		}
		line, err := lines.ReadString('\n') // what was written before the kill is read too
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 && begun != nil {
			begun()
		}
		tr.line(strings.TrimSpace(line))
	}
	err = cmd.Wait()
	if err != nil && stderr.Len() > 0 {
		t.Fatal(stderr.String())
	}
	return err == nil
}

func newTrial(t *testing.T, i int) *trial {
	return &trial{dir: t.TempDir(), normal: i%4 != 0, made: map[string]int{}, done: map[string]bool{}}
}

const lines = 2 * loops * (branches*calls + 1)

func TestKill(t *testing.T) {
	var want string
	var kills, repeated int
	for i := range *trials + 1 {
		tr := newTrial(t, i)
		limit := maxKills
		if i == 0 {
			limit = 0 // the report to compare with
		}
		for n := 0; ; n++ {
			after := -1
			if n < limit {
				after = rand.IntN(lines / 2)
			}
			if tr.process(t, after, nil) {
				break
			}
		}
		report, err := os.ReadFile(filepath.Join(tr.dir, "report"))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = string(report)
		}
		if string(report) != want {
			t.Errorf("trial %d: the report differs:\n%s\nwant\n%s", i, report, want)
		}
		if n := tr.repeated(); n > concurrency*tr.kills {
			t.Errorf("trial %d: %d calls repeated after %d kills", i, n, tr.kills)
		}
		for _, f := range tr.faults {
			t.Errorf("trial %d: %s", i, f)
		}
		check(t, tr)
		kills, repeated = kills+tr.kills, repeated+tr.repeated()
	}
	t.Logf("%d trials, %d kills, %d of %d calls in flight repeated", *trials, kills, repeated, *trials*lines/2)
}

// check holds the file and the ledger to what really happened.
func check(t *testing.T, tr *trial) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{Dir: tr.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var ok string
	if err := db.Reader().QueryRow(`PRAGMA integrity_check`).Scan(&ok); err != nil || ok != "ok" {
		t.Errorf("integrity: %s, %v", ok, err)
	}
	list, err := runs.New(db).List(t.Context(), graph.Filter{})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d runs, %v", len(list), err)
	}
	rows, err := runs.New(db).Calls(t.Context(), list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	var charged int64
	for _, r := range rows {
		charged += r.Usage.Searches
	}
	made := lines/2 + tr.repeated()
	// A call can be reserved and its process killed before it is made.
	if charged != list[0].Usage.Searches || charged < int64(made) || charged > int64(made+concurrency*tr.kills) {
		t.Errorf("%d calls made, the ledger has %d and the run %d", made, charged, list[0].Usage.Searches)
	}
}

// TestTakeOver attaches to a run that another process works on, and kills that process.
func TestTakeOver(t *testing.T) {
	tr := newTrial(t, 0)
	if !tr.process(t, -1, nil) {
		t.Fatal("the run to compare with failed")
	}
	want, err := os.ReadFile(filepath.Join(tr.dir, "report"))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		tr := newTrial(t, 0)
		db, err := store.Open(t.Context(), store.Options{Dir: tr.dir})
		if err != nil {
			t.Fatal(err)
		}
		own := make(chan string, 4*lines)
		l, err := open(db, func(line string) { own <- line })
		if err != nil {
			t.Fatal(err)
		}
		var r graph.Run
		tr.process(t, 1+rand.IntN(lines/2), func() {
			list, err := l.List(t.Context(), graph.Filter{})
			if err != nil || len(list) != 1 {
				t.Fatalf("%d runs, %v", len(list), err)
			}
			r = list[0]
			if _, err := l.Attach(t.Context(), r.ID); err != nil {
				t.Fatal(err)
			}
		})
		if r, err = l.Wait(t.Context(), r.ID); err != nil || r.Status != graph.StatusDone || string(r.State) != string(want) {
			t.Errorf("%s %s, %v: %s", r.Status, r.Reason, err, r.State)
		}
		l.Close(t.Context())
		db.Close()
		close(own)
		for line := range own {
			tr.line(line)
		}
		if len(tr.faults) > 0 || tr.repeated() > concurrency {
			t.Errorf("%d calls repeated; %v", tr.repeated(), tr.faults)
		}
	}
}
