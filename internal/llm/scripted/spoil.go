package scripted

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// spoil does to a good answer what the persona does. h picks among its habits,
// so equal requests are spoilt alike.
func spoil(p Persona, text string, h uint64) string {
	switch p {
	case Sloppy:
		habits := proseHabits
		if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") {
			habits = jsonHabits
		}
		return habits[h%uint64(len(habits))](text)
	case Lying:
		return lie(text)
	case Garbage:
		return garbage[h%uint64(len(garbage))]
	case Mute:
		return ""
	}
	return text
}

// jsonHabits are ways to get JSON almost right.
var jsonHabits = []func(string) string{
	func(s string) string { return "```json\n" + s + "\n```" },
	func(s string) string {
		return "Sure! Here is the JSON you asked for:\n\n" + s + "\n\nLet me know if you need more."
	},
	func(s string) string { return "<think>\nThe user wants {\"a\": 1}. Let me see.\n</think>\n" + s },
	func(s string) string { return "I should answer in JSON.\n</think>\n\n" + s },
	func(s string) string { return s[:len(s)-1] + ",\n" + s[len(s)-1:] },
	func(s string) string { return `{"result": ` + s + `}` },
	func(s string) string { return "{\n\n" + s },
	func(s string) string {
		return strings.ReplaceAll(strings.ReplaceAll(s, "true", "True"), "null", "None")
	},
	func(s string) string { return s + "\n" + s },
	func(s string) string { return strconv.Quote(s) },
}

// proseHabits are ways to wrap an answer that should stand alone.
var proseHabits = []func(string) string{
	func(s string) string { return "<think>Hmm. Let me look at the evidence.</think>\n\n" + s },
	func(s string) string { return "Let me look at the evidence.\n</think>\n\n" + s },
	func(s string) string { return "```markdown\n" + s + "\n```" },
	func(s string) string { return "\ufeff\n\n" + s + "\n\n\n" },
}

var (
	figure = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9]+\b`) })
	known  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bS[0-9]+\.q[0-9]+\b`) })
)

// lie changes every figure and, from the second on, every second id.
func lie(text string) string {
	n := 0
	var b strings.Builder
	last := 0
	for _, at := range known().FindAllStringIndex(text, -1) {
		b.WriteString(changed(text[last:at[0]]))
		if n++; n%2 == 0 {
			b.WriteString("S99.q99")
		} else {
			b.WriteString(text[at[0]:at[1]])
		}
		last = at[1]
	}
	b.WriteString(changed(text[last:]))
	return b.String()
}

// changed adds 7 to every number, which is never a misprint of it.
func changed(s string) string {
	return figure().ReplaceAllStringFunc(s, func(d string) string {
		n, err := strconv.ParseUint(d, 10, 64)
		if err != nil {
			return "7"
		}
		return strconv.FormatUint(n+7, 10)
	})
}

// garbage cannot be read as anything.
var garbage = []string{
	"\x00\x01\ufffd\ufffd lorem } ] ipsum { [ \" dolor",
	"!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!",
	"<think><think><think> and then and then and then",
	"{\"{\"{\"{\"{\"",
	"\n \t\n \t   \n\n\n \t \n",
}
