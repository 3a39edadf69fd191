package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/scripted"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

func TestMain(m *testing.M) {
	if child() {
		return
	}
	testscript.Main(m, map[string]func(){"mcp-server": func() { os.Exit(start()) }, "tide-server": tideServer})
}

// TestScripts runs the transcripts of testdata/script: each is the command line
// as a person uses it, with the files it needs.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: *update,
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"code": code, "asked": asked, "release": release, "run-id": runID},
		Setup: func(env *testscript.Env) error {
			mux := http.NewServeMux()
			mux.HandleFunc("/search", answer)
			mux.HandleFunc("/reno.html", page)
			slow := &slowInstance{asked: make(chan struct{}, 100), released: make(chan struct{})}
			env.Values["slow"] = slow
			mux.Handle("/slow/search", slow)
			mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("User-agent: *\nDisallow: /\n")) })
			mux.Handle("/v1/", scripted.Handler(planningModel()))
			instance := httptest.NewServer(mux)
			env.Defer(instance.Close)
			docs := httptest.NewServer(http.HandlerFunc(manual))
			env.Defer(docs.Close)
			env.Setenv("SITE", docs.URL)
			env.Setenv("SITEPORT", strings.TrimPrefix(docs.URL, "http://"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("TMPDIR", env.WorkDir)
			env.Setenv("INSTANCE", instance.URL)
			env.Setenv("HOSTPORT", strings.TrimPrefix(instance.URL, "http://"))
			return nil
		},
	})
}

// runID sets RUN to the id of the run in a structured result: run-id FILE.
func runID(ts *testscript.TestScript, _ bool, args []string) {
	var run struct {
		ID string `json:"run_id"`
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &run))
	ts.Setenv("RUN", run.ID)
}

// code runs a command that must end with an exit code: code 2 mcp-server ...
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [argument...]")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// slowInstance is a SearXNG that answers when it is released.
type slowInstance struct{ asked, released chan struct{} }

func (s *slowInstance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked <- struct{}{}
	select {
	case <-s.released:
	case <-r.Context().Done():
	}
	answer(w, r)
}

// asked waits until the slow instance has been asked.
func asked(ts *testscript.TestScript, _ bool, _ []string) {
	select {
	case <-ts.Value("slow").(*slowInstance).asked:
	case <-time.After(time.Minute):
		ts.Fatalf("nobody asked")
	}
}

// release lets the slow instance answer.
func release(ts *testscript.TestScript, _ bool, _ []string) {
	close(ts.Value("slow").(*slowInstance).released)
}

// answer is a SearXNG with two pages about congestion control: the first two
// results of a real one, shortened.
func answer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.FormValue("q") != "tcp congestion control" {
		_, _ = w.Write([]byte(`{"query":"","results":[],"unresponsive_engines":[]}`))
		return
	}
	_, _ = w.Write([]byte(`{"query":"tcp congestion control","results":[
{"title":"TCP Congestion Control","url":"https://www.rfc-editor.org/rfc/rfc5681.html","content":"Four intertwined TCP congestion control algorithms: slow start and others.","engine":"a","score":3.0},
{"title":"Congestion Control Principles","url":"https://www.rfc-editor.org/rfc/rfc2914.html","content":"Why TCP congestion control matters to the Internet.","engine":"a","score":1.0}],
"unresponsive_engines":[]}`))
}

// page is a page about congestion control that robots.txt keeps for people.
func page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(`<!doctype html><html lang="en"><head><title>TCP Reno</title></head><body><main><h1>TCP Reno</h1>
<p>TCP Reno halves its congestion window when three duplicate acknowledgements arrive, and it resends the lost segment at once.</p>
<p>After a timeout it falls back to slow start, in which the window doubles with every round trip until the threshold is reached.</p>
</main></body></html>`))
}

// manual is a site with a start page, two pages below it and a sitemap.
func manual(w http.ResponseWriter, r *http.Request) {
	const head = `<!doctype html><html lang="en"><head><title>%s</title></head><body><main><h1>%s</h1><p>%s</p></main></body></html>`
	switch r.URL.Path {
	case "/docs/":
		_, _ = fmt.Fprintf(w, head, "Manual", "Manual", `The manual has a page about <a href="window">the congestion window</a> and one about <a href="timer">the retransmission timer</a>.`)
	case "/docs/window":
		_, _ = fmt.Fprintf(w, head, "Window", "The congestion window", "The congestion window is halved when three duplicate acknowledgements arrive.")
	case "/docs/timer":
		_, _ = fmt.Fprintf(w, head, "Timer", "The retransmission timer", "The retransmission timer starts at one second and doubles after each timeout.")
	case "/sitemap.xml":
		_, _ = fmt.Fprintf(w, "<urlset><url><loc>http://%s/docs/timer</loc><lastmod>2026-03-04</lastmod></url></urlset>", r.Host)
	default:
		http.NotFound(w, r)
	}
}

// planningModel is a model that divides a question about a bridge into finding
// and computing, and writes the program for it. Of the rest it says what fits.
func planningModel() llm.Model {
	metres := regexp.MustCompile(`\[(S\d+\.q\d+)\][^\n]*412 metres`)
	return scripted.New(scripted.Options{Answer: func(r llm.Request) string {
		switch schema := string(r.Schema); {
		case strings.Contains(schema, `"depends_on"`):
			return `{"enough":false,"title":"The bridge","tasks":[{"id":"t1","kind":"RESEARCH","title":"Length and width of the Varn Bridge","queries":["Varn Bridge length width"]},
				{"id":"t2","kind":"compute","title":"Area of the deck","depends_on":["t1"]}]}`
		case strings.Contains(schema, `"code"`):
			m := metres.FindStringSubmatch(r.Messages[0].Text)
			if m == nil {
				return `{"inputs":[],"code":""}`
			}
			return `{"inputs":[{"name":"length","value":"412","from":["` + m[1] + `"]},{"name":"width","value":"9","from":["` + m[1] + `"]}],
				"code":"result(\"Area of the deck\", inputs[\"length\"] * inputs[\"width\"], unit=\"square metres\")"}`
		}
		return ""
	}})
}
