package crawl

import (
	"context"
	"sync"
	"time"
)

// maxLanes bounds the memory of hosts. Beyond it, hosts that nobody waits for
// and whose pause is over are forgotten.
const maxLanes = 1000

// lanes keeps requests to one host (host:port) apart: at most width at a time,
// and a pause between the starts of two.
type lanes struct {
	width int
	mu    sync.Mutex
	hosts map[string]*lane
}

type lane struct {
	slots chan struct{}
	users int       // requests in it or waiting for it
	next  time.Time // the earliest start of the next request
	shut  time.Time // until then the host wants no request at all
}

// enter waits for a place in the lane of host and returns the function that
// gives it up. pause is the least time until the next request may start. A
// lane that stays shut for longer than a moment gives *Later at once.
func (l *lanes) enter(ctx context.Context, host string, pause time.Duration) (leave func(), err error) {
	ln := l.join(host)
	select {
	case ln.slots <- struct{}{}:
	case <-ctx.Done():
		l.part(ln)
		return nil, context.Cause(ctx)
	}
	leave = func() {
		<-ln.slots
		l.part(ln)
	}
	for {
		wait, shut := l.turn(ln, pause)
		if wait <= 0 {
			return leave, nil
		}
		if wait <= maxRetryAfter && sleep(ctx, wait) {
			continue
		}
		leave()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !shut.IsZero():
			return nil, &Later{Host: host, Until: shut}
		}
		return nil, context.DeadlineExceeded // it would pass while waiting
	}
}

// turn takes the lane's turn when it has come, and else says how long to wait
// before asking again, and until when the lane is shut if that is why.
func (l *lanes) turn(ln *lane, pause time.Duration) (wait time.Duration, shut time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if wait := ln.shut.Sub(now); wait > 0 {
		return wait, ln.shut
	}
	if wait := ln.next.Sub(now); wait > 0 {
		return wait, time.Time{}
	}
	if pause > 0 {
		ln.next = now.Add(pause)
	}
	return 0, time.Time{}
}

// close shuts the lane of host until t.
func (l *lanes) close(host string, t time.Time) {
	ln := l.join(host)
	defer l.part(ln)
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.After(ln.shut) {
		ln.shut = t
	}
}

func (l *lanes) join(host string) *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	ln, ok := l.hosts[host]
	if !ok {
		l.forget()
		ln = &lane{slots: make(chan struct{}, l.width)}
		l.hosts[host] = ln
	}
	ln.users++
	return ln
}

func (l *lanes) part(ln *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ln.users--
}

// forget drops idle lanes once there are many.
func (l *lanes) forget() {
	if l.hosts == nil {
		l.hosts = map[string]*lane{}
	}
	if len(l.hosts) < maxLanes {
		return
	}
	now := time.Now()
	for host, ln := range l.hosts {
		if ln.users == 0 && ln.next.Before(now) && ln.shut.Before(now) {
			delete(l.hosts, host)
		}
	}
}
