package text_test

import (
	"sync"
	"testing"

	"deepresearch/internal/text"
)

func TestPatternIsSharedByGoroutines(t *testing.T) {
	p := text.NewPattern(`(?P<year>[0-9]{4})-([0-9]{2})`)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if m := p.FindStringSubmatch("on 1998-07"); len(m) != 3 || m[p.SubexpIndex("year")] != "1998" {
				t.Errorf("got %q", m)
			}
		})
	}
	all.Wait()
}

func TestWrongPatternFailsInTests(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a pattern that is none was taken")
		}
	}()
	text.NewPattern(`(`)
}
