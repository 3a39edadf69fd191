package extract

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/research"
)

func TestDefines(t *testing.T) {
	for _, test := range []struct {
		question, sentence string
		want               float64
	}{
		{"What is a tombstone?", "A tombstone is a marker that a file was deleted.", 1},
		{"What is a tombstone?", "A tombstone is dropped after 90 days.", 0.4},
		{"What is a tombstone?", "Old devices keep every tombstone for months.", 0},
		{"What is split brain?", "Split brain occurs when two devices disagree.", 1},
		{"What does delta mean?", "**Delta** means the list of blocks that differ.", 1},
		{"What is a relay?", "By relay we mean a public host.", 1},
		{"Was ist ein Lastabwurf?", "Ein Lastabwurf ist das gezielte Abschalten einzelner Verbraucher.", 1},
		{"Qu'est-ce que la dérive d'horloge ?", "On appelle dérive d'horloge l'écart entre deux appareils.", 1},
		{"什么是冷数据？", "冷数据是指超过一年没有被访问的数据。", 1},
		{"差分同期とは何ですか？", "差分同期とは、変更された部分だけを送る同期方式のことである。", 1},
	} {
		if got := fitting(test.sentence, research.Facet{Title: test.question}); got != test.want {
			t.Errorf("%q for %q: fit %.1f, want %.1f", test.sentence, test.question, got, test.want)
		}
	}
}

func TestFitting(t *testing.T) {
	for _, test := range []struct {
		question, sentence string
		fits               bool
	}{
		{"How tall is the tower?", "The tower is 120 metres tall.", true},
		{"How tall is the tower?", "The tower was built in 1871.", false},
		{"How heavy is it?", "It weighs 2,900 tonnes.", true},
		{"Why is it late?", "It is late because the installer failed.", true},
		{"Why is it late?", "It is late.", false},
		{"Warum ist es spät?", "Es ist spät, weil der Bus ausfiel.", true},
		{"为什么延迟上升？", "这是因为索引没有更新。", true},
		{"How do I reset the database?", "Stop the service and delete the folder.", true},
	} {
		if got := fitting(test.sentence, research.Facet{Title: test.question}) > 0; got != test.fits {
			t.Errorf("%q for %q: fits %t, want %t", test.sentence, test.question, got, test.fits)
		}
	}
}

func TestFields(t *testing.T) {
	for s, want := range map[string][]string{
		"Date: 2025-03-04 Attendees: Ana, Bo Location: Room 4": {"Date: 2025-03-04", "Attendees: Ana, Bo", "Location: Room 4"},
		"日期：2025年3月18日 参加人：王芳、李强":                              {"日期：2025年3月18日", "参加人：王芳、李强"},
		"Stand: 3. September 2025":                             {"Stand: 3. September 2025"},
		"Decision: we keep SQLite.":                            nil,
		"Date formats differ: ISO is the safest one.":          nil,
	} {
		var got []string
		for _, f := range fields(s) {
			got = append(got, f.In(s))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: fields (-want +got)\n%s", s, diff)
		}
	}
}

func TestStamps(t *testing.T) {
	for line, want := range map[string]bool{
		"[1.2.0] - 2025-03-04": true, "4 March 2025: kickoff": true, "4. März 2025": true, "2025年3月4日": true,
		"Datum: 4. März 2025 Teilnehmer: Jana": true, "The beta goes out on 17 March 2025.": false, "Plans for 2025": false,
		"2025-03-04 | kite | Helsinki": false,
	} {
		if _, got := stampOf(line); got != want {
			t.Errorf("%q holds for what is below: %t, want %t", line, got, want)
		}
	}
}

func TestPhrasesAreWhole(t *testing.T) {
	var got []string
	for _, p := range phrasesIn("There are no out-of-thin-air values in the sequentially consistent atomics.") {
		if !p.open {
			got = append(got, p.shown)
		}
	}
	want := []string{"out-of-thin-air values", "sequentially consistent atomics"}
	for _, w := range want {
		found := false
		for _, g := range got {
			found = found || g == w
		}
		if !found {
			t.Errorf("%q is not among %q", w, got)
		}
	}
	for _, g := range got {
		if g == "air values" || g == "consistent atomics" {
			t.Errorf("%q is a part of a phrase", g)
		}
	}
}

func FuzzFields(f *testing.F) {
	for _, s := range []string{"Date: 2025-03-04", "Date:", "日期：", "A: B: C:", "\xff: x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, x := range fields(s) {
			if x.Start < 0 || x.End > len(s) || x.Start > x.End {
				t.Fatalf("%q: field %v reaches outside", s, x.Span)
			}
		}
		for _, x := range lines(s) {
			if x.Start < 0 || x.End > len(s) || x.Start > x.End {
				t.Fatalf("%q: line %v reaches outside", s, x)
			}
		}
		stamps(s)
		columns(s, len(s)/2)
	})
}
