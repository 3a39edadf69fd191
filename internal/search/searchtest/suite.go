// Package searchtest proves that a search engine keeps the promises of
// [search.Engine]. [Run] is the conformance suite, [Fuzz] feeds an engine
// bodies that no server ever sent, [Recorded] reads answers of the real
// services kept outside the repository, and [Server] speaks the wire formats of
// all engines over a few documents, for tests of what lies above them.
package searchtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// Case describes an engine to the suite. Bodies are answers in the engine's
// wire format, written by hand.
type Case struct {
	New func(wire.Options) search.Engine
	// Good is an answer with results, Want what is read from it.
	Good string
	Want []search.Result
	// Empty is the answer of an engine that found nothing.
	Empty string
	// ContentType of both; empty means application/json.
	ContentType string
	// Text is what is looked for; empty means tidal power.
	Text string
	// Before are the answers to requests that come before the one of interest,
	// by path.
	Before map[string]string
	// Asked are texts that the request must hold, in its address,
	// headers or body as they are sent.
	Asked []string
	// Kinds are the failures of this engine where they differ from
	// the usual ones, by the name of the fault.
	Kinds map[string]search.Kind
}

// usual is what is looked for when a case does not say.
const usual = "tidal power"

// query is what the suite asks: every filter that the engine honours is set.
func (c Case) query(e search.Engine) search.Query {
	q := search.Query{Text: cmp.Or(c.Text, usual), N: 5}
	return filtered(q, e.Capabilities())
}

func filtered(q search.Query, c search.Capabilities) search.Query {
	if c.Recency {
		q.Recency = "month"
	}
	if c.Sites {
		q.Include, q.Exclude = []string{"example.org"}, []string{"spam.example"}
	}
	if c.Language {
		q.Language, q.Region = "en", "GB"
	}
	return q
}

const secret = "key-that-must-stay-secret"

// Run tests the engine of a case.
func Run(t *testing.T, c Case) {
	t.Helper()
	if c.ContentType == "" {
		c.ContentType = "application/json"
	}
	t.Run("describes itself", c.testDescription)
	t.Run("reads results", c.testGood)
	t.Run("reads an empty answer", c.testEmpty)
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) { c.testFault(t, f) })
	}
	t.Run("gives up with its context", c.testCancel)
	t.Run("keeps the key to itself", c.testSecret)
	t.Run("bears damaged answers", c.testDamage)
}

// serve starts a server and returns an engine that asks it.
func (c Case) serve(t *testing.T, h http.HandlerFunc) search.Engine {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, ok := c.Before[r.URL.Path]; ok {
			c.answer(body)(w, r)
			return
		}
		h(w, r)
	}))
	t.Cleanup(server.Close)
	return c.New(wire.Options{Client: server.Client(), BaseURL: server.URL, Key: secret, Contact: "ops@example.org"})
}

func (c Case) answer(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", c.ContentType)
		io.WriteString(w, body)
	}
}

func (c Case) testDescription(t *testing.T) {
	e := c.New(wire.Options{Client: http.DefaultClient})
	name := e.Name()
	if name == "" || strings.ToLower(name) != name || strings.ContainsAny(name, " /_") {
		t.Errorf("name %q is not lower case without spaces", name)
	}
	for _, topic := range e.Capabilities().Topics {
		if !search.KnownTopic(topic) {
			t.Errorf("topic %q is unknown", topic)
		}
	}
}

func (c Case) testGood(t *testing.T) {
	var sent strings.Builder
	e := c.serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(&sent, "%s %s\n%s\n", r.Method, r.URL, body)
		r.Header.Write(&sent)
		c.answer(c.Good)(w, r)
	})
	got, err := e.Search(t.Context(), c.query(e))
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(c.Want, got); d != "" {
		t.Errorf("results (-want +got):\n%s", d)
	}
	for _, text := range append(c.Asked, wire.Product) {
		if !strings.Contains(sent.String(), text) {
			t.Errorf("the request lacks %q:\n%s", text, sent.String())
		}
	}
}

func (c Case) testEmpty(t *testing.T) {
	e := c.serve(t, c.answer(c.Empty))
	c.mustFail(t, e, search.Empty)
}

func (c Case) mustFail(t *testing.T, e search.Engine, kind search.Kind) *search.Failure {
	t.Helper()
	results, err := e.Search(t.Context(), c.query(e))
	var f *search.Failure
	if !errors.As(err, &f) {
		t.Fatalf("got %d results and error %v, want a failure of kind %s", len(results), err, kind)
	}
	if f.Kind != kind || f.Engine != e.Name() || f.Message == "" || len(results) > 0 {
		t.Errorf("got %d results and %+v, want kind %s, the engine's name, a message and no results", len(results), f, kind)
	}
	return f
}

func (c Case) testFault(t *testing.T, f fault) {
	e := c.serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", c.ContentType)
		f.serve(w, c.Good)
	})
	kind := f.kind
	if own, ok := c.Kinds[f.name]; ok {
		kind = own
	}
	got := c.mustFail(t, e, kind)
	if kind == f.kind && got.RetryAfter != f.wait {
		t.Errorf("RetryAfter = %s, want %s", got.RetryAfter, f.wait)
	}
}

func (c Case) testCancel(t *testing.T) {
	released := make(chan struct{})
	e := c.serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", c.ContentType)
		for _, part := range strings.SplitAfter(c.Good, "") { // a slow drip
			if _, err := io.WriteString(w, part); err != nil {
				return
			}
			w.(http.Flusher).Flush()
			select {
			case <-released:
				return
			case <-r.Context().Done():
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
		<-released
	})
	defer close(released)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := e.Search(ctx, c.query(e))
	if f := search.AsFailure(e.Name(), err); f == nil || f.Kind != search.Timeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want a failure of kind timeout that wraps the deadline", err)
	}
}

func (c Case) testSecret(t *testing.T) {
	e := c.serve(t, func(w http.ResponseWriter, r *http.Request) { // says what it was asked
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintln(w, r.Header, r.URL)
	})
	_, err := e.Search(t.Context(), c.query(e))
	unreachable := c.New(wire.Options{Client: http.DefaultClient, BaseURL: "http://127.0.0.1:1", Key: secret})
	_, err2 := unreachable.Search(t.Context(), c.query(e))
	for _, err := range []error{err, err2} {
		if f := search.AsFailure("", err); f == nil || strings.Contains(f.Error()+f.Hint, secret) {
			t.Errorf("the failure is missing or shows the key: %v", err)
		}
	}
}

// testDamage breaks the good answer in many ways. Whatever comes of it, there
// are usable results or there is a failure.
func (c Case) testDamage(t *testing.T) {
	for _, body := range damaged(c.Good) {
		c.check(t, body)
	}
}

// check asks an engine whose server sends this body with status 200.
func (c Case) check(t *testing.T, body string) {
	t.Helper()
	e := c.New(wire.Options{Client: &http.Client{Transport: fixed{c.ContentType, body, http.StatusOK, c.Before}}, Key: secret})
	results, err := e.Search(t.Context(), search.Query{Text: cmp.Or(c.Text, usual), N: 5})
	f := search.AsFailure("", err)
	switch {
	case len(results) == 0 && f == nil:
		t.Errorf("neither results nor a failure for:\n%.500s", body)
	case len(results) > 0 && f != nil && f.Kind != search.Degraded:
		t.Errorf("results together with %v for:\n%.500s", f, body)
	}
	for _, r := range results {
		if !strings.HasPrefix(r.URL, "http://") && !strings.HasPrefix(r.URL, "https://") || r.Title == "" {
			t.Errorf("unusable result %+v for:\n%.500s", r, body)
		}
	}
}

// fixed answers every request alike, without a network.
type fixed struct {
	contentType, body string
	status            int
	before            map[string]string // by path
}

func (f fixed) RoundTrip(r *http.Request) (*http.Response, error) {
	if body, ok := f.before[r.URL.Path]; ok {
		f.body = body
	}
	return &http.Response{
		StatusCode: f.status, Request: r, Header: http.Header{"Content-Type": {f.contentType}},
		Body: io.NopCloser(strings.NewReader(f.body)),
	}, nil
}

// Fuzz feeds the engine of a case bodies grown from its own.
func Fuzz(f *testing.F, c Case) {
	for _, seed := range []string{c.Good, c.Empty} {
		f.Add(seed)
		for _, d := range damaged(seed) {
			f.Add(d)
		}
	}
	f.Fuzz(func(t *testing.T, body string) { c.check(t, body) })
}

// Read returns the contents of a file under testdata.
func Read(tb testing.TB, name string) string {
	tb.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}
