package gemini

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/wire"
)

// FuzzPieces: whatever a server streams, the library gets a list that it can
// read, or an error that says what went wrong.
func FuzzPieces(f *testing.F) {
	for _, s := range []string{
		`[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},{"candidates":[{"finishReason":"STOP"}]}]`,
		`[`, `[]`, `[{"a":1},`, "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n", "data: {", `[{"error":{"code":429}}]`, "", "<html>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := &call{stream: true}
		p := newPieces(context.Background(), &wire.Server{BackEnd: "gemini"}, io.NopCloser(strings.NewReader(text)), c)
		out, err := io.ReadAll(p)
		switch {
		case err == nil && !json.Valid(out):
			t.Errorf("%q reads as %q", text, out)
		case err != nil && llm.KindOf(err) == "":
			t.Errorf("%q: %v is no *llm.Error", text, err)
		}
	})
}
