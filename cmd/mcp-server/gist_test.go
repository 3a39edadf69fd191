package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func gistOf(text string, step int) *gist {
	g := &gist{}
	for ; len(text) > step; text = text[step:] {
		g.add([]byte(text[:step]))
	}
	g.add([]byte(text))
	return g
}

func TestRefusalHasTheID(t *testing.T) {
	long := strings.Repeat(`a\\\"\u00e9\n`, 100_000)
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"text":"` + long + `"}}`:                  `7`,
		`{"method":"tools/call","params":{"id":1,"text":"` + long + `"},"jsonrpc":"2.0","id":"seven"}`:     `"seven"`,
		`{"params":{"documents":[{"text":"` + long + `\",\"id\":3}"}]},"jsonrpc":"2.0","id": 7 }` + "\r\n": `7`,
		`{"method":"notifications/message","params":{"text":"` + long + `"}}`:                              `null`,
		`{"id":"` + long + `"}`:      `null`,
		strings.Repeat("[", 100_000): `null`,
		`{"jsonrpc":"2.0","id":7,"params":"` + strings.Repeat("é", 100_000): `null`,
	} {
		for _, step := range []int{1, 4096, len(message)} {
			answer, err := json.Marshal(gistOf(message, step).refusal())
			if err != nil || !strings.Contains(string(answer), `"id":`+want+`,`) || !strings.Contains(string(answer), "at most 64 MB") {
				t.Errorf("%.60s is answered %s, %v, want the id %s", message, answer, err, want)
			}
		}
	}
}

// FuzzGist checks that the gist of JSON is JSON.
func FuzzGist(f *testing.F) {
	f.Add(`{"a":"b\u00e9\\","id":1}`)
	f.Add(`["` + strings.Repeat(`\u1234`, 50) + `"]`)
	f.Fuzz(func(t *testing.T, text string) {
		if g := gistOf(text, 7); json.Valid([]byte(text)) && len(g.kept) < maxGist && !json.Valid(g.kept) {
			t.Errorf("the gist of %q is %q", text, g.kept)
		}
	})
}

// Many documents pass; beyond the limit the answer has
// the id of the request.
func TestLongMessages(t *testing.T) {
	s, ok := startStdio(t).(stdioSpeaker)
	if !ok {
		t.Fatal("no stdio")
	}
	shake(t, s)
	for megabytes, want := range map[int]string{20: "documents[0]", 70: "at most 64 MB"} {
		document := fmt.Sprintf(`{"name":"a.md","text":"%s"},`, strings.Repeat(" ", 1<<20))
		in := bufio.NewWriter(s.in)
		fmt.Fprint(in, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"deep_research","arguments":{"question":"q","documents":[`)
		for range megabytes - 1 {
			fmt.Fprint(in, document)
		}
		fmt.Fprint(in, strings.TrimSuffix(document, ","), `]}},"id":77}`+"\n")
		if err := in.Flush(); err != nil {
			t.Fatal(err)
		}
		if answer := string(s.answer(t)); !strings.Contains(answer, `"id":77`) || !strings.Contains(answer, want) {
			t.Errorf("%d MB are answered %.300s", megabytes, answer)
		}
	}
}
