package safe

import (
	"maps"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold lowers s, makes its white space single and undoes disguises, so that
// one pattern finds all spellings of a sentence.
func fold(s string) string {
	s, _ = Text(s)
	if isASCII(s) {
		return closeUp(strings.Join(strings.Fields(strings.ToLower(s)), " "))
	}
	s = strings.ToLower(norm.NFKC.String(s))
	s = strings.Map(func(r rune) rune { return swap(plainForms(), r) }, s)
	words := strings.Fields(s)
	for i, w := range words {
		if mixed(w) {
			words[i] = strings.Map(func(r rune) rune { return swap(lookalikes(), r) }, w)
		}
	}
	return closeUp(strings.Join(words, " "))
}

// foldASCII appends s to dst as fold would write it but for closeUp. It reports
// false, and stops, at the first byte beyond ASCII and when dst is full.
func foldASCII(dst []byte, s string) ([]byte, bool) {
	for i := range len(s) {
		b := s[i]
		switch {
		case b >= utf8.RuneSelf || len(dst) == cap(dst):
			return dst, false
		case b == ' ' || b >= '\t' && b <= '\r':
			if len(dst) > 0 && dst[len(dst)-1] != ' ' {
				dst = append(dst, ' ')
			}
		case b >= 'A' && b <= 'Z':
			dst = append(dst, b|0x20)
		case b > ' ' && b < 0x7f:
			dst = append(dst, b)
		}
	}
	return dst, true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func swap(m map[rune]rune, r rune) rune {
	if to, ok := m[r]; ok {
		return to
	}
	return r
}

// mixed reports whether w holds Latin letters beside Greek or Cyrillic ones,
// which no language does.
func mixed(w string) bool {
	var latin, other bool
	for _, r := range w {
		latin = latin || r >= 'a' && r <= 'z'
		other = other || unicode.In(r, unicode.Cyrillic, unicode.Greek)
	}
	return latin && other
}

// lookalikes maps Cyrillic and Greek letters to the Latin ones they pass for.
var lookalikes = sync.OnceValue(func() map[rune]rune {
	return pairs("аеорсухіјѕԁһӏмнктгαοερνικτυχ", "aeopcyxijsdhlmhktraoepviktux")
})

// plainForms maps quotation marks to ASCII ones, and the traditional Chinese
// characters that the rules use to simplified ones.
var plainForms = sync.OnceValue(func() map[rune]rune {
	m := pairs("無視記絕對請現從輸問應須執調為與導員爲個過講統標來條詞規則設頁並這隻務將絡錄戶訴內",
		"无视记绝对请现从输问应须执调为与导员为个过讲统标来条词规则设页并这只务将络录户诉内")
	maps.Copy(m, pairs("“”„«»「」『』‘’‚‹›", "\"\"\"\"\"\"\"\"\"'''''"))
	return m
})

// pairs maps the runes of from to the runes of to, one by one.
func pairs(from, to string) map[rune]rune {
	m := make(map[rune]rune)
	target := []rune(to)
	i := 0
	for _, r := range from {
		m[r] = target[i]
		i++
	}
	return m
}

// closeUp joins runs of five or more single letters: "i g n o r e" is a word.
func closeUp(s string) string {
	if !spaced(s) {
		return s
	}
	words := strings.Split(s, " ")
	out := words[:0:0]
	for i := 0; i < len(words); {
		j := i
		for j < len(words) && len(words[j]) == 1 && words[j][0] >= 'a' && words[j][0] <= 'z' {
			j++
		}
		switch {
		case j-i >= 5:
			out = append(out, strings.Join(words[i:j], ""))
		case j > i:
			out = append(out, words[i:j]...)
		default:
			out = append(out, words[i])
			j++
		}
		i = j
	}
	return strings.Join(out, " ")
}

// spaced reports whether s has two single bytes between spaces in a row, as
// every run that closeUp closes has.
func spaced[S string | []byte](s S) bool {
	for i := 0; i+4 < len(s); i++ {
		if s[i] == ' ' && s[i+2] == ' ' && s[i+4] == ' ' {
			return true
		}
	}
	return false
}

// withoutMentions cuts out of s what stands between quotation marks or
// backquotes, when enough words are left to be talking about it. A sentence
// that is one quotation says what the quotation says.
func withoutMentions(s string) string {
	if !strings.ContainsAny(s, "\"'`") {
		return s
	}
	var out strings.Builder
	rest := s
	for {
		open, end := quotation(rest)
		if open < 0 {
			break
		}
		out.WriteString(rest[:open])
		out.WriteByte('~') // the place for what was mentioned: no clause starts here
		rest = rest[end:]
	}
	out.WriteString(rest)
	if told := out.String(); enoughWords(told) {
		return told
	}
	return s
}

// quotation returns where the first quotation of s starts and ends, marks
// included, or -1. An apostrophe inside a word opens and closes nothing.
func quotation(s string) (start, end int) {
	for i := 0; i < len(s); i++ {
		q := s[i]
		if q != '"' && q != '\'' && q != '`' {
			continue
		}
		if q == '\'' && i > 0 && wordRune(rune(s[i-1])) {
			continue
		}
		for j := i + 1; j < len(s); j++ {
			if s[j] == q && (q != '\'' || j+1 == len(s) || !wordRune(rune(s[j+1]))) {
				return i, j + 1
			}
		}
	}
	return -1, -1
}

// enoughWords reports whether s has three words or six Han characters.
func enoughWords(s string) bool {
	words, han := 0, 0
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return !wordRune(r) }) {
		words++
		for _, r := range w {
			if unicode.Is(unicode.Han, r) {
				han++
			}
		}
	}
	if han > 0 {
		return han >= 6 || words-1 >= 3
	}
	return words >= 3
}
