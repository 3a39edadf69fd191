package citations

import (
	"encoding/json"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"deepresearch/internal/text"
)

// fixture opens a file of the evaluation sets, or skips the test.
func fixture(t testing.TB, elem ...string) string {
	t.Helper()
	root := os.Getenv("DEEPRESEARCH_FIXTURES")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "fixtures")
	}
	path := filepath.Join(append([]string{root, "eval"}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no evaluation fixtures: %v", err)
	}
	return path
}

// readLines decodes a file of JSON lines.
func readLines[T any](t testing.TB, path string) []T {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	for line := range strings.Lines(string(file)) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// browser plays the search for text fragments as Chromium was observed to do
// it, over blocks of shown text.
type browser struct {
	blocks []shownBlock
}

type shownBlock struct {
	id, text string // text is folded; line breaks separate lines
}

var (
	blockForm  = regexp.MustCompile(`(?s)<(?:p|td)(?: id=(\w+))?>(.*?)</(?:p|td)>`)
	hiddenForm = regexp.MustCompile(`(?s)<span style="display:none">.*?</span>`)
	tagForm    = regexp.MustCompile(`<[^>]*>`)
)

func newBrowser(page string) browser {
	var b browser
	for _, m := range blockForm.FindAllStringSubmatch(page, -1) {
		inner := strings.Join(strings.Fields(hiddenForm.ReplaceAllString(m[2], "")), " ")
		inner = strings.ReplaceAll(inner, "<br>", "\n")
		inner = html.UnescapeString(tagForm.ReplaceAllString(inner, ""))
		b.blocks = append(b.blocks, shownBlock{m[1], folded(inner)})
	}
	return b
}

// land is the id of the block to which the browser scrolls, "" for none.
func (b browser) land(fragment string) string {
	_, directives, ok := strings.Cut(fragment, ":~:")
	if !ok {
		return ""
	}
	for d := range strings.SplitSeq(directives, "&") {
		if value, ok := strings.CutPrefix(d, "text="); ok {
			if id := b.match(value); id != "" {
				return id
			}
		}
	}
	return ""
}

func (b browser) match(value string) string {
	parts := strings.Split(value, ",")
	var prefix, suffix string
	if p, ok := strings.CutSuffix(parts[0], "-"); ok && len(parts) > 1 {
		prefix, parts = p, parts[1:]
	}
	if s, ok := strings.CutPrefix(parts[len(parts)-1], "-"); ok && len(parts) > 1 {
		suffix, parts = s, parts[:len(parts)-1]
	}
	if len(parts) > 2 || strings.Contains(strings.Join(append(parts, prefix, suffix), ""), "-") {
		return ""
	}
	for i := range parts {
		parts[i] = decode(parts[i])
	}
	for i, block := range b.blocks {
		at := b.occurrence(block.text, decode(prefix), parts[0], decode(suffix))
		if at < 0 {
			continue
		}
		if len(parts) == 1 || b.endsAfter(i, at+len(parts[0]), parts[1]) {
			return block.id
		}
	}
	return ""
}

func decode(s string) string {
	plain, err := url.PathUnescape(s)
	if err != nil {
		return "\x00"
	}
	return strings.TrimSpace(folded(plain))
}

// occurrence is where words stand in a block as whole words, after prefix and
// before suffix.
func (b browser) occurrence(block, prefix, words, suffix string) int {
	for from := 0; from < len(block); {
		i := strings.Index(block[from:], words)
		if i < 0 || words == "" {
			return -1
		}
		i += from
		before, after := strings.TrimSpace(block[:i]), strings.TrimSpace(block[i+len(words):])
		if wordEdge(block, i) && wordEdge(block, i+len(words)) && strings.HasSuffix(before, prefix) && strings.HasPrefix(after, suffix) {
			return i
		}
		_, size := utf8.DecodeRuneInString(block[i:])
		from = i + size
	}
	return -1
}

func (b browser) endsAfter(block, from int, words string) bool {
	for ; block < len(b.blocks); block++ {
		if b.occurrence(b.blocks[block].text[from:], "", words, "") >= 0 {
			return true
		}
		from = 0
	}
	return false
}

// longWords are the words of the Chinese fixture sentences that a browser's
// dictionary knows; a match may not begin inside one.
var longWords = []string{"发布", "完成", "研究", "分钟"}

func wordEdge(s string, at int) bool {
	if splitsWord(s, at) {
		return false
	}
	for _, w := range longWords {
		half := len(w) / 2
		if at >= half && at+half <= len(s) && s[at-half:at+half] == w {
			return false
		}
	}
	return true
}

// TestBrowserModel compares the model browser with what Chromium did.
func TestBrowserModel(t *testing.T) {
	page, err := os.ReadFile(fixture(t, "textfragments", "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	b := newBrowser(string(page))
	for _, c := range readLines[struct {
		Case, Fragment, Target string
		Scrolls                bool
	}](t, fixture(t, "textfragments", "cases.jsonl")) {
		if got := b.land(c.Fragment) == c.Target; got != c.Scrolls {
			t.Errorf("%s: model lands on %q, the browser on %s: %v", c.Case, b.land(c.Fragment), c.Target, c.Scrolls)
		}
	}
}

// fragmentPage has every trap of the observed cases in one page. Blocks come in
// pairs of what is archived and what is shown.
const fragmentHTML = `<p id=a>Revenue rose 4.2%, to $3.5 billion - a record &amp; a surprise; well-known analysts disagreed.</p>
<p id=b>OpenAI于2025年2月2日发布了Deep Research,它能在5至30分钟内完成研究。</p>
<p id=c>First block ends here.</p><p id=d>Second block starts there.</p>
<p id=e>The <b>quick</b> brown <a href=x>fox</a> jumps<sup>[1]</sup> over the fence, then it runs along the old stone wall until the path ends at the mill.</p>
<p id=f>She said “curly quotes” aren’t straight.</p>
<table><tr><td id=g>Cell one alpha</td><td id=h>Cell two beta</td></tr></table>
<p id=i>Café naïve résumé</p>
<p id=j>repeat phrase zebra</p><p id=k>other words repeat phrase yak</p>
<p id=l>line one<br>line two after break</p>
<p id=m>研究表明，这座大桥每天承载十六万辆汽车，远远超过了设计者当年最大胆的估计，因此市政府决定修建第二座桥，并在两岸铺设新的铁路，以减轻旧桥的负担，同时保留渡轮航线供游客使用，让人们仍能从水上看到这座城市的全貌和港口的灯光。</p>`

const fragmentArchive = `Revenue rose 4.2%, to $3.5 billion - a record & a surprise; well-known analysts disagreed.

OpenAI于2025年2月2日发布了Deep Research,它能在5至30分钟内完成研究。

First block ends here.

Second block starts there.

The **quick** brown [fox](https://x.example/a_(b) "t") jumps over the fence, then it runs along the old stone wall until the path ends at the mill.

She said “curly quotes” aren’t straight.

| Cell one alpha | Cell two beta |
| --- | --- |

Café naïve résumé

repeat phrase zebra

other words repeat phrase yak

line one
line two after break

研究表明，这座大桥每天承载十六万辆汽车，远远超过了设计者当年最大胆的估计，因此市政府决定修建第二座桥，并在两岸铺设新的铁路，以减轻旧桥的负担，同时保留渡轮航线供游客使用，让人们仍能从水上看到这座城市的全貌和港口的灯光。
`

func TestTextFragmentLands(t *testing.T) {
	b := newBrowser(fragmentHTML)
	for _, c := range []struct{ quote, target string }{
		{"Revenue rose 4.2%, to $3.5 billion - a record & a surprise; well-known analysts disagreed.", "a"},
		{"well-known analysts", "a"},
		{"evenue rose 4.2%", "a"}, // half a word
		{"OpenAI于2025年2月2日发布了Deep Research,它能在5至30分钟内完成研究。", "b"},
		{"成研究", "b"}, // half a word
		{"First block ends here.\n\nSecond block starts there.", "c"},
		{"The **quick** brown [fox](https://x.example/a_(b) \"t\") jumps over the fence, then it runs along the old stone wall until the path ends at the mill.", "e"},
		{"quick** brown [fox", "e"},
		{"She said “curly quotes” aren’t straight.", "f"},
		{"Cell two beta", "h"},
		{"| Cell one alpha | Cell two beta |", "g"},
		{"Café naïve résumé", "i"},
		{"repeat phrase zebra", "j"},
		{"repeat phrase", "j"},
		{"line one\nline two after break", "l"},
		{"研究表明，这座大桥每天承载十六万辆汽车，远远超过了设计者当年最大胆的估计，因此市政府决定修建第二座桥，并在两岸铺设新的铁路，以减轻旧桥的负担，同时保留渡轮航线供游客使用，让人们仍能从水上看到这座城市的全貌和港口的灯光。", "m"},
	} {
		span := spanOf(t, fragmentArchive, c.quote)
		got := TextFragment(fragmentArchive, span)
		if landed := b.land("#" + got); landed != c.target {
			t.Errorf("%q: %s lands on %q, want %s", c.quote, got, landed, c.target)
		}
	}
}

func TestTextFragmentOfTheSecondOccurrence(t *testing.T) {
	b := newBrowser(fragmentHTML)
	i := strings.LastIndex(fragmentArchive, "repeat phrase")
	span := text.Span{Start: i, End: i + len("repeat phrase")}
	got := TextFragment(fragmentArchive, span)
	if landed := b.land("#" + got); landed != "k" {
		t.Errorf("%s lands on %q, want k", got, landed)
	}
}

func TestLink(t *testing.T) {
	const page = "First page text.\fSecond page holds the number 42."
	at := spanOf(t, page, "Second page holds the number 42.")
	for _, c := range []struct {
		name   string
		source Source
		want   string
	}{
		{"web", Source{URL: "https://a.example/x"}, "https://a.example/x#:~:text=Second%20page%20holds%20the%20number%2042."},
		{"web with anchor", Source{URL: "https://a.example/x#part"}, "https://a.example/x#part:~:text=Second%20page%20holds%20the%20number%2042."},
		{"web with directive", Source{URL: "https://a.example/x#part:~:text=old"}, "https://a.example/x#part:~:text=Second%20page%20holds%20the%20number%2042."},
		{"pdf", Source{URL: "https://a.example/x.pdf#old", Pages: []PageBreak{{1, 0}, {2, 17}}}, "https://a.example/x.pdf#page=2"},
		{"file", Source{URL: "file:///home/u/x.txt", Private: true}, "file:///home/u/x.txt"},
		{"pdf file", Source{URL: "file:///home/u/x.pdf", Private: true, Pages: []PageBreak{{1, 0}, {2, 17}}}, "file:///home/u/x.pdf#page=2"},
		{"no address", Source{Title: "notes"}, ""},
	} {
		if got := link(c.source, showPage(page), at); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, 5 * 3 = 15":              "plain text, 5 * 3 = 15",
		"## A heading":                        "A heading",
		"- **bold** and _soft_ snake_case":    "bold and soft snake_case",
		"12. twelfth":                         "twelfth",
		"2024. was a year":                    "2024. was a year",
		"> quoted `code`":                     "quoted code",
		"a [link](https://x.example/(a)) b":   "a link b",
		"![alt](x.png)after":                  "after",
		"cut](https://x.example) off":         "cut off",
		`an \[escaped\] 1\.`:                  "an [escaped] 1.",
		"jumps[[1]](#cite) over[2]":           "jumps[1] over[2]",
		"| a | b |\n| --- | --- |\n| c | d |": "a\nb\nc\nd",
		"<https://x.example/a>":               "https://x.example/a",
		"R&amp;D, AT&T":                       "R&D, AT&T",
		"-5 degrees":                          "-5 degrees",
		"#hashtag":                            "#hashtag",
		"hyper\u00adtext  two":                "hypertext two",
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzTextFragment(f *testing.F) {
	for _, q := range []string{"repeat phrase", "fox](", "a_(b) \"t\")"} {
		i := strings.Index(fragmentArchive, q)
		f.Add(fragmentArchive, i, len(q))
	}
	f.Add("汉字，[x](y", 0, 3)
	f.Fuzz(func(t *testing.T, page string, start, length int) {
		if start < 0 || length < 0 || start > len(page) || length > len(page)-start || len(page) > 1<<12 || !utf8.ValidString(page) {
			return
		}
		span := text.Span{Start: start, End: start + length}
		if !boundary(page, span.Start) || !boundary(page, span.End) {
			return
		}
		got := TextFragment(page, span)
		if got == "" {
			return
		}
		value, ok := strings.CutPrefix(got, ":~:text=")
		if !ok || value == "" || strings.Trim(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~%,-") != "" {
			t.Errorf("directive %q", got)
		}
		if strings.Count(value, ",") > 3 {
			t.Errorf("directive %q has too many parts", got)
		}
	})
}

func BenchmarkTextFragment(b *testing.B) {
	page := strings.Repeat(fragmentArchive, 60) + "The last line names the one passage that is looked for in this long page of text."
	span := text.Span{Start: len(page) - 82, End: len(page)}
	b.ReportAllocs()
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		if TextFragment(page, span) == "" {
			b.Fatal("no fragment")
		}
	}
}

// Each form was seen to lead a browser (Chromium 156) to its words on a page of
// documentation, where a simpler one did not.
func TestTextFragmentOfRowsAndCode(t *testing.T) {
	const page = "See snort or POP3.\n\n" +
		"Ctrl-Q | resume output\n\n" +
		"snort | V:0 | 2203 | \" | intrusion detection\n\n" +
		"POP3.user(username)¶\n\n" +
		"*p = 1 and p = 2\n\nTake one:\n\n*p = 2\nif !cond {\n\t*p = 1\n}\n\n" +
		"PyFrame *Get(PyFrame *frame, **options)\n\n使用されてきました ( 表11.2「方法」 を参照)。\n\n" +
		"var x Float          // illegal: yes\n\ntype T struct {\n\tf Float    // illegal\n}\n"
	for _, c := range []struct{ name, quote, want string }{
		{"cells", "Ctrl-Q | resume output", "Ctrl%2DQ,resume%20output"},
		{"a first cell that stands elsewhere too, a cell without words", "snort | V:0 | 2203 | \" | intrusion detection", "output-,snort,intrusion%20detection"},
		{"a sign that only a pointer brings out", "POP3.user(username)¶", "POP3.user%28username%29"},
		{"a lone asterisk, a last line without words", "*p = 2\nif !cond {\n\t*p = 1\n}", "%2Ap%20%3D%202,%2Ap%20%3D%201"},
		{"asterisks of a page without Markdown", "PyFrame *Get(PyFrame *frame, **options)", "PyFrame%20%2AGet%28PyFrame%20%2Aframe%2C%20%2A%2Aoptions%29"},
		{"blanks where words need none", "使用されてきました ( 表11.2「方法」 を参照)。", "%E4%BD%BF%E7%94%A8%E3%81%95%E3%82%8C%E3%81%A6%E3%81%8D%E3%81%BE%E3%81%97%E3%81%9F,%E3%82%92%E5%8F%82%E7%85%A7%29%E3%80%82"},
		{"blanks that the page keeps, an end that stands in the passage", "var x Float          // illegal: yes\n\ntype T struct {\n\tf Float    // illegal", "var%20x%20Float,%2F%2F%20illegal,-%7D"},
	} {
		got := TextFragment(page, spanOf(t, page, c.quote))
		if want := ":~:text=" + c.want; got != want {
			t.Errorf("%s: got %s, want %s", c.name, got, want)
		}
	}
}
