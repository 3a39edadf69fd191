package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// languageSample is how many bytes of a text decide its language.
const languageSample = 4096

// Language returns the BCP 47 tag of the language s is written in, judged from
// its first 4 KiB: by script where the script decides ("zh", "ja", "ko", "ru",
// "uk", "ar", "he", "el", "hi", "th"), else by function words and typical
// letters and endings ("en", "de", "fr", "es", "it", "pt", "nl"). It returns
// "und" when nothing speaks for any of them, as with a lone name or number. Han
// characters without kana count as Chinese.
func Language(s string) string {
	if len(s) > languageSample {
		s = strings.ToValidUTF8(s[:languageSample], "")
	}
	tag, prevails := byScript(s)
	if prevails {
		return tag
	}
	if words := byWords(s); words != "und" || tag == "" {
		return words
	}
	return tag
}

// scripts lists the scripts that name a language by themselves. A character of
// the first three stands for about two letters of an alphabet, hence weights.
var scripts = []struct {
	tag    string
	table  *unicode.RangeTable
	weight int
}{
	{"zh", unicode.Han, 3}, {"ja", unicode.Hiragana, 3}, {"ja", unicode.Katakana, 3}, {"ko", unicode.Hangul, 3},
	{"ru", unicode.Cyrillic, 1}, {"ar", unicode.Arabic, 1}, {"he", unicode.Hebrew, 1}, {"el", unicode.Greek, 1},
	{"hi", unicode.Devanagari, 1}, {"th", unicode.Thai, 1},
}

// byScript returns the language of the most frequent script other than Latin, ""
// for none, and whether it prevails over Latin.
func byScript(s string) (tag string, prevails bool) {
	var counts [10]int
	latin := 0
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if isAlpha(byte(r)) {
				latin++
			}
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			for i, sc := range scripts {
				if unicode.Is(sc.table, r) {
					counts[i] += sc.weight
					break
				}
			}
		}
	}
	han, kana := counts[0], counts[1]+counts[2]
	if kana*8 >= han && kana > 0 {
		counts[1], counts[0] = han+kana, 0
	}
	best := 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	if counts[best] == 0 {
		return "", false
	}
	tag = scripts[best].tag
	if tag == "ru" && strings.ContainsAny(s, "іїєґІЇЄҐ") {
		tag = "uk"
	}
	return tag, counts[best] >= latin
}

// evidence is what speaks for a language written in Latin letters.
type evidence struct {
	tag     string
	words   map[string]bool // function words, 2 points each
	letters string          // typical letters, 1 point each
	endings []string        // typical endings of longer words, 1 point each
}

var latin = []evidence{
	{"en", set(strings.Fields(`the of and to in is are was were for on with by at from as that this it its be been has have
		had what which who how why when where does do did can could will would should not or an between vs best about
		into than more most there their they you your i my we our after before during over under new top list guide
		state recent latest compare using use used`)), "", []string{"ing", "tion", "ness", "ment", "ity", "ics", "ies", "ship", "ous", "ful", "ed", "ly", "ght", "th", "sh", "wn", "ck"}},
	{"de", set(strings.Fields(`der die das und ist sind war waren den dem des ein eine einer eines einem einen nicht mit von vom zu
		zum zur im auf für bei nach aus wie was wer wo wann warum welche welcher welches sich auch als wird werden wurde
		über durch zwischen oder aber hat haben kann gibt es seit`)), "äöüßÄÖÜ", []string{"ung", "ungen", "keit", "heit", "lich", "isch", "schaft", "chen", "ieren"}},
	{"fr", set(strings.Fields(`le la les un une des du de et est sont était dans par pour avec sur aux au ce cette ces qui que quoi
		quel quelle quels quelles comment pourquoi quand où ne pas plus se son sa ses il elle ils nous vous leur entre
		depuis ou mais ont été à l d qu`)), "çêâîôûèœ", []string{"eux", "aux", "ique", "ment", "eur", "ées", "ité", "tion", "ais"}},
	{"es", set(strings.Fields(`el la los las un una de del y es son en por para con sobre que qué cuál cuáles cómo cuándo dónde quién
		quiénes no se su sus al lo más pero como entre desde fue está según hay muy`)), "ñ¿¡ó", []string{"ción", "dad", "iones", "mente", "ismo", "ado", "ido", "ía", "era"}},
	{"it", set(strings.Fields(`il lo la i gli le un una di del della dei delle e è sono in per con su che chi cosa come quando dove
		perché non si al alla nel nella da dal più ma anche qual quale quali tra d`)), "òìù", []string{"zione", "zioni", "ità", "mente", "ismo", "ato", "ggio"}},
	{"pt", set(strings.Fields(`o a os as um uma de do da dos das e é são em no na nos nas por para com sobre que qual quais como quando
		onde quem não se seu sua ao mais mas entre foi está pelo pela`)), "ãõ", []string{"ção", "ções", "dade", "mente", "ismo", "ado", "ões"}},
	{"nl", set(strings.Fields(`de het een en is zijn van in op voor met aan door bij naar uit wat wie waar wanneer waarom hoe welke niet
		ook als dat die deze dit er om te of maar worden wordt heeft tussen`)), "", []string{"ing", "ijk", "heid", "eren", "isch", "tje"}},
}

// byWords returns the language of a text in Latin letters. A tie goes to the
// language named first in the list.
func byWords(s string) string {
	scores := make([]int, len(latin))
	for i := 0; i < len(s); {
		end := wordAt(s, i)
		if end == i {
			_, size := utf8.DecodeRuneInString(s[i:])
			end = i + size
		}
		word := strings.ToLower(s[i:end])
		for l := range latin {
			scores[l] += latin[l].points(word)
		}
		i = end
	}
	best := 0
	for l := range scores {
		if scores[l] > scores[best] {
			best = l
		}
	}
	if scores[best] == 0 {
		return "und"
	}
	return latin[best].tag
}

// points is how much a word (or a single sign) speaks for the language.
func (e *evidence) points(word string) int {
	p := 0
	if e.words[word] {
		p = 2
	}
	if e.letters != "" && strings.ContainsAny(word, e.letters) {
		p++
	}
	if len(word) < 5 {
		return p
	}
	for _, ending := range e.endings {
		if strings.HasSuffix(word, ending) {
			return p + 1
		}
	}
	return p
}
