package text_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/internal/text"
)

func TestNames(t *testing.T) {
	cases := []struct {
		in   string
		want []string
	}{
		{"The Bank of England and Ludwig van Beethoven met in Paris.", []string{"Bank of England", "Ludwig van Beethoven", "Paris"}},
		{"Prices rose. However, Google did well. Researchers agree.", []string{"Google"}},
		{"NASA said the U.S. and the EU agreed. I think so.", []string{"NASA", "U.S.", "EU"}},
		{"He read \"War and Peace\" and “The Idiot”.", []string{"War and Peace", "The Idiot"}},
		{"Windows 11 and Claude 3.7 in March 2024, see Table 2.", []string{"Windows 11", "Claude 3.7", "March", "Table"}},
		{"You call fooBar or max_tokens with utf8 on an H100 in `main.go`.", []string{"fooBar", "max_tokens", "utf8", "H100", "main.go"}},
		{"J. R. R. Tolkien wrote Lord of the Rings at Oxford's Pembroke College.", []string{"J. R. R. Tolkien", "Lord of the Rings", "Oxford", "Pembroke College"}},
		{"Einstein was born in Ulm. Steve Jobs founded AT&T's rival.", []string{"Einstein", "Ulm", "Steve Jobs", "AT&T"}},
		{"OpenAI于2025年发布了Deep Research，见《人民日报》和「日经」。", []string{"OpenAI", "Deep Research", "人民日报", "日经"}},
		{"使用 transformer 模型和 Python 3.12", []string{"transformer", "Python 3.12"}},
		{"他说：“今天很好。我们走吧。”", nil},
		{"M. Dupont de Nemours est né à Paris.", []string{"M. Dupont de Nemours", "Paris"}},
		{"See https://Example.org/NASA or ask ESA.", []string{"ESA"}},
		{"nothing here", nil},
		{"\xff\xfeBob\xff", []string{"Bob"}},
	}
	for _, c := range cases {
		var got []string
		for _, span := range text.Names(c.in) {
			got = append(got, span.In(c.in))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("Names(%q) (-want +got):\n%s", c.in, diff)
		}
	}
}
