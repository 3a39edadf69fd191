package tools

import "strings"

// orNearest lists names for a message, and the one that word was meant to be.
func orNearest(word string, names []string) string {
	out := strings.Join(names, ", ")
	if near := nearest(word, names); near != "" {
		out += "; did you mean " + near + "?"
	}
	return out
}

// nearest is the name that word was most likely meant to be, or "": one that
// contains it or is contained in it, else the one with the fewest letters
// changed (Levenshtein 1966), at most a third of them.
func nearest(word string, names []string) string {
	if len(word) > 60 {
		return ""
	}
	best, least := "", len(word)/3+1
	for _, name := range names {
		d := distance(word, name)
		if len(word) > 2 && (strings.Contains(name, word) || strings.Contains(word, name)) {
			d = min(d, 1)
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := diagonal
			if a[i-1] != b[j-1] {
				change++
			}
			diagonal = row[j]
			row[j] = min(row[j]+1, row[j-1]+1, change)
		}
	}
	return row[len(b)]
}
