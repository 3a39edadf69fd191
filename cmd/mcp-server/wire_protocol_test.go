package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// speaker sends one message and returns the answer, or nothing for a
// notification.
type speaker interface {
	say(t *testing.T, message []byte) []byte
}

// TestWire plays the transcripts of testdata/wire against the whole program, byte
// for byte as hosts write, over both transports. The answers must be the same.
func TestWire(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "wire", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for name, start := range map[string]func(*testing.T, ...string) speaker{"stdio": startStdio, "http": startHTTP} {
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) {
				play(t, file, start(t))
			})
		}
	}
}

func play(t *testing.T, file string, s speaker) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var told []byte
	for i, f := range archive.Files {
		if strings.Contains(f.Name, ".client") {
			told = s.say(t, bytes.TrimSpace(f.Data))
			continue
		}
		got := normal(t, told)
		if *update {
			archive.Files[i].Data = got
		} else if diff := cmp.Diff(string(f.Data), string(got)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", file, f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// normal indents an answer and leaves out what other tests look at.
func normal(t *testing.T, answer []byte) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(answer, &v); err != nil {
		t.Fatalf("%v in %q", err, answer)
	}
	abridge(v)
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(changing.ReplaceAll(out, []byte("...")), '\n')
}

// changing is what differs from run to run.
var changing = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

func abridge(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, child := range v {
			switch key {
			case "inputSchema", "outputSchema", "description", "instructions", "_meta", "annotations":
				v[key] = "..."
			default:
				abridge(child)
			}
		}
	case []any:
		for _, child := range v {
			abridge(child)
		}
	}
}

// offlineFlags keep a server of a test off the network and in its own folder.
func offlineFlags(t *testing.T, more []string) []string {
	t.Helper()
	return append([]string{"--offline", "--data-dir", t.TempDir()}, more...)
}

// over runs the program with a command until the test ends. Arguments that set a
// variable go into its environment.
func over(t *testing.T, in io.Reader, out, complaints io.Writer, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	env := []string{"HOME=" + t.TempDir()}
	args = slices.DeleteFunc(args, func(a string) bool {
		variable := strings.HasPrefix(a, "DEEPRESEARCH_")
		if variable {
			env = append(env, a)
		}
		return variable
	})
	p := process{ctx: ctx, in: in, out: out, err: complaints, env: env, exit: func(int) {}}
	ended := make(chan int, 1)
	go func() { ended <- p.run(args) }()
	t.Cleanup(func() {
		cancel()
		select {
		case code := <-ended:
			if code != 0 {
				t.Errorf("exit code %d", code)
			}
		case <-time.After(30 * time.Second):
			t.Error("the server does not end")
		}
	})
}

type stdioSpeaker struct {
	in  io.Writer
	out *bufio.Reader
}

func startStdio(t *testing.T, more ...string) speaker {
	t.Helper()
	theirs, in := io.Pipe()
	out, ours := io.Pipe()
	over(t, theirs, ours, t.Output(), append([]string{"stdio"}, offlineFlags(t, more)...)...)
	return stdioSpeaker{in, bufio.NewReader(out)}
}

func (s stdioSpeaker) say(t *testing.T, message []byte) []byte {
	t.Helper()
	if _, err := s.in.Write(append(message, '\n')); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(message, []byte(`"id"`)) {
		return nil
	}
	return s.answer(t)
}

// answer is the next message that answers one of ours. Everything on the wire
// must be JSON-RPC.
func (s stdioSpeaker) answer(t *testing.T) []byte {
	t.Helper()
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var m struct{ JSONRPC, Method string }
		if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC != "2.0" {
			t.Fatalf("not JSON-RPC: %q", line)
		}
		if m.Method == "" {
			return line
		}
	}
}

type httpSpeaker struct {
	url     string
	token   string
	session string
}

func startHTTP(t *testing.T, more ...string) speaker {
	t.Helper()
	lines, complaints := io.Pipe()
	over(t, nil, io.Discard, complaints, append([]string{"http", "--listen", "127.0.0.1:0"}, offlineFlags(t, more)...)...)
	read := bufio.NewReader(lines)
	for {
		line, err := read.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if url, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on "); ok {
			go func() { _, _ = io.Copy(io.Discard, read) }()
			return &httpSpeaker{url: url}
		}
	}
}

func (s *httpSpeaker) say(t *testing.T, message []byte) []byte {
	t.Helper()
	res := s.post(t, message, nil)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		s.session = id
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		events := strings.Split(strings.TrimSpace(string(body)), "\n\n")
		_, last, _ := strings.Cut(events[len(events)-1], "data: ")
		return []byte(last)
	}
	return body
}

func (s *httpSpeaker) post(t *testing.T, message []byte, header map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, bytes.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	s.name(req, message)
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	for k, v := range header {
		if k == "Host" {
			req.Host = v
		}
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// name sets the headers of the era that a message belongs to.
func (s *httpSpeaker) name(req *http.Request, message []byte) {
	var m struct {
		Method string
		Params struct{ Name, TaskID string }
	}
	if !bytes.Contains(message, []byte("2026-07-28")) || json.Unmarshal(message, &m) != nil {
		if s.session != "" {
			req.Header.Set("Mcp-Session-Id", s.session)
		}
		return
	}
	req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	req.Header.Set("Mcp-Method", m.Method)
	if name := m.Params.Name + m.Params.TaskID; name != "" {
		req.Header.Set("Mcp-Name", name)
	}
}
