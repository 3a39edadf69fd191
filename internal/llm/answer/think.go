package answer

import (
	"slices"
	"strings"
)

// brackets are what the names of thinking tags stand between.
var brackets = [...]struct{ open, close string }{{"<", ">"}, {"[", "]"}, {"◁", "▷"}}

// thinkingTags are the tags that models put their thinking between, as their
// chat templates define them: DeepSeek, Qwen and most others write <think>,
// Magistral [THINK], Kimi ◁think▷, Seed <seed:think>; the rest is seen with
// prompts that ask for it.
var thinkingTags = [...]string{"think", "thinking", "thought", "reasoning", "seed:think"}

// finalChannel is where the answer begins in the harmony format of gpt-oss;
// what stands before it is analysis.
const finalChannel = "<|channel|>final<|message|>"

// harmonyEnds close the answer in that format.
var harmonyEnds = [...]string{"<|return|>", "<|end|>"}

// Spoken is text without the thinking in it, trimmed: closed blocks are cut out,
// everything before a closing tag without its opening is dropped, and so is
// everything after an opening tag that is never closed. Tags in backquotes or
// quotation marks are talked about and stay. It takes one pass.
func Spoken(text string) string {
	spoken, _ := split(text)
	return strings.TrimSpace(unfence(spoken))
}

// split returns the spoken part, and the thinking that never ended.
func split(text string) (spoken, tail string) {
	text = strings.TrimPrefix(final(text), "\ufeff")
	var kept []string // pieces outside thinking
	from := 0         // where the piece or the thinking being read began
	inside := noTag   // what began the thinking
	for at := 0; at < len(text); {
		if !openers[text[at]] || at+1 == len(text) || !seconds[text[at+1]] {
			at++
			continue
		}
		if inside != noTag && !slashAt(text, at) { // inside only an end counts
			at++
			continue
		}
		t := tagAt(text, at)
		if t.kind == noTag {
			at++
			continue
		}
		switch {
		case inside == noTag && t.closes: // alone: all before it was thinking
			kept, from = kept[:0], at+t.length
		case inside == noTag:
			if from < at {
				kept = append(kept, text[from:at])
			}
			inside, from = t.kind, at+t.length
		case t.closes && t.kind == inside:
			inside, from = noTag, at+t.length
		}
		at += t.length
	}
	if inside != noTag {
		return strings.Join(kept, ""), text[from:]
	}
	if len(kept) == 0 {
		return text[from:], ""
	}
	return strings.Join(append(kept, text[from:]), ""), ""
}

// final returns the part of a harmony answer that is meant for the reader.
func final(text string) string {
	if !strings.Contains(text, finalChannel) { // much quicker than looking for the last
		return text
	}
	i := strings.LastIndex(text, finalChannel)
	text = text[i+len(finalChannel):]
	for _, end := range harmonyEnds {
		text, _, _ = strings.Cut(text, end)
	}
	return text
}

// openers and seconds are the bytes that a tag begins with: a quick look, for
// text without tags is the rule.
var (
	openers = [256]bool{'<': true, '[': true, 0xe2: true} // ◁ is e2 97 81
	seconds = [256]bool{'/': true, 't': true, 'T': true, 'r': true, 'R': true, 's': true, 'S': true, 0x97: true}
)

// tag is a thinking tag in a text.
type tag struct {
	kind   int // one number for a name between one kind of brackets; noTag where there is none
	closes bool
	length int // bytes
}

const noTag = -1

// tagAt reads the tag that begins at text[at:]. Models write it in any case.
func tagAt(text string, at int) tag {
	if at > 0 && strings.IndexByte("`\"'", text[at-1]) >= 0 {
		return tag{kind: noTag}
	}
	i := bracketAt(text, at)
	if i < 0 {
		return tag{kind: noTag}
	}
	close := brackets[i].close
	name := text[at+len(brackets[i].open):]
	closes := name != "" && name[0] == '/'
	if closes {
		name = name[1:]
	}
	for j, known := range thinkingTags {
		n := len(known)
		if len(name) > n && name[0]|0x20 == known[0] && strings.HasPrefix(name[n:], close) && strings.EqualFold(name[:n], known) {
			return tag{i*len(thinkingTags) + j, closes, len(text) - at - len(name) + n + len(close)}
		}
	}
	return tag{kind: noTag}
}

// slashAt reports whether a slash follows the bracket at text[at:].
func slashAt(text string, at int) bool {
	if text[at] == 0xe2 {
		at += len("◁") - 1
	}
	return at+1 < len(text) && text[at+1] == '/'
}

// bracketAt is the kind of bracket that opens at text[at:], -1 for none.
func bracketAt(text string, at int) int {
	for i := range brackets {
		if open := brackets[i].open; text[at] == open[0] && strings.HasPrefix(text[at:], open) {
			return i
		}
	}
	return -1
}

// proseFences are the languages of a fence that wraps a whole answer.
var proseFences = [...]string{"", "markdown", "md", "text", "txt"}

// unfence takes away a fence around the whole of a prose answer. One around
// code stays.
func unfence(text string) string {
	t := strings.TrimSpace(text)
	if !strings.HasPrefix(t, "```") || !strings.HasSuffix(t, "```") || len(t) < 6 {
		return text
	}
	language, body, ok := strings.Cut(t[3:len(t)-3], "\n")
	if !ok || !slices.Contains(proseFences[:], strings.ToLower(strings.TrimSpace(language))) || strings.Contains(body, "```") {
		return text
	}
	return body
}
