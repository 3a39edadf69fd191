package text_test

import (
	"strings"
	"testing"

	"deepresearch/internal/text"
)

func TestLanguage(t *testing.T) {
	for in, want := range map[string]string{
		"climate change adaptation in cities":        "en",
		"best laptops 2025":                          "en",
		"who invented the transistor":                "en",
		"quantum computing":                          "en",
		"compare Rust and Go":                        "en",
		"Wer hat die Glühbirne erfunden?":            "de",
		"Auswirkungen der Digitalisierung":           "de",
		"Hauptstadt von Bayern":                      "de",
		"Quelle est la capitale de la France ?":      "fr",
		"effets du changement climatique":            "fr",
		"¿Cuál es la capital de España?":             "es",
		"historia de la computación":                 "es",
		"qual é a capital do Brasil":                 "pt",
		"qual è la capitale d'Italia":                "it",
		"wat is de hoofdstad van Nederland":          "nl",
		"大模型的发展历史":                                   "zh",
		"GPT-4o 的得分为 88.41%":                         "zh",
		"Kubernetes 部署":                              "zh",
		"東京の人口はどのくらいですか":                             "ja",
		"サーバーレス":                                     "ja",
		"서울의 인구":                                     "ko",
		"Какова столица России":                      "ru",
		"Яка столиця України і її населення":         "uk",
		"ما هي عاصمة مصر":                            "ar",
		"AI 2024":                                    "und",
		"":                                           "und",
		"12345":                                      "und",
		"\xff\xfe":                                   "und",
		"The Chinese word 北京 means northern capital": "en",
		strings.Repeat("语", 5000):                    "zh",
	} {
		if got := text.Language(in); got != want {
			t.Errorf("Language(%.40q) = %q, want %q", in, got, want)
		}
	}
}
