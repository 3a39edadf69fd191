package examples_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"deepresearch/examples"
)

// texts returns the documents by file name, HTML without its tags, white space
// runs as one space.
func texts(t *testing.T) map[string]string {
	t.Helper()
	names, err := fs.Glob(examples.Documents, "documents/*")
	if err != nil {
		t.Fatal(err)
	}
	tag := regexp.MustCompile(`<[^>]*>`)
	all := make(map[string]string, len(names))
	for _, name := range names {
		raw, err := fs.ReadFile(examples.Documents, name)
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(raw) {
			t.Errorf("%s is not valid UTF-8", name)
		}
		text := string(raw)
		if path.Ext(name) == ".html" {
			text = html.UnescapeString(tag.ReplaceAllString(text, " "))
		}
		all[path.Base(name)] = strings.Join(strings.Fields(text), " ")
	}
	return all
}

func TestDocumentsAreMixedAndDated(t *testing.T) {
	formats := map[string]int{}
	dated := regexp.MustCompile(`(?:\ndate: |published_time" content="|datePublished":"|\nOrdering Notes, )20\d\d-\d\d-\d\d`)
	for name := range texts(t) {
		ext := path.Ext(name)
		formats[ext]++
		if ext == ".csv" || ext == ".json" {
			continue
		}
		raw, err := examples.Documents.ReadFile("documents/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !dated.Match(raw) {
			t.Errorf("%s carries no date", name)
		}
	}
	for _, ext := range []string{".md", ".html", ".txt", ".csv", ".json"} {
		if formats[ext] == 0 {
			t.Errorf("no %s document", ext)
		}
	}
}

func TestTablesParse(t *testing.T) {
	f, err := examples.Documents.Open("documents/go-releases.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll() // every row as wide as the first
	if err != nil || len(rows) < 2 {
		t.Errorf("go-releases.csv: %d rows, %v", len(rows), err)
	}

	raw, err := examples.Documents.ReadFile("documents/language-memory-models.json")
	if err != nil {
		t.Fatal(err)
	}
	var languages []map[string]any
	if err := json.Unmarshal(raw, &languages); err != nil || len(languages) == 0 {
		t.Errorf("language-memory-models.json: %d languages, %v", len(languages), err)
	}
}

func TestLinksBetweenDocumentsHold(t *testing.T) {
	link := regexp.MustCompile(`(?:\]\(|href=")([a-z0-9-]+\.(?:md|html|txt|csv|json))[)"]`)
	all := texts(t)
	for name := range all {
		raw, err := examples.Documents.ReadFile("documents/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(raw), -1) {
			if _, ok := all[m[1]]; !ok {
				t.Errorf("%s links to %s, which does not exist", name, m[1])
			}
		}
	}
}

// A question of questions.json, asked of the documents alone.
type question struct {
	Question    string   `json:"question"`
	Language    string   `json:"language"`     // BCP 47
	MustContain []string `json:"must_contain"` // each in the answer, verbatim
	MustCite    []string `json:"must_cite"`    // file names, each cited
}

func TestQuestionsCanBeAnswered(t *testing.T) {
	f, err := os.Open("questions.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var questions []question
	dec := json.NewDecoder(f)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&questions); err != nil {
		t.Fatal(err)
	}
	all := texts(t)
	for _, q := range questions {
		if q.Question == "" || q.Language == "" || len(q.MustContain) == 0 {
			t.Errorf("%+v lacks a field", q)
		}
		var cited []string
		for _, name := range q.MustCite {
			if all[name] == "" {
				t.Errorf("%q must cite %s, which does not exist", q.Question, name)
			}
			cited = append(cited, all[name])
		}
		for _, want := range q.MustContain {
			if !slices.ContainsFunc(cited, func(text string) bool { return strings.Contains(text, want) }) {
				t.Errorf("%q: no document of %v contains %q", q.Question, q.MustCite, want)
			}
		}
	}
}

func Example() {
	entries, err := fs.ReadDir(examples.Documents, "documents")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(entries[0].Name())
	// Output: common-go-races.md
}
