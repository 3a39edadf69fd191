package answer

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// deepest is how far values may be nested. Ours are two deep.
const deepest = 32

// Costs of repairs, so that of several readings the plainest wins.
const (
	costRepair = 2 // one mistake of syntax, however often it is made
	costCut    = 3 // the text ended inside the value
)

// repair reads JSON as people and small models write it, and returns it as it
// should have been: quotation marks of any kind, none or doubled, commas too
// many or missing, comments, Python's literals, raw line breaks, brackets that
// were never closed. It reads the value at the start of text and ignores what
// follows. A last element that was cut off is left out, not completed. The
// result is nil when nothing can be read.
func repair(text []byte) (raw []byte, cost int) {
	r := repairer{src: text}
	v, ok := r.value(0)
	if !ok {
		return nil, 0
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, 0
	}
	cost = costRepair
	if r.cut {
		cost += costCut
	}
	return raw, cost
}

// repairer is a recursive-descent parser that never goes back.
type repairer struct {
	src []byte
	at  int
	cut bool // the text ended where a value was still open
}

// value reads the value at r.at. ok is false when there is none, or when the
// text ended inside it and nothing of it can be kept.
func (r *repairer) value(depth int) (v any, ok bool) {
	r.space()
	if r.at >= len(r.src) || depth > deepest {
		r.cut = true
		return nil, false
	}
	switch c := r.src[r.at]; {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case r.openQuote() > 0:
		return r.text()
	case c == '}' || c == ']' || c == ',' || c == ':':
		return nil, false
	}
	return r.word()
}

func (r *repairer) object(depth int) (any, bool) {
	r.at++
	out := map[string]any{}
	for r.at < len(r.src) {
		r.space()
		switch {
		case r.at >= len(r.src):
		case r.src[r.at] == '}':
			r.at++
			return out, true
		case r.src[r.at] == ',' || r.src[r.at] == ';':
			r.at++
			continue
		case r.src[r.at] == ']': // the wrong bracket ends it too
			return out, len(out) > 0
		}
		key, ok := r.key()
		if !ok {
			return out, len(out) > 0
		}
		v, ok := r.value(depth + 1)
		if ok && !(r.cut && scalar(v)) {
			out[key] = v
		}
		if r.cut {
			return out, len(out) > 0
		}
		if !ok && r.at < len(r.src) && strings.IndexByte(",}", r.src[r.at]) < 0 {
			return out, len(out) > 0
		}
	}
	r.cut = true
	return out, len(out) > 0
}

// scalar reports whether v is no container. A container that was cut keeps what
// it had; a scalar that was cut may be another one.
func scalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

// space skips white space and comments.
func (r *repairer) space() {
	for r.at < len(r.src) {
		rest := r.src[r.at:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			r.at++
		case bytes.HasPrefix(rest, []byte("//")) || c == '#':
			r.skipPast(rest, "\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			r.skipPast(rest, "*/")
		case bytes.HasPrefix(rest, []byte("\u00a0")) || bytes.HasPrefix(rest, []byte("\ufeff")):
			_, n := utf8.DecodeRune(rest)
			r.at += n
		default:
			return
		}
	}
}

func (r *repairer) skipPast(rest []byte, end string) {
	if i := bytes.Index(rest, []byte(end)); i >= 0 {
		r.at += i + len(end)
		return
	}
	r.at = len(r.src)
}

// key reads a key and its colon.
func (r *repairer) key() (string, bool) {
	start := r.at
	if r.at >= len(r.src) {
		r.cut = true
		return "", false
	}
	var key string
	if r.openQuote() > 0 {
		v, ok := r.text()
		key, _ = v.(string)
		if !ok {
			return "", false
		}
	} else {
		n := bytes.IndexAny(r.src[r.at:], ":\n,{}[]\"")
		if n < 0 {
			r.cut = true
			return "", false
		}
		key = strings.TrimSpace(string(r.src[r.at : r.at+n]))
		r.at += n
	}
	r.space()
	if r.at < len(r.src) && (r.src[r.at] == ':' || r.src[r.at] == '=') {
		r.at++
		return key, key != ""
	}
	r.cut = r.cut || r.at >= len(r.src)
	r.at = start
	return "", false
}

func (r *repairer) array(depth int) (any, bool) {
	r.at++
	out := []any{}
	for r.at < len(r.src) {
		r.space()
		switch {
		case r.at >= len(r.src):
		case r.src[r.at] == ']':
			r.at++
			return out, true
		case r.src[r.at] == ',' || r.src[r.at] == ';':
			r.at++
			continue
		case r.src[r.at] == '}': // the wrong bracket ends it too
			return out, len(out) > 0
		case bytes.HasPrefix(r.src[r.at:], []byte("...")):
			r.at += 3
			continue
		}
		before := r.at
		bare := r.at < len(r.src) && r.openQuote() == 0 && !isOpener(r.src[r.at])
		v, ok := r.value(depth + 1)
		if r.cut && (!ok || scalar(v)) {
			return out, len(out) > 0
		}
		if bare && len(out) > 0 && !afterComma(r.src, before) {
			// Words after an element without a comma: the bracket was forgotten and prose follows.
			r.at = before
			return out, true
		}
		if ok {
			out = append(out, v)
		}
		if r.cut || !ok && r.at == before {
			return out, len(out) > 0
		}
	}
	r.cut = true
	return out, len(out) > 0
}

func isOpener(c byte) bool { return c == '{' || c == '[' }

// afterComma reports whether what stands before src[at:] ends in a comma.
func afterComma(src []byte, at int) bool {
	before := bytes.TrimRight(src[:at], " \t\r\n")
	return len(before) > 0 && (before[len(before)-1] == ',' || before[len(before)-1] == ';')
}

// literals are the words that are no texts, in JSON, Python and JavaScript.
var literals = map[string]any{
	"true": true, "True": true, "TRUE": true, "false": false, "False": false, "FALSE": false,
	"null": nil, "None": nil, "NULL": nil, "nil": nil, "undefined": nil, "NaN": nil,
}

// word reads a number, a literal or a text without quotation marks, which ends
// at a comma, a bracket or a line break.
func (r *repairer) word() (any, bool) {
	n := bytes.IndexAny(r.src[r.at:], ",}]\n")
	if n < 0 {
		n = len(r.src) - r.at
		r.cut = true
	}
	raw := r.src[r.at : r.at+n]
	if v, size := plainWord(raw); size > 0 {
		r.at += size
		r.cut = r.cut && size == len(raw)
		return v, true
	}
	for _, comment := range []string{"//", " #"} {
		if i := bytes.Index(raw, []byte(comment)); i > 0 {
			raw = raw[:i]
		}
	}
	s := strings.TrimRight(string(raw), " \t\r\"'")
	r.at += n
	if s == "" {
		return nil, false
	}
	return s, true
}

// plainWord reads the literal or number at the beginning of raw and returns its
// length, 0 when there is none or more words follow it.
func plainWord(raw []byte) (v any, size int) {
	word := raw
	if i := bytes.IndexAny(raw, " \t\r\"'#/"); i >= 0 {
		word = raw[:i]
	}
	rest := bytes.TrimLeft(raw[len(word):], " \t\r")
	if len(rest) > 0 && bytes.IndexByte([]byte("\"'#/"), rest[0]) < 0 {
		return nil, 0
	}
	if v, ok := literals[string(word)]; ok {
		return v, len(word)
	}
	if len(word) > 0 && (word[0] == '-' || word[0] >= '0' && word[0] <= '9') && json.Valid(word) {
		return json.Number(word), len(word)
	}
	return nil, 0
}

// quotes are the marks that open a text, and those that close it.
var quotes = [...]struct{ open, close string }{
	{`"`, `"`}, {`'`, `'`}, {"`", "`"}, {"“", "”"}, {"”", "”"}, {"‘", "’"}, {"„", "“"}, {"«", "»"}, {"「", "」"},
}

// openQuote is the length of the quotation mark at r.at, 0 for none.
func (r *repairer) openQuote() int {
	open, _ := r.quote()
	return len(open)
}

func (r *repairer) quote() (open, close string) {
	for _, q := range quotes {
		if bytes.HasPrefix(r.src[r.at:], []byte(q.open)) {
			return q.open, q.close
		}
	}
	return "", ""
}

// text reads a quoted text. A mark closes it only when what follows could follow
// a text; another one is part of the text, as its writer forgot to escape it.
func (r *repairer) text() (any, bool) {
	open, close := r.quote()
	r.at += len(open)
	if open == `"` && r.has(`"`) && !r.endsAt(r.at+1) {
		r.at++ // doubled
	}
	var out strings.Builder
	for r.at < len(r.src) {
		c := r.src[r.at]
		switch {
		case c == '\\':
			r.escape(&out)
		case r.has(close) && r.endsAt(r.at+len(close)):
			r.at += len(close)
			return out.String(), true
		case r.has(`""`) && r.endsAt(r.at+2): // doubled
			r.at += 2
			return out.String(), true
		case r.has(`"`) && open != `'` && open != "`" && r.endsAt(r.at+1): // opened by another mark
			r.at++
			return out.String(), true
		case c < utf8.RuneSelf:
			if c >= ' ' || c == '\n' || c == '\t' {
				out.WriteByte(c)
			}
			r.at++
		default:
			ch, size := utf8.DecodeRune(r.src[r.at:])
			out.WriteRune(ch)
			r.at += size
		}
	}
	r.cut = true
	return out.String(), true
}

func (r *repairer) has(prefix string) bool {
	return len(r.src)-r.at >= len(prefix) && string(r.src[r.at:r.at+len(prefix)]) == prefix
}

// endsAt reports whether a text may end before src[at:].
func (r *repairer) endsAt(at int) bool {
	rest := bytes.TrimLeft(r.src[at:], " \t\r\n")
	if len(rest) == 0 {
		return true
	}
	switch rest[0] {
	case '}', ']', ':', '=':
		return true
	case ',', ';':
		return startsElement(rest[1:])
	}
	gap := r.src[at : len(r.src)-len(rest)]
	switch {
	case rest[0] == '/' && len(rest) > 1 && (rest[1] == '/' || rest[1] == '*'), bytes.Count(gap, []byte("\n")) > 1:
		return true // a comment, or a paragraph after a forgotten bracket
	}
	// A missing comma: something else begins.
	return len(gap) > 0 && strings.IndexByte(`"'{[`, rest[0]) >= 0
}

// startsElement reports whether what follows a comma looks like a value or a
// key rather than like the rest of a sentence.
func startsElement(rest []byte) bool {
	trimmed := bytes.TrimLeft(rest, " \t\r\n")
	if len(trimmed) == 0 || bytes.IndexByte(rest[:len(rest)-len(trimmed)], '\n') >= 0 || bytes.HasPrefix(trimmed, []byte("...")) {
		return true
	}
	if strings.IndexByte("\"'`{[}]-0123456789/", trimmed[0]) >= 0 || trimmed[0] >= utf8.RuneSelf {
		return true
	}
	word := trimmed[:min(len(trimmed), 40)]
	if i := bytes.IndexAny(word, ":,}]\n "); i > 0 {
		_, literal := literals[string(word[:i])]
		return literal || word[i] == ':'
	}
	return false
}

// escapes are the one-letter escapes of JSON.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}

// escape reads one escape; what is none in JSON stands for itself.
func (r *repairer) escape(out *strings.Builder) {
	if r.at+1 >= len(r.src) {
		r.at = len(r.src)
		return
	}
	c := r.src[r.at+1]
	if c == 'u' {
		end := min(r.at+6, len(r.src))
		if end < len(r.src) && bytes.HasPrefix(r.src[end:], []byte(`\u`)) {
			end = min(end+6, len(r.src)) // a surrogate pair
		}
		var s string
		for ; end > r.at+2; end -= 6 {
			if json.Unmarshal([]byte(`"`+string(r.src[r.at:end])+`"`), &s) == nil {
				out.WriteString(s)
				r.at = end
				return
			}
		}
		r.at += 2
		return
	}
	if e, ok := escapes[c]; ok {
		c = e
	}
	out.WriteByte(c)
	r.at += 2
}
