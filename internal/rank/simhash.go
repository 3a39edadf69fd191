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
	shingles := min(max(1, len(terms)-shingle+1), len(terms))
	var ones [64]int
	var lanes [8]uint64 // how often each bit was set, a byte for each
	for i := range shingles {
		h := hash(terms[i:min(i+shingle, len(terms))])
		for n := range lanes {
			lanes[n] += spread(byte(h >> (8 * n)))
		}
		if i%255 == 254 || i == shingles-1 { // before a byte runs over
			for bit := range ones {
				ones[bit] += int(lanes[bit/8] >> (bit % 8 * 8) & 0xff)
			}
			lanes = [8]uint64{}
		}
	}
	var fingerprint uint64
	for bit, n := range ones {
		if 2*n > shingles {
			fingerprint |= 1 << bit
		}
	}
	return fingerprint
}

// spread puts each bit of b into a byte of its own, the lowest into the lowest.
func spread(b byte) uint64 {
	const each, one, top = 0x8040201008040201, 0x0101010101010101, 0x7f7f7f7f7f7f7f7f
	return (uint64(b)*one&each + top) >> 7 & one
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
