package main

import (
	"strings"
	"testing"

	"deepresearch/internal/config"
	"deepresearch/internal/llm"
	"deepresearch/internal/llm/backends"
)

func TestUpgradeNamesWhatHelpsMost(t *testing.T) {
	with := &product{models: backends.Chosen{Models: &llm.Models{}}}
	var searxng, offline config.Config
	searxng.Search.SearXNG = "http://127.0.0.1:8888"
	offline.Ask.Offline = true
	for name, test := range map[string]struct {
		made *product
		c    config.Config
		want string
	}{
		"nothing":        {&product{}, config.Config{}, "GEMINI_API_KEY"},
		"model only":     {with, config.Config{}, "TAVILY_API_KEY"},
		"model, searxng": {with, searxng, ""},
		"model, offline": {with, offline, ""},
	} {
		got := upgrade(test.made, test.c)
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want it to name %q", name, got, test.want)
		}
	}
}
