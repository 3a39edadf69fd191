package citations

import (
	"slices"
	"strings"

	"deepresearch/internal/text"
)

var (
	// the line above a list of sources
	listTitle = text.NewPattern(`(?i)^\s{0,3}(?:#{1,6}\s*)?(?:\*\*|__)?(?:[0-9]+[.)、]\s*|[一二三四五六七八九十]+、\s*)?(?:sources?|references?|bibliography|citations?|works cited|sources cited|notes|footnotes|quellen|références|fuentes|参考文献|参考资料|參考文獻|参考来源|资料来源|引用来源|引用|来源|來源|注释)(?:\*\*|__)?\s*[:：]?\s*(?:\*\*|__)?\s*#*\s*$`)
	// an entry that says its number
	numbered = text.NewPattern(`^\s{0,3}(?:[-*+]\s+)?(?:\[\^([0-9]{1,4})\]:|\\?\[([0-9]{1,4})\\?\]:?|【([0-9]{1,4})(?:†[^】]*)?】|([0-9]{1,4})[.)、])\s*(.*)$`)
	// a definition that stands anywhere in a report
	definition = text.NewPattern(`^\s{0,3}\[\^?([0-9]{1,4})\]:\s+(\S.*)$`)
	bulleted   = text.NewPattern(`^\s{0,3}[-*+]\s+(.*)$`)
	anyAddress = text.NewPattern(`(?:https?|file)://[^\s<>"“”，。；】》]+`)
	inLink     = text.NewPattern(`\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(<?((?:https?|file)://[^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+"[^"]*")?\)`)
)

// cutList separates a report's list of sources from its body. The list is what
// follows the last title of a list, or else the numbered lines with addresses at
// the very end. Definitions [1]: url count wherever they stand.
func cutList(md string) (body string, entries []Source) {
	lines := strings.Split(md, "\n")
	at := listStart(lines)
	var kept []string
	for i, line := range lines {
		if m := definition.FindStringSubmatch(line); m != nil {
			entries = append(entries, entry(number(m[1]), m[2]))
		} else if i < at {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n"), append(entries, readEntries(lines[at:])...)
}

// listStart is the line at which the list begins, len(lines) when there is none.
func listStart(lines []string) int {
	for i, line := range slices.Backward(lines) {
		if listTitle.MatchString(line) && len(readEntries(lines[i+1:])) > 0 {
			return i
		}
	}
	start := len(lines)
	for i, line := range slices.Backward(lines) {
		m := numbered.FindStringSubmatch(line)
		switch {
		case strings.TrimSpace(line) == "":
		case m != nil && anyAddress.MatchString(m[5]):
			start = i
		default:
			return start
		}
	}
	return start
}

// readEntries reads the lines of a list up to the next heading. Entries of a
// bulleted list are numbered by their place; a line without sign continues the
// entry before it.
func readEntries(lines []string) []Source {
	var entries []Source
	for _, line := range lines {
		if headingLine.MatchString(line) && len(entries) > 0 {
			break
		}
		if m := numbered.FindStringSubmatch(line); m != nil {
			n := number(m[1] + m[2] + m[3] + m[4])
			if n > 0 {
				entries = append(entries, entry(n, m[5]))
			}
			continue
		}
		if m := bulleted.FindStringSubmatch(line); m != nil && anyAddress.MatchString(m[1]) {
			entries = append(entries, entry(len(entries)+1, m[1]))
			continue
		}
		if n := len(entries); n > 0 && entries[n-1].URL == "" && anyAddress.MatchString(line) {
			more := entry(entries[n-1].N, line)
			entries[n-1].URL = more.URL
			if entries[n-1].Title == "" {
				entries[n-1].Title = more.Title
			}
		}
	}
	return entries
}

// entry reads the text of an entry: an address and a title in either order, or
// a Markdown link.
func entry(n int, s string) Source {
	out := Source{N: n}
	rest := s
	if m := inLink.FindStringSubmatchIndex(s); m != nil {
		out.URL = withoutDirective(s[m[4]:m[5]])
		title := s[m[2]:m[3]]
		if anyAddress.MatchString(title) {
			title = ""
		}
		rest = s[:m[0]] + title + " " + s[m[1]:]
	} else if m := anyAddress.FindStringIndex(s); m != nil {
		address := balanced(strings.TrimRight(s[m[0]:m[1]], ".,;*_"))
		out.URL = withoutDirective(address)
		rest = s[:m[0]] + " " + s[m[0]+len(address):]
	}
	title := strings.Join(strings.Fields(visible(strings.NewReplacer("<>", "", "< >", "", "( )", "", "()", "").Replace(rest))), " ")
	out.Title = strings.Trim(title, " -–—:：|.,，。\"“”*_")
	return out
}

// balanced cuts a closing parenthesis off an address that did not open one.
func balanced(s string) string {
	for strings.HasSuffix(s, ")") && strings.Count(s, ")") > strings.Count(s, "(") {
		s = strings.TrimRight(s[:len(s)-1], ".,;")
	}
	return s
}
