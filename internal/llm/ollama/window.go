package ollama

import (
	"context"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"deepresearch/internal/llm"
)

// windows are the contexts that are asked for. Few steps, because every change
// loads the model anew.
var windows = []int{8192, 16384, 32768, 65536, 131072, 262144}

// slack is what a chat template adds to a prompt, and the error of the estimate,
// as a share of it.
const slack = 0.15

// window chooses the context for a request: the smallest step that holds prompt
// and answer, never less than before, at most what the model was trained for and
// what was configured.
func (m *Model) window(ctx context.Context, r llm.Request) (int, error) {
	trained, err := m.contextOfModel(ctx)
	if err != nil {
		return 0, err
	}
	most := min(trained, m.cap)
	in := llm.EstimateInput(r)
	need := in + int(slack*float64(in)) + r.OutputLimit()
	m.mu.Lock()
	defer m.mu.Unlock()
	choice := most
	for _, w := range windows {
		if w >= need {
			choice = min(w, most)
			break
		}
	}
	m.chosen = max(m.chosen, choice)
	if in > m.chosen {
		return 0, m.server.Fail(llm.ContextTooLong, fmt.Sprintf("about %d tokens of input do not fit a context of %d", in, m.chosen))
	}
	return m.chosen, nil
}

// ContextLength is the context that the model was trained for, or the cap.
func (m *Model) ContextLength(ctx context.Context) (int, error) {
	n, err := m.contextOfModel(ctx)
	if err != nil {
		return 0, m.explain(ctx, err)
	}
	return min(n, m.cap), nil
}

// contextOfModel asks the server once. A server that does not tell leaves the cap.
func (m *Model) contextOfModel(ctx context.Context) (int, error) {
	m.mu.Lock()
	known := m.trained
	m.mu.Unlock()
	if known > 0 {
		return known, nil
	}
	answer, err := m.server.Post(ctx, "/api/show", map[string]any{"model": m.name})
	if err != nil {
		return 0, err
	}
	n := m.cap
	answer.JSON.Get("model_info").ForEach(func(k, v gjson.Result) bool {
		if strings.HasSuffix(k.Str, ".context_length") && v.Int() > 0 {
			n = int(v.Int())
			return false
		}
		return true
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trained = n
	if has := answer.JSON.Get("capabilities"); has.IsArray() && !strings.Contains(has.Raw, `"thinking"`) {
		m.think = never
	}
	return n, nil
}
