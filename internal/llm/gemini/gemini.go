// Package gemini reaches Gemini models through Google's generative-ai-go. Start
// with [New].
//
// The library is no longer developed and knows neither grounding nor thinking,
// so every request and answer passes one [http.RoundTripper] of ours: it puts
// the key into a header, adds what the library cannot say, keeps the answer as
// it came, and turns every failure into one typed error, so that the library
// never retries in secret. Answers are read from what came over the wire; the
// library's view of them only drives the stream.
package gemini

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/generative-ai-go/genai"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/wire"
	"deepresearch/internal/safe"
)

// BaseURL is where Gemini is.
const BaseURL = "https://generativelanguage.googleapis.com"

// The models to use when none is named: a quick one and a thorough one.
const (
	Quick    = "gemini-3.5-flash-lite"
	Thorough = "gemini-3.8-flash"
)

// Options configure a model. Client, Key and Name are needed.
type Options struct {
	Client   *http.Client // for Gemini
	Name     string
	BaseURL  string // without /v1beta; empty: BaseURL
	Key      string
	Redactor *safe.Redactor
	// Redirects opens the addresses that grounding gives, which lead to the real
	// pages; nil leaves them as they are.
	Redirects *http.Client
}

// Model is one model. It is safe for concurrent use.
type Model struct {
	name      string
	server    wire.Server
	client    *genai.Client
	redirects *redirects
}

// New returns a model. It sends nothing.
func New(opt Options) (*Model, error) {
	base := opt.BaseURL
	if base == "" {
		base = BaseURL
	}
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1beta")
	if opt.Redactor == nil {
		opt.Redactor = safe.NewRedactor(opt.Key)
	}
	m := &Model{name: strings.TrimPrefix(opt.Name, "models/"), redirects: newRedirects(opt.Redirects), server: wire.Server{
		Client: opt.Client, Base: base, BackEnd: "gemini", KeyName: "GEMINI_API_KEY", Redactor: opt.Redactor,
	}}
	ours := *opt.Client
	ours.Transport = &transport{server: &m.server, key: opt.Key, next: ours.Transport}
	key := opt.Key
	if key == "" {
		key = "none" // the library looks for other credentials without one; the server says what is missing
	}
	var err error
	m.client, err = genai.NewClient(context.Background(), option.WithHTTPClient(&ours), option.WithAPIKey(key), option.WithEndpoint(base))
	if err != nil {
		return nil, fmt.Errorf("preparing gemini: %s", opt.Redactor.Redact(err.Error()))
	}
	return m, nil
}

// Name is "gemini:" and the name of the model.
func (m *Model) Name() string { return "gemini:" + m.name }

// Traits tells the policy where the model runs.
func (m *Model) Traits() llm.Traits {
	return llm.Traits{BackEnd: "gemini", Server: m.server.Base, Listed: true, Timeout: 120 * time.Second}
}

// Generate asks for a whole answer.
func (m *Model) Generate(ctx context.Context, r llm.Request) (llm.Reply, error) {
	return m.adapting(r, func(form llm.Form) (llm.Reply, error) {
		c := &call{extra: m.extra(r, form)}
		err := protect(func() error {
			_, err := m.model(r, form).GenerateContent(with(ctx, c), genai.Text(last(r)))
			return err
		})
		return m.read(ctx, c, r, err)
	})
}

// Stream hands out the text as it comes.
func (m *Model) Stream(ctx context.Context, r llm.Request, emit func(string) error) (llm.Reply, error) {
	return m.adapting(r, func(form llm.Form) (llm.Reply, error) {
		c := &call{extra: m.extra(r, form), stream: true}
		stopped := error(nil)
		err := protect(func() error {
			pieces := m.model(r, form).GenerateContentStream(with(ctx, c), genai.Text(last(r)))
			for {
				piece, err := pieces.Next()
				if errors.Is(err, iterator.Done) {
					return nil
				}
				if err != nil {
					return err
				}
				if stopped = hand(piece, emit); stopped != nil {
					return stopped
				}
			}
		})
		c.close()
		if stopped != nil {
			return llm.Reply{}, stopped
		}
		return m.read(ctx, c, r, err)
	})
}

// hand emits the text of one piece.
func hand(piece *genai.GenerateContentResponse, emit func(string) error) error {
	for _, c := range piece.Candidates {
		if c.Content == nil {
			continue
		}
		for _, p := range c.Content.Parts {
			if t, ok := p.(genai.Text); ok && t != "" {
				if err := emit(string(t)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// protect turns a panic of the library into an error: it panics on parts of an
// answer that it does not know.
func protect(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the client library failed: %v", p)
		}
	}()
	return f()
}

// adapting calls f with the form of the request, and with a looser one when the
// model refuses the schema. It refuses one schema and takes the next, so this is
// not remembered; a refusal costs nothing.
func (m *Model) adapting(r llm.Request, f func(llm.Form) (llm.Reply, error)) (llm.Reply, error) {
	form := formOf(r)
	for {
		reply, err := f(form)
		reply.Form = form
		e := (*llm.Error)(nil)
		if len(r.Schema) == 0 || form == llm.TextForm || !errors.As(err, &e) || e.Kind != llm.BadRequest || !blamesSchema(e.Message) {
			return reply, err
		}
		form = looser[form]
	}
}

var looser = map[llm.Form]llm.Form{llm.SchemaForm: llm.ObjectForm, llm.ObjectForm: llm.TextForm}

func blamesSchema(message string) bool {
	message = strings.ToLower(message)
	for _, w := range []string{"schema", "too many states", "json mode", "mime", "response_"} {
		if strings.Contains(message, w) {
			return true
		}
	}
	return false
}

// formOf is how JSON is asked for. Grounding excludes everything but the prompt.
func formOf(r llm.Request) llm.Form {
	switch {
	case len(r.Schema) == 0 || r.Grounding || r.Form == llm.TextForm:
		return llm.TextForm
	case r.Form == llm.ObjectForm:
		return llm.ObjectForm
	}
	return llm.SchemaForm
}

// CountTokens asks the server, which counts for nothing.
func (m *Model) CountTokens(ctx context.Context, r llm.Request) (int, error) {
	c := &call{extra: map[string]any{}}
	if turns := contents(r); len(r.Messages) > 1 {
		c.extra["generateContentRequest"] = map[string]any{"contents": turns}
	}
	err := protect(func() error {
		_, err := m.model(r, llm.TextForm).CountTokens(with(ctx, c), genai.Text(last(r)))
		return err
	})
	if err != nil || len(c.chunks) == 0 {
		return 0, m.failure(ctx, err)
	}
	return int(c.chunks[0].Get("totalTokens").Int()), nil
}

// Embed asks for a vector of each text.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var vectors [][]float32
	err := protect(func() error {
		em := m.client.EmbeddingModel(m.name)
		batch := em.NewBatch()
		for _, t := range texts {
			batch.AddContent(genai.Text(t))
		}
		answer, err := em.BatchEmbedContents(ctx, batch)
		if err != nil {
			return err
		}
		for _, e := range answer.Embeddings {
			vectors = append(vectors, e.Values)
		}
		return nil
	})
	if err != nil {
		return nil, m.failure(ctx, err)
	}
	if len(vectors) != len(texts) {
		return nil, m.server.Fail(llm.Network, "a vector is missing in the answer")
	}
	return vectors, nil
}

// ContextLength asks the server.
func (m *Model) ContextLength(ctx context.Context) (int, error) {
	var n int
	err := protect(func() error {
		known, err := m.client.GenerativeModel(m.name).Info(ctx)
		if err == nil {
			n = int(known.InputTokenLimit)
		}
		return err
	})
	if err == nil && n == 0 {
		return 0, llm.ErrUnknown
	}
	return n, m.failure(ctx, err)
}

// failure makes an *llm.Error of what the library returns; ours is inside it.
func (m *Model) failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	err = m.server.Unreached(ctx, err)
	e := (*llm.Error)(nil)
	if errors.As(err, &e) && e.Kind == llm.NotFound {
		return wire.Missing(e, m.name, m.names(ctx))
	}
	return err
}

// mostListed bounds the listing of models.
const mostListed = 200

// names are the models that can generate text.
func (m *Model) names(ctx context.Context) []string {
	var names []string
	err := protect(func() error {
		models := m.client.ListModels(ctx)
		for len(names) < mostListed {
			one, err := models.Next()
			if err != nil {
				return err
			}
			for _, method := range one.SupportedGenerationMethods {
				if method == "generateContent" {
					names = append(names, strings.TrimPrefix(one.Name, "models/"))
				}
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, iterator.Done) {
		return nil
	}
	return names
}
