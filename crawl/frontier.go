package crawl

import (
	"container/heap"
	"hash/maphash"
	"net/url"
	"slices"
	"strings"

	"deepresearch/internal/safe"
)

// Bounds on what a walk remembers. A page is known by eight bytes.
const (
	maxWaiting = 50_000
	maxKnown   = 1_000_000
	maxShapes  = 20_000
)

// Sources of an address.
const (
	FromStart   = "start"
	FromLink    = "link"
	FromSitemap = "sitemap"
	FromLLMs    = "llms.txt"
)

// waiting is an address that waits to be read.
type waiting struct {
	Found
	u     *url.URL
	spare bool // many like it came before: read when nothing else is left
	score int  // words of the query in its address and link text
	order int
}

// frontier is what a walk has yet to read, near pages first. It takes each page
// once, however its address is written, and lets addresses of one shape, as
// calendars and filters make them without end, wait behind all others.
type frontier struct {
	queue  queue
	seed   maphash.Seed
	known  map[uint64]struct{}
	shapes map[string]int
	few    int // of one shape that are taken as they come
	order  int

	trapped int // addresses passed over because too many are like them
	full    int // passed over for want of memory
}

func newFrontier(most int) *frontier {
	return &frontier{seed: maphash.MakeSeed(), known: map[uint64]struct{}{}, shapes: map[string]int{}, few: max(10, most/4)}
}

// first reports whether u is met for the first time, and remembers it.
func (f *frontier) first(u *url.URL) bool {
	key := maphash.String(f.seed, pageKey(u))
	if _, met := f.known[key]; met || len(f.known) >= maxKnown {
		return false
	}
	f.known[key] = struct{}{}
	return true
}

// pageKey is one spelling for all addresses of a page: without scheme, "www.",
// the slash or index file at its end and session ids.
func pageKey(u *url.URL) string {
	c := *u
	c.Host = siteHost(u)
	_, key, _ := strings.Cut(safe.Canonical(&c), "://")
	key, query, _ := strings.Cut(key, "?")
	if i := strings.Index(key, ";jsessionid="); i > 0 {
		key = key[:i]
	}
	for _, index := range []string{"/index.html", "/index.htm", "/index.php"} {
		key = strings.TrimSuffix(key, index)
	}
	return strings.TrimSuffix(key, "/") + "?" + query
}

// push lets an address wait, unless it is known or a trap. It reports whether
// the address was taken.
func (f *frontier) push(w waiting) bool {
	if !f.first(w.u) {
		return false
	}
	switch {
	case len(f.queue) >= maxWaiting:
		f.full++
		return false
	case circles(w.u.Path):
		f.trapped++
		return false
	}
	if w.Source == FromLink { // a list that the site made itself has an end
		n := f.count(w.u)
		if n > 40*f.few {
			f.trapped++
			return false
		}
		w.spare = n > f.few
	}
	f.order++
	w.order = f.order
	heap.Push(&f.queue, w)
	return true
}

// back lets an address wait again that was taken and not read.
func (f *frontier) back(w waiting) { heap.Push(&f.queue, w) }

func (f *frontier) pop() (waiting, bool) {
	if len(f.queue) == 0 {
		return waiting{}, false
	}
	w, _ := heap.Pop(&f.queue).(waiting)
	return w, true
}

// count is how many addresses of u's shape there were so far: the larger of
// the numbers with its path and query and with its path and any query.
func (f *frontier) count(u *url.URL) int {
	path := digits(siteHost(u) + u.EscapedPath())
	shapes := []string{path + "?" + queryNames(u.RawQuery)}
	if u.RawQuery != "" {
		shapes = append(shapes, path+"??")
	}
	most := 0
	for _, s := range shapes {
		if n, met := f.shapes[s]; met || len(f.shapes) < maxShapes {
			f.shapes[s] = n + 1
			most = max(most, n+1)
		}
	}
	if !strings.Contains(path, "#") && u.RawQuery == "" {
		return 1 // there is one such page
	}
	return most
}

// digits writes every run of digits, and every long run of hexadecimal ones, as
// "#".
func digits(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		end, decimal := i, 0
		for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end]|0x20 >= 'a' && s[end]|0x20 <= 'f') {
			if s[end] <= '9' {
				decimal++
			}
			end++
		}
		switch {
		case end-i >= 8 && decimal > 0, end > i && decimal == end-i:
			out.WriteByte('#')
		case end > i && decimal > 0:
			out.WriteString(decimalRuns(s[i:end]))
		case end > i:
			out.WriteString(s[i:end])
		default:
			out.WriteByte(s[i])
			end++
		}
		i = end
	}
	return out.String()
}

func decimalRuns(s string) string {
	var out strings.Builder
	for i := range len(s) {
		switch isDigit := s[i] >= '0' && s[i] <= '9'; {
		case !isDigit:
			out.WriteByte(s[i])
		case i == 0 || s[i-1] < '0' || s[i-1] > '9':
			out.WriteByte('#')
		}
	}
	return out.String()
}

// queryNames are the names of the parameters, sorted, each once.
func queryNames(query string) string {
	var names []string
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), "&")
}

// circles reports a path that goes round: relative links that are wrong grow
// /a/b/a/b/a/b.
func circles(path string) bool {
	const deepest, often = 20, 3
	segments := strings.Split(strings.Trim(path, "/"), "/")
	if len(segments) > deepest {
		return true
	}
	times := map[string]int{}
	for _, s := range segments {
		if times[s]++; times[s] >= often && s != "" {
			return true
		}
	}
	return false
}

// queue is a heap of what waits.
type queue []waiting

func (q queue) Len() int      { return len(q) }
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q queue) Less(i, j int) bool {
	a, b := &q[i], &q[j]
	switch {
	case a.spare != b.spare:
		return b.spare
	case a.Depth != b.Depth:
		return a.Depth < b.Depth
	case a.score != b.score:
		return a.score > b.score
	}
	return a.order < b.order
}

func (q *queue) Push(x any) {
	if w, ok := x.(waiting); ok {
		*q = append(*q, w)
	}
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	w := (*q)[last]
	(*q)[last] = waiting{}
	*q = (*q)[:last]
	return w
}
