package rank

import "math/bits"

// shingle is how many terms in a row make one feature of a simhash. Three keeps
// word order in the fingerprint and still survives small edits.
const shingle = 3

// Simhash is the 64-bit fingerprint of a text's terms (Charikar, STOC 2002) over
// its 3-term shingles: texts that differ little have fingerprints that differ in
// few bits. Manku, Jain & Das Sarma (WWW 2007) call web pages within 3 bits near
// duplicates; short texts need more room. Shorter lists are one shingle; no
// terms give 0.
func Simhash(terms []string) uint64 {
	var votes [64]int
	for i := 0; i < max(1, len(terms)-shingle+1) && i < len(terms); i++ {
		h := hash(terms[i:min(i+shingle, len(terms))])
		for bit := range votes {
			votes[bit] += int(h>>bit&1)<<1 - 1
		}
	}
	var fingerprint uint64
	for bit, v := range votes {
		if v > 0 {
			fingerprint |= 1 << bit
		}
	}
	return fingerprint
}

// Distance is the number of bits in which two fingerprints differ, 0 to 64.
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// hash is FNV-1a over the terms, each closed by a zero byte, with the final mix
// of MurmurHash3: FNV alone leaves the high bits of short inputs too alike.
func hash(terms []string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for _, term := range terms {
		for i := range len(term) {
			h = (h ^ uint64(term[i])) * prime
		}
		h *= prime
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
