package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"deepresearch/internal/compute"
	"deepresearch/internal/config"
	"deepresearch/internal/guard"
	"deepresearch/internal/library"
	"deepresearch/internal/llm"
	"deepresearch/internal/llm/backends"
	"deepresearch/prompts"
	"deepresearch/research"
	"deepresearch/research/extract"
	"deepresearch/research/write"
)

// modelKeys are the variables that hold keys of language models.
var modelKeys = []string{
	"GEMINI_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "DASHSCOPE_API_KEY", "DEEPSEEK_API_KEY",
}

// chooseModels finds the models that the configuration asks for, or that work
// here without being named; none is a choice too. Only addresses of this machine
// are asked whether somebody listens. A named model that cannot work is a matter
// of configuration: nothing was spent.
func chooseModels(ctx context.Context, c config.Config, g *guard.Guard) (backends.Chosen, error) {
	m := c.Models
	want := backends.Config{
		All: choice(m.All), Roles: map[llm.Role]backends.Choice{}, Keys: map[string]string{}, URLs: map[string]string{}, Offline: c.Ask.Offline,
		Options: llm.Options{Concurrency: c.Limits.Concurrency},
	}
	if m.NoModel {
		want.All = backends.Choice{BackEnd: backends.None}
	} else {
		for _, role := range llm.Roles {
			want.Roles[role] = choice(m.For(string(role)))
		}
	}
	for _, name := range modelKeys {
		if key, ok := c.Key(name); ok && key.IsSet() {
			want.Keys[name] = key.Reveal()
		}
	}
	for backEnd, url := range map[string]string{
		"gemini": m.GeminiURL.String(), "openai": m.OpenAIURL.String(), "anthropic": m.AnthropicURL.String(), "ollama": config.URL(m.OllamaAddress).String(),
	} {
		if url != "" {
			want.URLs[backEnd] = url
		}
	}
	chosen, err := backends.Choose(ctx, want, g, nil)
	if missing, ok := errors.AsType[*backends.Missing](err); ok {
		return chosen, &codedError{exitConfig, missing.Error() + ". " + missing.Hint}
	}
	return chosen, err
}

func choice(m config.Model) backends.Choice {
	return backends.Choice{BackEnd: m.BackEnd, Name: m.Name}
}

// openPrompts returns the product's prompts, with those of a folder of the user
// in place of the ones they replace.
func openPrompts(dir string) (*prompts.Set, error) {
	if dir == "" {
		return prompts.Embedded(), nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is a file", dir)
	}
	if err != nil {
		return nil, &codedError{exitConfig, fmt.Sprintf("prompts-dir: %v: name a folder with prompts, or leave it out", err)}
	}
	set, err := prompts.New(os.DirFS(dir))
	if err != nil {
		return nil, &codedError{exitConfig, fmt.Sprintf("prompts-dir %s: %v", dir, err)}
	}
	return set, nil
}

// method is how questions are answered: with the models there are, or by
// quotation alone.
func method(chosen backends.Chosen, templates *prompts.Set, texts research.Archive, libraries *library.Cache) research.Method {
	quoting := extract.New(texts, libraries)
	if chosen.Models == nil {
		return quoting
	}
	return write.New(write.Options{Models: chosen.Models, Prompts: templates, Extract: quoting, Archive: texts, Sandbox: &compute.Sandbox{}})
}
