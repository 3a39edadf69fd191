package document

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// Limits on the style sheets of one page. Real pages stay far below.
const (
	maxSheetBytes = 1 << 20
	maxRules      = 10_000
)

// properties are those that can hide text.
var properties = map[string]int{
	"display": 0, "visibility": 1, "opacity": 2, "font-size": 3, "position": 4, "left": 5, "top": 6, "right": 7,
	"text-indent": 8, "width": 9, "height": 10, "max-height": 11, "overflow": 12, "clip": 13, "clip-path": 14,
	"color": 15, "background": 16, "background-color": 16, "transform": 17, "animation": 18, "transition": 19,
	"content-visibility": 20, "background-clip": 21, "-webkit-background-clip": 21,
}

const (
	propDisplay = iota
	propVisibility
	propOpacity
	propFontSize
	propPosition
	propLeft
	propTop
	propRight
	propIndent
	propWidth
	propHeight
	propMaxHeight
	propOverflow
	propClip
	propClipPath
	propColor
	propBackground
	propTransform
	propAnimation
	propTransition
	propContentVisibility
	propBackgroundClip
	propCount
)

// style holds the values of the properties that can hide text, lower case, "" where
// nothing is declared.
type style [propCount]string

// declare reads a declaration block into s. Declarations with !important are taken
// when marked is set, the others when it is not.
func (s *style) declare(block string, marked bool) {
	for block != "" {
		var decl string
		decl, block, _ = strings.Cut(block, ";")
		name, value, ok := strings.Cut(decl, ":")
		if !ok {
			continue
		}
		p, ok := properties[strings.ToLower(strings.TrimSpace(name))]
		if !ok {
			continue
		}
		value = strings.ToLower(strings.TrimSpace(value))
		plain, isMarked := strings.CutSuffix(value, "!important")
		if isMarked == marked {
			s[p] = strings.TrimSpace(plain)
		}
	}
}

// over lays the declared values of o over s.
func (s *style) over(o *style) {
	for i, v := range o {
		if v != "" {
			s[i] = v
		}
	}
}

// hides reports whether the element and all below it is out of sight. Zero font
// size and equal colours are inherited and dealt with by the walk.
func (s *style) hides() bool {
	switch {
	case s[propDisplay] == "none", s[propVisibility] == "hidden", s[propVisibility] == "collapse", s[propContentVisibility] == "hidden":
		return true
	case faint(s[propOpacity]):
		return !s.moves()
	case s[propPosition] == "absolute" || s[propPosition] == "fixed":
		if away(s[propLeft]) || away(s[propTop]) || away(s[propRight]) || clipped(s[propClip]) || clipped(s[propClipPath]) {
			return true
		}
	}
	if away(s[propIndent]) || strings.Contains(s[propTransform], "scale(0)") {
		return true
	}
	shut := s[propOverflow] == "hidden" || s[propOverflow] == "clip"
	return shut && (thin(s[propWidth]) || thin(s[propHeight]) || thin(s[propMaxHeight]))
}

// moves reports an element that is set in motion: text that fades in starts at
// opacity 0 and is on the page a moment later.
func (s *style) moves() bool {
	for _, p := range []int{propAnimation, propTransition, propTransform} {
		if s[p] != "" && s[p] != "none" {
			return true
		}
	}
	return false
}

// faint reports an opacity at which nothing can be read.
func faint(v string) bool {
	n, unit, ok := length(v)
	return ok && (n <= .05 || unit == "%" && n <= 5)
}

// tiny reports a font size at which nothing can be read.
func tiny(v string) bool {
	n, unit, ok := length(v)
	if !ok {
		return false
	}
	switch unit {
	case "%":
		return n < 10
	case "em", "rem", "ex", "ch", "vw", "vh":
		return n < .1
	}
	return n < 2
}

// away reports an offset that moves text out of the window.
func away(v string) bool {
	n, unit, ok := length(v)
	if !ok {
		return false
	}
	if unit == "%" || unit == "vw" || unit == "vh" || unit == "em" || unit == "rem" {
		return n <= -60
	}
	return n <= -900
}

func thin(v string) bool {
	n, unit, ok := length(v)
	return ok && (n == 0 || n == 1 && unit == "px")
}

func clipped(v string) bool {
	v = strings.ReplaceAll(v, " ", "")
	return strings.HasPrefix(v, "rect(0") || strings.HasPrefix(v, "rect(1px") || strings.HasPrefix(v, "inset(50%") || strings.HasPrefix(v, "inset(100%") || strings.HasPrefix(v, "circle(0")
}

func length(v string) (n float64, unit string, ok bool) {
	i := 0
	for i < len(v) && (v[i] >= '0' && v[i] <= '9' || v[i] == '.' || v[i] == '-' || v[i] == '+') {
		i++
	}
	n, err := strconv.ParseFloat(v[:i], 64)
	return n, v[i:], err == nil
}

// absoluteSize reports a font size that does not depend on the parent's.
func absoluteSize(v string) bool {
	_, unit, ok := length(v)
	if !ok {
		return v == "medium" || v == "small" || v == "large" || strings.HasPrefix(v, "x") || strings.HasPrefix(v, "clamp(") || strings.HasPrefix(v, "calc(") || v == "initial"
	}
	return !tiny(v) && (unit == "px" || unit == "pt" || unit == "rem" || unit == "vw" || unit == "vh")
}

const transparent = "transparent"

// colour brings the common ways of writing one colour to six hexadecimal digits or
// transparent; "" for what it cannot tell, such as variables and gradients.
func colour(v string) string {
	v = strings.ReplaceAll(v, " ", "")
	switch v {
	case "white":
		return "ffffff"
	case "black":
		return "000000"
	case transparent:
		return v
	}
	if hex, ok := strings.CutPrefix(v, "#"); ok {
		switch len(hex) {
		case 4:
			if hex[3] == '0' {
				return transparent
			}
			fallthrough
		case 3:
			return string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
		case 8:
			if hex[6] == '0' {
				return transparent
			}
			fallthrough
		case 6:
			return hex[:6]
		}
		return ""
	}
	for _, prefix := range []string{"rgb(", "rgba("} {
		if args, ok := strings.CutPrefix(v, prefix); ok {
			return rgb(strings.TrimSuffix(args, ")"))
		}
	}
	return ""
}

// ground is the colour at the start of a background.
func ground(v string) string {
	first, _, _ := strings.Cut(strings.ReplaceAll(v, ", ", ","), " ")
	return colour(first)
}

func rgb(args string) string {
	parts := strings.Split(args, ",")
	if len(parts) == 4 && faint(parts[3]) {
		return transparent
	}
	if len(parts) < 3 {
		return ""
	}
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 6)
	for _, p := range parts[:3] {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 || n > 255 {
			return ""
		}
		out = append(out, digits[n>>4], digits[n&15])
	}
	return string(out)
}

// alike reports two colours that an eye does not tell apart.
func alike(a, b string) bool {
	x, errX := strconv.ParseUint(a, 16, 32)
	y, errY := strconv.ParseUint(b, 16, 32)
	if errX != nil || errY != nil {
		return false
	}
	const close = 30 // of 765, the distance from black to white
	distance := 0
	for shift := 0; shift < 24; shift += 8 {
		d := int(x>>shift&255) - int(y>>shift&255)
		distance += max(d, -d)
	}
	return distance <= close
}

// rule is one simple selector (a tag, classes and an id on one element) with what
// it declares.
type rule struct {
	tag, id string
	classes []string
	weight  int // specificity, then order
	style   style
}

// important is the weight of rules that a style attribute does not overrule.
const important = 1 << 40

// sheet is the page's own rules that can hide text, by their rarest part.
type sheet struct {
	byID, byClass, byTag map[string][]*rule
	bySelector           map[selector]*rule
	count                int

	found map[looks][]*rule // what elements that look alike match, by weight
	tries int               // rules held against elements so far
}

// selector is a selector as written; rules of one are one.
type selector struct {
	text   string
	marked bool
}

// looks is what of an element a rule may ask for. The id counts only when a
// rule names it.
type looks struct{ tag, class, id string }

// Limits on matching. Pages of a public benchmark need 400,000 tries at most;
// beyond the limit elements have only their style attributes.
const (
	maxTries = 20_000_000
	maxLooks = 50_000
)

// exhausted reports whether matching was given up.
func (sh *sheet) exhausted() bool { return sh.tries > maxTries }

// add reads a style element. Selectors that look at more than one element and
// rules for print or narrow screens are left out: a rule that is not understood
// hides nothing.
func (sh *sheet) add(css string) {
	if len(css) > maxSheetBytes {
		css = css[:maxSheetBytes]
	}
	css = withoutComments(css)
	for css != "" && sh.count < maxRules {
		open := strings.IndexByte(css, '{')
		if open < 0 {
			return
		}
		prelude := strings.TrimSpace(css[:open])
		if i := strings.LastIndexAny(prelude, ";}"); i >= 0 {
			prelude = strings.TrimSpace(prelude[i+1:])
		}
		body := css[open+1:]
		if strings.HasPrefix(prelude, "@") {
			if screenRules(prelude) {
				css = body // its rules follow; the brace at its end is skipped as a prelude
			} else {
				css = body[blockEnd(body):]
			}
			continue
		}
		before, after, ok := strings.Cut(body, "}")
		if !ok {
			return
		}
		sh.rule(prelude, before)
		css = after
	}
}

func screenRules(at string) bool {
	switch strings.Join(strings.Fields(strings.ToLower(at)), " ") {
	case "@media screen", "@media all", "@media only screen", "@media screen, print", "@media all, screen":
		return true
	}
	return strings.HasPrefix(at, "@layer")
}

// blockEnd is the offset after the brace that closes an open block.
func blockEnd(s string) int {
	depth := 1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

func withoutComments(css string) string {
	if !strings.Contains(css, "/*") {
		return css
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(css, "/*")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		_, css, _ = strings.Cut(rest, "*/")
	}
}

func (sh *sheet) rule(selectors, block string) {
	for _, marked := range []bool{false, true} {
		var st style
		st.declare(block, marked)
		if st == (style{}) {
			continue
		}
		for sel := range strings.SplitSeq(selectors, ",") {
			r := rule{style: st}
			sel = strings.TrimSpace(sel)
			if !r.selects(sel) {
				continue
			}
			sh.count++
			if same := sh.bySelector[selector{sel, marked}]; same != nil {
				same.style.over(&st)
				same.weight = same.weight&^(1<<16-1) + sh.count
				continue
			}
			r.weight += sh.count
			if marked {
				r.weight += important
			}
			sh.file(&r)
			sh.bySelector[selector{sel, marked}] = &r
		}
	}
}

// selects reads a selector of the form tag.class#id; it reports false for others.
func (r *rule) selects(sel string) bool {
	if sel == "" || strings.ContainsAny(sel, " >+~:[*|&()\\") {
		return false
	}
	end := strings.IndexAny(sel, ".#")
	if end < 0 {
		end = len(sel)
	}
	r.tag, sel = strings.ToLower(sel[:end]), sel[end:]
	if r.tag != "" {
		r.weight += 1 << 16
	}
	for sel != "" {
		mark := sel[0]
		end := strings.IndexAny(sel[1:], ".#") + 1
		if end == 0 {
			end = len(sel)
		}
		if mark == '#' {
			r.id = sel[1:end]
			r.weight += 1 << 32
		} else {
			r.classes = append(r.classes, sel[1:end])
			r.weight += 1 << 24
		}
		sel = sel[end:]
	}
	return true
}

func (sh *sheet) file(r *rule) {
	if sh.byID == nil {
		sh.byID, sh.byClass, sh.byTag = map[string][]*rule{}, map[string][]*rule{}, map[string][]*rule{}
		sh.bySelector, sh.found = map[selector]*rule{}, map[looks][]*rule{}
	}
	switch {
	case r.id != "":
		sh.byID[r.id] = append(sh.byID[r.id], r)
	case len(r.classes) > 0:
		rarest := r.classes[0]
		for _, c := range r.classes[1:] {
			if len(sh.byClass[c]) < len(sh.byClass[rarest]) {
				rarest = c
			}
		}
		sh.byClass[rarest] = append(sh.byClass[rarest], r)
	default:
		sh.byTag[r.tag] = append(sh.byTag[r.tag], r)
	}
}

// of returns what the page's rules and the style attribute declare for n.
func (sh *sheet) of(n *html.Node, class, id, inline string) (st style) {
	var hits []*rule
	if sh.count > 0 {
		hits = sh.hits(n, class, id)
	}
	late := slices.IndexFunc(hits, func(r *rule) bool { return r.weight >= important })
	if late < 0 {
		late = len(hits)
	}
	for _, r := range hits[:late] {
		st.over(&r.style)
	}
	if inline != "" {
		st.declare(inline, false)
	}
	for _, r := range hits[late:] {
		st.over(&r.style)
	}
	if inline != "" {
		st.declare(inline, true)
	}
	return st
}

// hits are the rules that match n, by weight. Elements that look alike are
// matched once.
func (sh *sheet) hits(n *html.Node, class, id string) []*rule {
	if id != "" && len(sh.byID[id]) == 0 {
		id = ""
	}
	of := looks{n.Data, class, id}
	hits, known := sh.found[of]
	if known || sh.exhausted() {
		return hits
	}
	var classes []string
	if class != "" {
		classes = strings.Fields(class)
	}
	hold := func(rules []*rule) {
		sh.tries += 1 + len(rules)*(1+len(classes)/8)
		hits = matching(hits, rules, n, classes, id)
	}
	for _, c := range classes {
		hold(sh.byClass[c])
	}
	if id != "" {
		hold(sh.byID[id])
	}
	hold(sh.byTag[n.Data])
	slices.SortFunc(hits, func(a, b *rule) int { return a.weight - b.weight })
	if len(sh.found) < maxLooks {
		sh.found[of] = hits
	}
	return hits
}

func matching(hits, rules []*rule, n *html.Node, classes []string, id string) []*rule {
	for _, r := range rules {
		if r.tag != "" && r.tag != n.Data || r.id != "" && r.id != id {
			continue
		}
		all := true
		for _, c := range r.classes {
			all = all && slices.Contains(classes, c)
		}
		if all {
			hits = append(hits, r)
		}
	}
	return hits
}
