package citations

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// plantedPair is a line of testdata/planted.
type plantedPair struct {
	ID      int    `json:"id"`
	Lang    string `json:"lang"`
	Aspect  string `json:"aspect"`
	Subject string `json:"subject"`
	A       string `json:"a"`
	B       string `json:"b"`
}

// heldOut reports whether no rule may be written to fit the pair.
func (p plantedPair) heldOut() bool { return p.ID%2 == 0 }

// disagrees reports whether the pair's passages, quoted from two sources, are
// found to disagree.
func (p plantedPair) disagrees(t *testing.T) bool {
	t.Helper()
	l := NewLedger()
	for i, page := range []string{p.A, p.B} {
		id, err := l.AddSource(Source{URL: fmt.Sprintf("https://host%d.example/", i), Site: fmt.Sprintf("Host %d", i)}, page)
		if err != nil {
			t.Fatal(err)
		}
		addQuote(t, l, id, page, page)
	}
	found := Disagreements(l.Sources())
	for _, d := range found {
		quotes := []string{d.Sides[0].Quote, d.Sides[1].Quote}
		slices.Sort(quotes)
		if want := slices.Sorted(slices.Values([]string{p.A, p.B})); !slices.Equal(quotes, want) {
			t.Errorf("%d: sides are not the two passages: %+v", p.ID, d)
		}
	}
	return len(found) > 0
}

func plantedPairs(t *testing.T, name string) []plantedPair {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "planted", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var pairs []plantedPair
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var p plantedPair
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// The floors are what was measured, one pair less.
func TestPlantedPairs(t *testing.T) {
	for _, c := range []struct {
		file         string
		conflict     bool
		tuning, held int // found to disagree: at least in a conflict, at most in a qualification
	}{
		{"conflicts.jsonl", true, 28, 20},
		{"qualifications.jsonl", false, 1, 4},
	} {
		var found, of [2]int // tuning, held out
		for _, p := range plantedPairs(t, c.file) {
			half := 0
			if p.heldOut() {
				half = 1
			}
			of[half]++
			if p.disagrees(t) {
				found[half]++
			}
			if !p.heldOut() && c.conflict != p.disagrees(t) {
				t.Logf("%s %d %s %s: %q / %q", c.file, p.ID, p.Lang, p.Aspect, p.A, p.B)
			}
		}
		t.Logf("%s: found to disagree %d of %d (tuning), %d of %d (held out)", c.file, found[0], of[0], found[1], of[1])
		for half, bound := range [2]int{c.tuning, c.held} {
			if c.conflict && found[half] < bound || !c.conflict && found[half] > bound {
				t.Errorf("%s, half %d: %d of %d, bound %d", c.file, half, found[half], of[half], bound)
			}
		}
	}
}
