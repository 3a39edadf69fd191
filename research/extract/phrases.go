package extract

import "strings"

// phrases are the fixed words of a report in one language. Nothing else in an
// extractive report is written by us.
type phrases struct {
	language                                      string
	notFound, notFoundPart, timeline, date, says  string
	disagree, about, comparison, unknown, noModel string
	quotesOnly, subject                           string
	open, close                                   string // quotation marks
}

var phrasesOf = map[string]phrases{
	"en": {
		language: "en",
		notFound: "What was not found", notFoundPart: "No passage was found that speaks of: ",
		timeline: "Timeline", date: "Date", says: "What the source says",
		disagree: "Sources disagree", about: "About: ", comparison: "Side by side", subject: "Aspect", unknown: "not found",
		noModel: "No language model was used.", quotesOnly: "Every sentence is quoted word for word from the source that its number names.",
		open: "“", close: "”",
	},
	"zh": {
		language: "zh",
		notFound: "未找到的内容", notFoundPart: "没有找到谈及以下内容的段落：",
		timeline: "时间线", date: "日期", says: "来源原文",
		disagree: "来源之间的分歧", about: "关于：", comparison: "对照", subject: "方面", unknown: "未找到",
		noModel: "未使用语言模型。", quotesOnly: "每一句都逐字引自其编号所指的来源。",
		open: "“", close: "”",
	},
}

// wordsOf returns the phrases of a language, English when there are none.
func wordsOf(language string) phrases {
	base, _, _ := strings.Cut(language, "-")
	if p, ok := phrasesOf[base]; ok {
		return p
	}
	return phrasesOf["en"]
}
