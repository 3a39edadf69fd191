package rank

import (
	"fmt"
	"testing"
)

// TestSimhashCountsBits: the fingerprint is the majority of each bit, for lists
// longer than a byte can count, too.
func TestSimhashCountsBits(t *testing.T) {
	var terms []string
	for n := range 1100 {
		terms = append(terms, fmt.Sprint("term", n*n%977))
		if n > 10 && n%97 != 0 {
			continue
		}
		shingles := max(1, len(terms)-shingle+1)
		var votes [64]int
		for i := range shingles {
			h := hash(terms[i:min(i+shingle, len(terms))])
			for bit := range votes {
				votes[bit] += int(h>>bit&1)<<1 - 1
			}
		}
		var want uint64
		for bit, v := range votes {
			if v > 0 {
				want |= 1 << bit
			}
		}
		if got := Simhash(terms); got != want {
			t.Fatalf("%d terms: %x, want %x", len(terms), got, want)
		}
	}
}
