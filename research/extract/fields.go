package extract

import (
	"cmp"
	"slices"
	"strings"

	"deepresearch/internal/text"
)

// field is a line such as "Date: 2025-03-04" at the head of minutes, a decision
// or a message: it tells of the document and says nothing of its subject.
type field struct {
	text.Span
	label string
}

// labels are the names of fields by what they hold, in the languages of the
// questions; a line "Decision: ..." is no field but a sentence.
var labels = text.NewPattern(`(?i)^(?:last )?(?:date|dated|time|updated|created|published|released?|authors?|attendees|participants|present|absent|apolog(?:ies|ised)|deciders?|facilitator|chair|minutes|from|to|cc|location|place|venue|room|status|tags?|keywords|version|id|category|language|licen[cs]e|` +
	`datum|uhrzeit|ort|teilnehmer(?:innen)?|anwesend|autor(?:in)?|protokoll|stand|auteurs?|présents|lieu|statut|` +
	`日期|时间|地点|参加人|参会人|与会者|出席者?|记录人?|作者|状态|主持人?|日時|場所|参加者)$`)

var label = text.NewPattern(`(?:^|\s)(\p{Lu}[\p{L}-]*(?: \p{L}{2,}){0,2}|\p{Han}{2,5})[:：]\s?`)

// maxLabel bounds the bytes in which the first label must end.
const maxLabel = 80

// maxField bounds the words of a field's value; a longer one is prose.
const maxField = 24

// fields cuts a paragraph that consists of fields alone; parsers join the lines
// of such a head into one. It returns nil for prose.
func fields(s string) []field {
	if !strings.ContainsAny(s[:min(len(s), maxLabel)], ":：") { // nearly all prose
		return nil
	}
	at := label.FindAllStringSubmatchIndex(s, -1)
	if len(at) == 0 || at[0][2] != 0 {
		return nil
	}
	var out []field
	for _, m := range at[1:] { // a name that ends the value before a label is no part of it
		for n := 0; n >= 0 && !labels.MatchString(s[m[2]:m[3]]); {
			if n = strings.IndexByte(s[m[2]:m[3]], ' '); n >= 0 {
				m[2] += n + 1
				m[0] = m[2] - 1
			}
		}
	}
	for i, m := range at {
		end := len(s)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		f := field{text.Span{Start: m[2], End: m[2] + len(strings.TrimRight(s[m[2]:end], " \n"))}, s[m[2]:m[3]]}
		if !labels.MatchString(f.label) {
			if i == 0 {
				return nil
			}
			out[len(out)-1].End = f.End // a label that we do not know belongs to what is before it
		} else {
			out = append(out, f)
		}
		last := out[len(out)-1]
		if words(last.In(s)) > maxField || len(text.Sentences(last.In(s))) > 1 {
			return nil
		}
	}
	return out
}

// stamp is a date that holds for what stands below it: a dated heading, or a
// field with a date.
type stamp struct {
	text.Span
	date text.Date
}

// maxStamp bounds the words that a dated heading has beside its date, as in
// "[1.2.0] - 2025-03-04" or "Standup, 4 March 2025".
const maxStamp = 5

// stamps finds the dates of a text that hold for the lines below them.
func stamps(t string) []stamp {
	var out []stamp
	start := 0
	for line := range strings.Lines(t) {
		body := strings.TrimRight(line, "\r\n")
		if s, ok := stampOf(body); ok {
			s.Span = s.Shift(start)
			out = append(out, s)
		}
		start += len(line)
	}
	return out
}

func stampOf(line string) (stamp, bool) {
	if len(line) > maxBytes {
		return stamp{}, false
	}
	for _, f := range fields(line) {
		if d := text.Dates(f.In(line)); len(d) > 0 && full(d[0]) {
			return stamp{f.Span, d[0]}, true
		}
	}
	d := text.Dates(line)
	if len(d) == 0 || !full(d[0]) || strings.ContainsAny(line[max(0, len(line)-3):], ".!?。！？:") || strings.Contains(line, " | ") {
		return stamp{}, false
	}
	if rest := line[:d[0].Start] + " " + line[d[0].End:]; words(rest) > maxStamp {
		return stamp{}, false
	}
	return stamp{text.Span{Start: 0, End: len(line)}, d[0]}, true
}

// full reports whether a date names more than a year.
func full(d text.Date) bool { return d.Year != 0 && d.Month != 0 }

// stampBefore is the index of the last stamp that ends before the byte at, -1
// when there is none.
func stampBefore(all []stamp, at int) int {
	n, _ := slices.BinarySearchFunc(all, at, func(s stamp, at int) int { return cmp.Compare(s.End, at+1) })
	return n - 1
}

// columns is the row that heads the table of the row at start: the first of the
// lines above it that are rows too.
func columns(t string, start int) string {
	first := ""
	for at := start; at > 0; {
		line := strings.TrimSpace(t[:at])
		at = strings.LastIndexByte(line, '\n') + 1
		if row := line[at:]; strings.Contains(row, " | ") {
			first = row
			continue
		}
		break
	}
	return first
}
