package search

import "slices"

// The topics that engines are chosen by.
const (
	General      = "general"
	Academic     = "academic"
	Medical      = "medical"
	Code         = "code"
	News         = "news"
	Finance      = "finance"
	Law          = "law"
	Encyclopedia = "encyclopedia"
	Statistics   = "data"
	Travel       = "travel"
)

// Topics are the topics a query may name.
var Topics = []string{General, Academic, Medical, Code, News, Finance, Law, Encyclopedia, Statistics, Travel}

// KnownTopic reports whether topic is one of [Topics].
func KnownTopic(topic string) bool { return slices.Contains(Topics, topic) }
