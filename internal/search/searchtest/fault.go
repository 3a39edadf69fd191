package searchtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
)

// fault is one way for a server to fail, and what an engine makes of it.
type fault struct {
	name  string
	serve func(w http.ResponseWriter, good string)
	kind  search.Kind
	wait  time.Duration
}

var faults = []fault{
	{"400", status(400, nil), search.BadQuery, 0},
	{"401", status(401, nil), search.Auth, 0},
	{"402", status(402, nil), search.Quota, 0},
	{"403", status(403, nil), search.Auth, 0},
	{"404", status(404, nil), search.LayoutChanged, 0},
	{"429", status(429, nil), search.Rate, 0},
	{"429 with Retry-After", status(429, map[string]string{"Retry-After": "7"}), search.Rate, 7 * time.Second},
	{"500", status(500, nil), search.Network, 0},
	{"503 with Retry-After", status(503, map[string]string{"Retry-After": "90"}), search.Rate, 90 * time.Second},
	{"504", status(504, nil), search.Timeout, 0},
	{"cut", cut, search.Network, 0},
	{"hung up", hangUp, search.Network, 0},
	{"another page", anotherPage, search.LayoutChanged, 0},
	{"nothing at all", func(http.ResponseWriter, string) {}, search.LayoutChanged, 0},
	{"endless", endless, search.LayoutChanged, 0},
}

func status(code int, header map[string]string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(code)
		io.WriteString(w, "that did not work")
	}
}

// cut ends the answer before the length that its header promised.
func cut(w http.ResponseWriter, good string) {
	w.Header().Set("Content-Length", "1000000")
	io.WriteString(w, good[:len(good)/2])
}

func hangUp(http.ResponseWriter, string) { panic(http.ErrAbortHandler) }

// anotherPage is what a captive portal or a parked domain sends.
func anotherPage(w http.ResponseWriter, _ string) {
	w.Header().Set("Content-Type", "text/html")
	io.WriteString(w, "<html><title>Welcome</title><body><p>Please <a href='/login'>log in</a>.</p></body></html>")
}

func endless(w http.ResponseWriter, _ string) {
	line := strings.Repeat("x", 1<<16)
	for range wire.MaxAnswer/len(line) + 2 {
		if _, err := io.WriteString(w, line); err != nil {
			return
		}
	}
}

// damaged returns broken variants of an answer: cut at several places, and for
// JSON every value in turn replaced by null and by values of other types.
func damaged(good string) []string {
	var out []string
	for i := 1; i < 8; i++ {
		out = append(out, good[:len(good)*i/8])
	}
	var document any
	if json.Unmarshal([]byte(good), &document) != nil {
		return append(out, strings.ReplaceAll(good, "href", "data-href"), strings.ReplaceAll(good, "class", "data-class"))
	}
	for _, other := range []any{nil, "text", 7.5, true, map[string]any{}, []any{}} {
		replaceEach(document, other, func() {
			b, err := json.Marshal(document)
			if err == nil {
				out = append(out, string(b))
			}
		})
	}
	return append(out, "null", "[]", "{}", `"text"`, "7")
}

// replaceEach puts other in place of each value below v in turn, calls visit,
// and puts the value back.
func replaceEach(v, other any, visit func()) {
	switch v := v.(type) {
	case map[string]any:
		for name, old := range v {
			v[name] = other
			visit()
			v[name] = old
			replaceEach(old, other, visit)
		}
	case []any:
		for i, old := range v {
			v[i] = other
			visit()
			v[i] = old
			replaceEach(old, other, visit)
		}
	}
}
