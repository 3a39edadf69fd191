package citations

import (
	"fmt"
	"strconv"
	"strings"
)

// BibTeX writes sources as BibTeX entries, in the order given. Text is UTF-8 as
// BibLaTeX and Biber read it; characters that TeX would act on are escaped.
func BibTeX(sources []Source) string {
	var b strings.Builder
	keys := citeKeys(sources)
	for i, s := range sources {
		f := kindOf(s)
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "@%s{%s,\n", f.bibtex, keys[i])
		field := func(name, value string) {
			if value != "" {
				fmt.Fprintf(&b, "  %s = {%s},\n", name, value)
			}
		}
		field("author", bibAuthors(s.Author))
		field("title", "{"+tex(s.Name())+"}")
		field(bibVenue(f), tex(oneLine(s.Site)))
		published := dayOf(s.Published)
		if published.year > 0 {
			field("year", strconv.Itoa(published.year))
			field("date", published.iso())
		}
		field("doi", texURL(bareDOI(s.DOI)))
		field("url", texURL(webURL(s)))
		field("urldate", dayOf(s.RetrievedAt).iso())
		b.WriteString("}\n")
	}
	return b.String()
}

// bibVenue is the field that holds the site, by the kind of entry.
func bibVenue(f form) string {
	switch f.bibtex {
	case "article":
		return "journal"
	case "techreport":
		return "institution"
	case "book":
		return "publisher"
	}
	return "organization"
}

func bibAuthors(names []string) string {
	var out []string
	for _, name := range names {
		switch p := personOf(name); {
		case p.family == "":
		case p.whole || p.given == "":
			out = append(out, "{"+tex(p.family)+"}")
		default:
			out = append(out, tex(p.family)+", "+tex(p.given))
		}
	}
	return strings.Join(out, " and ")
}

// iso is the date as precise as known, "" for none.
func (d day) iso() string {
	switch {
	case d.year == 0:
		return ""
	case d.month == 0:
		return fmt.Sprintf("%04d", d.year)
	case d.day == 0:
		return fmt.Sprintf("%04d-%02d", d.year, d.month)
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.day)
}

var texEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `%`, `\%`, `#`, `\#`, `_`, `\_`,
	`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, "\n", " ", "\r", " ",
)

// tex escapes a value.
func tex(s string) string { return texEscapes.Replace(s) }

// texURL keeps an address as it is, but never unbalanced.
func texURL(s string) string {
	return strings.NewReplacer("{", "%7B", "}", "%7D", `\`, "%5C", "\n", "", "\r", "", " ", "%20").Replace(s)
}
