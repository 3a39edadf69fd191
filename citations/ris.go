package citations

import (
	"fmt"
	"strconv"
	"strings"
)

// RIS writes sources as RIS records, in the order given, with CRLF line ends as
// reference managers expect.
func RIS(sources []Source) string {
	var b strings.Builder
	for _, s := range sources {
		line := func(tag, value string) {
			if value = oneLine(value); value != "" {
				fmt.Fprintf(&b, "%s  - %s\r\n", tag, value)
			}
		}
		line("TY", kindOf(s).ris)
		line("TI", s.Name())
		for _, name := range s.Author {
			if p := personOf(name); p.given != "" {
				line("AU", p.family+", "+p.given)
			} else {
				line("AU", p.family)
			}
		}
		if kindOf(s).csl == "report" || kindOf(s).csl == "book" {
			line("PB", s.Site)
		} else {
			line("T2", s.Site)
		}
		published := dayOf(s.Published)
		if published.year > 0 {
			line("PY", strconv.Itoa(published.year))
			line("DA", published.ris())
		}
		line("DO", bareDOI(s.DOI))
		line("UR", webURL(s))
		if accessed := dayOf(s.RetrievedAt); accessed.year > 0 {
			line("Y2", accessed.ris())
		}
		line("LA", s.Language)
		b.WriteString("ER  - \r\n")
	}
	return b.String()
}

// ris is YYYY/MM/DD with empty parts for what is not known.
func (d day) ris() string {
	switch {
	case d.month == 0:
		return fmt.Sprintf("%04d//", d.year)
	case d.day == 0:
		return fmt.Sprintf("%04d/%02d/", d.year, d.month)
	}
	return fmt.Sprintf("%04d/%02d/%02d", d.year, d.month, d.day)
}
