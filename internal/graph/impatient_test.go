package graph_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"deepresearch/internal/graph"
)

// A host that gives up after 20 s and asks again, against a model that takes a
// minute: the run ends, and each of its calls is made once.
func TestImpatientClientPaysOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 4
		var made atomic.Int32
		g := single(t, policy{}, func(ctx context.Context, _ state) (update, error) {
			var u update
			for i := range calls {
				word, err := graph.Once(ctx, graph.Call{Kind: "model", Request: i}, func(ctx context.Context) (string, graph.Usage, error) {
					made.Add(1)
					select {
					case <-time.After(time.Minute):
						return "c", graph.Usage{Calls: 1}, nil
					case <-ctx.Done():
						return "", graph.Usage{}, context.Cause(ctx)
					}
				})
				if err != nil {
					return update{}, err
				}
				u.Out = append(u.Out, word)
			}
			return u, nil
		})
		l := driver(t, graph.Options{}, g)
		id := ""
		asked := 0
		for ; asked < 100; asked++ {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			r, err := l.Start(ctx, graph.Request{Graph: "test", Key: "k", Input: json.RawMessage(`{}`)})
			if err != nil {
				t.Fatal(err)
			}
			id = r.ID
			if _, err := l.Attach(ctx, id); err != nil {
				t.Fatal(err)
			}
			r, _ = l.Wait(ctx, id)
			cancel() // the host gives up; with its context the attachment is gone
			if r.Status == graph.StatusDone {
				break
			}
			time.Sleep(time.Second)
		}
		r, got := rest(t, l, id, graph.StatusDone)
		if got != "c c c c" || made.Load() != calls || r.Usage.Calls != calls {
			t.Errorf("after %d tries: %q, %d calls made, %d paid; want %d", asked, got, made.Load(), r.Usage.Calls, calls)
		}
		l.Close(t.Context())
	})
}
