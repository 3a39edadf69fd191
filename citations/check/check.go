// Package check proves that a report keeps its promises, without believing the
// program that wrote it. It shares no code with package citations and imports
// the standard library only.
//
// [Result] takes the structured result of a run as JSON and a function that
// returns the archived text of source n, and lists every violation: marks,
// numbering, quotes against the archive, hashes, addresses. It does not judge
// whether a quote carries the sentence that cites it.
package check

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"deepresearch/internal/text"
)

// Kind names a sort of violation.
type Kind string

// The violations.
const (
	BadJSON        Kind = "bad_json"        // the result cannot be read, or a field has a value it may not have
	NoSourceList   Kind = "no_source_list"  // marks without a last heading "Sources" or "来源"
	DanglingMark   Kind = "dangling_mark"   // a mark whose number is not listed
	DuplicateMark  Kind = "duplicate_mark"  // the same number twice at one place, or twice in a claim's marks
	Gap            Kind = "gap"             // numbers are not 1..k in order of first use
	DuplicateEntry Kind = "duplicate_entry" // a number or an id listed twice
	UnusedSource   Kind = "unused_source"   // listed, and no mark leads to it
	ListMismatch   Kind = "list_mismatch"   // the report's list and sources[] differ
	NoQuote        Kind = "no_quote"        // a source without a quote
	QuoteDiffers   Kind = "quote_differs"   // a quote is not the archived text at its offsets
	HashDiffers    Kind = "hash_differs"    // sha256 is not that of the archived text
	NoArchive      Kind = "no_archive"      // the archived text could not be had
	ForeignURL     Kind = "foreign_url"     // an address that is not one of the allowed ones
	ClaimMark      Kind = "claim_mark"      // a claim's mark that does not stand in the report, or the other way round
	ClaimNumber    Kind = "claim_number"    // a number of a quoted or supported claim stands in none of its sources' quotes
	LeftoverToken  Kind = "leftover_token"  // an internal id in the report
)

// Violation is one broken promise.
type Violation struct {
	Kind   Kind
	Where  string // "source 3", "claim 7", "report"
	Detail string
}

func (v Violation) String() string { return fmt.Sprintf("%s: %s: %s", v.Where, v.Kind, v.Detail) }

// Options widen or narrow the check. The zero value asks no more than the
// result itself tells.
type Options struct {
	// Allowed are the addresses that may be cited, without fragment: the ones
	// that were searched, linked or given. Nil allows those of sources[].
	Allowed []string
}

type result struct {
	Status  string   `json:"status"`
	Report  string   `json:"report"`
	Claims  []claim  `json:"claims"`
	Sources []source `json:"sources"`

	// Omitted counts entries that were left out of a list to keep the result
	// short. What compares whole lists is then not asked.
	Omitted map[string]int `json:"omitted"`
}

type claim struct {
	Text  string `json:"text"`
	Marks []int  `json:"marks"`
	Label string `json:"label"`
}

type source struct {
	N       int     `json:"n"`
	ID      string  `json:"id"`
	URL     string  `json:"url"`
	SHA256  string  `json:"sha256"`
	Private bool    `json:"private"`
	Quotes  []quote `json:"quotes"`
}

type quote struct {
	Text  string `json:"text"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Link  string `json:"link"`
}

var labels = []string{"quoted", "supported", "partial", "unsupported", "contradicted", "unchecked"}

// Result checks the structured result of a run. archived returns the stored
// text of source n, byte for byte. The violations come in order of place.
func Result(structured []byte, archived func(n int) ([]byte, error), opt Options) []Violation {
	var c checker
	if err := json.Unmarshal(structured, &c.result); err != nil {
		c.add(BadJSON, "result", "%v", err)
		return c.found
	}
	c.opt = opt
	c.report()
	c.list()
	for _, s := range c.Sources {
		c.source(s, archived)
	}
	for i, cl := range c.Claims {
		c.claim(i, cl)
	}
	c.claimsAgainstReport()
	c.addresses()
	return c.found
}

type checker struct {
	result
	opt       Options
	found     []Violation
	body      string         // the report before its source list, escapes blanked
	listed    map[int]int    // number -> how often it is listed in the report
	listedURL map[int]string // number -> the address it is listed with
	used      []int          // numbers in order of first use
}

func (c *checker) add(k Kind, where, format string, args ...any) {
	c.found = append(c.found, Violation{k, where, fmt.Sprintf(format, args...)})
}

var (
	listHeading = text.NewPattern(`(?m)^#{1,6}[ \t]+(?:Sources|来源)[ \t]*$`)
	anyHeading  = text.NewPattern(`(?m)^#{1,6}[ \t]+\S`)
	listEntry   = text.NewPattern(`(?m)^\[([0-9]+)\][ \t]+\S.*?(?:<([^\s<>]+)>)?[ \t]*$`)
	token       = text.NewPattern(`\[\[\s*S[0-9]+|\bS[0-9]+\.q[0-9]+`)
	// a mark, alone or as the text of a link
	markForm = text.NewPattern(`\[([0-9]+)\](?:\]\([^)\s]*\)|\([^)\s]*\))?`)
	escaped  = text.NewPattern(`\\.`)
)

// report reads the marks of the Markdown.
func (c *checker) report() {
	c.listed, c.listedURL = map[int]int{}, map[int]string{}
	if token.MatchString(c.Report) {
		c.add(LeftoverToken, "report", "%q", token.FindString(c.Report))
	}
	list := ""
	c.body = c.Report
	if heads := listHeading.FindAllStringIndex(c.Report, -1); len(heads) > 0 {
		last := heads[len(heads)-1]
		c.body, list = c.Report[:last[0]], c.Report[last[1]:]
		if anyHeading.MatchString(list) {
			c.add(NoSourceList, "report", "the source list is not under the last heading")
		}
	}
	for _, m := range listEntry.FindAllStringSubmatch(list, -1) {
		n, _ := strconv.Atoi(m[1])
		c.listed[n]++
		c.listedURL[n] = m[2]
	}
	c.body = escaped.ReplaceAllStringFunc(c.body, func(s string) string { return strings.Repeat(" ", len(s)) })
	c.marks()
	if len(c.used) > 0 && len(c.listed) == 0 {
		c.add(NoSourceList, "report", "%d marks and no list", len(c.used))
	}
}

// marks walks over the marks of the body.
func (c *checker) marks() {
	end, run := -1, []int{}
	for _, m := range markForm.FindAllStringSubmatchIndex(c.body, -1) {
		n, _ := strconv.Atoi(c.body[m[2]:m[3]])
		start := m[0]
		if start > 0 && c.body[start-1] == '[' {
			start--
		}
		if start != end {
			run = run[:0]
		}
		end = m[1]
		if slices.Contains(run, n) {
			c.add(DuplicateMark, "report", "[%d] twice at one place", n)
		}
		run = append(run, n)
		if !slices.Contains(c.used, n) {
			c.used = append(c.used, n)
		}
	}
	for i, n := range c.used {
		if n != i+1 {
			c.add(Gap, "report", "mark %d is the first use number %d", n, i+1)
			return
		}
	}
}

// list compares the report's list, the marks and sources[].
func (c *checker) list() {
	numbers, ids := map[int]bool{}, map[string]bool{}
	for i, s := range c.Sources {
		where := fmt.Sprintf("source %d", s.N)
		if s.N != i+1 {
			c.add(Gap, where, "stands at place %d", i+1)
		}
		if numbers[s.N] || s.ID != "" && ids[s.ID] {
			c.add(DuplicateEntry, where, "number or id %q twice in sources", s.ID)
		}
		numbers[s.N], ids[s.ID] = true, true
		if !slices.Contains(c.used, s.N) {
			c.add(UnusedSource, where, "no mark leads to it")
		}
		if c.listed[s.N] == 0 {
			c.add(ListMismatch, where, "not in the report's list")
		} else if a := c.listedURL[s.N]; a != "" && bare(a) != bare(s.URL) {
			c.add(ListMismatch, where, "listed with the address %s", a)
		}
	}
	for n, times := range c.listed {
		if times > 1 {
			c.add(DuplicateEntry, "report", "[%d] listed %d times", n, times)
		}
		if !numbers[n] && c.Omitted["sources"] == 0 {
			c.add(ListMismatch, "report", "[%d] is listed and not in sources", n)
		}
	}
	for _, n := range c.used {
		if !numbers[n] && c.Omitted["sources"] == 0 {
			c.add(DanglingMark, "report", "[%d] leads to no source", n)
		}
	}
}

func (c *checker) source(s source, archived func(int) ([]byte, error)) {
	where := fmt.Sprintf("source %d", s.N)
	if len(s.Quotes) == 0 {
		c.add(NoQuote, where, "cited without a passage")
	}
	stored, err := archived(s.N)
	if err != nil {
		c.add(NoArchive, where, "%v", err)
		return
	}
	if sum := sha256.Sum256(stored); hex.EncodeToString(sum[:]) != s.SHA256 {
		c.add(HashDiffers, where, "sha256 is %q, the archived text has %x", s.SHA256, sum)
	}
	for i, q := range s.Quotes {
		if q.Start < 0 || q.End > len(stored) || q.Start >= q.End || string(stored[q.Start:q.End]) != q.Text {
			c.add(QuoteDiffers, where, "quote %d is not bytes %d to %d of the archived text", i+1, q.Start, q.End)
		}
	}
}

func (c *checker) claim(i int, cl claim) {
	where := fmt.Sprintf("claim %d", i+1)
	if !slices.Contains(labels, cl.Label) {
		c.add(BadJSON, where, "label %q", cl.Label)
	}
	for j, n := range cl.Marks {
		if slices.Contains(cl.Marks[:j], n) {
			c.add(DuplicateMark, where, "%d twice", n)
		}
		if n < 1 || n > len(c.Sources)+c.Omitted["sources"] {
			c.add(DanglingMark, where, "%d leads to no source", n)
		} else if !slices.Contains(c.used, n) {
			c.add(ClaimMark, where, "[%d] does not stand in the report", n)
		}
	}
	if (cl.Label == "quoted" || cl.Label == "supported") && c.Omitted["sources"] == 0 {
		c.claimNumbers(where, cl)
	}
}

// digits of a number with its separators
var digits = text.NewPattern(`[0-9]+(?:[.,][0-9]+)*`)

// claimNumbers looks for each number of a claim in the quotes of its sources.
func (c *checker) claimNumbers(where string, cl claim) {
	stands := map[string]bool{}
	for _, n := range cl.Marks {
		if n < 1 || n > len(c.Sources) {
			continue
		}
		for _, q := range c.Sources[n-1].Quotes {
			for _, d := range digits.FindAllString(q.Text, -1) {
				stands[significant(d)] = true
			}
		}
	}
	for _, d := range digits.FindAllString(cl.Text, -1) {
		if !stands[significant(d)] {
			c.add(ClaimNumber, where, "%s stands in no quote of its sources", d)
		}
	}
}

// significant are the digits of a number without separators, leading and
// trailing zeros: 12.5 million, 12,500,000 and 1250万 agree.
func significant(number string) string {
	return strings.Trim(strings.NewReplacer(",", "", ".", "").Replace(number), "0")
}

// claimsAgainstReport compares the marks of all claims with those of the body.
func (c *checker) claimsAgainstReport() {
	if c.Omitted["claims"] > 0 {
		return
	}
	claimed := map[int]bool{}
	for _, cl := range c.Claims {
		for _, n := range cl.Marks {
			claimed[n] = true
		}
	}
	for _, n := range c.used {
		if !claimed[n] && len(c.Claims) > 0 {
			c.add(ClaimMark, "report", "[%d] belongs to no claim", n)
		}
	}
}

// an address between angle brackets ends there, any other one before a bracket
var addressForm = text.NewPattern(`<(?:https?|file|ftp|javascript|data|vbscript):[^\s<>]+|(?:https?|file|ftp|javascript|data|vbscript):[^\s<>)\]]+`)

// addresses looks at every address of the report and of sources[].
func (c *checker) addresses() {
	allowed := map[string]bool{}
	for _, a := range c.opt.Allowed {
		allowed[bare(a)] = true
	}
	for _, s := range c.Sources {
		where := fmt.Sprintf("source %d", s.N)
		if c.opt.Allowed == nil {
			allowed[bare(s.URL)] = true
		} else if s.URL != "" && !allowed[bare(s.URL)] {
			c.add(ForeignURL, where, "%s is none of the given addresses", s.URL)
		}
		for _, q := range s.Quotes {
			if q.Link != "" && bare(q.Link) != bare(s.URL) {
				c.add(ForeignURL, where, "link %s leads elsewhere", q.Link)
			}
		}
	}
	plain := escaped.ReplaceAllString(c.Report, "  ")
	for _, a := range addressForm.FindAllString(plain, -1) {
		if a = strings.TrimPrefix(a, "<"); !allowed[bare(a)] {
			c.add(ForeignURL, "report", "%s is none of the given addresses", a)
		}
	}
}

// bare is the address without its fragment, percent-encoding undone.
func bare(address string) string {
	address, _, _ = strings.Cut(address, "#")
	if plain, err := url.PathUnescape(address); err == nil {
		return plain
	}
	return address
}
