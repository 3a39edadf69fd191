package selection

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Topics of the phrases that templates are made of, as bits of a mask.
const (
	topicConsent = iota
	topicLegal
	topicSubscribe
	topicAccount
	topicShare
	topicMore
	topicRelated
	topicComment
	topicBuy
	topicAdvert
	topicByline
	topicControl
	topicMoney
	topicContact
	topicForum
	topicRating
	topics
)

var topicNames = [topics]string{"consent", "legal", "subscribe", "account", "share", "more", "related", "comment", "buy", "advert", "byline", "control", "money", "contact", "forum", "rating"}

// phrases are one or two words each, by topic.
var phrases = [topics]string{
	topicConsent:   "cookie, cookies, consent, gdpr",
	topicLegal:     "copyright, rights reserved, privacy, privacy policy, terms of, disclaimer, imprint, impressum",
	topicSubscribe: "subscribe, newsletter, sign up, your email, inbox, unsubscribe, email address",
	topicAccount:   "log in, login, sign in, register, password, my account, logout, log out",
	topicShare:     "share, tweet, facebook, twitter, follow us, pinterest, linkedin, whatsapp, copy link, print",
	topicMore:      "read more, learn more, see more, view all, show more, load more, click here, see all, view more, find out",
	topicRelated:   "related, you may, might also, also like, recommended, more from, more in, popular, trending, most read, recent posts, latest, similar, read next, next post, see also, further reading, keep reading, customers also, recently viewed, elsewhere on, up next, in this",
	topicComment:   "comment, comments, reply, replies, leave a",
	topicBuy:       "add to, buy now, wishlist, sold out, in stock, out of, checkout, shipping, quantity, cart, basket, size guide",
	topicAdvert:    "advertisement, advertising, sponsored, affiliate, ad, ads, promoted",
	topicByline:    "posted, published, updated, by, min read, minute read, written, author, photo, photograph, photography, image, credit, getty, reuters",
	topicControl:   "skip to, menu, toggle, close, search, navigation, to top, loading, javascript, next, previous, filter, sort by, show all",
	topicMoney:     "usd, eur, gbp, price, sale",
	topicContact:   "contact, phone, call us, a quote, book now, get started, free trial, request, schedule, appointment",
	topicForum:     "likes, views, quote, joined, member, posts, upvote, report, solved, answered, asked, thread, topic, moderator",
	topicRating:    "of 5, stars, rating, ratings, review, reviews, verified",
}

// stopWords are the most frequent words of nine languages: prose has them, labels
// have few.
const stopWords = `the of and to a in is that it for was on are as with be at by this have from or had not but what all were when we there
can an your which their if do will each how them then she he they many some so these would into has more her two him see could no make than
been its who now my did get come may only you i our us me about because just also very really though while where after over such most other
der die das und ist nicht ein eine zu den mit von für auf dem im sich auch es als wie dass bei nach aus sie oder wird
le la les des et est que une dans pour qui sur pas au plus par avec il elle nous vous ne ce cette du
el los las en un una por con para se lo como más pero sus del al y es
di che è non per della nel sono da gli ma anche o e do os uma não com mais à
het een van ik dat niet op te zijn voor met och att som på av inte är og det av til ikke i w z na się nie jest do и в не на что я с он как это по`

// word is what the vocabulary knows of one word.
type word struct {
	topics uint32 // as a phrase of its own
	begins bool   // of a phrase of two words
	stop   bool
}

type vocabulary struct {
	words map[uint64]word
	pairs map[uint64]uint32 // topics by the two hashes
}

var vocab = sync.OnceValue(func() vocabulary {
	v := vocabulary{map[uint64]word{}, map[uint64]uint32{}}
	for topic, list := range phrases {
		for phrase := range strings.SplitSeq(list, ", ") {
			hashes := hashWords(nil, phrase)
			w := v.words[hashes[0]]
			if len(hashes) == 2 {
				w.begins = true
				v.pairs[pair(hashes[0], hashes[1])] |= 1 << topic
			} else {
				w.topics |= 1 << topic
			}
			v.words[hashes[0]] = w
		}
	}
	for _, h := range hashWords(nil, stopWords) {
		w := v.words[h]
		w.stop = true
		v.words[h] = w
	}
	return v
})

// The 64-bit FNV-1a hash.
const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
)

func hash(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

// pair joins two hashes in order.
func pair(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + a<<6 + a>>2
	a *= 0xff51afd7ed558ccd
	return a ^ a>>33
}

// hashWords appends the hashes of the words of s in lower case: runs of letters,
// digits and underscores.
func hashWords[T string | []byte](out []uint64, s T) []uint64 {
	h, in := uint64(hashStart), false
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_':
			case 'A' <= c && c <= 'Z':
				c += 'a' - 'A'
			default:
				if in {
					out = append(out, h)
				}
				h, in = hashStart, false
				continue
			}
			h, in = (h^uint64(c))*hashPrime, true
			continue
		}
		r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		i += n
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			if in {
				out = append(out, h)
			}
			h, in = hashStart, false
			continue
		}
		h, in = (h^uint64(unicode.ToLower(r)))*hashPrime, true
	}
	if in {
		out = append(out, h)
	}
	return out
}

// triples is the set of runs of three words.
type triples map[uint64]struct{}

// maxTriples bounds the words of one page's own description that are looked at.
const maxTriples = 20_000

func tripleSet(s string) triples {
	words := hashWords(nil, s)
	words = words[:min(len(words), maxTriples)]
	set := make(triples, len(words))
	for i := range max(0, len(words)-2) {
		set[pair(pair(words[i], words[i+1]), words[i+2])] = struct{}{}
	}
	return set
}

// share is how much of the words lies in runs of the set.
func (t triples) share(words []uint64) float64 {
	if len(t) == 0 || len(words) < 3 {
		return 0
	}
	n := 0
	for i := range len(words) - 2 {
		if _, ok := t[pair(pair(words[i], words[i+1]), words[i+2])]; ok {
			n++
		}
	}
	return float64(n) / float64(len(words)-2)
}
