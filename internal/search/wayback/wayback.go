// Package wayback asks the Wayback Machine for copies of one page, to rescue
// dead links and to date pages. It finds no pages by words: the query is an
// address. Start with [New].
package wayback

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"deepresearch/internal/safe"
	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// New returns the engine. No route leads to it: it is asked by name.
func New(opt wire.Options) search.Engine {
	return wire.New(wire.Spec{
		Name: "wayback", Origin: "https://web.archive.org",
		Capabilities: search.Capabilities{
			Recency: true, Range: true, Operators: true, MaxQuery: safe.MaxURL, MaxResults: 50, Site: "web.archive.org", Verified: true,
			Pace: search.Pace{Every: time.Second, Burst: 3, Parallel: 2},
		},
		Search: find, Refused: refused,
	}, opt)
}

// refused knows the refusal of sites whose owners do not want to be kept.
func refused(a wire.Reply) *search.Failure {
	if a.Status == 403 && strings.Contains(string(a.Body), "Blocked Site Error") {
		return &search.Failure{Kind: search.Empty, Message: "the archive shows no copies of this site, at the wish of its owner"}
	}
	return nil
}

func find(ctx context.Context, o wire.Options, send wire.Sender, q search.Query) ([]search.Result, error) {
	page, err := safe.URL(q.Text)
	if err != nil {
		return nil, &search.Failure{Kind: search.BadQuery, Message: "the query is no address of a page: " + err.Error()}
	}
	from, to := wire.Dates(q, o.Now())
	answer, err := send(ctx, wire.Request{
		Path: "/cdx/search/cdx", Header: map[string]string{"Accept": "text/plain"},
		Query: wire.Values("url", page.String(), "filter", "statuscode:200", "collapse", "timestamp:8", "limit", strconv.Itoa(-q.N),
			"from", strings.ReplaceAll(from, "-", ""), "to", strings.ReplaceAll(to, "-", "")),
	})
	if err != nil {
		return nil, err
	}
	return read(string(answer.Body))
}

// read reads rows of key, time, address, type, status, digest and length. A
// broken row is left out: the archive is known to have some.
func read(body string) ([]search.Result, error) {
	var results []search.Result
	rows := 0
	for row := range strings.Lines(body) {
		if strings.TrimSpace(row) == "" {
			break // what follows an empty row is no copy, but where to go on
		}
		rows++
		if r, ok := copyOf(strings.Fields(row)); ok {
			results = append(results, r)
		}
	}
	switch {
	case rows == 0 && body == "\n", rows == 0 && len(body) == 0:
		return nil, wire.Nothing()
	case len(results) == 0:
		return nil, &search.Failure{Kind: search.LayoutChanged, Message: "no row of the answer can be read"}
	}
	slices.Reverse(results) // newest first
	return results, nil
}

func copyOf(row []string) (r search.Result, ok bool) {
	const columns = 7
	if len(row) != columns {
		return r, false
	}
	at, err := time.Parse("20060102150405", row[1])
	if err != nil {
		return r, false
	}
	original, err := url.Parse(row[2])
	if err != nil || original.Scheme != "http" && original.Scheme != "https" || len(row[2]) > safe.MaxURL/2 {
		return r, false
	}
	return search.Result{
		Title: row[2], URL: "https://web.archive.org/web/" + row[1] + "/" + row[2], Published: at.Format(time.RFC3339),
		Snippet: "Copy of " + row[2] + " kept by the Wayback Machine on " + at.Format("2 January 2006"),
	}, true
}
