package text

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Number is a quantity named in a text. Its span covers sign, currency, digits,
// scale and unit: "$3.5 million", "12 ms", "3.5%".
type Number struct {
	Span
	Value   float64 // scale applied: "3.5 million" is 3500000; 0 for a version
	Text    string  // the number as written
	Unit    string  // normalised unit ("ms", "GB", "%", "USD", "year"), "" when none is known
	Percent bool    // the unit is per cent
	Range   bool    // one end of a range ("10-12", "5–10x")
	Year    bool    // a plain year, also reported by Dates, or a decade ("1990s")
	Version bool    // a version ("1.2.3", "go1.19"), compared by its text
}

// Same reports whether two numbers state the same quantity: equal values
// (relative tolerance 1e-9) after conversion within one class of units, so that
// 1.5 h is 90 min and 1.2亿 is 120 million. A number without a unit agrees with
// any unit. Versions agree when their digits do.
func (n Number) Same(o Number) bool {
	if n.Version || o.Version {
		return n.Version == o.Version && versionDigits(n.Text) == versionDigits(o.Text)
	}
	a, b := n.Value, o.Value
	if n.Unit != "" && o.Unit != "" && n.Unit != o.Unit {
		u, v := units[n.Unit], units[o.Unit]
		if !comparable(u.class, v.class) {
			return false
		}
		a, b = a*u.factor, b*v.factor
	}
	return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
}

// Base is the value in the first unit of its class, which quantities of one kind
// share: 1.5 h and 90 min are 5400 of "time". A number without a unit is of the
// class "".
func (n Number) Base() (value float64, class string) {
	u, ok := units[n.Unit]
	if !ok {
		return n.Value, ""
	}
	return n.Value * u.factor, u.class
}

// comparable reports whether two unit classes measure the same: ¥ stands for two
// currencies.
func comparable(a, b string) bool {
	const either = "yen or yuan"
	money := func(c string) bool { return c == "JPY" || c == "CNY" }
	return a == b || a == either && money(b) || b == either && money(a)
}

func versionDigits(s string) string {
	return strings.TrimLeftFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// Numbers returns the quantities in s in order. It reads thousands separators
// (1,000; 1 000; 1.000 where the text's language writes so), decimals, scales
// (million, bn, k, 万, 亿), percentages, currencies, units and ranges, and number
// words before a unit ("three years", "五年"). Digits that belong to a date of
// at least month precision, an identifier ("GPT-4", "H100"), a citation mark, a
// list number or a web address are no numbers.
func Numbers(s string) []Number {
	r := reader{s: s, dates: Dates(s)}
	for r.pos < len(s) {
		if end := notQuantity(s, r.pos); end > r.pos {
			r.pos = end
			continue
		}
		if r.skipDate() {
			continue
		}
		n, ok := r.read()
		if !ok {
			r.pos = max(n.End, nextStart(s, r.pos))
			continue
		}
		n.Text = s[n.Start:n.End]
		r.numbers = append(r.numbers, n)
		r.pos = n.End
	}
	markRanges(s, r.numbers)
	return r.numbers
}

// notQuantity returns the end of what starts at i and holds digits that count
// nothing: a citation mark, a list or heading number, a web address.
func notQuantity(s string, i int) int {
	switch c := s[i]; {
	case c == '[' || strings.HasPrefix(s[i:], "【"):
		if end := citation(s, i); !holdsQuantity(s[i:end]) {
			return end
		}
	case isDigit(c) || c == '(':
		lead := strings.TrimRight(s[max(0, i-8):i], " ")
		if strings.HasSuffix(lead, "#") {
			return i + digitsAt(s, i, 3)
		}
		if lead == "" && i < 8 || strings.HasSuffix(lead, "\n") {
			return listNumber(s, i)
		}
	}
	return urlAt(s, i)
}

// holdsQuantity reports whether square brackets hold what no mark has: decimals
// or numbers of four digits.
func holdsQuantity(mark string) bool {
	for i := range len(mark) {
		if digitsAt(mark, i, 4) == 4 || mark[i] == '.' && isDigit(at(mark, i-1)) && isDigit(at(mark, i+1)) {
			return true
		}
	}
	return false
}

// reader walks over a text and its dates.
type reader struct {
	s       string
	pos     int
	dates   []Date
	numbers []Number
	tongue  string // language of s once asked for
}

// skipDate moves past a date that starts here; plain years become numbers.
func (r *reader) skipDate() bool {
	for len(r.dates) > 0 && r.dates[0].Start < r.pos {
		r.dates = r.dates[1:]
	}
	if len(r.dates) == 0 || r.dates[0].Start != r.pos {
		return false
	}
	d := r.dates[0]
	if d.yearOnly() {
		r.numbers = append(r.numbers, Number{Span: d.Span, Value: float64(d.Year), Text: d.Text, Year: true})
	}
	r.pos = d.End
	return true
}

// read reads the number at pos. When it is none, the End of the result may say
// how far to skip.
func (r *reader) read() (Number, bool) {
	s, i := r.s, r.pos
	c := s[i]
	switch {
	case c == '.' && isDigit(at(s, i+1)) && !isWord(runeBefore(s, i)) && at(s, i-1) != '.':
		return r.digits(i, i)
	case isDigit(c):
		start := signStart(s, i)
		if start < r.lastEnd() {
			start = i
		}
		if identifier(s, i) {
			return version(s, i)
		}
		return r.digits(start, i)
	case isAlpha(c) || c >= utf8.RuneSelf:
		return numberWord(s, i)
	}
	return Number{}, false
}

func (r *reader) lastEnd() int {
	if len(r.numbers) == 0 {
		return 0
	}
	return r.numbers[len(r.numbers)-1].End
}

// signStart returns where sign and currency before the digits at i start.
func signStart(s string, i int) int {
	start := i
	for start > 0 {
		c, size := utf8.DecodeLastRuneInString(s[:start])
		if !strings.ContainsRune("$€£¥￥₩₹", c) {
			break
		}
		start -= size
	}
	if start < i && start >= 2 && s[start-2:start] == "US" {
		start -= 2
	}
	if start == i {
		if code := currencyCode(s, i); code < i {
			return code
		}
	}
	if c, size := utf8.DecodeLastRuneInString(s[:start]); c == '-' || c == '−' || c == '+' {
		if before := runeBefore(s, start-size); before == 0 || isSpace(before) || before == '(' || before == '（' {
			start -= size
		}
	}
	return start
}

// currencyCode returns the start of "USD " before i, or i.
func currencyCode(s string, i int) int {
	j := i
	if j > 0 && s[j-1] == ' ' {
		j--
	}
	if j < 3 || isAlnum(at(s, j-4)) {
		return i
	}
	if u, ok := units[s[j-3:j]]; ok && u.class == s[j-3:j] {
		return j - 3
	}
	return i
}

// identifier reports whether the digits at i belong to a name: a letter stands
// right before them, or a hyphen and a word with capitals or digits ("GPT-4",
// "x86-64").
func identifier(s string, i int) bool {
	before := runeBefore(s, i)
	if before == '_' || isWord(before) && !isWide(before) {
		return true
	}
	if before != '-' {
		return before == '.' && isWord(runeBefore(s, i-1))
	}
	upper, letter, digit := false, false, false
	for k := i - 2; k >= 0 && k > i-16 && isAlnum(s[k]); k-- {
		upper, letter, digit = upper || isUpper(s[k]), letter || isAlpha(s[k]), digit || isDigit(s[k])
	}
	return upper || letter && digit
}

// version reads the digits of "v1.2" or "go1.19" at i; the span takes the
// letters in.
func version(s string, i int) (Number, bool) {
	start := i
	for start > 0 && isAlpha(s[start-1]) && i-start < 12 {
		start--
	}
	end := i
	dots := 0
	for isDigit(at(s, end)) {
		end += digitsAt(s, end, 12)
		if at(s, end) == '.' && isDigit(at(s, end+1)) {
			dots++
			end++
		}
	}
	prefix := strings.ToLower(s[start:i])
	if prefix == "" || isAlnum(at(s, start-1)) || isAlpha(at(s, end)) || dots == 0 && prefix != "v" {
		return Number{Span: Span{End: end}}, false
	}
	return Number{Span: Span{start, end}, Version: true}, true
}

// digits reads a number whose digits start at i and whose span starts at start.
func (r *reader) digits(start, i int) (Number, bool) {
	s := r.s
	value, end, dots := r.literal(i)
	if dots > 1 {
		return Number{Span: Span{start, end}, Version: true}, true
	}
	n := Number{Span: Span{start, end}, Value: value}
	if strings.ContainsAny(s[start:i], "-−") {
		n.Value = -n.Value
	}
	if end == i+4 && at(s, end) == 's' && !isWord(runeAt(s, end+1)) && value >= 1000 {
		n.End++
		n.Year = true
		return n, true
	}
	currency := strings.Trim(s[start:i], "+-− ")
	unit, known := units[currency]
	scale, end := scaleAt(s, end, known)
	n.Value *= scale
	if u, e := unitAt(s, end); u.name != "" && (!known || isMoney(u)) {
		unit, end = u, e
	} else if scale == 1 && isAlpha(at(s, end)) {
		return Number{Span: Span{End: end}}, false // "3rd", "4x4", "5G"
	}
	n.End, n.Unit, n.Percent = end, unit.name, unit.class == "percent"
	if strings.HasSuffix(s[:start], "百分之") {
		n.Unit, n.Percent = "%", true
	}
	return n, true
}

func isMoney(u measureUnit) bool { return len(u.class) == 3 && isUpper(u.class[0]) }

// literal reads digits with separators at i. Dots counts the points between
// digits of a version.
func (r *reader) literal(i int) (value float64, end, dots int) {
	s := r.s
	end = i + digitsAt(s, i, len(s))
	if grouped := groups(s, i, end); grouped > end {
		if s[end] != '.' || grouped-end > 4 || decimalComma(s, grouped) || r.commaDecimals() {
			end = grouped
			mark := byte('.')
			if s[end-4] == '.' {
				mark = ','
			}
			whole := onlyDigits(s[i:end])
			if at(s, end) == mark && isDigit(at(s, end+1)) {
				n := digitsAt(s, end+1, len(s))
				whole += "." + s[end+1:end+1+n]
				end += 1 + n
			}
			return parseFloat(whole), end, 0
		}
	}
	switch at(s, end) {
	case '.':
		for at(s, end) == '.' && isDigit(at(s, end+1)) {
			dots++
			end += 1 + digitsAt(s, end+1, len(s))
		}
		if dots > 1 {
			return 0, end, dots
		}
		return parseFloat(s[i:end]), end, dots
	case ',':
		if n := digitsAt(s, end+1, 4); n > 0 && n < 3 && at(s, end+1+n) != ',' && r.commaDecimals() {
			frac := s[end+1 : end+1+n]
			return parseFloat(s[i:end] + "." + frac), end + 1 + n, 0
		}
	}
	return parseFloat(s[i:end]), end, 0
}

// decimalComma reports whether a comma and one or two digits follow at i, which
// settles that a point before them groups thousands.
func decimalComma(s string, i int) bool {
	n := digitsAt(s, i+1, 3)
	return at(s, i) == ',' && (n == 1 || n == 2)
}

// commaDecimals reports whether the text's language writes 3,5 for three and a
// half. A text too short to tell counts as one that does.
func (r *reader) commaDecimals() bool {
	if r.tongue == "" {
		r.tongue = Language(r.s)
	}
	switch r.tongue {
	case "de", "fr", "es", "it", "pt", "nl", "ru", "uk":
		return true
	}
	return false
}

// groups returns the end of a number grouped in threes whose first digits are
// [i, end), or end when it is not grouped: one separator throughout.
func groups(s string, i, end int) int {
	if end-i > 3 || s[i] == '0' {
		return end
	}
	sep, size := utf8.DecodeRuneInString(s[end:])
	if size == 0 || !strings.ContainsRune(",.'’ \u00a0\u202f\u2009", sep) {
		return end
	}
	for strings.HasPrefix(s[end:], string(sep)) && digitsAt(s, end+size, 4) == 3 {
		end += size + 3
	}
	return end
}

// onlyDigits drops everything that is no digit.
func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// parseFloat reads a decimal literal, 0 when it is none.
func parseFloat(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v
}

// numberWords are numbers written out. One is left out: it is mostly an article.
var numberWords = map[string]float64{
	"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5,
	"两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
}

// numberWord reads a number word at i that a scale or unit follows.
func numberWord(s string, i int) (Number, bool) {
	before, r := runeBefore(s, i), runeAt(s, i)
	end := i + max(utf8.RuneLen(r), 1)
	switch {
	case isWide(r) && strings.ContainsRune("一二三四五六七八九十百千第", before):
		return Number{}, false
	case !isWide(r) && isWord(before) && !isWide(before):
		return Number{}, false
	case !isWide(r):
		end = wordAt(s, i)
	}
	if end-i > 6 {
		return Number{}, false
	}
	value, ok := numberWords[strings.ToLower(s[i:end])]
	if !ok {
		return Number{}, false
	}
	scale, end2 := scaleAt(s, end, false)
	unit, end3 := unitAt(s, end2)
	if unit.name == "" && scale == 1 {
		return Number{}, false
	}
	return Number{Span: Span{i, end3}, Value: value * scale, Unit: unit.name, Percent: unit.class == "percent"}, true
}

// scaleOf is the scale in the text of a number, 1 for none.
func scaleOf(number string) float64 {
	digits := strings.LastIndexAny(number, "0123456789") + 1
	scale, _ := scaleAt(number, digits, strings.ContainsAny(number, "$€£¥"))
	return scale
}

// markRanges flags neighbours joined by a dash, "to" or 至 and gives the first
// the unit and scale of the second.
func markRanges(s string, numbers []Number) {
	for i := 1; i < len(numbers); i++ {
		a, b := &numbers[i-1], &numbers[i]
		gap := s[a.End:b.Start]
		if len(gap) > 8 || a.Version || b.Version || !rangeSigns[strings.TrimSpace(gap)] {
			continue
		}
		a.Range, b.Range = true, true
		if a.Unit == "" && !a.Year && !b.Year {
			a.Unit, a.Percent = b.Unit, b.Percent
		}
		if scale := scaleOf(b.Text); isDigit(a.Text[len(a.Text)-1]) && scale > 1 && a.Value < b.Value/scale {
			a.Value *= scale // "3 to 5 million", 3至5万
		}
	}
}

var rangeSigns = set([]string{"-", "–", "—", "~", "～", "至", "到", "to", "bis", "à", "-$", "–$"})
