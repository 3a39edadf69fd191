package config

import (
	"fmt"
	"strings"
)

// Nearest returns the name that word was most likely meant to be, or "" when
// none is near: at most a third of the letters may differ, by Levenshtein's
// distance with neighbours swapped counted once (Damerau 1964).
func Nearest(word string, names []string) string {
	best, least := "", len(word)/3+1
	for _, name := range names {
		if d := distance(word, name); d < least {
			best, least = name, d
		}
	}
	return best
}

func distance(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			next[j] = min(next[j-1]+1, row[j]+1, row[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}

// oneOf lists names for a message, and the one that word was meant to be.
func oneOf(word string, names []string) string {
	list := strings.Join(names, ", ")
	if near := Nearest(word, names); near != "" {
		return fmt.Sprintf("%s; did you mean %s?", list, near)
	}
	return list
}
