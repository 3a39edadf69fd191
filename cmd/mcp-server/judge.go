package main

import (
	"cmp"

	"deepresearch/citations"
	"deepresearch/internal/config"
	"deepresearch/internal/llm"
	"deepresearch/research/write"
)

// Limits of a verification that sets none: those of a standard run.
const (
	judgeCalls = 30
	judgeCost  = 0.5 // US dollars, of a model with a known price
	judgeBatch = 8   // claims a call
)

// judging is how claims are judged: by the model that the user named for it, and
// by none where no model was named, whatever keys lie in the environment.
func judging(made *product, settings *config.Settings, report citations.Parsed) (citations.VerifyOptions, error) {
	named := settings.Models.For(string(llm.Judge))
	if named == (config.Model{}) || named.BackEnd == config.NoBackEnd || made.models.Models == nil {
		return citations.VerifyOptions{}, nil
	}
	templates, err := openPrompts(settings.Models.PromptsDir)
	if err != nil {
		return citations.VerifyOptions{}, err
	}
	limits := settings.Limits
	budget := &llm.Budget{Calls: cmp.Or(limits.Calls, judgeCalls), Tokens: limits.Tokens, Cost: limits.Cost}
	if priced := made.models.Models.Ceiling(llm.Request{Role: llm.Judge}).Cost != nil; priced {
		budget.Cost = cmp.Or(limits.Cost, judgeCost)
	}
	models, err := llm.New(llm.Options{Default: made.models.Models.For(llm.Judge), Budget: budget, Concurrency: limits.Concurrency})
	if err != nil {
		return citations.VerifyOptions{}, err
	}
	judge := write.New(write.Options{Models: models, Prompts: templates}).Judge(cmp.Or(report.Title, "the report"), report.Language, budget.Calls)
	return citations.VerifyOptions{Judge: judge, Batch: judgeBatch, MaxJudged: budget.Calls * judgeBatch}, nil
}
