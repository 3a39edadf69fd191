package write

import (
	"slices"
	"strings"
	"testing"

	"deepresearch/internal/text"
	"deepresearch/research"
)

// FuzzJoinedLines: whatever a model writes, a line names what it names once, and
// nothing that was not shown is joined.
func FuzzJoinedLines(f *testing.F) {
	for _, s := range []string{
		"The bridge was opened in 1931. [L1, N2]", "- a [N1] [N2].", `{"text":"a","from":["L1","N1"]}`, "```json\n{\"lines\":[{\"text\":\"a\",\"from\":[\"L1\"]}]}\n```",
		`{"text":"string","from":["string"]}`, "[[[L1]]]", "{{{{", "NOTHING TO JOIN", "\x00[L1]", "a [L99999999999999999999]",
	} {
		f.Add(s)
	}
	shown := notes{known: map[string]research.Known{
		"L1": {Says: "The bridge was opened in 1931.", Passages: []research.Passage{{SHA256: "a", Span: text.Span{Start: 1, End: 2}}}},
		"N1": {Says: "It is 412 metres long.", Passages: []research.Passage{{SHA256: "b", Span: text.Span{Start: 3, End: 4}}}},
	}}
	f.Fuzz(func(t *testing.T, answer string) {
		for _, line := range joinedLines(answer) {
			if len(line.names) == 0 || len(slices.Compact(slices.Clone(line.names))) != len(line.names) {
				t.Errorf("names %q", line.names)
			}
			k, ok := shown.join(line)
			if !ok {
				continue
			}
			if len(k.Passages) != len(line.names) || !figuresFrom(k.Says, "The bridge was opened in 1931. It is 412 metres long.") {
				t.Errorf("%q was joined as %+v", answer, k)
			}
		}
	})
}

func TestForeignFigures(t *testing.T) {
	for code, want := range map[string][]string{
		`result("Share", round(100 * inputs["a"] / inputs["b"], 1), unit="%")`: nil,
		`x = 412 * 3200000`:                         nil, // both stand in the sources
		`x = a * 1.083`:                             {"1.083"},
		`x = 7_500 + 1e3`:                           {"7_500"},
		`table("T", ["2019"], [[a]])`:               {"2019"},
		"x = a # 77 is only a remark":               nil,
		"x2 = a12345 + b.c99":                       nil, // names
		`result("Grew by 45 %", inputs["a"])`:       {"45"},
		`x = [31, 365, 366, 24, 60, 60 * 60][a[0]]`: {"31"},
	} {
		got := foreign(code, []string{"It is 412 metres long and cost 3.2 million crowns."})
		if !slices.Equal(got, want) {
			t.Errorf("%s: figures of its own %q, want %q", code, got, want)
		}
	}
}

func TestValues(t *testing.T) {
	for said, want := range map[string]any{
		"412": 412.0, "3.2 million": 3.2e6, "1,240.5": 1240.5, "12 %": 12.0, "1.2亿": 1.2e8, "2024-03-01": "2024-03-01", "Oldby": "Oldby", `"x"`: "x",
	} {
		if got, err := valueOf(said); err != nil || got != want {
			t.Errorf("%q is read as %v (%v), want %v", said, got, err, want)
		}
	}
	for _, bad := range []string{"", "between 3 and 4 metres", "[1,", "{"} {
		if got, err := valueOf(bad); err == nil {
			t.Errorf("%q is read as %v", bad, got)
		}
	}
	if !stands([]any{map[string]any{"year": 1931.0, "name": "x"}}, []string{"opened in 1931"}) || stands([]any{1931.0, 7.0}, []string{"opened in 1931"}) {
		t.Error("the figures of a table are not held to the passages")
	}
}

func TestSmallTalk(t *testing.T) {
	for s, want := range map[string]bool{"hello": true, "Hi, thanks a lot!": true, "谢谢！": true, "": false, "Thanksgiving traditions": false, "hi-fi": false, strings.Repeat("hi ", 50): true} {
		if smallTalk(s) != want {
			t.Errorf("%q is small talk: %v, want %v", s, !want, want)
		}
	}
}
