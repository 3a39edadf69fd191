package text

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Pattern is a regular expression that is compiled when it is first used.
// Compiling some hundred of them took longer than all else that the server does
// before it answers, and most processes need a few. The methods are those of
// [regexp.Regexp] with the same names. It must not be copied.
type Pattern struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

// NewPattern returns the pattern of expr, in the syntax of package regexp. An
// expr that is none panics: in tests at once, as [regexp.MustCompile] does, else
// at the first use.
func NewPattern(expr string) *Pattern {
	p := &Pattern{expr: expr}
	if strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test") {
		p.compiled()
	}
	return p
}

func (p *Pattern) compiled() *regexp.Regexp {
	p.once.Do(func() { p.re = regexp.MustCompile(p.expr) })
	return p.re
}

// MatchString reports whether s holds a match.
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// FindString returns the first match.
func (p *Pattern) FindString(s string) string { return p.compiled().FindString(s) }

// FindStringIndex returns where the first match is, in bytes.
func (p *Pattern) FindStringIndex(s string) []int { return p.compiled().FindStringIndex(s) }

// FindStringSubmatch returns the first match and its groups.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex returns where they are, in bytes.
func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}

// FindAllString returns at most n matches, all when n < 0.
func (p *Pattern) FindAllString(s string, n int) []string { return p.compiled().FindAllString(s, n) }

// FindAllStringIndex returns where they are, in bytes.
func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch returns at most n matches with their groups, all when n < 0.
func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex returns where they are, in bytes.
func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString replaces each match by by, in which $1 is the first group.
func (p *Pattern) ReplaceAllString(s, by string) string { return p.compiled().ReplaceAllString(s, by) }

// ReplaceAllStringFunc replaces each match by what by makes of it.
func (p *Pattern) ReplaceAllStringFunc(s string, by func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(s, by)
}

// Split returns at most n parts of s between matches, all when n < 0.
func (p *Pattern) Split(s string, n int) []string { return p.compiled().Split(s, n) }

// SubexpIndex returns the number of the group of that name, -1 when there is none.
func (p *Pattern) SubexpIndex(name string) int { return p.compiled().SubexpIndex(name) }
