// Command rig is the index behind the search engine of scripts/rig.sh: it reads
// folders of HTML pages, and answers queries over them in JSON, best first by
// BM25. It stands for the engines that a real metasearch asks.
//
//	rig -listen 127.0.0.1:18090 http://127.0.0.1:18081=/usr/share/doc/git/html ...
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address to answer on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *listen, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "rig:", err)
		os.Exit(1)
	}
}

// run indexes the sites, written ADDRESS=FOLDER, and serves until ctx ends.
func run(ctx context.Context, listen string, sites []string) error {
	x := newIndex()
	for _, site := range sites {
		address, folder, ok := strings.Cut(site, "=")
		if !ok {
			return fmt.Errorf("site %q is not ADDRESS=FOLDER", site)
		}
		if err := x.addFolder(address, folder); err != nil {
			return err
		}
	}
	server := &http.Server{Addr: listen, Handler: x, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	fmt.Fprintf(os.Stderr, "rig: %d pages of %d sites on %s\n", len(x.pages), len(sites), listen)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

// perAnswer is how many pages one answer lists.
const perAnswer = 10

// ServeHTTP answers /?q=QUERY&p=PAGE&by=title|text, pages counted from 1.
func (x *index) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number := 1
	if _, err := fmt.Sscan(r.FormValue("p"), &number); err != nil || number < 1 || number > 10 {
		number = 1
	}
	hits := x.find(r.FormValue("q"), r.FormValue("by") == "title", number*perAnswer)
	hits = hits[min(len(hits), (number-1)*perAnswer):]
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(map[string]any{"results": hits}); err != nil {
		return // the client has gone
	}
}
