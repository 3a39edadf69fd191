package llm

import "unicode/utf8"

// EstimateTokens guesses how many tokens a model makes of s: bytes/4 for Latin
// and the like, 0.7 a character from U+2E80 on (Han, kana, Hangul), bytes/3 for
// the scripts between. It is a guess for budgets and windows: tokenisers differ
// by a third, so [Models] corrects it by what each model really counted.
func EstimateTokens(s string) int {
	var latin, between, east int
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			latin++
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r >= 0x2e80:
			east++
		case r < 0x370: // letters with accents
			latin += n
		default:
			between += n
		}
		i += n
	}
	return (latin*15 + between*20 + east*42 + 59) / 60
}

// perMessage is what a message costs beside its text: role and separators.
const perMessage = 4

// EstimateInput guesses the input tokens of a request.
func EstimateInput(r Request) int {
	n := EstimateTokens(r.System) + EstimateTokens(string(r.Schema)) + perMessage
	for _, m := range r.Messages {
		n += EstimateTokens(m.Text) + perMessage
	}
	return n
}
