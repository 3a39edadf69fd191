package safe

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxOrder bounds what Orders reads of one sentence, in bytes. A sentence of
// prose is shorter; what is longer is a table or a blob.
const maxOrder = 4096

// Orders reports whether the sentence s gives orders to a model that reads it:
// to drop its instructions, to become someone else, to call a tool, to obey a
// forged delimiter or role tag, to hide something from the user, to cite one
// page alone. English and Chinese are covered broadly, and the call to drop
// instructions also in Japanese, Korean, Russian, Spanish, French, German,
// Portuguese and Italian. Disguises (full-width and look-alike letters,
// invisible characters, s p a c e d letters) are undone first.
//
// A sentence about such orders is prose and passes: an order counts only in
// the imperative, at the start of a clause, and not inside quotation marks or
// code that the rest of the sentence talks about. Orders filters the common
// templates and proves nothing: what it passes is still data, never a command.
func Orders(s string) bool {
	if len(s) > maxOrder {
		s = s[:maxOrder]
	}
	if quoteID(s) {
		return true
	}
	book := orders()
	var room [1024]byte
	if ascii, ok := foldASCII(room[:0], s); ok && !spaced(ascii) {
		if found := stemsIn(book, ascii); !book.near(&found) {
			return false // nearly every sentence ends here, without an allocation
		}
	}
	folded := fold(s)
	found := stemsIn(book, folded)
	said := ""
	for i := range book.rules {
		r := &book.rules[i]
		if !r.applies(&found) {
			continue
		}
		if said == "" {
			said = withoutMentions(folded)
		}
		if r.matches(said) {
			return true
		}
	}
	return false
}

// quoteID finds the form of our own quote ids (`S3.q7`). No page knows them,
// so a page that writes one plays at being us.
func quoteID(s string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], ".q")
		if i < 0 {
			return false
		}
		dot := from + i
		from = dot + len(".q")
		head := strings.TrimRight(s[:dot], "0123456789")
		numbered := len(head) < dot && from < len(s) && isDigit(s[from])
		if !numbered || !strings.HasSuffix(head, "S") {
			continue
		}
		if r, _ := utf8.DecodeLastRuneInString(head[:len(head)-1]); !wordRune(r) {
			return true
		}
	}
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// wordRune reports whether r is part of a word. The invalid rune, which stands
// for the start and the end of a text, is not.
func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// matches reports whether the rule finds an order in s, a folded sentence
// without its mentions.
func (r *orderRule) matches(s string) bool {
	for from := 0; from < len(s); {
		at := r.re.FindStringIndex(s[from:])
		if at == nil {
			return false
		}
		if r.anywhere || imperative(s[:from+at[0]]) {
			return true
		}
		from += max(at[1], 1)
	}
	return false
}

// imperative reports whether a verb that follows before stands at the start of
// a clause: "ignore it", "please ignore it", "you must ignore it"; not "to
// ignore it", "models ignore it".
func imperative(before string) bool {
	before = strings.TrimRight(before, " \"'`([{*_#>-–—~|=")
	if before == "" {
		return true
	}
	if slices.ContainsFunc(urges, func(u string) bool { return hasWordSuffix(before, u) }) {
		return true
	}
	last, n := utf8.DecodeLastRuneInString(before)
	if strings.ContainsRune(".;:!?…。；：！？)]}", last) {
		return true
	}
	return strings.ContainsRune(",，、", last) && address(before[:len(before)-n])
}

// urges are the words after which a verb is an order.
var urges = []string{
	"please", "now", "kindly", "just", "instead", "simply", "immediately", "first", "but",
	"you must", "you should", "you shall", "you will", "you need to", "you have to", "you are to", "you must now", "let's",
	"请", "你必须", "您必须", "你应该", "你应", "你要", "你需要", "你需", "务必", "现在", "立即", "立刻", "马上", "首先", "但", "你只能", "你只需",
	"nun", "bitte", "por favor", "maintenant", "теперь", "пожалуйста",
}

func hasWordSuffix(s, w string) bool {
	if !strings.HasSuffix(s, w) {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(s[:len(s)-len(w)])
	return w[0] >= utf8.RuneSelf || !wordRune(r)
}

// address reports whether the words before a comma only call someone or set
// the scene ("Hey model," "For this task,"). A longer run, or one with a verb
// that may govern what follows ("models may loop,"), is the start of a list.
func address(lead string) bool {
	if i := strings.LastIndexAny(lead, ".;:!?。；：！？"); i >= 0 {
		_, n := utf8.DecodeRuneInString(lead[i:])
		lead = lead[i+n:]
	}
	words := strings.Fields(lead)
	if len(words) > 5 || utf8.RuneCountInString(lead) > 40 {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(governing, w) }) &&
		!slices.ContainsFunc(governingHan, func(w string) bool { return strings.Contains(lead, w) })
}

var governing = []string{
	"may", "can", "might", "could", "will", "would", "often", "sometimes", "to", "they", "it", "he", "she", "who", "that", "which", "models", "attackers", "users", "and",
}

var governingHan = []string{"会", "可能", "可以", "能", "让", "使", "攻击者", "模型", "用户", "他", "它", "们"}
