package main

import (
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mcp-server": func() { os.Exit(start()) }})
}

// TestScripts runs the transcripts of testdata/script: each is the command line
// as a person uses it, with the files it needs.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: *update,
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"code": code},
		Setup: func(env *testscript.Env) error {
			instance := httptest.NewServer(http.HandlerFunc(answer))
			env.Defer(instance.Close)
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("TMPDIR", env.WorkDir)
			env.Setenv("INSTANCE", instance.URL)
			return nil
		},
	})
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
