package search

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestPitfallsNameTestsThatExist(t *testing.T) {
	list, err := os.ReadFile("pitfalls.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, name := range append(files, more...) {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(b)
	}
	names := regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(list), -1)
	if len(names) < 28 {
		t.Errorf("the list names %d tests", len(names))
	}
	for _, n := range names {
		if !strings.Contains(tests.String(), "func "+n[1]+"(") {
			t.Errorf("there is no %s", n[1])
		}
	}
}

func TestRawTextSurvivesMerging(t *testing.T) {
	page := hitOf("Tides", "https://x.example/", "Tides.")
	full := page
	full.Raw = "# Tides\n\nAll about tides."
	got := mustSearch(t, start(t, Options{}, returns("a", Capabilities{}, page), returns("b", Capabilities{}, full)), aboutTides)
	if len(got.Results) != 1 || got.Results[0].Raw != full.Raw {
		t.Errorf("got %+v", got.Results)
	}
}

func TestRawTextStaysOutOfJSON(t *testing.T) {
	b, err := json.Marshal(Answer{Results: []Result{{Title: "Tides", Raw: "the whole page"}}})
	if err != nil || strings.Contains(string(b), "whole page") {
		t.Errorf("%s (%v)", b, err)
	}
	q := Query{Text: "tides"}
	r, err := New(Options{}).read(q)
	if err != nil {
		t.Fatal(err)
	}
	if shaped, _, _ := r.shape(Capabilities{FullText: true}); shaped.FullText {
		t.Error("full text is asked for although nobody wants it")
	}
}
