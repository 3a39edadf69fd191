package charset

import (
	"bytes"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// candidate is an encoding that bytes without a label may be in.
type candidate struct {
	name string
	e    encoding.Encoding
	// score judges one decoded rune beyond ASCII after prev: 1 for the
	// commonest letters of the languages written so, less for rare ones,
	// negative for what such a text does not hold.
	score func(prev, r rune) float64
	latin bool // its letters stand among ASCII ones
}

// candidates are built at first use. The order decides between equals.
var candidates = sync.OnceValue(func() []candidate {
	return []candidate{
		{"gb18030", simplifiedchinese.GB18030, hanScore(commonSimplified + commonTraditional), false},
		{"big5", traditionalchinese.Big5, hanScore(commonTraditional), false},
		{"shift_jis", japanese.ShiftJIS, kanaScore(), false},
		{"euc-jp", japanese.EUCJP, kanaScore(), false},
		{"euc-kr", korean.EUCKR, hangulScore(), false},
		{"windows-1251", charmap.Windows1251, alphabet(unicode.Cyrillic, "оеаинтсрвлкмдпуяыьгзбчйхжі"), false},
		{"koi8-r", charmap.KOI8R, alphabet(unicode.Cyrillic, "оеаинтсрвлкмдпуяыьгзбчйхж"), false},
		{"ibm866", charmap.CodePage866, alphabet(unicode.Cyrillic, "оеаинтсрвлкмдпуяыьгзбчйхж"), false},
		{"iso-8859-5", charmap.ISO8859_5, alphabet(unicode.Cyrillic, "оеаинтсрвлкмдпуяыьгзбчйхж"), false},
		{"windows-1253", charmap.Windows1253, alphabet(unicode.Greek, "αοιετσνηυρπκμλςάίόέήώγδθβφχ"), false},
		{"windows-1255", charmap.Windows1255, alphabet(unicode.Hebrew, "יוהלאתרבשמןנדעחקפם"), false},
		{"windows-1256", charmap.Windows1256, alphabet(unicode.Arabic, "اليمنوتربعدسفهكقةحجأإخش"), false},
		{"windows-874", charmap.Windows874, alphabet(unicode.Thai, "านรกอเงมยลวดทสตะปบคหแจพชขใไโ่้ัีิุู็ำ์ธถญ"), false},
		{"windows-1252", charmap.Windows1252, latin("éèêëàâáäãåçîïíìôöóòõøùûüúñßæœÉÀÄÖÜ’“”‘–—…«»°©®·§€£½²•¿¡"), true},
		{"windows-1250", charmap.Windows1250, latin("áéíóúůýčďěňřšťžąćęłńśźżőűöüôäâăîșţşľĺŕŠČŽŚŻ„”“’–—…«»°§"), true},
		{"windows-1254", charmap.Windows1254, latin("ğışöüçİŞÖÜÇĞâîû’“”‘–—…«»"), true},
	}
})

// sampleSize is how much text the detector looks at, in bytes. 300 characters
// decide (of 523 Chinese texts all were told right), and more only cost time.
const sampleSize = 2 << 10

// detect guesses the encoding of text without a label by how ordinary the
// text is that each encoding makes of it. Text too short to tell is
// windows-1252, as in browsers.
func detect(body []byte) (string, encoding.Encoding) {
	sample := textSample(body)
	name, e, score := "windows-1252", encoding.Encoding(charmap.Windows1252), 0.0
	lone := loneBytes(sample)
	for _, c := range candidates() {
		if lone && !c.latin {
			continue
		}
		if s := c.judge(sample); s > score {
			name, e, score = c.name, c.e, s
		}
	}
	return name, e
}

// loneBytes reports whether most bytes beyond ASCII stand between ASCII ones:
// accents, dashes and quotation marks do, the letters of other scripts do not.
func loneBytes(b []byte) bool {
	lone, all := 0, 0
	for i, c := range b {
		if c < utf8.RuneSelf {
			continue
		}
		all++
		if (i == 0 || b[i-1] < utf8.RuneSelf) && (i+1 == len(b) || b[i+1] < utf8.RuneSelf) {
			lone++
		}
	}
	return lone*5 > all*3
}

// judge is the mean score of the runes beyond ASCII, from about -3 to 1.
func (c *candidate) judge(sample []byte) float64 {
	out, err := c.e.NewDecoder().Bytes(sample)
	if err != nil {
		return -3
	}
	sum, n := 0.0, 0
	prev := ' '
	for i := 0; i < len(out); {
		r, size := utf8.DecodeRune(out[i:])
		i += size
		if r >= utf8.RuneSelf {
			n++
			sum += c.one(prev, r)
		}
		if !c.latin && letter(r) && letter(prev) && (r < utf8.RuneSelf) != (prev < utf8.RuneSelf) {
			sum -= 0.5 // two scripts in one word: rare, and what accented letters become
		}
		prev = r
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

func letter(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z'
	}
	return unicode.IsLetter(r)
}

func (c *candidate) one(prev, r rune) float64 {
	switch {
	case r == utf8.RuneError || r < 0xa0 || unicode.Is(unicode.Co, r):
		return -3 // no text holds them
	case r == 0xa0 || r == 0x3000:
		return 0.3
	}
	return c.score(prev, r)
}

// textSample returns up to sampleSize bytes of the text between tags, starting
// near the first byte beyond ASCII, without scripts and styles. Tags may be
// cut bytewise: no encoding here uses < or > inside a character.
func textSample(body []byte) []byte {
	out := make([]byte, 0, sampleSize)
	for len(body) > 0 && len(out) < sampleSize {
		text, rest, tag := bytes.Cut(body, []byte("<"))
		if bytes.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
			out = append(out, text[:min(len(text), sampleSize-len(out))]...)
			out = append(out, ' ')
		}
		if !tag {
			break
		}
		body = afterTag(rest)
	}
	return out
}

// afterTag skips a tag whose "<" is gone, and the inside of scripts and styles.
func afterTag(b []byte) []byte {
	for _, name := range []string{"script", "style"} {
		if len(b) > len(name) && bytes.EqualFold(b[:len(name)], []byte(name)) {
			if i := bytes.Index(b, []byte("</"+name)); i >= 0 {
				b = b[i:]
			}
		}
	}
	_, rest, _ := bytes.Cut(b, []byte(">"))
	return rest
}

func set(s string) map[rune]bool {
	m := make(map[rune]bool)
	for _, r := range s {
		m[r] = true
	}
	return m
}

// cjkMark reports punctuation that East Asian texts share.
func cjkMark(r rune) bool {
	return r >= 0x3001 && r <= 0x3011 || r >= 0xff01 && r <= 0xff5e || r == '“' || r == '”' || r == '…' || r == '—' || r == '·' || r == '‘' || r == '’'
}

func hanScore(common string) func(prev, r rune) float64 {
	frequent := set(common)
	return func(_, r rune) float64 {
		switch {
		case frequent[r]:
			return 1
		case unicode.Is(unicode.Han, r):
			return 0.1
		case cjkMark(r):
			return 0.6
		}
		return -0.7
	}
}

func kanaScore() func(prev, r rune) float64 {
	frequent := set(commonKanji)
	return func(prev, r rune) float64 {
		switch {
		case r >= 0x3041 && r <= 0x3093, r == 'ー' && prev >= 0x30a1:
			return 1
		case r >= 0x30a1 && r <= 0x30f6:
			return 0.8
		case frequent[r]:
			return 0.9
		case unicode.Is(unicode.Han, r):
			return 0.1
		case cjkMark(r):
			return 0.6
		}
		return -0.7 // half-width katakana among them: other bytes make them, people hardly do
	}
}

func hangulScore() func(prev, r rune) float64 {
	frequent := set(commonHangul)
	return func(_, r rune) float64 {
		switch {
		case frequent[r]:
			return 1
		case unicode.Is(unicode.Hangul, r):
			return 0.4
		case unicode.Is(unicode.Han, r):
			return 0
		case cjkMark(r):
			return 0.5
		}
		return -0.7
	}
}

// alphabet scores the letters of one script. Capitals after small letters are
// what a wrong code page of the same script makes.
func alphabet(script *unicode.RangeTable, common string) func(prev, r rune) float64 {
	frequent := set(common)
	return func(prev, r rune) float64 {
		switch {
		case unicode.Is(script, r) && unicode.IsUpper(r) && unicode.IsLetter(prev) && !unicode.IsUpper(prev):
			return -1
		case unicode.Is(unicode.Mn, r) && !unicode.Is(script, prev):
			return -1 // a mark on nothing
		case frequent[unicode.ToLower(r)]:
			return 0.9
		case unicode.Is(script, r):
			return 0.1
		case unicode.IsPunct(r):
			return 0.3
		}
		return -1
	}
}

// latin scores accented letters, which stand among ASCII ones.
func latin(common string) func(prev, r rune) float64 {
	frequent := set(common)
	return func(prev, r rune) float64 {
		switch inWord := prev < utf8.RuneSelf && unicode.IsLetter(prev); {
		case frequent[r] && unicode.IsLetter(r):
			if prev >= 0xa0 && unicode.IsLetter(prev) {
				return -0.2 // accents in a row are what other encodings make
			}
			if unicode.IsUpper(r) && inWord && unicode.IsLower(prev) {
				return -1
			}
			return 0.8
		case frequent[r]:
			return 0.4
		case unicode.IsLetter(r):
			return -0.2
		}
		return -1
	}
}
