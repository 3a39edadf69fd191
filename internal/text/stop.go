package text

import (
	"strings"
	"unicode/utf8"
)

// longestStop is the length in bytes of the longest stop word.
const longestStop = 12

// IsStop reports whether a term (as Tokens makes it) is a word that says nothing
// about a topic: English, German and French function words, and pairs of Chinese
// or Japanese characters of which both are function words. The lists are short
// on purpose: a wrongly dropped word hides a document, a kept one costs a little
// time. Words that mean something in another of the languages (German "war",
// French "son") are not on them, since a text's language is not asked for.
func IsStop(term string) bool {
	return isStop([]byte(term))
}

func isStop(term []byte) bool {
	if len(term) == 0 || len(term) > longestStop {
		return false
	}
	if stopWords[string(term)] {
		return true
	}
	r, size := utf8.DecodeRune(term)
	if !strings.ContainsRune(stopCharacters, r) {
		return false
	}
	if size == len(term) {
		return true
	}
	r, n := utf8.DecodeRune(term[size:])
	return size+n == len(term) && strings.ContainsRune(stopCharacters, r)
}

// stopCharacters never carry a topic in Chinese, alone or side by side.
const stopCharacters = "的了吗呢吧啊呀嘛么之"

var stopWords = set(
	strings.Fields(`a about above after again against all also although am an and any are as at be because been
		before being below between both but by can cannot could did do does doing down during each either else etc
		eg ie few for from further had has have having he her here hers herself him himself his how however i if in
		into is it its itself just like many may me might more most much must my myself no nor not now of off often
		on once one only or other our ours out over own per same shall she should since so some such than that the
		their theirs them themselves then there these they this those though through thus to too under until up upon
		very via was we were what when where whether which while who whom whose why will with within without would
		yet you your yours dont doesnt didnt isnt arent wasnt werent wont cant couldnt shouldnt wouldnt`),
	strings.Fields(`der das den dem ein eine einer eines einem einen und oder aber ist sind waren wird werden wurde
		wurden haben hatte von vom zu zum zur auf fur im ins bei beim nach aus auch nicht sich er sie wir ihr wie wo
		wer wann warum welche welcher welches dass daß durch uber unter zwischen bis kein keine noch sehr`),
	strings.Fields(`le les l un une des du de d et ou mais est sont etait etre avait avec dans aux ce cet cette ces qui
		que quoi quel quelle quels quelles comment pourquoi quand il elle ils elles nous vous leur leurs ne pas s en y
		qu c j n m t`),
	strings.Fields(`什么 怎么 哪些 哪个 这个 那个 这些 那些 一个 です ます した する して いる ある こと から まで これ それ という`),
)
