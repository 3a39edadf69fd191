package citations

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// cslEntry is one source in CSL-JSON, the form from which other programs make
// any style (schema: citationstyles.org, CSL 1.0.2).
type cslEntry struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"`
	Title     string    `json:"title,omitempty"`
	Author    []cslName `json:"author,omitempty"`
	Container string    `json:"container-title,omitempty"`
	Publisher string    `json:"publisher,omitempty"`
	Issued    *cslDate  `json:"issued,omitempty"`
	Accessed  *cslDate  `json:"accessed,omitempty"`
	URL       string    `json:"URL,omitempty"`
	DOI       string    `json:"DOI,omitempty"`
	Language  string    `json:"language,omitempty"`
}

type cslName struct {
	Family  string `json:"family,omitempty"`
	Given   string `json:"given,omitempty"`
	Literal string `json:"literal,omitempty"`
}

type cslDate struct {
	Parts [][]int `json:"date-parts"`
}

// CSL writes sources as CSL-JSON, in the order given.
func CSL(sources []Source) ([]byte, error) {
	entries := make([]cslEntry, len(sources))
	keys := citeKeys(sources)
	for i, s := range sources {
		e := cslEntry{ID: keys[i], Type: kindOf(s).csl, Title: s.Name(), DOI: bareDOI(s.DOI), Language: s.Language, URL: webURL(s)}
		for _, a := range s.Author {
			if n := personOf(a); n.family != "" {
				e.Author = append(e.Author, n.csl())
			}
		}
		if e.Type == "webpage" || e.Type == "article-journal" || e.Type == "article-newspaper" || e.Type == "post" {
			e.Container = oneLine(s.Site)
		} else {
			e.Publisher = oneLine(s.Site)
		}
		e.Issued, e.Accessed = dayOf(s.Published).csl(), dayOf(s.RetrievedAt).csl()
		entries[i] = e
	}
	b, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing CSL-JSON: %w", err)
	}
	return append(b, '\n'), nil
}

// form is how the kinds of source are called in the export formats.
type form struct{ csl, bibtex, ris string }

var forms = map[string]form{
	"paper":      {"article-journal", "article", "JOUR"},
	"news":       {"article-newspaper", "online", "NEWS"},
	"government": {"report", "techreport", "RPRT"},
	"report":     {"report", "techreport", "RPRT"},
	"standard":   {"standard", "techreport", "STAND"},
	"book":       {"book", "book", "BOOK"},
	"forum":      {"post", "online", "ELEC"},
	"dataset":    {"dataset", "misc", "DATA"},
}

func kindOf(s Source) form {
	if f, ok := forms[strings.ToLower(s.Type)]; ok {
		return f
	}
	if s.Private || webURL(s) == "" {
		return form{"document", "misc", "GEN"}
	}
	return form{"webpage", "online", "ELEC"}
}

// webURL is the address to print, "" for the user's own files.
func webURL(s Source) string {
	if s.Private || !webAddress(s.URL) {
		return ""
	}
	return destination(s.URL, inAutolink+"{}")
}

func bareDOI(doi string) string {
	doi = strings.TrimSpace(doi)
	for _, prefix := range []string{"https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/", "doi:"} {
		if rest, ok := strings.CutPrefix(doi, prefix); ok {
			return rest
		}
	}
	return doi
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// person is an author's name taken apart; an organisation or a name that is not
// split has a family name only.
type person struct {
	given, family string
	whole         bool // the family name is the whole name
}

// particles begin family names.
var particles = map[string]bool{
	"van": true, "von": true, "de": true, "der": true, "den": true, "del": true, "della": true, "di": true, "da": true, "dos": true,
	"du": true, "la": true, "le": true, "ten": true, "ter": true, "al": true, "bin": true, "ibn": true, "zu": true,
}

// organisations show that a name is not a person's.
var organisations = setOf(strings.Fields("university institute agency ministry department office council committee commission organization organisation association foundation bank group inc llc ltd gmbh corporation company press team staff editors news times journal society center centre trust union and of the for"))

// personOf reads "Family, Given", "Given Family" and names that stay whole.
func personOf(name string) person {
	name = oneLine(name)
	if family, given, ok := strings.Cut(name, ","); ok && !strings.Contains(given, ",") {
		return person{given: strings.TrimSpace(given), family: strings.TrimSpace(family)}
	}
	words := strings.Fields(name)
	if len(words) < 2 || len(words) > 5 || strings.ContainsFunc(name, wide) || strings.ContainsAny(name, "0123456789&@/") {
		return person{family: name, whole: true}
	}
	for _, w := range words {
		if organisations[strings.ToLower(strings.Trim(w, "."))] {
			return person{family: name, whole: true}
		}
	}
	at := len(words) - 1
	if suffix := strings.Trim(words[at], "."); at > 1 && (suffix == "Jr" || suffix == "Sr" || suffix == "II" || suffix == "III") {
		at--
	}
	for at > 1 && particles[strings.ToLower(words[at-1])] {
		at--
	}
	return person{given: strings.Join(words[:at], " "), family: strings.Join(words[at:], " ")}
}

func (p person) csl() cslName {
	if p.whole {
		return cslName{Literal: p.family}
	}
	return cslName{Family: p.family, Given: p.given}
}

// initials are the first letters of the given names: "Mary-Jane K." is "M.-J. K.".
func (p person) initials() string {
	var out []string
	for word := range strings.FieldsSeq(p.given) {
		var parts []string
		for part := range strings.SplitSeq(word, "-") {
			if r := []rune(part); len(r) > 0 && unicode.IsLetter(r[0]) {
				parts = append(parts, string(unicode.ToUpper(r[0]))+".")
			}
		}
		if len(parts) > 0 {
			out = append(out, strings.Join(parts, "-"))
		}
	}
	return strings.Join(out, " ")
}

// day is a date as precise as it is known; a zero year is no date.
type day struct{ year, month, day int }

// dayOf reads 2026, 2026-05, 2026-05-03 and RFC 3339.
func dayOf(s string) day {
	if len(s) > 10 {
		s = s[:10]
	}
	for _, layout := range []string{"2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			d := day{t.Year(), int(t.Month()), t.Day()}
			if len(layout) < 10 {
				d.day = 0
			}
			if len(layout) < 7 {
				d.month = 0
			}
			return d
		}
	}
	return day{}
}

func (d day) csl() *cslDate {
	switch {
	case d.year == 0:
		return nil
	case d.month == 0:
		return &cslDate{[][]int{{d.year}}}
	case d.day == 0:
		return &cslDate{[][]int{{d.year, d.month}}}
	}
	return &cslDate{[][]int{{d.year, d.month, d.day}}}
}

// citeKeys are short keys for sources, unique and in ASCII: family, year, first
// long word of the title.
func citeKeys(sources []Source) []string {
	keys := make([]string, len(sources))
	seen := map[string]int{}
	for i, s := range sources {
		keys[i] = citeKey(s)
		if seen[keys[i]]++; seen[keys[i]] > 1 { // no key holds a hyphen
			keys[i] = fmt.Sprintf("%s-%d", keys[i], seen[keys[i]])
		}
	}
	return keys
}

func citeKey(s Source) string {
	who := s.Site
	if len(s.Author) > 0 {
		who = personOf(s.Author[0]).family
	}
	year, title := "", ""
	if y := dayOf(s.Published).year; y > 0 {
		year = strconv.Itoa(y)
	}
	for word := range strings.FieldsSeq(s.Name()) {
		if title = keyWord(word); len(title) > 3 {
			break
		}
		title = ""
	}
	return cmp.Or(keyWord(who), "source") + year + title
}

// keyWord keeps the ASCII letters and digits of a word's folded form, at most
// 20.
func keyWord(s string) string {
	word := strings.Map(func(r rune) rune {
		if r < 0x80 && isWordByte(byte(r)) {
			return r
		}
		return -1
	}, folded(s))
	return word[:min(len(word), 20)]
}
