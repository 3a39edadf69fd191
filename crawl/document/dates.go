package document

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"deepresearch/internal/text"
)

// The meta tags that give a date of publication or change, surest first.
var (
	publishedMetas = []string{"citation_publication_date", "citation_online_date", "citation_date", "dc.date.issued", "dcterms.issued", "dc.date", "dc.date.created", "dcterms.created", "article:published_time", "og:published_time", "og:article:published_time", "datepublished", "parsely-pub-date", "sailthru.date", "article.published", "publish-date", "publish_date", "pubdate", "publication_date", "date", "bt:pubdate"}
	modifiedMetas  = []string{"dcterms.modified", "dc.date.modified", "article:modified_time", "og:updated_time", "og:modified_time", "datemodified", "last-modified", "revised"}
)

func (a *about) describeDates(f filler, page string) {
	a.stamped(f, "published", &f.Published, a.ld.published, publishedMetas, func(s stamp) bool {
		return strings.Contains(s.property, "publi") || strings.Contains(s.property, "datecreated") || strings.Contains(s.property, "entry-date")
	})
	a.stamped(f, "modified", &f.Modified, a.ld.modified, modifiedMetas, func(s stamp) bool {
		return strings.Contains(s.property, "modif") || strings.Contains(s.property, "updated")
	})
	if f.Published == "" {
		f.date("published", &f.Published, addressDate(page), "address")
	}
	if f.Published == "" && len(a.dates) > 0 {
		f.date("published", &f.Published, a.dates[0].value, "time element")
	}
	f.dateline()
}

// dateline takes the day from a short line at the head of the text, such as
// "By A. Jones, 5 January 2024".
func (f filler) dateline() {
	const blocks, bytes = 12, 120
	for _, b := range f.Blocks[:min(blocks, len(f.Blocks))] {
		if f.Published != "" {
			return
		}
		if b.Len() > bytes || b.Kind == KindHeading || b.Kind == KindRow || b.Kind == KindCode {
			continue
		}
		if day := dayOf(b.In(f.Text)); len(day) == len(time.DateOnly) {
			f.date("published", &f.Published, day, "dateline")
		}
	}
}

// stamped sets a date from JSON-LD, meta tags or a time element.
func (a *about) stamped(f filler, field string, dst *string, ld string, metas []string, fits func(stamp) bool) {
	f.date(field, dst, ld, "json-ld")
	for _, name := range metas {
		for _, v := range a.metas[name] {
			f.date(field, dst, v, "meta "+name)
		}
	}
	for _, s := range a.dates {
		if fits(s) {
			f.date(field, dst, s.value, "time element")
		}
	}
}

func (f filler) date(field string, dst *string, value, from string) {
	if *dst == "" {
		f.set(field, dst, canonicalDate(value), from, 40)
	}
}

// Layouts that name a zone, and those that leave it open: a time of an unknown zone
// says no more than the day.
var (
	zoned    = []string{"Mon, 2 Jan 2006 15:04:05 GMT", "Mon, 2 Jan 2006 15:04:05 UTC", time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", time.RFC1123Z}
	zoneless = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, time.RFC1123}
)

// canonicalDate brings a date or time to RFC 3339; a date without a day stays
// without one. "" for what is no date.
func canonicalDate(s string) string {
	s = strings.TrimSpace(s)
	if len(s) < 4 || len(s) > 60 {
		return ""
	}
	for _, layout := range zoned {
		if t, err := time.Parse(layout, s); err == nil {
			return canonicalTime(t)
		}
	}
	for _, layout := range zoneless {
		if t, err := time.Parse(layout, s); err == nil && plausible(t.Year()) {
			return t.Format(time.DateOnly)
		}
	}
	return dayOf(s)
}

// canonicalTime leaves out a midnight in UTC: systems that know only the day
// write it so.
func canonicalTime(t time.Time) string {
	switch {
	case !plausible(t.Year()):
		return ""
	case t.Equal(t.Truncate(24*time.Hour)) && t.UTC().Format(time.DateOnly) == t.Format(time.DateOnly):
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}

// dayOf reads a date as people write it.
func dayOf(s string) string {
	dates := text.Dates(s)
	if len(dates) == 0 || !plausible(dates[0].Year) {
		return ""
	}
	switch d := dates[0]; {
	case d.Day > 0:
		return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day)
	case d.Month > 0:
		return fmt.Sprintf("%04d-%02d", d.Year, d.Month)
	default:
		return fmt.Sprintf("%04d", d.Year)
	}
}

func plausible(year int) bool { return year >= 1000 && year <= 2100 }

var dayInPath = text.NewPattern(`/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?:[/-]|$)`)

// addressDate is the day in a path such as /2024/05/03/title.
func addressDate(page string) string {
	u, err := url.Parse(page)
	if err != nil {
		return ""
	}
	m := dayInPath.FindStringSubmatch(u.Path)
	if m == nil {
		return ""
	}
	t, err := time.Parse("2006-1-2", m[1]+"-"+m[2]+"-"+m[3])
	if err != nil {
		return ""
	}
	return t.Format(time.DateOnly)
}
