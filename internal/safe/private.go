package safe

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sort is a sort of private data, as a clause of a warning names it.
type Sort string

// The sorts of private data that Private knows.
const (
	Card  Sort = "a payment card"
	Key   Sort = "a key or password"
	Mail  Sort = "a mail address"
	Phone Sort = "a phone number"
	Word  Sort = "a word of your own list"
)

// Private takes private data out of a text that is about to leave the machine.
// It goes by form, so it is a net and no proof: names and addresses of people
// pass unless they are on the list of words. A nil Private takes out nothing.
// It is safe for concurrent use.
type Private struct {
	words []*regexp.Regexp
	keys  Redactor
}

// NewPrivate returns a Private that also takes out these words and phrases, in
// upper or lower case. Empty ones are left out.
func NewPrivate(words ...string) *Private {
	p := &Private{}
	for _, w := range words {
		if fields := strings.Fields(w); len(fields) > 0 {
			for i, f := range fields {
				fields[i] = regexp.QuoteMeta(f)
			}
			p.words = append(p.words, regexp.MustCompile(`(?i)`+strings.Join(fields, `\s+`)))
		}
	}
	return p
}

// Remove returns s without private data, and the sorts of what was taken out,
// each once. A text without any comes back as it is.
func (p *Private) Remove(s string) (clean string, found []Sort) {
	if p == nil {
		return s, nil
	}
	before := s
	if s, found = p.replace(s, " "); s == before {
		return s, nil
	}
	return strings.Join(strings.Fields(s), " "), found
}

// Mask returns s with [Mask] in the place of private data, for what is logged.
func (p *Private) Mask(s string) string {
	if p == nil {
		return s
	}
	s, _ = p.replace(s, Mask)
	return s
}

// replace puts mask in the place of private data, and says what sorts there
// were, each once.
func (p *Private) replace(s, mask string) (clean string, found []Sort) {
	take := func(sort Sort, spans [][]int) {
		if len(spans) > 0 {
			s, found = without(s, spans, mask), append(found, sort)
		}
	}
	for _, w := range p.words {
		take(Word, whole(s, w.FindAllStringIndex(s, -1)))
	}
	take(Mail, mail().FindAllStringIndex(s, -1))
	if masked := p.keys.Redact(s); masked != s {
		s, found = strings.ReplaceAll(masked, Mask, mask), append(found, Key)
	}
	take(Card, cards(s))
	take(Phone, phones(s))
	slices.Sort(found)
	return s, slices.Compact(found)
}

// without is s with mask in the place of each span. Spans are in order and do
// not overlap.
func without(s string, spans [][]int, mask string) string {
	var b strings.Builder
	at := 0
	for _, span := range spans {
		b.WriteString(s[at:span[0]] + mask)
		at = span[1]
	}
	return b.String() + s[at:]
}

// whole are the spans that end where words end. Scripts without blanks between
// words have no such ends.
func whole(s string, spans [][]int) [][]int {
	return slices.DeleteFunc(spans, func(span []int) bool {
		before, _ := utf8.DecodeLastRuneInString(s[:span[0]])
		first, _ := utf8.DecodeRuneInString(s[span[0]:])
		last, _ := utf8.DecodeLastRuneInString(s[:span[1]])
		after, _ := utf8.DecodeRuneInString(s[span[1]:])
		return joined(before, first) || joined(last, after)
	})
}

// joined reports whether two neighbours are inside one word.
func joined(a, b rune) bool { return spelled(a) && spelled(b) }

func spelled(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// mail is an address in the form that people write (RFC 5321 without quoting).
var mail = lazy(`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`)

// digitRun is digits with a blank or hyphen between groups.
var digitRun = lazy(`[0-9](?:[ -]?[0-9])+`)

// Lengths of a card's number (ISO/IEC 7812), in digits.
const (
	shortCard = 13
	longCard  = 19
)

// cards are the payment cards of a text: groups of 13 to 19 digits whose last is
// the check digit (Luhn, ISO/IEC 7812-1). A number may stand before or behind.
func cards(s string) [][]int {
	var out [][]int
	for _, run := range digitRun().FindAllStringIndex(s, -1) {
		for at := run[0]; at < run[1]; at++ {
			if !digit(s[at]) || at > run[0] && digit(s[at-1]) {
				continue
			}
			if end := cardAt(s[:run[1]], at); end > 0 {
				out = append(out, []int{at, end})
				at = end
			}
		}
	}
	return out
}

// cardAt is where the longest card that starts at a place ends, or 0.
func cardAt(s string, start int) (end int) {
	var digits []byte
	for at := start; at < len(s) && len(digits) < longCard; at++ {
		if !digit(s[at]) {
			continue
		}
		digits = append(digits, s[at]-'0')
		last := at+1 == len(s) || !digit(s[at+1])
		if last && len(digits) >= shortCard && luhn(digits) {
			end = at + 1
		}
	}
	return end
}

func luhn(digits []byte) bool {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i])
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0 && sum > 0
}

func digit(b byte) bool { return '0' <= b && b <= '9' }

// phone is a number with its country (ITU-T E.123), an area in brackets or
// behind a 0, three groups as in North America, or a Chinese mobile number.
// Years, dates and plain numbers have none of these forms.
var phone = lazy(`(?:\+|\b00)[1-9](?:[ ()./-]{0,2}[0-9]){6,14}|\(0?[1-9][0-9]{1,4}\)(?:[ /-]{0,2}[0-9]){5,9}|\b0[1-9][0-9]{1,4}[ /-](?:[ -]?[0-9]){5,9}|\b[2-9][0-9]{2}[ .-][2-9][0-9]{2}[ .-][0-9]{4}\b|\b1[3-9][0-9]{9}\b`)

// phones are the phone numbers of a text. What goes on as a longer number is
// none.
func phones(s string) [][]int {
	return slices.DeleteFunc(phone().FindAllStringIndex(s, -1), func(span []int) bool {
		return span[1] < len(s) && digit(s[span[1]]) || span[0] > 0 && (digit(s[span[0]-1]) || s[span[0]-1] == '-')
	})
}
