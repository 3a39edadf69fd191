package safe

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Mask stands where a secret was.
const Mask = "[redacted]"

// minSecret is the shortest secret value that is masked by value. A shorter
// one would blot out ordinary words.
const minSecret = 6

// Redactor masks secrets in text that is logged, shown or stored: the values
// it was given, and what has the form of a key, token or password. Its zero
// value masks by form alone. It is safe for concurrent use.
type Redactor struct {
	values  []string
	private *Private
}

// With returns a Redactor that also masks what p takes for private; p may be
// nil.
func (r *Redactor) With(p *Private) *Redactor { return &Redactor{r.values, p} }

// NewRedactor returns a Redactor that also masks these values and their
// percent-encoded forms. Values under six bytes are left out.
func NewRedactor(values ...string) *Redactor {
	r := &Redactor{}
	for _, v := range values {
		v = strings.TrimSpace(v)
		if len(v) < minSecret {
			continue
		}
		r.values = append(r.values, v)
		for _, escaped := range []string{url.QueryEscape(v), url.PathEscape(v)} {
			if !slices.Contains(r.values, escaped) {
				r.values = append(r.values, escaped)
			}
		}
	}
	// A secret that contains another must go first, or its rest stays.
	slices.SortFunc(r.values, func(a, b string) int { return len(b) - len(a) })
	return r
}

// Redact returns s with every secret masked. A text without any costs no
// allocation.
func (r *Redactor) Redact(s string) string {
	for _, v := range r.values {
		if strings.Contains(s, v) {
			s = strings.ReplaceAll(s, v, Mask)
		}
	}
	for i := range secretForms {
		if f := &secretForms[i]; f.near(s) {
			s = f.pattern().ReplaceAllString(s, f.keep+Mask)
		}
	}
	return r.private.Mask(s)
}

// secretForm is a shape that only secrets have. One of the hints stands in
// every text that the pattern may match.
type secretForm struct {
	hints   []string
	keep    string // the part of the match that stays, as a replacement template
	pattern func() *regexp.Regexp
}

func (f *secretForm) near(s string) bool {
	return slices.ContainsFunc(f.hints, func(h string) bool { return strings.Contains(s, h) })
}

// secretForms: the prefixes are those that the vendors document for their
// keys (OpenAI, Anthropic, OpenRouter sk-; Google AIza; Tavily tvly-; Perplexity
// pplx-; xAI xai-; Groq gsk_; Hugging Face hf_; Jina jina_; Brave BSA; GitHub
// gh?_ and github_pat_; AWS AKIA; Slack xox?-), the rest is HTTP's own syntax.
var secretForms = [...]secretForm{
	{[]string{"sk-", "tvly-", "pplx-", "xai-", "gsk_", "hf_", "jina_", "ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "xox", "BSA"}, "$1",
		lazy(`(^|[^A-Za-z0-9])(?:(?:sk|tvly|pplx|xai|xox[abprs])-|gsk_|hf_|jina_|gh[opsur]_|github_pat_|BSA)[A-Za-z0-9_-]{12,}`)},
	{[]string{"AIza", "AKIA"}, "", lazy(`AIza[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{16}`)},
	{[]string{"earer ", "EARER ", "asic "}, "$1", lazy(`(?i)\b((?:bearer|basic) +)[A-Za-z0-9._~+/=-]{8,}`)},
	{[]string{"key", "Key", "KEY", "token", "Token", "TOKEN", "secret", "Secret", "SECRET", "password", "Password", "PASSWORD", "uthorization"}, "$1",
		lazy(`(?i)((?:^|[^a-z])(?:[a-z]+[_-])*(?:api[_-]?key|key|access[_-]?token|auth[_-]?token|token|client[_-]?secret|secret|password|authorization)["']?(?:=|: ?)["']?)(?:(?:bearer|basic) +)?[A-Za-z0-9._~+/%-]{8,}=*`)},
	{[]string{"://"}, "$1", lazy(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^/\s?#@]+:[^/\s?#@]*@`)},
}

func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
