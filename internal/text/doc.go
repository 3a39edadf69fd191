// Package text reads plain text: it cuts it into sentences and terms, names its
// language, and finds the numbers, dates, names and polarity that a claim and its
// passage must share. Start with [Sentences] and [Terms].
//
// Everything is a pure function of a string, by rule and without a model or a
// dictionary, in time linear in its length and safe on hostile input, invalid
// UTF-8 included. Places are byte offsets ([Span]) on rune boundaries of the text
// as given. The package never changes or stores text, knows no HTML or Markdown
// beyond citation marks and list items, and does not parse grammar.
package text
