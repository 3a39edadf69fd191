package text

// stem cuts English endings off a lower-case ASCII word, in place: plurals, -ing,
// -ed and a silent e. It is step 1 and 5a of Porter's algorithm (1980) with the
// plural rules of Harman (1991); other words come back as they are. Terms need
// only be equal for equal words, they need not be words.
func stem(w []byte) []byte {
	if len(w) < 4 {
		return w
	}
	if last := w[len(w)-1]; (last == 's' || last == 'g') && kept[string(w)] {
		return w
	}
	for _, c := range w {
		if !isLower(c) {
			return w
		}
	}
	w = stemVerb(stemPlural(w))
	if n := len(w); n > 4 && w[n-1] == 'e' {
		if m := measure(w[:n-1]); m > 1 || m == 1 && !short(w[:n-1]) {
			w = w[:n-1]
		}
	}
	return w
}

// kept are words whose ending only looks like one. They end in s or g.
var kept = set([]string{"news", "series", "species", "lens", "always", "perhaps", "mars", "texas", "evening", "wedding", "building", "meeting"})

func stemPlural(w []byte) []byte {
	n := len(w)
	switch {
	case w[n-1] != 's' || w[n-2] == 's' || w[n-2] == 'u' || w[n-2] == 'i':
		return w
	case n > 4 && w[n-2] == 'e' && w[n-3] == 'i':
		w[n-3] = 'y'
		return w[:n-2]
	case w[n-2] == 'e' && sibilant(w[:n-2]):
		return w[:n-2]
	}
	return w[:n-1]
}

// sibilant reports whether a plural after w needs an e: boxes, classes, dishes.
func sibilant(w []byte) bool {
	n := len(w)
	if n < 3 {
		return false
	}
	last, before := w[n-1], w[n-2]
	return last == 'x' || last == 's' && before == 's' || last == 'z' && before == 'z' ||
		last == 'h' && (before == 's' || before == 'c')
}

func stemVerb(w []byte) []byte {
	n := len(w)
	cut := 0
	switch {
	case n > 5 && string(w[n-3:]) == "ing":
		cut = 3
	case n > 4 && string(w[n-3:]) == "ied":
		w[n-3] = 'y'
		return w[:n-2]
	case n > 4 && string(w[n-2:]) == "ed" && w[n-3] != 'e':
		cut = 2
	}
	root := w[:n-cut]
	if cut == 0 || measure(root) == 0 {
		return w
	}
	last, before := root[len(root)-1], root[len(root)-2]
	switch {
	case last == before && !vowel(last) && last != 'l' && last != 's' && last != 'z':
		return root[:len(root)-1]
	case before == 'a' && last == 't', before == 'b' && last == 'l', before == 'i' && last == 'z',
		measure(root) == 1 && short(root):
		return append(root, 'e')
	}
	return root
}

func vowel(c byte) bool {
	return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y'
}

// measure counts the changes from vowels to consonants, Porter's m. A y counts
// as a vowel except at the start.
func measure(w []byte) int {
	m, wasVowel := 0, false
	for i, c := range w {
		v := vowel(c) && (c != 'y' || i > 0)
		if wasVowel && !v {
			m++
		}
		wasVowel = v
	}
	return m
}

// short reports whether w ends consonant, vowel, consonant other than w, x, y,
// which is where English writes a silent e ("make", "hope").
func short(w []byte) bool {
	n := len(w)
	if n < 3 {
		return false
	}
	a, b, c := w[n-3], w[n-2], w[n-1]
	return !vowel(a) && vowel(b) && !vowel(c) && c != 'w' && c != 'x'
}
