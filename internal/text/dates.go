package text

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"
)

// Date is a calendar date named in a text, to the day, month or year. Parts the
// text does not name are 0; the year can be absent too ("5 January").
type Date struct {
	Span
	Year, Month, Day int
	Text             string // the date as written
}

// Time is the first moment of the date in UTC; absent parts count as 1.
func (d Date) Time() time.Time {
	return time.Date(max(d.Year, 1), time.Month(max(d.Month, 1)), max(d.Day, 1), 0, 0, 0, 0, time.UTC)
}

// Compare orders dates by time; an absent part comes before a named one.
func (d Date) Compare(o Date) int {
	return cmp.Or(cmp.Compare(d.Year, o.Year), cmp.Compare(d.Month, o.Month), cmp.Compare(d.Day, o.Day))
}

// Same reports whether the dates agree in every part that both name: "May 2023"
// is the same as "2023-05-17", and not the same as "2023-06-17".
func (d Date) Same(o Date) bool {
	agree := func(a, b int) bool { return a == 0 || b == 0 || a == b }
	return agree(d.Year, o.Year) && agree(d.Month, o.Month) && agree(d.Day, o.Day)
}

// yearOnly reports whether the text names a bare year.
func (d Date) yearOnly() bool { return d.Month == 0 && d.Len() == 4 }

// valid reports whether the parts make a date of the calendar.
func (d Date) valid() bool {
	if d.Month < 0 || d.Month > 12 || d.Day < 0 || d.Day > 31 || d.Day > 0 && d.Month == 0 {
		return false
	}
	if d.Year != 0 && (d.Year < 1000 || d.Year > 2100) {
		return false
	}
	if d.Day == 0 {
		return true
	}
	year := cmp.Or(d.Year, 2000)
	return d.Day <= time.Date(year, time.Month(d.Month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// Dates returns the dates in s in order. It reads ISO 8601, "5 January 2024",
// "Jan. 5, 2024", "May 2023", "2025年2月2日", "2025/02/02", "05.01.2024", the
// month names of English, German, French and Spanish, and plain years where
// their surroundings allow one, but nothing inside web addresses. "02/03/2024" does not say which part is the
// month: it counts as its year.
func Dates(s string) []Date {
	var dates []Date
	for i := 0; i < len(s); {
		if end := urlAt(s, i); end > i {
			i = end
			continue
		}
		d, ok := dateAt(s, i)
		if ok {
			d.Start, d.Text = i, s[i:d.End]
			dates = append(dates, d)
			i = d.End
			continue
		}
		i = nextStart(s, i)
	}
	return dates
}

// nextStart returns the next position after i at which a date or number may
// start: past the run of digits or ASCII letters that begins at i, or past one
// character.
func nextStart(s string, i int) int {
	if isDigit(s[i]) {
		return i + digitsAt(s, i, len(s))
	}
	start := i
	for i < len(s) && isAlpha(s[i]) {
		i++
	}
	if i > start {
		return i
	}
	_, size := utf8.DecodeRuneInString(s[i:])
	return i + size
}

// dateAt reads the date that starts at i; only its End is set of the span.
func dateAt(s string, i int) (Date, bool) {
	if isDigit(s[i]) {
		if before := runeBefore(s, i); before < utf8.RuneSelf && isAlnum(byte(before)) {
			return Date{}, false
		}
		n := digitsAt(s, i, 5)
		if n > 4 || n == 3 {
			return Date{}, false
		}
		for _, read := range []func(string, int, int) (Date, bool){ideographic, numeric, dayFirst, plainYear} {
			if d, ok := read(s, i, n); ok && d.valid() {
				return d, true
			}
		}
		return Date{}, false
	}
	d, ok := monthFirst(s, i)
	return d, ok && d.valid()
}

// number reads n digits at i.
func number(s string, i, n int) int {
	v := 0
	for k := i; k < i+n; k++ {
		v = v*10 + int(s[k]-'0')
	}
	return v
}

// numeric reads dates of three numbers with one separator, and ISO months.
func numeric(s string, i, n int) (Date, bool) {
	sep := at(s, i+n)
	if sep != '-' && sep != '/' && sep != '.' || precededByPart(s, i) {
		return Date{}, false
	}
	j := i + n + 1
	m := digitsAt(s, j, 3)
	if m == 0 || m > 2 {
		return Date{}, false
	}
	k := j + m
	first, second := number(s, i, n), number(s, j, m)
	if at(s, k) != sep || !isDigit(at(s, k+1)) {
		// 2010-11 is a season, 2010-12 and 2010-09 are months.
		month := n == 4 && m == 2 && sep == '-' && second != (first+1)%100 && second > 0 && !isAlnum(at(s, k))
		return Date{Span: Span{End: k}, Year: first, Month: second}, month
	}
	last := digitsAt(s, k+1, 5)
	end := k + 1 + last
	if at(s, end) == sep && isDigit(at(s, end+1)) {
		return Date{}, false
	}
	third := number(s, k+1, last)
	d := Date{Span: Span{End: end}}
	switch {
	case n == 4 && last <= 2:
		d.Year, d.Month, d.Day = first, second, third
	case n <= 2 && last == 4:
		d.Year = third
		d.Month, d.Day = monthOrDay(first, second, sep)
	}
	return d, d.Year > 0
}

// monthOrDay tells which of the two numbers before a year is the month: with
// points the second, else the one that can be; 0 when both can and differ.
func monthOrDay(first, second int, sep byte) (month, day int) {
	switch {
	case sep == '.' || first > 12 || first == second:
		return second, first
	case second > 12:
		return first, second
	}
	return 0, 0
}

// precededByPart reports whether the number at i goes on from an earlier one, as
// in "1.2.3.4" or "10-2025-01-02".
func precededByPart(s string, i int) bool {
	c := at(s, i-1)
	return (c == '-' || c == '/' || c == '.' || c == ',') && isAlnum(at(s, i-2))
}

// ideographic reads 2025年2月2日, 2月2日, 2025年 and the Korean forms.
func ideographic(s string, i, _ int) (Date, bool) {
	var d Date
	rest, end := i, i
	for _, part := range []struct {
		units string
		value *int
	}{{"年년", &d.Year}, {"月월", &d.Month}, {"日号號일", &d.Day}} {
		n := digitsAt(s, rest, 5)
		unit := skipBlank(s, rest+n)
		r, size := utf8.DecodeRuneInString(s[unit:])
		if n == 0 || n > 4 || size == 0 || !strings.ContainsRune(part.units, r) {
			if part.value == &d.Year {
				continue
			}
			break
		}
		if part.value == &d.Year && n != 4 {
			return Date{}, false
		}
		*part.value = number(s, rest, n)
		end = unit + size
		rest = skipBlank(s, end)
	}
	d.End = end
	// 6月 alone may be a span of months or a month, 6月份 is a month; 2日 alone a span of days.
	return d, d.Year > 0 || d.Month > 0 && (d.Day > 0 || strings.HasPrefix(s[end:], "份"))
}

// skipBlank skips at most two blanks.
func skipBlank(s string, i int) int {
	for n := 0; n < 2 && at(s, i) == ' '; n++ {
		i++
	}
	return i
}

// blankAfter skips white space on the same line, at most 3 characters, including
// no-break spaces.
func blankAfter(s string, i int) int {
	for range 3 {
		switch r, size := utf8.DecodeRuneInString(s[i:]); r {
		case ' ', '\t', '\u00a0', '\u202f', '\u2009', '\n':
			i += size
		default:
			return i
		}
	}
	return i
}

// months maps names and abbreviations to numbers. Those that are common words in
// lower case ("may", "march", "mars") need a day before or a year after them.
var months = monthNames(`january jan januar jänner janvier janv enero ene
february feb februar février fevrier févr febrero
march mar märz mrz mars marzo
april apr avril avr abril abr
may mai mayo
june jun juni juin junio
july jul juli juillet juil julio
august aug août aout agosto ago
september sep sept septembre septiembre
october oct oktober okt octobre octubre
november nov novembre noviembre
december dec dezember dez décembre decembre déc diciembre dic`)

func monthNames(list string) map[string]int {
	m := make(map[string]int)
	for i, names := range strings.Split(list, "\n") {
		for name := range strings.FieldsSeq(names) {
			m[name] = i + 1
		}
	}
	return m
}

// monthAt reads a month name at i with its full stop, and returns 0 for none.
func monthAt(s string, i int) (month, end int) {
	end = wordAt(s, i)
	if end-i < 3 || end-i > 12 {
		return 0, i
	}
	word := s[i:end]
	month = months[strings.ToLower(word)]
	if month == 0 {
		return 0, i
	}
	if at(s, end) == '.' {
		end++
	}
	return month, end
}

// dayFirst reads "5 January 2024", "5. Januar 2024", "1er mars 2024", "5 de enero
// de 2024", "5th of May 2023".
func dayFirst(s string, i, n int) (Date, bool) {
	if n > 2 {
		return Date{}, false
	}
	j := ordinal(s, i+n)
	if at(s, j) == '.' {
		j++
	}
	k := particle(s, blankAfter(s, j))
	if k == j && at(s, k) != '-' {
		return Date{}, false
	}
	if at(s, k) == '-' {
		k++
	}
	month, end := monthAt(s, k)
	if month == 0 {
		return Date{}, false
	}
	d := Date{Span: Span{End: wordAt(s, k)}, Month: month, Day: number(s, i, n)}
	if year, e := yearAfter(s, end); year > 0 {
		d.Year, d.End = year, e
	}
	return d, d.Day > 0
}

// ordinal skips the ending of an ordinal number at i: 1st, 2nd, 1er.
func ordinal(s string, i int) int {
	for _, ending := range []string{"st", "nd", "rd", "th", "er", "º", "."} {
		if strings.HasPrefix(s[i:], ending) && !isAlpha(at(s, i+len(ending))) {
			return i + len(ending)
		}
	}
	return i
}

// particle skips "of" or "de" and the blank after it.
func particle(s string, i int) int {
	if p := strings.ToLower(s[i:min(i+3, len(s))]); p == "of " || p == "de " {
		return i + 3
	}
	return i
}

// yearAfter reads a year that follows a month or day, after blanks, a comma, a
// hyphen or "de".
func yearAfter(s string, i int) (year, end int) {
	if c := at(s, i); c == ',' || c == '-' {
		i++
	}
	i = particle(s, blankAfter(s, i))
	if digitsAt(s, i, 5) != 4 || isAlpha(at(s, i+4)) {
		return 0, i
	}
	if y := number(s, i, 4); y >= 1000 && y <= 2100 {
		return y, i + 4
	}
	return 0, i
}

// monthFirst reads "January 5, 2024", "Jan. 5", "May 2023".
func monthFirst(s string, i int) (Date, bool) {
	if c := s[i]; c < utf8.RuneSelf && !isAlpha(c) {
		return Date{}, false
	}
	if isWord(runeBefore(s, i)) && !isCJK(runeBefore(s, i)) {
		return Date{}, false
	}
	month, end := monthAt(s, i)
	if month == 0 {
		return Date{}, false
	}
	if year, e := yearAfter(s, end); year > 0 && !ambiguousMonth(s, i) {
		return Date{Span: Span{End: e}, Year: year, Month: month}, true
	}
	j := blankAfter(s, end)
	n := digitsAt(s, j, 3)
	if !isUpper(s[i]) || n == 0 || n > 2 || j == end {
		return Date{}, false
	}
	d := Date{Month: month, Day: number(s, j, n)}
	j = ordinal(s, j+n)
	if isAlnum(at(s, j)) || at(s, j) == '%' || at(s, j) == '.' && isDigit(at(s, j+1)) {
		return Date{}, false
	}
	d.End = j
	if year, e := yearAfter(s, rangeEnd(s, j)); year > 0 {
		d.Year, d.End = year, e
	}
	return d, d.Day > 0
}

// ambiguousMonth reports whether the month at i is a lower-case English word.
func ambiguousMonth(s string, i int) bool {
	return strings.HasPrefix(s[i:], "may ") || strings.HasPrefix(s[i:], "march ")
}

// rangeEnd skips the second day of "5-7" or "5–7".
func rangeEnd(s string, i int) int {
	r, size := utf8.DecodeRuneInString(s[i:])
	if r != '-' && r != '–' {
		return i
	}
	if n := digitsAt(s, i+size, 3); n == 1 || n == 2 {
		return i + size + n
	}
	return i
}

// plainYear reads four digits that stand alone and where a year can stand.
func plainYear(s string, i, n int) (Date, bool) {
	if n != 4 || precededByPart(s, i) && at(s, i-1) != '-' && at(s, i-1) != '/' {
		return Date{}, false
	}
	year, end := number(s, i, 4), i+4
	if year < 1000 || year > 2100 || !yearPlace(s, i, end, year) {
		return Date{}, false
	}
	return Date{Span: Span{End: end}, Year: year}, true
}

// yearPlace reports whether a year can stand at [i, end).
func yearPlace(s string, i, end, year int) bool {
	before, after := runeBefore(s, i), runeAt(s, end)
	switch {
	case strings.ContainsRune("$€£¥₹₩#+−", before) && before != 0, strings.ContainsRune("%％°‰×_", after) && after != 0:
		return false
	case (after == '.' || after == ',') && isDigit(at(s, end+1)), isWord(after) && !isWide(after):
		return false
	}
	if yearCue(s, i) {
		return true
	}
	if after == ' ' || after == '\u00a0' {
		next := blankAfter(s, end)
		word := s[next:wordAt(s, next)]
		if _, ok := unitWord(word); ok || isScale(word) || countable(word) {
			return false
		}
	} else if isWide(after) {
		return false
	}
	return year >= 1700 || before == '(' && (after == ')' || after == '-')
}

// countable guesses whether a word after a number is what is being counted: a
// lower-case plural.
func countable(word string) bool {
	n := len(word)
	return n > 3 && isLower(word[0]) && word[n-1] == 's' && word[n-2] != 's' && !stopWords[word]
}

// yearCues are words that a year follows.
var yearCues = set(strings.Fields(`in since from until till by during before after of year years early late mid spring summer
	autumn fall winter circa c around im seit bis ab jahr vor nach en depuis jusqu avant après vers desde hasta año fy
	anno`))

// yearCue reports whether the word before i announces a year. "By" and "of" do
// so only for years of our time: they go with amounts too.
func yearCue(s string, i int) bool {
	end := len(strings.TrimRight(s[max(0, i-3):i], " \u00a0")) + max(0, i-3)
	if end == i {
		return false
	}
	start := end
	for start > 0 && end-start < 8 && isAlpha(s[start-1]) {
		start--
	}
	word := strings.ToLower(s[start:end])
	if word == "by" || word == "of" || word == "from" || word == "around" || word == "after" || word == "before" {
		next := blankAfter(s, i+4)
		follow := s[next:wordAt(s, next)]
		return !countable(follow) && !isScale(follow)
	}
	return yearCues[word]
}
