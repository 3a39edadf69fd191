package gemini

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/wire"
	"deepresearch/internal/safe"
)

const (
	redirectPath   = "/grounding-api-redirect/"
	redirectWait   = 5 * time.Second
	redirectsAtOne = 8    // requests at once
	mostRemembered = 4096 // addresses; a run has a few hundred
)

// redirects finds the pages that grounding only gives redirects to. Those expire
// and say nothing to a reader.
type redirects struct {
	client *http.Client // nil: nothing is opened

	mu    sync.Mutex
	known map[string]string
}

func newRedirects(c *http.Client) *redirects {
	r := &redirects{known: map[string]string{}}
	if c != nil {
		ours := *c
		// The redirect itself is the answer; the page is read by who reads pages.
		ours.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		r.client = &ours
	}
	return r
}

func isRedirect(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(u.Path) > len(redirectPath) && u.Path[:len(redirectPath)] == redirectPath
}

// resolve replaces the addresses of pages by where they lead. One that cannot be
// opened stays and is marked.
func (r *redirects) resolve(ctx context.Context, pages []llm.WebPage) {
	if r.client == nil {
		return
	}
	slots := make(chan struct{}, redirectsAtOne)
	var wg sync.WaitGroup
	for i := range pages {
		if !isRedirect(pages[i].URL) {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if target := r.target(ctx, pages[i].URL); target != "" {
				pages[i].URL, pages[i].Unresolved = target, false
			}
		})
	}
	wg.Wait()
}

// target is where the address leads, or "".
func (r *redirects) target(ctx context.Context, address string) string {
	r.mu.Lock()
	target := r.known[address]
	r.mu.Unlock()
	if target != "" {
		return target
	}
	ctx, cancel := context.WithTimeout(ctx, redirectWait)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return ""
	}
	request.Header.Set("User-Agent", wire.Product)
	response, err := r.client.Do(request)
	if err != nil {
		return ""
	}
	response.Body.Close()
	to, err := safe.URL(response.Header.Get("Location"))
	if err != nil {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) < mostRemembered {
		r.known[address] = to.String()
	}
	return to.String()
}
