package write

import (
	"slices"
	"strings"
	"unicode/utf8"

	"deepresearch/internal/safe"
	"deepresearch/internal/text"
)

// What models say is cleaned here before anything is made of it.

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip cuts s to n characters, between words where it can.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)[:n-1]
	short := string(r)
	if at := strings.LastIndexByte(short, ' '); at > len(short)/2 {
		short = short[:at]
	}
	return short + "…"
}

// address finds what leads somewhere: only code writes addresses.
var address = text.NewPattern(`(?i)\b(?:https?|ftp|file)://[^\s<>"')\]]+|\bwww\.[^\s<>"')\]]+|\bdoi:\s*10\.[^\s<>"')\]]+`)

// enumerated is what models put before the entries of a list.
var enumerated = text.NewPattern(`^(?:[-*•]|\(?\d{1,2}[.)])\s+`)

// query makes a query of a line that a model wrote. It is refused when it has an
// address, is too long, gives orders or says nothing.
func query(s string) (string, bool) {
	clean, _ := safe.Text(s)
	q := oneLine(clean)
	q = strings.Trim(enumerated.ReplaceAllString(q, ""), "\"'“”‘’`«»「」 ")
	ok := safe.Query(q) == nil && !address.MatchString(q) && !safe.Orders(q) && len(text.Terms(q)) > 0
	return q, ok
}

// statement is a line of at most n characters that a model wrote about a matter,
// such as a finding or a gap. One with an address or an order is refused.
func statement(s string, n int) (string, bool) {
	clean, _ := safe.Text(s)
	out := strings.TrimSpace(enumerated.ReplaceAllString(oneLine(clean), ""))
	if out == "" || utf8.RuneCountInString(out) > n || address.MatchString(out) || marks.MatchString(out) {
		return "", false
	}
	for _, sentence := range text.Sentences(out) {
		if safe.Orders(sentence.In(out)) {
			return "", false
		}
	}
	return out, !safe.Orders(out) && !placeholder.MatchString(out)
}

// marks are marks of sources as models write them. Only code numbers sources.
var marks = text.NewPattern(`\[\^?\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\]|【[^】]{0,30}】|\[\[?\s*S\d[\d.qS,;\s]*\]\]?`)

// placeholder is text that stands for text.
var placeholder = text.NewPattern(`(?i)lorem ipsum|\[(?:insert|your|add|todo|tbd|name|date|figure)\b[^\]]*\]|\binsert [\w ]{1,30} here\b|\bto be (?:added|completed|determined)\b|\bplaceholder\b|此处插入|待补充`)

// figuresFrom reports whether every figure and date of said stands in one of the
// sources.
func figuresFrom(said string, sources ...string) bool {
	if !strings.ContainsAny(said, "0123456789") {
		return true
	}
	whole := strings.Join(sources, "\n")
	known, dates := text.Numbers(whole), text.Dates(whole)
	for _, n := range text.Numbers(said) {
		if !slices.ContainsFunc(known, n.Same) && !strings.Contains(whole, n.Text) {
			return false
		}
	}
	for _, d := range text.Dates(said) {
		if !slices.ContainsFunc(dates, d.Same) && !strings.Contains(whole, d.Text) {
			return false
		}
	}
	return true
}

// languageName is a language for a prompt: its English name and its tag.
func languageName(tag string) string {
	base, _, _ := strings.Cut(tag, "-")
	if name := languages[base]; name != "" {
		return name + " (" + tag + ")"
	}
	if tag == "" || tag == "und" {
		return "that of the question"
	}
	return "the one with the tag " + tag
}

var languages = map[string]string{
	"ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fi": "Finnish",
	"fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean",
	"nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "th": "Thai",
	"tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}
