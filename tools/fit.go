package tools

import (
	"encoding/json"
	"slices"
)

// resultBytes bounds a structured result. Claude Desktop refuses 1 MB, models
// read about 10,000 tokens without harm.
const resultBytes = 40_000

// fields is a JSON object whose values are encoded.
type fields map[string]json.RawMessage

func fieldsFrom(v any) fields {
	var out fields
	if json.Unmarshal(encode(v), &out) != nil {
		return fields{}
	}
	return out
}

func (f fields) set(key string, v any) { f[key] = encode(v) }

// entries are the elements of a list, and whether key holds one.
func (f fields) entries(key string) ([]json.RawMessage, bool) {
	raw := f[key]
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	var out []json.RawMessage
	return out, json.Unmarshal(raw, &out) == nil
}

// fill puts as many entries of each list into the object as its bytes allow, in
// the order of the lists, and notes in "omitted" how many are left out. share is
// the part of the remaining bytes that a list may take; the last one may take
// all. Lists that are named nowhere come last.
func (f fields) fill(order []share, budget int) {
	if len(encode(f)) <= budget {
		return
	}
	lists := f.takeLists(order)
	omitted := map[string]int{}
	left := budget - len(encode(f)) - omittedBytes
	for _, l := range lists {
		room := int(float64(left) * l.part)
		kept, used := 0, 0
		for kept < len(l.entries) && used+len(l.entries[kept])+1 <= room {
			used += len(l.entries[kept]) + 1
			kept++
		}
		f.set(l.name, l.entries[:kept])
		left -= used
		if n := len(l.entries) - kept; n > 0 {
			omitted[l.name] = n
		}
	}
	if len(omitted) > 0 {
		f.merge("omitted", omitted)
	}
}

// omittedBytes is kept free for the counts of what is left out.
const omittedBytes = 400

// share is a list's part of the room that the lists before it leave.
type share struct {
	name string
	part float64
}

type taken struct {
	share
	entries []json.RawMessage
}

// takeLists empties every list of the object and returns what they held.
func (f fields) takeLists(order []share) []taken {
	var out []taken
	take := func(s share) {
		if slices.ContainsFunc(out, func(t taken) bool { return t.name == s.name }) {
			return
		}
		if entries, ok := f.entries(s.name); ok {
			out = append(out, taken{s, entries})
			f[s.name] = json.RawMessage("[]")
		}
	}
	for _, s := range order {
		take(s)
	}
	for _, name := range sortedKeys(f) {
		if !slices.ContainsFunc(order, func(s share) bool { return s.name == name }) {
			take(share{name, 1})
		}
	}
	return out
}

// merge adds counts to an object of counts.
func (f fields) merge(key string, counts map[string]int) {
	have := map[string]int{}
	if raw, ok := f[key]; ok {
		_ = json.Unmarshal(raw, &have) // ours: an object of numbers
	}
	for k, n := range counts {
		have[k] += n
	}
	f.set(key, have)
}
