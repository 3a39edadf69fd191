package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names returns the spans of s that look like proper names, in order and without
// overlap: runs of capitalised words ("Bank of England"), acronyms, identifiers
// (CamelCase, snake_case, H100), short quoted strings and titles in 《》「」
// brackets (the span holds what is inside). In Chinese and Japanese text runs of
// Latin words count, whatever their case. A sentence's first word is left out
// when only its place explains the capital. They are candidates: German nouns
// qualify too.
func Names(s string) []Span {
	tag := Language(s)
	n := namer{s: s, cjk: tag == "zh" || tag == "ja"}
	for n.pos < len(s) {
		n.step()
	}
	return n.spans
}

type namer struct {
	s     string
	pos   int
	cjk   bool
	spans []Span
}

func (n *namer) step() {
	s, i := n.s, n.pos
	if end := urlAt(s, i); end > i {
		n.pos = end
		return
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	if inside, end, ok := quotedAt(s, i, r, size); ok {
		n.spans = append(n.spans, inside)
		n.pos = end
		return
	}
	end := nameWord(s, i)
	switch {
	case end == i:
		n.pos = i + size
	case n.cjk:
		n.pos = n.latinRun(i, end)
	case starts(s, i, end) && !n.common(i, end):
		n.pos = n.run(i, end)
	default:
		n.pos = end
	}
}

// longestQuoted is the length in bytes of the longest quotation taken for a name
// rather than for speech.
const longestQuoted = 90

var quoteSigns = map[rune]string{
	'"': "\"", '“': "”", '„': "“", '«': "»", '「': "」", '『': "』", '《': "》", '〈': "〉", '`': "`",
}

// quotedAt reads a short quoted string that opens at i.
func quotedAt(s string, i int, r rune, size int) (inside Span, end int, ok bool) {
	closing := quoteSigns[r]
	if closing == "" || r == '"' && isWord(runeBefore(s, i)) {
		return Span{}, 0, false
	}
	from := i + size
	n := strings.Index(s[from:min(len(s), from+longestQuoted)], closing)
	if n <= 0 {
		return Span{}, 0, false
	}
	inside = Span{from, from + n}.trim(s)
	content := inside.In(s)
	if inside.Len() == 0 || strings.ContainsAny(content, "\n") || strings.Count(content, " ") > 7 || strings.ContainsAny(content, "。！？") {
		return Span{}, 0, false
	}
	return inside, from + n + len(closing), true
}

// nameWord returns the end of the word at i, with inner hyphens, apostrophes,
// full stops, ampersands and underscores between letters.
func nameWord(s string, i int) int {
	end := wordAt(s, i)
	for end > i {
		c := at(s, end)
		size := 1
		if r := runeAt(s, end); r == '’' {
			c, size = '\'', utf8.RuneLen(r)
		}
		if c != '-' && c != '\'' && c != '.' && c != '&' && c != '_' {
			break
		}
		next := wordAt(s, end+size)
		if next == end+size || c == '\'' && next == end+size+1 || c == '.' && !dotted(s, i, end, next) {
			break
		}
		end = next
	}
	if end-i < longestInitials && initialLetters(s[i:end]) && at(s, end) == '.' { // U.S., J.
		end++
	}
	return end
}

// longestInitials bounds the length of dotted letters, in bytes.
const longestInitials = 12

// dotted reports whether the full stop at dot joins: initials and versions.
func dotted(s string, i, dot, next int) bool {
	return dot-i < longestInitials && initialLetters(s[i:dot]) && next == dot+2 || isDigit(s[dot-1]) && isDigit(s[dot+1])
}

// initialLetters reports whether word is single capitals with dots between.
func initialLetters(word string) bool {
	for k := 0; k < len(word); k++ {
		if k%2 == 0 && !isUpper(word[k]) || k%2 == 1 && word[k] != '.' {
			return false
		}
	}
	return len(word)%2 == 1
}

// starts reports whether a name can begin with the word [i, end): a capital, or
// an identifier.
func starts(s string, i, end int) bool {
	if unicode.IsUpper(runeAt(s, i)) {
		return true
	}
	word := s[i:end]
	if !isAlpha(word[0]) {
		return false
	}
	return strings.ContainsAny(word, "_0123456789") || strings.IndexFunc(word, unicode.IsUpper) > 0
}

// common reports whether the word is no name: the first of a sentence and a word
// that begins sentences, or a lone "I".
func (n *namer) common(i, end int) bool {
	s := n.s
	word := s[i:end]
	if word == "I" || strings.HasPrefix(word, "I'") || strings.HasPrefix(word, "I’") {
		return true
	}
	if strings.IndexFunc(word[1:], unicode.IsUpper) >= 0 && !strings.Contains(word, "-") || strings.ContainsAny(word, "0123456789_") {
		return false
	}
	lower := strings.ToLower(word)
	if stopWords[lower] || openers[lower] {
		return true
	}
	if !sentenceStart(s, i) {
		return false
	}
	if next := skipSpace(s, end); next > end && unicode.IsUpper(runeAt(s, next)) {
		return commonOpeners[lower]
	}
	return commonOpeners[lower] || wordEnding(lower)
}

// commonOpeners begin sentences often and are no function words.
var commonOpeners = set(strings.Fields(`researchers scientists experts analysts critics people users companies studies results data sales prices
	revenue profits shares total overall generally typically usually often sometimes perhaps maybe several various
	certain early late new old recent major key important first second third next last finally later earlier
	additionally similarly consequently therefore hence nevertheless nonetheless still rather indeed besides
	officials authorities investors consumers students teachers doctors patients workers women men children
	evidence research work use using used based given compared figure table section chapter part note please
	section yes nothing everything something anyone everyone someone nobody half three four five six seven eight nine ten
	well even just only like unlike whether whatever whenever more less fewer much little few
	model models report reports article paper author authors team group government police court market inflation`))

// wordEnding reports whether a word ends as common nouns, participles and adverbs
// do and names seldom.
func wordEnding(word string) bool {
	for _, ending := range []string{"ly", "tion", "tions", "ness", "ment", "ments", "ity", "ities", "ing", "ings", "ers", "ies", "ized", "ated"} {
		if len(word) > len(ending)+3 && strings.HasSuffix(word, ending) {
			return true
		}
	}
	return false
}

// sentenceStart reports whether the word at i begins a sentence or line.
func sentenceStart(s string, i int) bool {
	for i > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		switch {
		case r == '\n':
			return true
		case isSpace(r), strings.ContainsRune("\"“‘'(«*_#>-–—•[", r):
			i -= size
		case r == ']': // a citation mark
			return true
		default:
			return endsSentence(r) && !afterInitial(s, i-size) || r == ':'
		}
	}
	return true
}

// afterInitial reports whether a lone capital letter ends at i, where the full
// stop of an initial stands.
func afterInitial(s string, i int) bool {
	return s[i] == '.' && isUpper(at(s, i-1)) && !isWord(runeBefore(s, i-1))
}

// connectors stand inside names.
var connectors = set(strings.Fields(`of de van von der den du da di del della la le bin ibn al y e & und des dos das zu`))

// run extends a name that starts with the word [i, end) over further capitalised
// words, connectors before them, and a short number ("Windows 11").
func (n *namer) run(i, end int) int {
	s := n.s
	last := end
	pending := 0
	for {
		next := nameGap(s, end)
		if next == end {
			break
		}
		stop := nameWord(s, next)
		if at(s, next) == '&' {
			stop = next + 1
		}
		word := s[next:stop]
		switch {
		case stop == next:
		case unicode.IsUpper(runeAt(s, next)) && word != "I" && !sentenceStart(s, next):
			last, pending = stop, 0
			end = stop
			continue
		case isDigit(word[0]) && last == end && numberInName(s[i:last], word):
			last = stop
		case connectors[word] && pending < 2 || pending == 1 && word == "the":
			pending++
			end = stop
			continue
		}
		break
	}
	n.spans = append(n.spans, Span{i, last})
	return last
}

// nameGap skips the single blank between words of a name.
func nameGap(s string, i int) int {
	r, size := utf8.DecodeRuneInString(s[i:])
	if r == ' ' || r == '\u00a0' {
		return i + size
	}
	return i
}

// numberInName reports whether a number belongs to the name before it: versions
// and models, not dates, years or figure numbers.
func numberInName(name, word string) bool {
	last := name[strings.LastIndexByte(name, ' ')+1:]
	lower := strings.ToLower(last)
	if months[lower] != 0 || numbered[lower] || commonOpeners[lower] || len(word) > 5 {
		return false
	}
	return len(word) != 4 || strings.Contains(word, ".")
}

// latinRun takes in the Latin words from [i, end) on, in Chinese and Japanese
// text.
func (n *namer) latinRun(i, end int) int {
	s := n.s
	letters := strings.IndexFunc(s[i:end], unicode.IsLetter) >= 0
	for letters {
		next := nameGap(s, end)
		stop := nameWord(s, next)
		if next == end || stop == next {
			break
		}
		end = stop
	}
	if letters {
		n.spans = append(n.spans, Span{i, end})
	}
	return end
}
