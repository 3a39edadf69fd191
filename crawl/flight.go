package crawl

import (
	"context"
	"sync"
)

// flights lets concurrent calls for one key share one result. The first call
// does the work on its own goroutine; when its context ends, a waiting call
// whose own context lives on does it anew.
type flights struct {
	mu  sync.Mutex
	now map[string]*flight
}

type flight struct {
	done chan struct{}
	got  Fetched
	err  error
}

func (f *flights) do(ctx context.Context, key string, work func() (Fetched, error)) (Fetched, error) {
	for {
		fl, mine := f.join(key)
		if mine {
			f.fly(key, fl, work)
			return fl.got, fl.err
		}
		select {
		case <-fl.done:
		case <-ctx.Done():
			return Fetched{}, context.Cause(ctx)
		}
		if fl.err == nil || !isContext(fl.err) {
			return fl.got, fl.err
		}
	}
}

func (f *flights) join(key string) (fl *flight, mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl, ok := f.now[key]; ok {
		return fl, false
	}
	if f.now == nil {
		f.now = map[string]*flight{}
	}
	fl = &flight{done: make(chan struct{}), err: errPanicked}
	f.now[key] = fl
	return fl, true
}

// fly does the work. Should it panic, those who wait are told.
func (f *flights) fly(key string, fl *flight, work func() (Fetched, error)) {
	defer func() {
		f.mu.Lock()
		delete(f.now, key)
		f.mu.Unlock()
		close(fl.done)
	}()
	fl.got, fl.err = work()
}
