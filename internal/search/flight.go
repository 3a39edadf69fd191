package search

import (
	"context"
	"sync"
)

// flights shares one request among all who want the same answer at the same
// time, and lets a request outlive the wish for it when its answer is still of
// use to the cache.
type flights struct {
	mu  sync.Mutex
	now map[string]*flight
	all sync.WaitGroup
}

// flight is a request on its way.
type flight struct {
	done   chan struct{} // closed when reply is set
	reply  reply
	cancel context.CancelFunc
	seats  int // those who still want the answer
}

// join returns the flight under key, starting fetch when there is none; first
// reports whether this call started it. Each join is paid back by one leave,
// or by none when the flight shall land without passengers.
func (fs *flights) join(ctx context.Context, key string, fetch func(context.Context) reply) (f *flight, first bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f = fs.now[key]; f != nil {
		f.seats++
		return f, false
	}
	flying, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f = &flight{done: make(chan struct{}), cancel: cancel, seats: 1}
	if fs.now == nil {
		fs.now = map[string]*flight{}
	}
	fs.now[key] = f
	fs.all.Go(func() {
		defer cancel()
		f.reply = fetch(flying)
		fs.mu.Lock()
		delete(fs.now, key)
		fs.mu.Unlock()
		close(f.done)
	})
	return f, true
}

// leave gives up one seat; the last one to leave cancels the request.
func (fs *flights) leave(f *flight) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f.seats--; f.seats == 0 {
		f.cancel()
	}
}
