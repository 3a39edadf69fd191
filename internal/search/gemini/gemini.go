// Package gemini searches Google through a model that grounds its answers:
// the pages that the answer rests on are results, the answer itself is not read.
// Start with [New]. The model is handed in; any that fills [llm.Reply.Grounding]
// will do. How a question reaches it is the model layer's business.
package gemini

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"deepresearch/internal/llm"
	"deepresearch/internal/search"
)

// Model is what the engine needs of a language model.
type Model interface {
	Generate(ctx context.Context, r llm.Request) (llm.Reply, error)
}

const (
	name    = "gemini"
	keyName = "GEMINI_API_KEY"
)

// Engine is the engine over a model.
type Engine struct{ model Model }

// New returns the engine; without a model it says what is missing when it is
// asked.
func New(m Model) *Engine { return &Engine{m} }

// Name returns the engine's name.
func (e *Engine) Name() string { return name }

// KeyName returns the environment variable of the model's key.
func (e *Engine) KeyName() string { return keyName }

// On tells that the key of the model switches the engine on.
func (e *Engine) On() search.On { return search.OnKey }

// Ready reports whether the engine has a model.
func (e *Engine) Ready() bool { return e.model != nil }

// Capabilities of the engine. Google bills $14 for a thousand searches, of
// which the model runs as many as it likes: three are usual, nothing bounds
// them. Pages have no snippets, so they are taken to be found by meaning.
func (e *Engine) Capabilities() search.Capabilities {
	return search.Capabilities{
		Semantic: true, MaxQuery: 500, MaxResults: 20, Family: "google", Cost: 0.014, Searches: 3, Verified: true,
		Pace: search.Pace{Parallel: 2},
	}
}

// Search returns the pages of [Engine.Find].
func (e *Engine) Search(ctx context.Context, q search.Query) ([]search.Result, error) {
	found, err := e.Find(ctx, q)
	return found.Results, err
}

// Find asks the model to search and returns the pages it names, the number of
// searches it ran, and the suggestions that Google's terms want shown.
func (e *Engine) Find(ctx context.Context, q search.Query) (search.Found, error) {
	if e.model == nil {
		return search.Found{}, &search.Failure{
			Engine: name, Kind: search.Auth, Message: "no model to search with", Hint: "Set " + keyName + ".",
		}
	}
	reply, err := e.model.Generate(ctx, request(q))
	if err != nil {
		return search.Found{}, failure(err)
	}
	g := reply.Grounding
	if g == nil {
		return search.Found{}, &search.Failure{Engine: name, Kind: search.Degraded, Message: "the model answered without searching"}
	}
	found := search.Found{Searches: len(g.Queries), Suggested: suggested(g), Results: pages(g.Sources, q.N)}
	if len(found.Results) == 0 {
		return found, &search.Failure{
			Engine: name, Kind: search.Empty, Message: fmt.Sprintf("the model ran %d searches and named no page", len(g.Queries)),
		}
	}
	return found, nil
}

// suggested is what Google's terms for grounding want shown with its results:
// the searches that were run, and Google's chips for them.
func suggested(g *llm.Grounding) *search.Suggestion {
	if len(g.Queries) == 0 && g.Suggestions == "" {
		return nil
	}
	return &search.Suggestion{Engine: name, Queries: append([]string{}, g.Queries...), HTML: g.Suggestions}
}

// request asks for little prose: only the pages are wanted.
func request(q search.Query) llm.Request {
	ask := []string{"Search the web for: " + q.Text}
	for _, line := range []struct{ says, value string }{
		{"Language of the pages: ", q.Language}, {"Country: ", q.Region},
	} {
		if line.value != "" {
			ask = append(ask, line.says+line.value)
		}
	}
	return llm.Request{
		Role: llm.Search, Grounding: true, Thinking: llm.LowThinking, Attempts: 1,
		System:   "You look things up. Always search the web, then state what the pages say in at most five short sentences, using as many different pages as you can.",
		Messages: llm.Ask(strings.Join(ask, "\n")),
	}
}

// pages makes results of the sources. Google's own pages of results, which it
// gives for the weather and the like, are nothing to read.
func pages(sources []llm.WebPage, most int) []search.Result {
	var results []search.Result
	for _, s := range sources {
		u, err := url.Parse(s.URL)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.Host == "www.google.com" && u.Path == "/search" {
			continue
		}
		r := search.Result{Title: strings.TrimSpace(s.Title), URL: s.URL}
		if r.Title == "" {
			r.Title = u.Host
		}
		if results = append(results, r); len(results) == most {
			break
		}
	}
	return results
}

// kinds of failures of a search by those of a model.
var kinds = map[llm.Kind]search.Kind{
	llm.Auth: search.Auth, llm.NotFound: search.Auth, llm.BadRequest: search.Auth, llm.Denied: search.Auth,
	llm.Quota: search.Quota, llm.Spent: search.Quota, llm.Rate: search.Rate,
	llm.Timeout: search.Timeout, llm.Overloaded: search.Network, llm.Network: search.Network, llm.Unreachable: search.Network,
	llm.Blocked: search.BadQuery, llm.ContextTooLong: search.BadQuery, llm.Empty: search.Degraded, llm.BrokenOutput: search.LayoutChanged,
}

func failure(err error) *search.Failure {
	var e *llm.Error
	if !errors.As(err, &e) {
		return search.AsFailure(name, err)
	}
	kind, known := kinds[e.Kind]
	if !known {
		kind = search.Network
	}
	return &search.Failure{Engine: name, Kind: kind, Message: e.Message, Hint: e.Hint, RetryAfter: e.RetryAfter, Cause: err}
}
