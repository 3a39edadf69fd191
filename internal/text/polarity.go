package text

import (
	"strings"
	"unicode/utf8"
)

// Polarity says whether a sentence denies and which way its quantities go. It
// is a signal for comparing a claim with its passage, not a parse: a flip is a
// reason to look, never proof.
type Polarity struct {
	Negated   bool // holds a negation: not, never, no longer, 没有, 未
	Direction int  // +1 for more, rise, growth; -1 for less, fall, decline; 0 for neither or both
}

// Opposes reports whether the two disagree: one is negated and the other not, or
// they point in opposite directions.
func (p Polarity) Opposes(o Polarity) bool {
	return p.Negated != o.Negated || p.Direction*o.Direction < 0
}

var negations = set(strings.Fields(`not no never none neither nor without cannot nobody nothing nowhere hardly lacks lack lacked
	failed fails unable nicht kein keine keinen keiner nie niemals ohne pas jamais aucun aucune sans
	nunca jamás ningún ninguna sin`))

var upWords = set(strings.Fields(`rise rises rose risen rising increase increases increased increasing more higher up grow grows grew
	grown growing growth gain gains gained climb climbs climbed surge surged soar soared jump jumped expand expands expanded
	improve improves improved improvement above exceed exceeds exceeded faster larger greater gestiegen stieg steigt steigen
	mehr höher zunahme wuchs gewachsen augmente augmenté augmentation hausse plus aumentó aumento subió más creció`))

var downWords = set(strings.Fields(`fall falls fell fallen falling decrease decreases decreased decreasing less lower down decline
	declines declined declining drop drops dropped fewer reduce reduces reduced reduction shrink shrinks shrank shrunk lose
	loses lost loss cut cuts plunge plunged slump slumped worsen worsened below slower smaller gesunken sank sinkt sinken
	weniger niedriger rückgang gefallen fiel baisse baissé diminue diminué diminution moins disminuyó bajó menos cayó`))

// wideSign is what a Chinese (or Japanese) word says.
type wideSign struct {
	word      string
	negated   bool
	direction int
}

// wideSigns are tried in order at each character: longer words and those that
// only look like a sign ("不断": steadily) come first.
var wideSigns = []wideSign{
	{"不断", false, 0}, {"不仅", false, 0}, {"不但", false, 0}, {"不同", false, 0}, {"不过", false, 0}, {"不少", false, 0}, {"不久", false, 0},
	{"未来", false, 0}, {"未必", true, 0}, {"没有", true, 0}, {"没", true, 0}, {"不", true, 0}, {"未", true, 0}, {"并非", true, 0},
	{"无法", true, 0}, {"毫无", true, 0}, {"从无", true, 0}, {"ない", true, 0}, {"なかった", true, 0}, {"ません", true, 0},
	{"降雨", false, 0}, {"降水", false, 0}, {"升级", false, 0}, {"減税", false, 0}, {"减税", false, 0},
	{"增", false, 1}, {"增加", false, 1}, {"升", false, 1}, {"涨", false, 1}, {"提高", false, 1}, {"扩大", false, 1}, {"更多", false, 1}, {"高于", false, 1}, {"超过", false, 1}, {"増", false, 1}, {"上昇", false, 1},
	{"减", false, -1}, {"降", false, -1}, {"跌", false, -1}, {"下滑", false, -1}, {"缩小", false, -1}, {"缩减", false, -1}, {"更少", false, -1}, {"低于", false, -1}, {"減", false, -1}, {"低下", false, -1},
}

// wideSignsBy holds wideSigns by first character, in the same order.
var wideSignsBy = func() map[rune][]wideSign {
	m := make(map[rune][]wideSign)
	for _, sign := range wideSigns {
		r, _ := utf8.DecodeRuneInString(sign.word)
		m[r] = append(m[r], sign)
	}
	return m
}()

// refusals deny without a negation: "disabled" is "not enabled".
var refusals = set(strings.Fields(`unsafe unsupported unavailable impossible ineffective invalid incompatible unlikely disabled prohibited
	forbidden banned refuses refused rejects denies denied unsicher unmöglich unwirksam deaktiviert verboten untersagt interdit
	interdite impossible inefficace désactivé désactivée`))

// wideRefusals are the Chinese and Japanese ones.
var wideRefusals = []string{"禁止", "禁用", "停用", "拒绝", "非対応", "無効", "无效"}

// PolarityOf reads the polarity of a sentence.
func PolarityOf(s string) Polarity {
	negated, balance := polarity(s)
	return Polarity{Negated: negated > 0, Direction: max(-1, min(1, balance))}
}

// Denials counts what denies in a sentence, refusals such as "prohibited" and
// "disabled" among it. Two of them mostly undo each other: "not allowed without
// a permit".
func Denials(s string) int {
	n, _ := polarity(s)
	for i := 0; i < len(s); {
		end := max(wordAt(s, i), i+1)
		if refusals[strings.ToLower(s[i:end])] {
			n++
		}
		i = end
	}
	for _, word := range wideRefusals {
		n += strings.Count(s, word)
	}
	return n
}

// polarity counts negations, and words of growth less words of decline.
func polarity(s string) (negated, balance int) {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf && !isAlnum(c) {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if isCJK(r) {
			sign, n := wideSignAt(s[i:])
			if sign.negated {
				negated++
			}
			balance += sign.direction
			i += max(n, size)
			continue
		}
		end := max(wordAt(s, i), i+size)
		word := strings.ToLower(s[i:end])
		if negates(s, word, i, end) {
			negated++
		}
		if upWords[word] {
			balance++
		} else if downWords[word] {
			balance--
		}
		i = end
	}
	return negated, balance
}

// Steers reports whether a word denies or gives a direction, so that it says how
// something is rather than what is spoken of.
func Steers(word string) bool {
	word = strings.ToLower(word)
	return negations[word] || refusals[word] || upWords[word] || downWords[word]
}

func wideSignAt(s string) (wideSign, int) {
	first, _ := utf8.DecodeRuneInString(s)
	for _, sign := range wideSignsBy[first] {
		if strings.HasPrefix(s, sign.word) {
			return sign, len(sign.word)
		}
	}
	return wideSign{}, 0
}

// negates reports whether the word at [i, end) denies. "Not only", "no doubt"
// and "No. 5" do not; "n't" does.
func negates(s, word string, i, end int) bool {
	if word == "t" && i > 1 {
		head := strings.TrimRight(s[max(0, i-4):i], "'’")
		return len(head) < min(i, 4) && strings.HasSuffix(strings.ToLower(head), "n")
	}
	if !negations[word] {
		return false
	}
	next := skipSpace(s, end)
	follow := strings.ToLower(s[next:wordAt(s, next)])
	switch word {
	case "not":
		return follow != "only" && follow != "just" && follow != "least"
	case "no":
		return follow != "doubt" && !(at(s, end) == '.' && isDigit(at(s, blankAfter(s, end+1))))
	}
	return true
}
