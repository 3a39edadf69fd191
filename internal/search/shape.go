package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// shape returns the query as the engine can take it, the names of the filters
// that it cannot honour, and whether the text had to be cut.
func (q request) shape(caps Capabilities) (shaped Query, unable []string, cut bool) {
	shaped = q.Query
	shaped.Topic, shaped.Language, shaped.Region = q.topics[0], q.language, q.region
	if !caps.Operators {
		shaped.Text = withoutOperators(shaped.Text)
	}
	whole := shaped.Text
	shaped.Text = shorten(whole, caps.MaxQuery, caps.MaxWords)
	shaped.N = max(q.N, min(2*q.N, spareResults)) // some will be dropped
	if caps.MaxResults > 0 {
		shaped.N = min(shaped.N, caps.MaxResults)
	}
	if !q.window.Open() && !caps.honours(q.window) {
		unable = append(unable, "recency")
		shaped.Recency = ""
	}
	if len(q.Include)+len(q.Exclude) > 0 && !caps.Sites {
		unable = append(unable, "sites")
		shaped.Include, shaped.Exclude = nil, nil
	}
	if q.foreign() && !caps.Language {
		unable = append(unable, "language")
	}
	return shaped, unable, shaped.Text != whole
}

// spareResults is how many results engines are asked for when fewer are wanted.
const spareResults = 20

// foreign reports whether the query asks for another language than it is
// written in: engines then must be told, the words do not do it.
func (q request) foreign() bool {
	written := language(q.Text)
	if written == "" {
		written = "en"
	}
	wanted, _, _ := strings.Cut(strings.ToLower(q.Language), "-")
	return wanted != "" && wanted != written
}

func (c Capabilities) honours(w Window) bool {
	if w.Unit != "" {
		return c.Recency
	}
	return c.Range
}

// withoutOperators takes out what search engines read as operators: quotes,
// leading signs and field prefixes such as site:.
func withoutOperators(text string) string {
	words := strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`"“”„«»()[]{}`, r) {
			return ' '
		}
		return r
	}, text))
	kept := words[:0]
	for _, w := range words {
		w = strings.TrimLeft(w, "+-~")
		if field, value, ok := strings.Cut(w, ":"); ok && operatorFields[strings.ToLower(field)] {
			w = value
		}
		if w != "" {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		return text
	}
	return strings.Join(kept, " ")
}

var operatorFields = map[string]bool{
	"site": true, "intitle": true, "inurl": true, "intext": true, "filetype": true, "before": true, "after": true,
}

// shorten cuts the text to so many characters and words, at the end of a word
// where the script has any. Zero means no limit.
func shorten(text string, characters, words int) string {
	if words > 0 {
		if all := strings.Fields(text); len(all) > words {
			text = strings.Join(all[:words], " ")
		}
	}
	if characters <= 0 || utf8.RuneCountInString(text) <= characters {
		return text
	}
	runes := []rune(text)
	cut := runes[:characters]
	if !unicode.IsSpace(runes[characters]) {
		for i := len(cut) - 1; i > len(cut)/2; i-- {
			if unicode.IsSpace(cut[i]) {
				cut = cut[:i]
				break
			}
		}
	}
	return strings.TrimSpace(string(cut))
}
