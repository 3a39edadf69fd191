package tools

import (
	"context"
	"time"

	"deepresearch/research"
)

// deepResearchInput is research.Question as a caller over MCP may ask it.
type deepResearchInput struct {
	Question       string     `json:"question" required:"true" max:"20000" about:"The question in full, with what the answer must cover"`
	Effort         string     `json:"effort" oneof:"quick,standard,deep" default:"standard" about:"quick: one round, 45 s; standard: 2 rounds, 3 min; deep: 5 rounds, 20 min"`
	Queries        int        `json:"queries" min:"1" max:"20" about:"Queries of the first round; by effort 1, 3, 5"`
	MaxLoops       int        `json:"max_loops" min:"1" max:"50" about:"Rounds of search and reflection; by effort 1, 2, 5"`
	Engines        []string   `json:"engines" max:"20" about:"Exactly these search engines, such as wikipedia or searxng"`
	Topic          string     `json:"topic" oneof:"general,academic,medical,code,news,finance,law,encyclopedia,data,travel" about:"Chooses engines; guessed when left out"`
	Language       string     `json:"language" max:"35" about:"Of the report, as a tag such as en or zh-Hans; that of the question when left out"`
	Style          string     `json:"style" oneof:"brief,report,comparison,timeline" about:"Shape of the report; guessed when left out"`
	IncludeDomains []string   `json:"include_domains" max:"50" about:"Only pages of these hosts"`
	ExcludeDomains []string   `json:"exclude_domains" max:"50" about:"No pages of these hosts"`
	Recency        string     `json:"recency" max:"30" about:"day, week, month, year, or dates as 2026-01-31..2026-02-28"`
	Files          []string   `json:"files" max:"50" sep:"none" about:"Absolute paths of documents or folders to research too; only under folders that the server was given"`
	Documents      []handedIn `json:"documents" max:"50" about:"Texts to research too, at most 1 MB each"`
	Fresh          bool       `json:"fresh" default:"false" about:"Start anew instead of attaching to the same question asked before"`
	MaxSeconds     int        `json:"max_seconds" min:"1" max:"86400" about:"Budget: seconds of work; by effort 45, 180, 1200"`
	MaxTokens      int        `json:"max_tokens" min:"1" max:"1000000000" about:"Budget: model tokens"`
	MaxCost        float64    `json:"max_cost" min:"0.0001" max:"10000" about:"Budget: US dollars; by effort 0.05, 0.50, 3.00"`
	MaxCalls       int        `json:"max_calls" min:"1" max:"100000" about:"Budget: model calls; by effort 6, 30, 150"`
	MaxSearches    int        `json:"max_searches" min:"1" max:"100000" about:"Budget: queries sent to engines"`
	MaxPages       int        `json:"max_pages" min:"1" max:"100000" about:"Budget: pages fetched"`
	WaitSeconds    *int       `json:"wait_seconds" min:"0" max:"45" default:"45" about:"How long this call waits; the run goes on after it"`
}

func (s *surface) deepResearch() tool {
	return define(tool{
		name: "deep_research", title: "Deep research",
		about: "Researches a question on the web and in the user's documents and returns a report in Markdown in which every sentence cites stored passages as [n], with the sources, what they disagree on and what was not found.\n" +
			"Use it for questions that need several sources: comparisons, surveys, the state of a subject, checking a claim. Not for one known page or a single quick fact.\n" +
			"Takes 45 seconds (quick) to 20 minutes (deep) and stays within hard budgets. Works without any model or key; the report then consists of quotations. " +
			"If it is not done within wait_seconds the answer has status running and the exact next call; that is no error, and the work goes on. " +
			"The same question asked again attaches to the same run and pays nothing twice.\n" +
			"Returns run_id, status, report, claims, sources, gaps, warnings, usage.",
		hints:  hints{repeatable: true, openWorld: true},
		output: runSchema, large: true,
	}, s.runDeepResearch).bound("wait_seconds", s.MaxWait.Seconds())
}

// startWithin bounds making a run durable, which reads the user's documents.
const startWithin = 5 * time.Minute

func (s *surface) runDeepResearch(ctx context.Context, c *call, in deepResearchInput) (reply, error) {
	rep := c.report(ctx, "Starting")
	defer rep.close()
	q, err := s.question(ctx, c, in)
	if err != nil {
		return reply{}, err
	}
	starting, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	id, err := s.Engine.Start(starting, c.caller.ID, q, in.Fresh)
	if err != nil {
		return reply{}, err
	}
	return s.follow(ctx, c, id, s.waiting(in.WaitSeconds), view{}, rep)
}

func (s *surface) question(ctx context.Context, c *call, in deepResearchInput) (research.Question, error) {
	files, err := s.files(ctx, c, in.Files)
	if err != nil {
		return research.Question{}, err
	}
	q := research.Question{
		Text: in.Question, Effort: research.Effort(in.Effort), Queries: in.Queries, MaxLoops: in.MaxLoops, Engines: in.Engines,
		Topic: in.Topic, Language: in.Language, Style: in.Style, IncludeDomains: in.IncludeDomains, ExcludeDomains: in.ExcludeDomains,
		Recency: in.Recency, Files: files,
		Limits: research.Limits{
			Seconds: in.MaxSeconds, Tokens: in.MaxTokens, Cost: in.MaxCost, Calls: in.MaxCalls, Searches: in.MaxSearches, Pages: in.MaxPages,
		},
	}
	for _, d := range in.Documents {
		q.Documents = append(q.Documents, research.Document(d))
	}
	return q, nil
}
