package crawl

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestLanesKeepRequestsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lanes{width: 2}
		start := time.Now()
		var mu sync.Mutex
		var starts []time.Duration
		inside, most := 0, 0
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				leave, err := l.enter(t.Context(), "a:443", time.Second)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				starts = append(starts, time.Since(start))
				inside++
				most = max(most, inside)
				mu.Unlock()
				time.Sleep(3 * time.Second)
				mu.Lock()
				inside--
				mu.Unlock()
				leave()
			})
		}
		// Another host, and another port, waits for nobody.
		for _, host := range []string{"b:443", "a:80"} {
			leave, err := l.enter(t.Context(), host, time.Second)
			if err != nil || time.Since(start) != 0 {
				t.Errorf("%s: after %v, %v", host, time.Since(start), err)
			}
			leave()
		}
		wg.Wait()
		if most != 2 {
			t.Errorf("%d at a time, want 2", most)
		}
		for i := 1; i < len(starts); i++ {
			if gap := starts[i] - starts[i-1]; gap < time.Second {
				t.Errorf("starts %v and %v", starts[i-1], starts[i])
			}
		}
	})
}

func TestLanesGiveUpInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lanes{width: 1}
		leave, err := l.enter(t.Context(), "a:443", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.enter(ctx, "a:443", 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a full lane: %v", err)
		}
		leave()
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		before := time.Now()
		if _, err := l.enter(ctx, "a:443", 0); !errors.Is(err, context.DeadlineExceeded) || time.Since(before) != 0 {
			t.Errorf("a pause longer than the deadline: %v after %v", err, time.Since(before))
		}
		l.close("a:443", time.Now().Add(maxRetryAfter+time.Minute))
		var later *Later
		if _, err := l.enter(t.Context(), "a:443", 0); !errors.As(err, &later) || time.Since(before) != 0 {
			t.Errorf("a lane shut for long: %v after %v", err, time.Since(before))
		}
		time.Sleep(time.Minute)
		if leave, err = l.enter(t.Context(), "a:443", 0); err != nil || time.Since(before) != maxRetryAfter+time.Minute {
			t.Errorf("a lane shut for a moment: %v after %v", err, time.Since(before))
		}
		leave()
	})
}

func TestLanesForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := lanes{width: 1}
		for i := range 3 * maxLanes {
			leave, err := l.enter(t.Context(), fmt.Sprint(i), time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			leave()
			time.Sleep(time.Millisecond)
		}
		if len(l.hosts) > maxLanes {
			t.Errorf("%d hosts kept", len(l.hosts))
		}
	})
}

func TestFlightGoesOnWithoutItsFirstCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f flights
		first, cancel := context.WithCancel(t.Context())
		work := func(ctx context.Context, body string) func() (Fetched, error) {
			return func() (Fetched, error) {
				if !sleep(ctx, time.Second) {
					return Fetched{}, ctx.Err()
				}
				return Fetched{Body: []byte(body)}, nil
			}
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := f.do(first, "k", work(first, "first")); !errors.Is(err, context.Canceled) {
				t.Errorf("first: %v", err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			got, err := f.do(t.Context(), "k", work(t.Context(), "second"))
			if err != nil || string(got.Body) != "second" {
				t.Errorf("second: %q, %v", got.Body, err)
			}
		})
		synctest.Wait()
		cancel()
		wg.Wait()
	})
}
