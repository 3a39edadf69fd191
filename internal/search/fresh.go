package search

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// timely are words of questions that are about the present.
var timely = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:latest|newest|recent(?:ly)?|today|tonight|yesterday|current(?:ly)?|breaking|now|upcoming|this (?:week|month|year)|` +
		`aktuell\w*|neueste\w*|heute|derni[eè]re?s?|aujourd'hui|r[ée]cent\w*|actual(?:es)?|hoy|reciente\w*)\b|` +
		`最新|最近|近日|今天|今日|昨天|目前|现在|本周|本月|今年|現在|최신|최근|오늘|последн|сегодня`)
})

// halfLives are the ages at which a page has lost half its freshness, by the
// recency of the query.
var halfLives = map[string]time.Duration{
	"day": 24 * time.Hour, "week": 7 * 24 * time.Hour, "month": 30 * 24 * time.Hour, "year": 365 * 24 * time.Hour,
}

// halfLife returns the half-life of pages for the query; zero when the query is
// not about time, so that age does not count.
func halfLife(q request, now time.Time) time.Duration {
	switch {
	case halfLives[q.Recency] > 0:
		return halfLives[q.Recency]
	case slices.Contains(q.topics, News):
		return 14 * 24 * time.Hour
	case timely().MatchString(q.Text) || strings.Contains(q.Text, strconv.Itoa(now.Year())):
		return 180 * 24 * time.Hour
	}
	return 0
}

// How much of a page's score age can take, and what is taken from a page of
// unknown age.
const (
	agedShare   = 0.4
	undatedPart = 0.5
)

// freshness returns the factor for a date: 1 for now, 1-agedShare for long ago.
func freshness(date string, half time.Duration, now time.Time) float64 {
	if half == 0 {
		return 1
	}
	_, to, ok := published(date)
	if !ok {
		return 1 - agedShare*undatedPart
	}
	age := max(now.Sub(to), 0)
	return 1 - agedShare*(1-math.Exp2(-age.Hours()/half.Hours()))
}
