package text_test

import (
	"strings"
	"testing"

	"deepresearch/internal/text"
)

// english and chinese are 64 KiB of prose with figures, dates, names and marks.
var (
	english = strings.Repeat("Dr. Smith's team at the University of Oxford paid $3.5 million on Jan. 5, 2024.[1] "+
		"Sales rose by 4.2% to 1,250 units, while costs (see Fig. 2) fell in the same period; researchers were surprised. "+
		"The changes were largest in small cities, where prices had been declining since 2019 [2][3]. ", 220)
	chinese = strings.Repeat("据国家统计局2025年2月2日发布的报告，全国人口约为14.08亿，同比减少139万人[1]。"+
		"专家认为：“生育意愿下降是主要原因。”OpenAI发布的Deep Research准确率为26.6%，高于其他模型。", 300)
)

func bench(b *testing.B, f func(string)) {
	for name, in := range map[string]string{"English": english, "Chinese": chinese} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				f(in)
			}
		})
	}
}

func BenchmarkSentences(b *testing.B)  { bench(b, func(s string) { text.Sentences(s) }) }
func BenchmarkTokens(b *testing.B)     { bench(b, func(s string) { text.Tokens(s) }) }
func BenchmarkTerms(b *testing.B)      { bench(b, func(s string) { text.Terms(s) }) }
func BenchmarkLanguage(b *testing.B)   { bench(b, func(s string) { text.Language(s) }) }
func BenchmarkNumbers(b *testing.B)    { bench(b, func(s string) { text.Numbers(s) }) }
func BenchmarkDates(b *testing.B)      { bench(b, func(s string) { text.Dates(s) }) }
func BenchmarkNames(b *testing.B)      { bench(b, func(s string) { text.Names(s) }) }
func BenchmarkPolarityOf(b *testing.B) { bench(b, func(s string) { text.PolarityOf(s) }) }
func BenchmarkNormalize(b *testing.B)  { bench(b, func(s string) { text.Normalize(s) }) }
func BenchmarkFind(b *testing.B) {
	bench(b, func(s string) { text.Find(s, s[len(s)/2:len(s)/2+90]+"absent") })
}
