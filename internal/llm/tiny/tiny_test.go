package tiny

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

var texts = []string{
	"x",
	"The capital of France is Paris [S1.q1].",
	`{"queries":["how tall is it","how tall was it"],"rationale":"how tall is it"}`,
	"Zürich 北京 " + strings.Repeat("the same words ", 40),
}

// TestSpeaksItsText follows the table from the opening of the assistant's turn,
// as an engine at temperature 0 does.
func TestSpeaksItsText(t *testing.T) {
	for _, says := range texts {
		v := newVocabulary(says)
		var said strings.Builder
		last := v.model
		for range len(says) + 2 {
			best, logit := -1, float32(0)
			for next, l := range v.follow(last) {
				if l > logit {
					best, logit = next, l
				}
			}
			if best == end {
				break
			}
			said.WriteString(v.texts[best])
			last = best
		}
		if said.String() != says {
			t.Errorf("it says %q, want %q", said.String(), says)
		}
	}
}

func TestTokensAreDifferent(t *testing.T) {
	for _, says := range texts {
		seen := map[string]bool{}
		for _, token := range newVocabulary(says).texts {
			if seen[token] {
				t.Errorf("%.30q: the token %q comes twice", says, token)
			}
			seen[token] = true
		}
	}
}

func TestFile(t *testing.T) {
	for _, says := range texts {
		var b bytes.Buffer
		n, err := Model{Name: "tiny", Says: says}.WriteTo(&b)
		if err != nil || n != int64(b.Len()) || n%alignment != 0 {
			t.Fatalf("%d bytes, %v", n, err)
		}
		head := b.Bytes()[:24]
		if string(head[:4]) != "GGUF" || binary.LittleEndian.Uint32(head[4:]) != 3 || binary.LittleEndian.Uint64(head[8:]) != 12 {
			t.Errorf("header % x", head)
		}
		if n > 8<<20 {
			t.Errorf("%.30q makes a file of %d bytes", says, n)
		}
	}
	for _, says := range []string{"", " \n", strings.Repeat("x", 17<<10), "\xff"} {
		if _, err := (Model{Says: says}).WriteTo(&bytes.Buffer{}); err == nil {
			t.Errorf("%.10q was accepted", says)
		}
	}
}

func FuzzPieces(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seen := map[string]bool{}
		parts := pieces(text)
		for _, p := range parts {
			if seen[p] || p == "" {
				t.Errorf("%q is cut into %q", text, parts)
			}
			seen[p] = true
		}
		if strings.Join(parts, "") != text {
			t.Errorf("%q is cut into %q", text, parts)
		}
	})
}
