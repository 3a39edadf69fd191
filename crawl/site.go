package crawl

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"deepresearch/internal/safe"
	"deepresearch/internal/text"
)

// Mode says how the pages of a site are found.
type Mode string

// The modes.
const (
	ModeSite    Mode = "site"    // by following links from the start pages
	ModeSitemap Mode = "sitemap" // as the site lists them
	ModeMap     Mode = "map"     // both ways, and pages are listed, not read
)

// Defaults of Site.
const (
	DefaultDepth     = 2
	DefaultMaxPages  = 10
	DefaultSiteBytes = 200 << 20
	DefaultParallel  = 8
	pageTimeout      = 20 * time.Second
	maxListedPages   = 5000
)

// Site says which pages of a site a walk reads.
type Site struct {
	URLs []string // start pages; each brings its host and folder into scope
	Mode Mode     // empty means ModeSite
	// Query, when there is one, lets pages whose address or link text speaks of
	// it come first among those equally far away.
	Query string
	// Depth is how many links a page may be away from a start page; 0 means
	// DefaultDepth, negative none. A map lists the pages that far away, and a
	// sitemap's pages are all one away.
	Depth    int
	MaxPages int   // fetched at most; 0 means DefaultMaxPages
	MaxBytes int64 // of all bodies; 0 means DefaultSiteBytes
	Parallel int   // pages read at a time; 0 means DefaultParallel
	// Include and Exclude are patterns for addresses, as in robots.txt: the
	// beginning of a path, "*" for anything, "$" for the end. Patterns to include
	// take the place of the start pages' folders.
	Include, Exclude []string

	Timeout  time.Duration // of a page; 0 means 20 s
	MaxAge   time.Duration // as in Request
	Language string
	Focus    string // part of each page to read, as in Request
}

// Turn is one stretch of a walk. Its functions are called on the goroutine of
// Run.
type Turn struct {
	Most     int        // pages handed over at most; 0 means no limit
	Visit    func(Page) // takes a page; may be nil
	Progress func(Step) // told before a page is read; may be nil
}

// Step is a page about to be read: the Done-th of Total as far as is known.
type Step struct {
	Done, Total int
	URL         string
}

func (s Step) String() string {
	place := s.URL
	if _, rest, ok := strings.Cut(place, "://"); ok {
		place = rest
	}
	return fmt.Sprintf("reading %d/%d: %s", s.Done, s.Total, place)
}

// Walk is one crawl of a site. It stands still between calls of Run, and is for
// one goroutine at a time.
type Walk struct {
	reader   *Reader
	site     Site
	scope    scope
	starts   []*url.URL
	terms    []string
	frontier *frontier
	twins    twins
	survey   Survey
	prepared bool
	window   int // pages on their way or waiting to be handed over
	sent     int // pages that were fetched or are on their way
}

// Walk begins a crawl. It asks nothing of the network yet; errors are those of
// the addresses and patterns.
func (r *Reader) Walk(site Site) (*Walk, error) {
	w := &Walk{reader: r, site: site.withDefaults(), terms: text.Terms(site.Query)}
	var err error
	if w.scope.include, err = patternsOf(site.Include); err != nil {
		return nil, fmt.Errorf("include: %w", err)
	}
	if w.scope.exclude, err = patternsOf(site.Exclude); err != nil {
		return nil, fmt.Errorf("exclude: %w", err)
	}
	for _, address := range site.URLs {
		u, err := safe.URL(address)
		if err != nil {
			return nil, fmt.Errorf("urls: %w", err)
		}
		u.Fragment, u.RawFragment = "", ""
		w.starts = append(w.starts, u)
		w.scope.add(u)
	}
	w.frontier = newFrontier(w.site.MaxPages)
	return w, nil
}

func (s Site) withDefaults() Site {
	s.Mode = cmp.Or(s.Mode, ModeSite)
	s.Depth = max(cmp.Or(s.Depth, DefaultDepth), 0)
	s.MaxPages = cmp.Or(max(s.MaxPages, 0), DefaultMaxPages)
	s.MaxBytes = cmp.Or(max(s.MaxBytes, 0), DefaultSiteBytes)
	s.Parallel = cmp.Or(max(s.Parallel, 0), DefaultParallel)
	s.Timeout = cmp.Or(max(s.Timeout, 0), pageTimeout)
	return s
}

// Run reads pages and hands each to t.Visit, in the order of the walk, until
// t.Most of them were handed over, the walk is at its end, or ctx ends. Pages that were then on their way are
// given up and read first by the next Run. Nothing runs after Run returns.
//
// Handed over is every page that was read, whatever its outcome, but copies of
// earlier pages, pages that ask not to be listed, and pages that robots.txt
// denies: [Walk.Survey] counts these. A map hands over nothing.
func (w *Walk) Run(ctx context.Context, t Turn) {
	w.prepare(ctx)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	slots := make(chan struct{}, w.site.Parallel)
	var flying []*flyer // in the order in which they left
	landed := 0
	for {
		for len(flying) < w.window && ctx.Err() == nil && (t.Most <= 0 || landed+len(flying) < t.Most) {
			f, ok := w.send(ctx, slots, t.Progress)
			if !ok {
				break
			}
			flying = append(flying, f)
		}
		if len(flying) == 0 {
			return
		}
		<-flying[0].done
		if page, ok := w.land(ctx, flying[0]); ok {
			landed++
			if t.Visit != nil {
				t.Visit(page)
			}
		}
		flying = flying[1:]
	}
}

// flyer is a page on its way.
type flyer struct {
	waiting
	done  chan struct{}
	page  Page
	out   outlinks
	print fingerprint
	bytes int
}

// send has the next page read on a goroutine of its own.
func (w *Walk) send(ctx context.Context, slots chan struct{}, tell func(Step)) (*flyer, bool) {
	if w.sent >= w.site.MaxPages || w.survey.Bytes >= w.site.MaxBytes {
		return nil, false
	}
	next, ok := w.frontier.pop()
	if !ok {
		return nil, false
	}
	w.sent++
	if tell != nil {
		tell(Step{Done: w.sent, Total: min(w.site.MaxPages, w.sent+w.frontier.queue.Len()), URL: next.URL})
	}
	f := &flyer{waiting: next, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		slots <- struct{}{}
		defer func() { <-slots }()
		w.read(ctx, f)
	}()
	return f, true
}

// read fetches a page, and for all modes but a map reads it.
func (w *Walk) read(ctx context.Context, f *flyer) {
	defer func() {
		if p := recover(); p != nil {
			f.page = newPage(f.URL, w.reader.fetcher.opt.Now().UTC()).failed(fmt.Errorf("%w: %v", errPanicked, p))
		}
	}()
	req := w.request(f.URL)
	if ctx.Err() != nil {
		f.page = newPage(f.URL, time.Time{}).failed(context.Cause(ctx))
		return
	}
	var got Fetched
	if w.site.Mode == ModeMap {
		var err error
		f.page = newPage(f.URL, w.reader.fetcher.opt.Now().UTC())
		if got, err = w.reader.fetcher.Fetch(ctx, req); err != nil {
			f.page = f.page.failed(err)
			return
		}
		got.Body = decoded(got)
		f.page.FinalURL, f.page.Status = got.FinalURL, got.Status
	} else {
		f.page, got = w.reader.read(ctx, req)
	}
	f.bytes = len(got.Body)
	if got.Status >= http.StatusOK && got.Status < http.StatusMultipleChoices {
		f.out = linksOf(got)
		if f.Source == FromLLMs {
			f.out.links = linksOfMarkdown(got)
		}
	}
	if d := f.page.Document; d != nil {
		f.print = fingerprintOf(d.Text)
		if len(f.out.links) == 0 { // Markdown and other formats with links
			f.out.links = f.page.Links
		}
	}
}

func (w *Walk) request(address string) Request {
	return Request{URL: address, Timeout: w.site.Timeout, MaxAge: w.site.MaxAge, Language: w.site.Language, Focus: w.site.Focus}
}

// land takes in a page that was read. It reports whether the page is to be
// handed over.
func (w *Walk) land(ctx context.Context, f *flyer) (Page, bool) {
	if ctx.Err() != nil && f.page.Err != nil && isContext(f.page.Err) {
		w.sent--
		w.frontier.back(f.waiting)
		return Page{}, false
	}
	s := &w.survey
	s.Read++
	s.Bytes += int64(f.bytes)
	isStart := f.Source == FromStart
	final, err := url.Parse(cmp.Or(f.page.FinalURL, f.URL))
	if err != nil {
		final = f.u
	}
	switch {
	case f.page.Outcome == DeniedByRobots && !isStart:
		s.Denied++
		return Page{}, false
	case isStart:
		w.scope.add(final)
	case !w.scope.holds(final):
		s.Outside++
		return Page{}, false
	}
	if pageKey(final) != pageKey(f.u) && !w.frontier.first(final) && !isStart || w.twins.twin(f.print) {
		s.Copies++
		return Page{}, false
	}
	w.follow(f)
	switch {
	case f.out.noIndex && !isStart:
		s.Unlisted++
		return Page{}, false
	case w.site.Mode == ModeMap:
		w.name(f, final)
		return Page{}, false
	}
	return f.page, true
}

// follow lets the pages that a page leads to wait.
func (w *Walk) follow(f *flyer) {
	if w.site.Mode == ModeSitemap || f.out.noFollow || f.Source == FromLLMs && w.site.Mode != ModeMap {
		return
	}
	if c, err := safe.URL(f.out.canonical); err == nil && w.scope.holds(c) {
		w.frontier.first(c) // it is this page
	}
	from := FromLink
	if f.Source == FromLLMs {
		from = FromLLMs
	}
	for _, l := range f.out.links {
		if u, err := url.Parse(l.URL); err == nil {
			w.push(u, Found{URL: l.URL, Title: l.Text, Depth: f.Depth + 1, Source: from})
		}
	}
}

// push lets an address wait when it belongs to the walk. A map lists it.
func (w *Walk) push(u *url.URL, found Found) {
	switch {
	case !w.scope.holds(u):
		if w.scope.onSite(u) && !anyMatches(w.scope.exclude, u) {
			w.survey.Beside++
		}
		return
	case found.Depth > w.site.Depth && found.Source == FromLink:
		w.survey.Deeper++
		return
	}
	wait := waiting{Found: found, u: u, score: w.speaks(u, found.Title)}
	if w.site.Mode != ModeMap {
		w.frontier.push(wait)
		return
	}
	if len(w.survey.Found) >= maxListedPages {
		w.survey.Unread++
		return
	}
	if found.Source == FromLink && found.Depth < w.site.Depth {
		if !w.frontier.push(wait) { // its own links are wanted
			return
		}
	} else if !w.frontier.first(u) {
		return
	}
	w.survey.Found = append(w.survey.Found, found)
}

// name sets the title of a listed page that was fetched to its own.
func (w *Walk) name(f *flyer, final *url.URL) {
	for i := range w.survey.Found {
		if e := &w.survey.Found[i]; e.URL == f.URL {
			e.Title = cmp.Or(f.out.title, e.Title)
			e.URL = final.String()
			if f.page.Outcome != "" {
				e.Trouble = string(f.page.Outcome)
			}
			return
		}
	}
}

// speaks counts the terms of the query in an address and the text of its link.
func (w *Walk) speaks(u *url.URL, title string) int {
	if len(w.terms) == 0 {
		return 0
	}
	of := text.Terms(title + " " + strings.NewReplacer("/", " ", "-", " ", "_", " ", ".", " ").Replace(u.Path))
	n := 0
	for _, t := range w.terms {
		if slices.Contains(of, t) {
			n++
		}
	}
	return n
}

// prepare fills the frontier once.
func (w *Walk) prepare(ctx context.Context) {
	if w.prepared {
		return
	}
	w.prepared = true
	for _, u := range w.starts {
		w.survey.Delay = max(w.survey.Delay, w.reader.fetcher.delayOf(ctx, u))
	}
	w.window = window(w.site.Parallel, w.site.Timeout, w.survey.Delay)
	for _, u := range w.starts {
		if w.site.Mode == ModeSite || w.site.Mode == ModeMap {
			w.noticeLLMs(ctx, u)
		}
	}
	for _, u := range w.starts {
		if w.site.Mode == ModeSitemap {
			continue
		}
		found := Found{URL: u.String(), Source: FromStart}
		if w.frontier.push(waiting{Found: found, u: u}) && w.site.Mode == ModeMap {
			w.survey.Found = append(w.survey.Found, found)
		}
	}
	if w.site.Mode == ModeSite {
		return
	}
	for _, u := range w.starts {
		w.readSitemaps(ctx, u)
	}
}

// window is how many pages may be on their way. A page's time includes its wait
// for the pages before it, so of a site that asks for long pauses few are.
func window(parallel int, timeout, delay time.Duration) int {
	if delay <= 0 {
		return 2 * parallel
	}
	return min(max(int(timeout/2/delay), 1), 2*parallel)
}

// noticeLLMs looks for the list of pages that a site keeps for language models
// (llmstxt.org). It stands at the root, for the whole site.
func (w *Walk) noticeLLMs(ctx context.Context, start *url.URL) {
	u := &url.URL{Scheme: start.Scheme, Host: start.Host, Path: "/llms.txt"}
	if anyMatches(w.scope.exclude, u) || w.site.MaxPages == 1 && w.site.Mode == ModeSite {
		return
	}
	got, err := w.reader.fetcher.Fetch(ctx, w.request(u.String()))
	if err != nil || got.Status != http.StatusOK || len(got.Body) == 0 || got.FinalURL != u.String() || strings.Contains(got.ContentType, "html") || got.Body[0] == '<' {
		return
	}
	found := Found{URL: u.String(), Title: "llms.txt", Source: FromLLMs}
	w.frontier.push(waiting{Found: found, u: u})
	if w.site.Mode == ModeMap {
		w.survey.Found = append(w.survey.Found, found)
	}
	w.survey.LLMs = append(w.survey.LLMs, u.String())
}

// readSitemaps lets the pages of a site's sitemaps wait.
func (w *Walk) readSitemaps(ctx context.Context, start *url.URL) {
	if p := strings.ToLower(start.Path); strings.HasSuffix(p, ".xml") || strings.HasSuffix(p, ".gz") {
		w.scope.add(&url.URL{Scheme: start.Scheme, Host: start.Host, Path: "/"}) // it speaks for the site
	}
	s := sitemapWalk{fetcher: w.reader.fetcher, request: w.request(""), met: map[string]bool{}}
	s.take = func(l located) bool {
		if u, err := safe.URL(l.loc); err == nil && !noPage[strings.ToLower(extension(u))] {
			w.push(u, Found{URL: u.String(), Modified: safeLine([]byte(l.modified), 40), Depth: 1, Source: FromSitemap})
		}
		return w.frontier.queue.Len() < maxWaiting && len(w.survey.Found) < maxListedPages
	}
	for _, address := range w.reader.fetcher.sitemapsOf(ctx, start) {
		s.read(ctx, address, 0)
	}
	w.survey.Sitemaps += s.found
	w.survey.sitemapCut = w.survey.sitemapCut || s.cut || s.enough
	if s.found == 0 && w.site.Mode == ModeSitemap {
		w.survey.trouble = append(w.survey.trouble, fmt.Sprintf("no sitemap of %s could be read (%s): use mode site, which follows links", start.Host, cmp.Or(s.trouble, "the call ended before")))
	}
}
