package research_test

import (
	"context"
	"strings"
	"testing"

	"deepresearch/crawl"
	"deepresearch/internal/library"
	"deepresearch/research"
	"deepresearch/research/extract"
)

// cutOff is a reader whose pages fail when the process is told to stop.
type cutOff struct{ reading chan struct{} }

func (c cutOff) Read(ctx context.Context, r crawl.Request) crawl.Page {
	select {
	case c.reading <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return crawl.Page{URL: r.URL, Outcome: crawl.Failed, Hint: "the connection was closed"}
}

// TestPageThatWasCutOffIsReadAgain: that we stopped says nothing of a page.
func TestPageThatWasCutOffIsReadAgain(t *testing.T) {
	r := newRig(t, bridges())
	libraries, reader := &library.Cache{}, cutOff{make(chan struct{}, 1)}
	first, err := research.New(research.Ports{
		Method: extract.New(r.archive, libraries), Searcher: r.web, Reader: reader, Archive: r.archive, Libraries: libraries,
	}, r.store)
	if err != nil {
		t.Fatal(err)
	}
	id, err := first.Start(t.Context(), "test", research.Question{Text: "When was the Varn Bridge opened?"}, true)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = first.Follow(t.Context(), "test", id, 0, nil)
	}()
	<-reader.reading
	over, stop := context.WithCancel(t.Context())
	stop()
	_ = first.Close(over)
	<-done
	if err := r.Resume(t.Context(), "test", id); err != nil {
		t.Fatal(err)
	}
	got, err := r.Follow(t.Context(), "test", id, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != research.Done || !strings.Contains(got.Report, "opened in 1931") {
		t.Errorf("status %s, consulted %+v", got.Status, got.Consulted)
	}
}
