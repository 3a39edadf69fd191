package tools

import (
	"cmp"
	"context"
	"time"

	"deepresearch/research"
)

// deepResearchInput is research.Question as a caller over MCP may ask it.
type deepResearchInput struct {
	Question       string     `json:"question" required:"true" max:"20000" about:"In full, with what the answer must cover"`
	Effort         string     `json:"effort" oneof:"quick,standard,deep" default:"standard" about:"quick: 1 round, 45 s; standard: 2, 3 min; deep: 5, 20 min"`
	Memory         string     `json:"memory" oneof:"full,rolling" about:"rolling: one running summary, for models with small windows"`
	Queries        int        `json:"queries" min:"1" max:"20" about:"Queries of a round; by effort 1, 3, 5"`
	MaxLoops       int        `json:"max_loops" min:"1" max:"50" about:"Rounds; by effort 1, 2, 5"`
	Engines        []string   `json:"engines" max:"20" about:"Only these engines, as wikipedia"`
	Topic          string     `json:"topic" oneof:"general,academic,medical,code,news,finance,law,encyclopedia,data,travel" about:"Chooses engines; else guessed"`
	Language       string     `json:"language" max:"35" about:"Of the report, as en or zh-Hans; else the question's"`
	Style          string     `json:"style" oneof:"brief,report,comparison,timeline,literature_review" about:"Else guessed"`
	IncludeDomains []string   `json:"include_domains" max:"50" about:"Only these hosts"`
	ExcludeDomains []string   `json:"exclude_domains" max:"50" about:"Not these hosts"`
	Recency        string     `json:"recency" max:"30" about:"day, week, month, year, or dates as 2026-01-31..2026-02-28"`
	Files          []string   `json:"files" max:"50" sep:"none" about:"Paths to research beside the web (offline: alone), below the server's folders"`
	Documents      []handedIn `json:"documents" max:"50" about:"Texts to research too, at most 1 MB each"`
	Libraries      []string   `json:"libraries" max:"20" about:"Libraries to research too"`
	PlanID         string     `json:"plan_id" max:"64" about:"A stored plan to follow"`
	Plan           string     `json:"plan" max:"100000" about:"The same as JSON, perhaps edited"`
	ApprovePlan    bool       `json:"approve_plan" default:"false" about:"Wait for the user's approval"`
	Audience       string     `json:"audience" max:"200" about:"Readers in a few words"`
	Fresh          bool       `json:"fresh" default:"false" about:"Start anew even if asked before"`
	MaxSeconds     int        `json:"max_seconds" min:"1" max:"86400" about:"Seconds of work; by effort 45, 180, 1200"`
	MaxTokens      int        `json:"max_tokens" min:"1" max:"1000000000" about:"Model tokens"`
	MaxCost        float64    `json:"max_cost" min:"0.0001" max:"10000" about:"US dollars; by effort 0.05, 0.5, 3"`
	MaxCalls       int        `json:"max_calls" min:"1" max:"100000" about:"Model calls; by effort 6, 30, 150"`
	MaxSearches    int        `json:"max_searches" min:"1" max:"100000" about:"Queries sent to engines"`
	MaxPages       int        `json:"max_pages" min:"1" max:"100000" about:"Pages fetched"`
	ContinueFrom   string     `json:"continue_from" max:"64" about:"run_id of a finished run to build on"`
	WaitSeconds    *int       `json:"wait_seconds" min:"0" max:"45" default:"45" about:"How long this call waits; the run goes on"`
}

func (s *surface) deepResearch() tool {
	return define(tool{
		name: "deep_research", title: "Deep research",
		about: "Researches a question on the web and in the user's documents. Returns a Markdown report whose every sentence cites stored passages as [n], with sources, disagreements and gaps.\n" +
			"Use it for what needs several sources: comparisons, surveys, the state of a subject, checking a claim. Not for one known page or a quick fact.\n" +
			"Takes 45 s (quick) to 20 min (deep) within hard budgets (max_*). Works without a model or key; the report then consists of quotations. " +
			"If not done within wait_seconds, the answer has status running and the exact next call; that is no error. " +
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
	if q.Offline && !q.HasLibrary() && q.ContinueFrom == "" {
		return reply{}, &research.InputError{Field: "files", Reason: "this server was started with --offline, so without files, documents or libraries there is nothing to search", Fix: "name files or libraries, or send texts as documents"}
	}
	starting, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	id := c.state // an answer comes back: the run is there
	if id == "" {
		if id, err = s.Engine.Start(starting, c.caller.ID, q, in.Fresh); err != nil {
			return reply{}, err
		}
	}
	s.changes.announceEnd(c.caller.ID, id)
	wait := s.waiting(in.WaitSeconds)
	if c.task {
		wait = taskStart
	}
	return s.follow(ctx, c, id, wait, view{}, rep)
}

// question is what is asked, with the operator's defaults for what was left out.
func (s *surface) question(ctx context.Context, c *call, in deepResearchInput) (research.Question, error) {
	files, err := s.files(ctx, c, in.Files)
	if err != nil {
		return research.Question{}, err
	}
	q, d := s.Defaults, s.Defaults
	if q.Libraries, err = s.libraries(c, in.Libraries); err != nil {
		return q, err
	}
	q.Text, q.Files, q.Documents, q.ContinueFrom = in.Question, files, nil, in.ContinueFrom
	q.MayAsk, q.PlanID, q.ApprovePlan = true, in.PlanID, in.ApprovePlan || d.ApprovePlan
	q.Memory, q.Audience = cmp.Or(research.Memory(in.Memory), d.Memory), cmp.Or(in.Audience, d.Audience)
	if in.Plan != "" {
		if q.Plan, err = research.ParsePlan(in.Plan); err != nil {
			return q, err
		}
	}
	q.Effort = cmp.Or(research.Effort(in.Effort), d.Effort)
	q.Queries, q.MaxLoops = cmp.Or(in.Queries, d.Queries), cmp.Or(in.MaxLoops, d.MaxLoops)
	q.Topic, q.Language, q.Style, q.Recency = cmp.Or(in.Topic, d.Topic), cmp.Or(in.Language, d.Language), cmp.Or(in.Style, d.Style), cmp.Or(in.Recency, d.Recency)
	if d.Offline && len(in.Engines) > 0 {
		return q, &research.InputError{Field: "engines", Reason: "this server was started with --offline and asks none", Fix: "leave it out; files and documents are searched"}
	}
	q.Engines = orList(in.Engines, d.Engines)
	q.IncludeDomains, q.ExcludeDomains = orList(in.IncludeDomains, d.IncludeDomains), orList(in.ExcludeDomains, d.ExcludeDomains)
	q.Limits.Seconds, q.Limits.Tokens, q.Limits.Cost = cmp.Or(in.MaxSeconds, d.Limits.Seconds), cmp.Or(in.MaxTokens, d.Limits.Tokens), cmp.Or(in.MaxCost, d.Limits.Cost)
	q.Limits.Calls, q.Limits.Searches, q.Limits.Pages = cmp.Or(in.MaxCalls, d.Limits.Calls), cmp.Or(in.MaxSearches, d.Limits.Searches), cmp.Or(in.MaxPages, d.Limits.Pages)
	for _, doc := range in.Documents {
		q.Documents = append(q.Documents, research.Document(doc))
	}
	return q, nil
}

func orList(given, otherwise []string) []string {
	if len(given) > 0 {
		return given
	}
	return otherwise
}
