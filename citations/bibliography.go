package citations

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Style is a citation style that is written without outside programs. Others
// can be had from [CSL].
type Style string

// The styles.
const (
	IEEE Style = "ieee" // numbered, in the report's order (IEEE Reference Guide, online sources)
	APA  Style = "apa"  // by author and year, in alphabetical order (APA 7, sections 9 and 10.16)
)

// Bibliography writes one entry a source in Markdown, italics as *title*.
func Bibliography(sources []Source, style Style) (string, error) {
	lines := make([]string, len(sources))
	for i, s := range sources {
		switch style {
		case IEEE:
			lines[i] = fmt.Sprintf("[%d] %s", s.N, ieee(s))
		case APA:
			lines[i] = apa(s)
		default:
			return "", fmt.Errorf("writing a bibliography: style %q is not known, use %q or %q", style, IEEE, APA)
		}
	}
	if style == APA {
		slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(sortKey(a), sortKey(b)) })
	}
	return strings.Join(lines, "\n\n") + "\n", nil
}

func sortKey(line string) string { return folded(strings.TrimLeft(line, "*“\"")) }

// people are the authors of a source.
func people(s Source) []person {
	var out []person
	for _, a := range s.Author {
		if p := personOf(a); p.family != "" {
			out = append(out, p)
		}
	}
	return out
}

// ieee: A. Author and B. Author, "Title," Site, Month day, year. Accessed: ...
func ieee(s Source) string {
	var names []string
	for _, p := range people(s) {
		names = append(names, strings.TrimSpace(p.initials()+" "+p.family))
	}
	if len(names) > 6 {
		names = append(names[:1:1], "et al.")
		names = []string{strings.Join(names, " ")}
	}
	var b strings.Builder
	if len(names) > 0 {
		b.WriteString(escape(series(names, "and", len(names) > 2)) + ", ")
	}
	var about []string
	if site := oneLine(s.Site); site != "" {
		if kindOf(s).csl == "article-journal" {
			site = "*" + escape(site) + "*"
		} else {
			site = escape(site)
		}
		about = append(about, site)
	}
	if d := dayOf(s.Published).ieee(); d != "" {
		about = append(about, d)
	}
	b.WriteString("“" + escape(s.Name()) + titleStop(s.Name(), len(about) > 0) + "”")
	if len(about) > 0 {
		b.WriteString(" " + strings.Join(about, ", ") + ".")
	}
	if doi := bareDOI(s.DOI); doi != "" {
		return strings.TrimSuffix(b.String(), ".") + ", doi: " + escape(doi) + "."
	}
	if address := webURL(s); address != "" {
		if d := dayOf(s.RetrievedAt).ieee(); d != "" {
			b.WriteString(" Accessed: " + d + ".")
		}
		b.WriteString(" [Online]. Available: <" + address + ">")
	}
	return b.String()
}

// titleStop is what ends a title inside its quotation marks.
func titleStop(title string, more bool) string {
	switch {
	case strings.HasSuffix(title, "?") || strings.HasSuffix(title, "!"):
		return ""
	case more:
		return ","
	}
	return "."
}

// apa: Author, A., & Author, B. (year, Month day). *Title*. Site. address
func apa(s Source) string {
	var names []string
	for _, p := range people(s) {
		if i := p.initials(); i != "" {
			names = append(names, p.family+", "+i)
		} else {
			names = append(names, p.family)
		}
	}
	if len(names) > 20 {
		names = append(append(names[:19:19], "…"), names[len(names)-1])
		names = []string{strings.Join(names, ", ")}
		names[0] = strings.Replace(names[0], "…,", "…", 1)
	}
	published := dayOf(s.Published)
	title := "*" + escape(s.Name()) + "*"
	site := oneLine(s.Site)
	if kindOf(s).csl == "article-journal" {
		title = escape(s.Name())
	}
	var b strings.Builder
	if len(names) > 0 {
		who := series(names, "&", len(names) > 1)
		if site == who {
			site = ""
		}
		b.WriteString(escape(stopped(who)) + " (" + published.apa() + "). " + stopped(title))
	} else {
		b.WriteString(stopped(title) + " (" + published.apa() + ").")
	}
	if site != "" && kindOf(s).csl == "article-journal" {
		b.WriteString(" *" + escape(site) + "*.")
	} else if site != "" {
		b.WriteString(" " + stopped(escape(site)))
	}
	address := webURL(s)
	switch doi := bareDOI(s.DOI); {
	case doi != "":
		b.WriteString(" <" + destination("https://doi.org/"+doi, inAutolink) + ">")
	case address != "" && published.year == 0 && dayOf(s.RetrievedAt).year > 0:
		b.WriteString(" Retrieved " + dayOf(s.RetrievedAt).long() + ", from <" + address + ">")
	case address != "":
		b.WriteString(" <" + address + ">")
	}
	return b.String()
}

// series joins names: "A", "A and B", "A, B, and C"; comma says whether one
// stands before the last joint.
func series(names []string, joint string, comma bool) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	sep := " "
	if comma {
		sep = ", "
	}
	return strings.Join(names[:last], ", ") + sep + joint + " " + names[last]
}

// stopped ends a part with a full stop unless it has a stop.
func stopped(s string) string {
	if strings.HasSuffix(strings.TrimRight(s, "*"), ".") || strings.HasSuffix(strings.TrimRight(s, "*"), "?") || strings.HasSuffix(strings.TrimRight(s, "*"), "!") {
		return s
	}
	return s + "."
}

// ieeeMonths are the abbreviations of the IEEE Reference Guide.
var ieeeMonths = [...]string{"", "Jan.", "Feb.", "Mar.", "Apr.", "May", "Jun.", "Jul.", "Aug.", "Sep.", "Oct.", "Nov.", "Dec."}

func (d day) ieee() string {
	switch {
	case d.year == 0:
		return ""
	case d.month == 0:
		return fmt.Sprint(d.year)
	case d.day == 0:
		return fmt.Sprintf("%s %d", ieeeMonths[d.month], d.year)
	}
	return fmt.Sprintf("%s %d, %d", ieeeMonths[d.month], d.day, d.year)
}

func (d day) apa() string {
	switch {
	case d.year == 0:
		return "n.d."
	case d.month == 0:
		return fmt.Sprint(d.year)
	case d.day == 0:
		return fmt.Sprintf("%d, %s", d.year, time.Month(d.month))
	}
	return fmt.Sprintf("%d, %s %d", d.year, time.Month(d.month), d.day)
}

// long is "January 2, 2026".
func (d day) long() string { return fmt.Sprintf("%s %d, %d", time.Month(d.month), d.day, d.year) }
