package text_test

import (
	"fmt"

	"deepresearch/internal/text"
)

func ExampleSentences() {
	s := "Dr. Li paid $3.5 million.[1] 他说：“好。”然后走了。Why?"
	for _, span := range text.Sentences(s) {
		fmt.Println(span.In(s))
	}
	// Output:
	// Dr. Li paid $3.5 million.[1]
	// 他说：“好。”然后走了。
	// Why?
}

func ExampleTerms() {
	fmt.Println(text.Terms("How were the cities of 中国城市 growing?"))
	// Output: [city 中国 国城 城市 grow]
}

func ExampleNumbers() {
	for _, n := range text.Numbers("It took 5–10 ms and cost 1.2亿美元 in May 2023.") {
		fmt.Println(n.Text, n.Value, n.Unit)
	}
	// Output:
	// 5 5 ms
	// 10 ms 10 ms
	// 1.2亿美元 1.2e+08 USD
}

func ExampleFind() {
	page := "The so‑called “ﬁne  print” matters."
	span, ok := text.Find(page, `"fine print"`)
	fmt.Println(span.In(page), ok)
	// Output: “ﬁne  print” true
}
