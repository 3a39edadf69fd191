package answer

import (
	"slices"
	"strings"
)

// placeholders are texts that stand where an answer should, in the examples that
// small models copy.
var placeholders = [...]string{
	"...", "…", "string", "str", "text", "your answer", "your answer here", "your query", "your query here", "your text here", "query text",
	"search query", "query 1", "query1", "example", "example query", "placeholder", "lorem ipsum", "todo", "tbd", "xxx",
}

// echoes reports whether text only repeats the schema or an example: a known
// placeholder, the name or description of its own property, or a blank to fill
// in such as <query>.
func echoes(text, name string, s *schema) bool {
	t := strings.ToLower(strings.Trim(text, " .:\"'`[]{}"))
	if t == "" {
		return strings.Trim(text, " ") != "" // "..." and "[]" say nothing either
	}
	if slices.Contains(placeholders[:], t) || slices.Contains(placeholders[:], strings.ToLower(text)) {
		return true
	}
	if strings.HasPrefix(t, "<") && strings.HasSuffix(t, ">") && strings.Count(t, "<") == 1 {
		return true
	}
	plain := plainName(t)
	return plain == plainName(name) || plain == strings.TrimSuffix(plainName(name), "s") ||
		s.description != "" && strings.EqualFold(text, s.description)
}
