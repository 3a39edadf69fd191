package tools

import (
	"encoding/json"
	"strconv"
	"strings"

	"deepresearch/research"
)

// shown is the part of a result that an answer shows in full.
type shown struct {
	page
	section string // as it was asked for
	list    string // of a list: its name
	entries []json.RawMessage
	first   int // number of the first entry, from 1

	quotesLeft int // quotes of its sources that are left out; a resource has them
}

// part is what a view shows: a page of the report, of one of its sections, or of
// a list of the result, which is whole.
func part(report string, whole fields, v view) (shown, error) {
	name := strings.TrimSpace(v.section)
	key := strings.ToLower(name)
	if key == "" || key == "report" {
		p, err := pageFrom(report, v.cursor, pageBytes)
		return shown{page: p}, err
	}
	if entries, ok := whole.entries(key); ok {
		return listFrom(key, entries, v.cursor)
	}
	names := []string{"report"}
	for i, under := range sections(report) {
		if strings.EqualFold(under.title, name) || strconv.Itoa(i+1) == name {
			p, err := pageFrom(under.text, v.cursor, pageBytes)
			return shown{page: p, section: name}, err
		}
		names = append(names, under.title)
	}
	for _, l := range lists {
		if _, ok := whole.entries(l.name); ok {
			names = append(names, l.name)
		}
	}
	return shown{}, &research.InputError{Field: "section", Reason: clip(strconv.Quote(name), 80) + " is no part of this run", Fix: "use " + orNearest(key, names)}
}

// listFrom cuts a page out of a list. The cursor is the number of entries before
// it. At least one entry is shown, however long.
func listFrom(name string, entries []json.RawMessage, cursor string) (shown, error) {
	start := 0
	if cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n < 0 || n >= max(len(entries), 1) {
			return shown{}, &research.InputError{Field: "cursor", Reason: "it leads nowhere in this list", Fix: "use next_cursor of the answer before, or leave it out to begin anew"}
		}
		start = n
	}
	out := shown{section: name, list: name, entries: []json.RawMessage{}, first: start + 1}
	end, size := start, 0
	for ; end < len(entries); end++ {
		entry, left := withQuotes(entries[end], pageBytes)
		if size += len(entry) + 1; size > pageBytes && end > start {
			break
		}
		out.entries = append(out.entries, entry)
		out.quotesLeft += left
	}
	if end < len(entries) {
		out.cursor = strconv.Itoa(end)
	}
	return out, nil
}
