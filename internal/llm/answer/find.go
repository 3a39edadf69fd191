package answer

import (
	"encoding/json"
	"strings"
)

// candidate is a stretch of a text that may be the wanted value.
type candidate struct {
	text  []byte
	valid bool // it is JSON as it stands
	whole bool // it is not inside another candidate
	cost  int
}

const (
	// maxCandidates bounds how many stretches are tried. Answers hold one or two;
	// sixty-four outlast every prose with braces seen.
	maxCandidates = 64
	// scanFactor bounds the bytes looked at, as a multiple of the text: a text
	// made of opening brackets would otherwise be scanned once for each.
	scanFactor = 8
)

// find returns the stretches of text that begin with a bracket, in order. One
// that is valid JSON hides what is inside it; another one is followed by the
// stretches inside it, for an answer may begin with a stray bracket.
func find(text string) []candidate {
	var found []candidate
	budget := scanFactor*len(text) + 1024
	covered := 0 // end of the outermost candidate
	for at := 0; at < len(text) && len(found) < maxCandidates && budget > 0; {
		i := strings.IndexAny(text[at:], "{[")
		if i < 0 {
			break
		}
		start := at + i
		end, closed := balance(text, start)
		budget -= end - start
		c := candidate{text: []byte(text[start:end]), whole: start >= covered}
		c.valid = closed && json.Valid(c.text)
		if !c.whole {
			c.cost++
		}
		found = append(found, c)
		covered = max(covered, end)
		if at = start + 1; c.valid {
			at = end
		}
	}
	return found
}

// balance returns the end of the value that opens at text[start], counting
// brackets outside strings; closed is false when the text ends before it does.
func balance(text string, start int) (end int, closed bool) {
	depth := 0
	inString := false
	for i := start; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(text), false
}
