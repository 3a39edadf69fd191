package wire

import (
	"net"
	"net/url"
	"strings"
	"time"

	"deepresearch/internal/search"
	"deepresearch/internal/text"
)

// WithSites adds the hosts of the query to the text as site: operators, for
// engines that read them.
func WithSites(text string, q search.Query) string {
	var include []string
	for _, host := range q.Include {
		include = append(include, "site:"+host)
	}
	parts := []string{text}
	switch len(include) {
	case 0:
	case 1:
		parts = append(parts, include[0])
	default:
		parts = append(parts, "("+strings.Join(include, " OR ")+")")
	}
	for _, host := range q.Exclude {
		parts = append(parts, "-site:"+host)
	}
	return strings.Join(parts, " ")
}

// AcceptLanguage returns the header for a language tag; English for none.
func AcceptLanguage(language string) string {
	p := primary(language)
	if p == "en" {
		return "en;q=0.9, *;q=0.5"
	}
	return p + ", en;q=0.5, *;q=0.3"
}

// IsLoopback reports whether the address names this machine.
func IsLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// Values returns parameters without those that are empty. It takes names and
// values in turn.
func Values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return v
}

// Body is a JSON object to be sent.
type Body map[string]any

// Lean returns the object without empty texts and lists.
func (b Body) Lean() Body {
	lean := Body{}
	for name, value := range b {
		switch v := value.(type) {
		case string:
			if v == "" {
				continue
			}
		case []string:
			if len(v) == 0 {
				continue
			}
		}
		lean[name] = value
	}
	return lean
}

// Primary returns the primary subtag of the query's language, as in en; empty
// when it has none.
func Primary(q search.Query) string {
	if q.Language == "" {
		return ""
	}
	return primary(q.Language)
}

// Words returns up to most words of a text that say something about its topic,
// as they are written.
func Words(s string, most int) []string {
	var words []string
	for _, t := range text.Tokens(s) {
		if len(words) < most && !text.IsStop(t.Term) {
			words = append(words, t.In(s))
		}
	}
	return words
}

// Bearer returns the header that carries a key.
func Bearer(key string) map[string]string {
	return map[string]string{"Authorization": "Bearer " + key}
}

// GooglePeriod returns the value of Google's tbs parameter for the recency of
// the query, empty for none.
func GooglePeriod(q search.Query, now time.Time) string {
	switch q.Recency {
	case "day", "week", "month", "year":
		return "qdr:" + q.Recency[:1]
	case "":
		return ""
	}
	period := []string{"cdr:1"}
	from, to := Dates(q, now)
	for _, end := range []struct{ name, date string }{{"cd_min", from}, {"cd_max", to}} {
		if t, err := time.Parse(time.DateOnly, end.date); err == nil {
			period = append(period, end.name+":"+t.Format("1/2/2006"))
		}
	}
	return strings.Join(period, ",")
}
