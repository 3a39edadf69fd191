package tools

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"deepresearch/crawl"
	"deepresearch/research"
)

const (
	// walkWithin bounds one call that walks a site. Pages that are then on their
	// way are read by the next call.
	walkWithin = 40 * time.Second
	// walkPages is how many pages of a site one answer holds, so that some text of
	// each fits.
	walkPages = 20
	// mapBytes bounds the list of pages in one answer.
	mapBytes = 20_000
	// keptWalks and keptFor bound the walks that wait for their next call.
	keptWalks = 8
	keptFor   = 15 * time.Minute
	// deepest is as far as a walk goes, whatever depth says.
	deepest = 10
)

// walks keeps walks between calls. A walk that waits does nothing.
type walks struct {
	mu   sync.Mutex
	kept map[string]keptWalk
}

type keptWalk struct {
	walk   *crawl.Walk
	caller string
	until  time.Time
	listed int // pages of a map that were shown
}

// take hands a caller's walk out, so that one call at a time goes on with it.
func (w *walks) take(id, caller string, now time.Time) (keptWalk, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	k, ok := w.kept[id]
	if !ok || k.caller != caller || now.After(k.until) {
		return keptWalk{}, false
	}
	delete(w.kept, id)
	return k, true
}

// put keeps a walk. The one that has waited longest gives way.
func (w *walks) put(id string, k keptWalk) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kept == nil {
		w.kept = map[string]keptWalk{}
	}
	w.kept[id] = k
	for len(w.kept) > keptWalks {
		oldest := id
		for other, o := range w.kept {
			if o.until.Before(w.kept[oldest].until) {
				oldest = other
			}
		}
		delete(w.kept, oldest)
	}
}

// walkCursor marks the cursors of walks; those of pages are numbers.
const walkCursor = "w"

func (s *surface) runWalk(ctx context.Context, c *call, in crawlInput) (reply, error) {
	k, err := s.walkOf(c, in)
	if err != nil {
		return reply{}, err
	}
	rep := c.report(ctx, "Looking at the site")
	defer rep.close()
	within, cancel := context.WithTimeout(ctx, walkWithin)
	defer cancel()
	var pages []crawl.Page
	if k.listed == 0 {
		k.walk.Run(within, crawl.Turn{
			Most:  walkPages,
			Visit: func(p crawl.Page) { pages = append(pages, p) },
			Progress: func(step crawl.Step) {
				rep.tell(research.Progress{Phase: "reading", Text: step.String(), Done: step.Done, Total: step.Total})
			},
		})
	}
	if err := context.Cause(ctx); err != nil {
		return reply{}, err
	}
	return s.showWalk(in, k, pages)
}

// walkOf begins a walk, or takes up the one of a cursor.
func (s *surface) walkOf(c *call, in crawlInput) (keptWalk, error) {
	if in.Cursor != "" {
		k, ok := s.walks.take(in.Cursor, c.caller.ID, s.Now())
		if !ok {
			return k, &research.InputError{Field: "cursor", Reason: "the crawl it belongs to is no longer kept", Fix: "leave it out to begin anew, with a smaller depth or narrower include"}
		}
		return k, nil
	}
	site := crawl.Site{Mode: crawl.Mode(in.Mode), Query: in.Query, MaxPages: in.MaxPages, Include: in.Include, Exclude: in.Exclude, Focus: in.Focus}
	for _, address := range in.URLs {
		full, ok := withScheme(address)
		if !ok {
			return keptWalk{}, &research.InputError{Field: "urls", Reason: "only http and https are read", Fix: "give addresses of sites"}
		}
		site.URLs = append(site.URLs, full)
	}
	if in.Depth != nil {
		site.Depth = min(*in.Depth, deepest)
		if site.Depth <= 0 {
			site.Depth = -1
		}
	}
	site.Timeout = in.timeout()
	site.MaxAge = in.maxAge()
	walk, err := s.Reader.Walk(site)
	if err != nil {
		field, reason, _ := strings.Cut(err.Error(), ": ")
		return keptWalk{}, &research.InputError{Field: field, Reason: reason}
	}
	return keptWalk{walk: walk, caller: c.caller.ID}, nil
}

// showWalk shows what one call has found, and how to go on.
func (s *surface) showWalk(in crawlInput, k keptWalk, pages []crawl.Page) (reply, error) {
	survey := k.walk.Survey()
	var r reply
	out := fields{}
	switch {
	case in.mapped(survey):
		r.text = s.showMap(out, survey.Found, &k.listed)
	case in.Query != "":
		r.text = s.showPassages(out, pages, in)
	default:
		shown, err := s.showAll(brief(pages, in.Format), in)
		if err != nil {
			return r, err
		}
		r.text, out = shown.text, fieldsFrom(shown.structured)
	}
	warnings := k.walk.Warnings()
	out.set("warnings", warnings)
	for _, w := range warnings {
		r.text += "Warning: " + clip(w, 300) + "\n"
	}
	if !k.walk.Done() || k.listed > 0 && k.listed < len(survey.Found) {
		cursor := s.newCursor()
		k.until = s.Now().Add(keptFor)
		s.walks.put(cursor, k)
		next := map[string]any{"urls": in.URLs, "mode": in.Mode, "cursor": cursor}
		for name, value := range map[string]string{"query": in.Query, "format": in.Format} {
			if value != "" {
				next[name] = value
			}
		}
		out.set("next_cursor", cursor)
		r.text += fmt.Sprintf("%d pages were read so far, and there are more. Next call, within 15 minutes: crawl %s\n", survey.Read, encode(next))
	} else {
		r.text += fmt.Sprintf("The crawl is complete: %d pages were read.\n", survey.Read)
	}
	out.fill([]share{{"warnings", 0.2}, {"passages", 0.8}, {"urls", 1}, {"pages", 1}}, resultBytes)
	r.structured = encode(out)
	r.failed = len(pages) == 0 && survey.Read == 0 && len(survey.Found) == 0
	return r, nil
}

func (in crawlInput) mapped(s crawl.Survey) bool {
	return in.Mode == string(crawl.ModeMap) || len(s.Found) > 0
}

func (s *surface) newCursor() string {
	b := make([]byte, 8)
	if _, err := io.ReadFull(s.Rand, b); err != nil {
		_, _ = rand.Read(b)
	}
	return walkCursor + hex.EncodeToString(b)
}

// brief leaves out what many pages have no room for.
func brief(pages []crawl.Page, format string) []crawl.Page {
	for i := range pages {
		pages[i].Outline = nil
		if format != "links" {
			pages[i].Links = nil
		}
	}
	return pages
}

// showMap lists pages from the listed-th on.
func (s *surface) showMap(out fields, found []crawl.Found, listed *int) string {
	var b strings.Builder
	var entries []json.RawMessage
	used := 0
	for _, f := range found[min(*listed, len(found)):] {
		entry := encode(f)
		if used += len(entry) + 1; used > mapBytes {
			break
		}
		entries = append(entries, entry)
		fmt.Fprintf(&b, "- %s", f.URL)
		for _, part := range []string{oneLine(f.Title), f.Modified, "depth " + strconv.Itoa(f.Depth), f.Source, f.Trouble} {
			if part != "" {
				b.WriteString(" · " + clip(part, 120))
			}
		}
		b.WriteByte('\n')
	}
	first := *listed
	*listed += len(entries)
	out.set("pages", []int{})
	out.set("urls", entries)
	return fmt.Sprintf("Pages %d to %d of %d:\n", min(first+1, *listed), *listed, len(found)) + s.fence("addresses of pages", b.String())
}
