package main

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"deepresearch/internal/safe"
	"deepresearch/research"
)

// progress shows how work goes, on stderr: one line that is drawn anew on a
// terminal, a line for each step elsewhere. It may be used by several
// goroutines at once.
type progress struct {
	w        io.Writer // nil: silent
	terminal bool

	mu    sync.Mutex
	last  string
	drawn bool
}

// columns a line on a terminal may have, so that it never wraps.
const columns = 78

func (p *progress) tell(now research.Progress) {
	if p.w == nil {
		return
	}
	line := now.Text
	if now.Total > 0 {
		line = fmt.Sprintf("%s (%d of %d)", now.Text, now.Done, now.Total)
	}
	line, _ = safe.Text(line)
	line = strings.Join(strings.Fields(line), " ")
	p.mu.Lock()
	defer p.mu.Unlock()
	if line == p.last {
		return
	}
	p.last = line
	if !p.terminal {
		_, _ = fmt.Fprintln(p.w, line)
		return
	}
	p.drawn = true
	_, _ = fmt.Fprintf(p.w, "\r\x1b[K%s", narrow(line, columns))
}

// clear takes the line away, so that what follows begins in its place.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// narrow cuts a line to n columns, taking letters beyond Latin as two wide.
func narrow(s string, n int) string {
	for i, r := range s {
		if n--; r > 0x2e7f {
			n--
		}
		if n < 0 {
			return s[:i]
		}
	}
	return s
}
