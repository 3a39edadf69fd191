package gemini_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"deepresearch/internal/guard"
	"deepresearch/internal/llm"
	"deepresearch/internal/llm/gemini"
	"deepresearch/internal/llm/llmtest"
)

func quote(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

const usage = `"usageMetadata":{"promptTokenCount":9,"toolUsePromptTokenCount":3,"candidatesTokenCount":4,"thoughtsTokenCount":3}`

// candidate has the parts that break the library when it sees them.
func candidate(text, finish string) string {
	return fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":%s},{"thoughtSignature":"AA=="},{},{"functionResponse":{"name":"x"}}]},"finishReason":%q}],%s}`, quote(text), finish, usage)
}

func modelAt(t *testing.T, c *http.Client, base, name string, redirects *http.Client) *gemini.Model {
	t.Helper()
	m, err := gemini.New(gemini.Options{Client: c, Name: name, BaseURL: base, Key: llmtest.Key, Redirects: redirects})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var wire = llmtest.Wire{
	New:     func(t *testing.T, c *http.Client, base string) llm.Model { return modelAt(t, c, base, "m", nil) },
	Answer:  func(text string) string { return candidate(text, "STOP") },
	Cut:     func(text string) string { return candidate(text, "MAX_TOKENS") },
	Blocked: func() string { return candidate("", "PROHIBITED_CONTENT") },
	Stream: func(texts ...string) []string {
		out := []string{"["}
		for i, s := range texts {
			if i > 0 {
				out = append(out, ",\r\n")
			}
			out = append(out, fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":%s}]}}]}`, quote(s)))
		}
		return append(out, ",\n", `{"candidates":[{"content":{"parts":[{"thoughtSignature":"AA=="}]},"finishReason":"STOP"}],`+usage+`}`, "\n]")
	},
	Failure: func(status int, code, message string) string {
		return fmt.Sprintf(`{"error":{"code":%d,"status":%s,"message":%s}}`, status, quote(code), quote(message))
	},
	Aside: func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/v1beta/models" {
			return false
		}
		llmtest.Body(`{"models":[{"name":"models/embed","supportedGenerationMethods":["embedContent"]},{"name":"models/m-2","supportedGenerationMethods":["generateContent"]}]}`)(w, r)
		return true
	},
	Asked: func(body []byte) (system string, texts []string, bound bool) {
		for _, c := range gjson.GetBytes(body, "contents.#.parts.0.text").Array() {
			texts = append(texts, c.Str)
		}
		return gjson.GetBytes(body, "systemInstruction.parts.0.text").Str, texts, gjson.GetBytes(body, "generationConfig.responseMimeType").Exists()
	},
}

func TestSuite(t *testing.T) { llmtest.Run(t, wire) }

// TestFailuresOfGoogle are error bodies as Google sends them.
func TestFailuresOfGoogle(t *testing.T) {
	for _, c := range []struct {
		name, body string
		kind       llm.Kind
		wait       string
	}{
		{"a minute's limit", `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 36.2s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaMetric":"generate_content_free_tier_requests","quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier","quotaValue":"15"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"36s"}]}}`, llm.Rate, "36s"},
		{"a day's limit", `{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},{"retryDelay":"12s"}]}}`, llm.Quota, "12s"},
		{"a limit of nothing", `{"error":{"code":429,"message":"Quota exceeded for metric, limit: 0","status":"RESOURCE_EXHAUSTED"}}`, llm.Quota, "0s"},
		{"a wrong key", `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, llm.Auth, "0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status := int(gjson.Get(c.body, "error.code").Int())
			s := llmtest.NewServer(t, wire, llmtest.Status(status, nil, c.body))
			_, err := wire.New(t, s.Client, s.URL).Generate(context.Background(), llmtest.Request())
			e, ok := err.(*llm.Error) //nolint:errorlint // the type is what is tested
			if !ok || e.Kind != c.kind || e.RetryAfter.String() != c.wait || len(s.Asked()) != 1 {
				t.Errorf("got %+v after %d requests", err, len(s.Asked()))
			}
		})
	}
}

func TestRequests(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.Body(wire.Answer("x")))
	temperature := 0.0
	for _, c := range []struct {
		name, model string
		edit        func(*llm.Request)
		want        map[string]string // raw JSON by path
	}{
		{"Gemini 3 thinks by level and takes no temperature", "gemini-3.8-flash", func(r *llm.Request) { r.Thinking, r.Temperature = llm.LowThinking, &temperature },
			map[string]string{"generationConfig.thinkingConfig": `{"thinkingLevel":"low"}`, "generationConfig.temperature": ""}},
		{"no level is sent without need", "gemini-3.8-flash", nil, map[string]string{"generationConfig.thinkingConfig": "", "generationConfig.maxOutputTokens": "8192"}},
		{"3.8 has no minimal level", "gemini-3.8-flash", func(r *llm.Request) { r.Thinking = llm.NoThinking }, map[string]string{"generationConfig.thinkingConfig": `{"thinkingLevel":"low"}`}},
		{"the light model has", "gemini-3.5-flash-lite", func(r *llm.Request) { r.Thinking = llm.NoThinking }, map[string]string{"generationConfig.thinkingConfig": `{"thinkingLevel":"minimal"}`}},
		{"a small limit leaves no room to think", "gemini-3.8-flash", func(r *llm.Request) { r.Thinking, r.MaxOutput = llm.HighThinking, 500 }, map[string]string{"generationConfig.thinkingConfig": `{"thinkingLevel":"low"}`}},
		{"Gemini 2.5 thinks by budget", "gemini-2.5-flash-lite", func(r *llm.Request) { r.Thinking, r.Temperature = llm.MediumThinking, &temperature },
			map[string]string{"generationConfig.thinkingConfig": `{"thinkingBudget":4096}`, "generationConfig.temperature": "0"}},
		{"an alias is the newest", "gemini-flash-latest", func(r *llm.Request) { r.Thinking = llm.HighThinking }, map[string]string{"generationConfig.thinkingConfig": `{"thinkingLevel":"high"}`}},
		{"grounding", "gemini-3.8-flash", func(r *llm.Request) { r.Grounding = true }, map[string]string{"tools": `[{"google_search":{}}]`}},
		{"grounding excludes a schema", "gemini-3.8-flash", func(r *llm.Request) { r.Grounding, r.Schema = true, llmtest.Schema }, map[string]string{"generationConfig.responseSchema": "", "generationConfig.responseMimeType": ""}},
		{"a schema keeps its order", "gemini-3.8-flash", func(r *llm.Request) { r.Schema = llmtest.Schema },
			map[string]string{"generationConfig.responseSchema.propertyOrdering": `["queries","why"]`, "generationConfig.responseSchema.required": `["queries"]`, "generationConfig.responseMimeType": `"application/json"`,
				"generationConfig.responseSchema.properties.queries.maxItems": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := llmtest.Request()
			if c.edit != nil {
				c.edit(&r)
			}
			if _, err := modelAt(t, s.Client, s.URL, c.model, nil).Generate(context.Background(), r); err != nil {
				t.Fatal(err)
			}
			asked := s.Asked()
			for path, want := range c.want {
				if got := gjson.GetBytes(asked[len(asked)-1], path).Raw; got != want {
					t.Errorf("%s is %s, want %s", path, got, want)
				}
			}
		})
	}
}

func TestASchemaTooComplexIsAskedForInAnotherWay(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.InTurn(
		llmtest.Status(400, nil, wire.Failure(400, "INVALID_ARGUMENT", "The specified schema produces a constraint that has too many states for serving.")),
		llmtest.Body(wire.Answer(`{"queries":["a b"]}`))))
	r := llmtest.Request()
	r.Schema = llmtest.Schema
	if _, err := wire.New(t, s.Client, s.URL).Generate(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	asked := s.Asked()
	if len(asked) != 2 || gjson.GetBytes(asked[1], "generationConfig.responseSchema").Exists() || !gjson.GetBytes(asked[1], "generationConfig.responseMimeType").Exists() {
		t.Errorf("%d requests, the last is %s", len(asked), asked[len(asked)-1])
	}
}

// TestGrounding holds the places of supports, with everything that may be missing
// or wrong in them.
func TestGrounding(t *testing.T) {
	const first, second = "Zürich hat 443.037 Einwohner. ", "Es liegt am See."
	body := func(metadata string) string {
		return fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":%s},{"text":%s}]},"finishReason":"STOP","groundingMetadata":%s}]}`, quote(first), quote(second), metadata)
	}
	pages := `"groundingChunks":[{"web":{"uri":"https://a.example/","title":"a.example"}},{"web":{"uri":"https://b.example/","domain":"b.example"}}]`
	for _, c := range []struct {
		name, metadata string
		want           []string // the supported texts and their sources
	}{
		{"nothing", `{}`, nil},
		{"only queries", `{"webSearchQueries":["zürich"]}`, nil},
		{"bytes in the named part", `{` + pages + `,"groundingSupports":[{"segment":{"partIndex":1,"startIndex":0,"endIndex":30,"text":"Zürich hat 443.037 Einwohner."},"groundingChunkIndices":[0]}]}`, []string{"Zürich hat 443.037 Einwohner.[0]"}},
		{"no index of a part: the text decides", `{` + pages + `,"groundingSupports":[{"segment":{"endIndex":30,"text":"Zürich hat 443.037 Einwohner."},"groundingChunkIndices":[0,1]}]}`, []string{"Zürich hat 443.037 Einwohner.[0 1]"}},
		{"the second part", `{` + pages + `,"groundingSupports":[{"segment":{"partIndex":2,"endIndex":16,"text":"Es liegt am See."},"groundingChunkIndices":[1]}]}`, []string{"Es liegt am See.[1]"}},
		{"characters counted instead of bytes", `{` + pages + `,"groundingSupports":[{"segment":{"partIndex":1,"startIndex":11,"endIndex":18,"text":"443.037"},"groundingChunkIndices":[0]}]}`, []string{"443.037[0]"}},
		{"a text that is not there", `{` + pages + `,"groundingSupports":[{"segment":{"endIndex":9,"text":"Bern"},"groundingChunkIndices":[0]}]}`, nil},
		{"sources that are not there", `{` + pages + `,"groundingSupports":[{"segment":{"partIndex":1,"endIndex":7,"text":"Zürich"},"groundingChunkIndices":[7,-1,1]}]}`, []string{"Zürich[1]"}},
		{"no text, a place inside a character", `{` + pages + `,"groundingSupports":[{"segment":{"partIndex":1,"startIndex":0,"endIndex":2},"groundingChunkIndices":[0]}]}`, []string{"Z[0]"}},
		{"places out of bounds", `{` + pages + `,"groundingSupports":[{"segment":{"partIndex":9,"startIndex":4,"endIndex":900},"groundingChunkIndices":[0]},{"segment":{"partIndex":-1},"groundingChunkIndices":[0]}]}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := llmtest.NewServer(t, wire, llmtest.Body(body(c.metadata)))
			r := llmtest.Request()
			r.Grounding = true
			reply, err := wire.New(t, s.Client, s.URL).Generate(context.Background(), r)
			if err != nil || reply.Text != first+second {
				t.Fatalf("got %+v, %v", reply, err)
			}
			var got []string
			if g := reply.Grounding; g != nil {
				for _, p := range g.Supports {
					got = append(got, reply.Text[p.Start:p.End]+fmt.Sprint(p.Sources))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRedirectsLeadToPages(t *testing.T) {
	hops := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/grounding-api-redirect/good":
			http.Redirect(w, r, "https://a.example/page", http.StatusFound)
		case "/grounding-api-redirect/evil":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer hops.Close()
	g, err := guard.New(guard.Options{AllowHosts: []string{strings.TrimPrefix(hops.URL, "http://")}})
	if err != nil {
		t.Fatal(err)
	}
	var chunks []string
	for _, address := range []string{hops.URL + "/grounding-api-redirect/good", hops.URL + "/grounding-api-redirect/evil", hops.URL + "/grounding-api-redirect/gone",
		"http://10.0.0.1/grounding-api-redirect/private", "https://b.example/plain", "https://www.google.com/search?q=x y"} {
		chunks = append(chunks, `{"web":{"uri":`+quote(address)+`,"title":"t"}}`)
	}
	s := llmtest.NewServer(t, wire, llmtest.Body(`{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP","groundingMetadata":{"webSearchQueries":["a","b"],"searchEntryPoint":{"renderedContent":"<b>x</b>"},"groundingChunks":[`+strings.Join(chunks, ",")+`]}}]}`))
	m := modelAt(t, s.Client, s.URL, "gemini-3.8-flash", g.Client(guard.Web()))
	r := llmtest.Request()
	r.Grounding = true
	reply, err := m.Generate(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range reply.Grounding.Sources {
		got = append(got, fmt.Sprint(strings.TrimPrefix(p.URL, hops.URL), " ", p.Unresolved))
	}
	want := []string{"https://a.example/page false", "/grounding-api-redirect/evil true", "/grounding-api-redirect/gone true",
		"http://10.0.0.1/grounding-api-redirect/private true", "https://b.example/plain false", "https://www.google.com/search?q=x y true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if reply.Usage.Searches != 2 || reply.Grounding.Suggestions != "<b>x</b>" {
		t.Errorf("got %+v", reply)
	}
}

func TestRecordedAnswers(t *testing.T) {
	for _, name := range []string{"grounding-gemini-2.5-pro-0.json", "grounding-gemini-2.5-pro-1.json", "grounding-stream.sse"} {
		t.Run(name, func(t *testing.T) {
			raw := string(llmtest.Fixture(t, "search/gemini/"+name))
			if !strings.HasSuffix(name, ".sse") {
				raw = gjson.Get(raw, "response").Raw
			}
			s := llmtest.NewServer(t, wire, llmtest.Body(raw))
			m := modelAt(t, s.Client, s.URL, "gemini-2.5-pro", nil)
			r := llmtest.Request()
			r.Grounding = true
			generate := m.Generate
			var handed strings.Builder
			if strings.HasSuffix(name, ".sse") {
				generate = func(ctx context.Context, r llm.Request) (llm.Reply, error) {
					return m.Stream(ctx, r, func(s string) error { handed.WriteString(s); return nil })
				}
			}
			reply, err := generate(context.Background(), r)
			if err != nil || reply.Grounding == nil || handed.Len() > 0 && handed.String() != reply.Text {
				t.Fatalf("got %+v, %v", reply, err)
			}
			all := gjson.Parse(raw)
			if handed.Len() > 0 {
				all = gjson.Parse(raw[strings.LastIndex(raw, "data:")+5:])
			}
			said := all.Get("candidates.0.groundingMetadata.groundingSupports.#.segment.text").Array()
			if len(said) == 0 || len(said) != len(reply.Grounding.Supports) {
				t.Fatalf("%d supports, want %d", len(reply.Grounding.Supports), len(said))
			}
			for i, p := range reply.Grounding.Supports {
				if reply.Text[p.Start:p.End] != said[i].Str {
					t.Errorf("support %d is %q, want %q", i, reply.Text[p.Start:p.End], said[i].Str)
				}
			}
			u := all.Get("usageMetadata")
			if got := reply.Usage; got.In != int(u.Get("promptTokenCount").Int()+u.Get("toolUsePromptTokenCount").Int()) ||
				got.Out != int(u.Get("candidatesTokenCount").Int()+u.Get("thoughtsTokenCount").Int()) || got.Searches == 0 || reply.Grounding.Suggestions == "" {
				t.Errorf("usage %+v", got)
			}
		})
	}
}

func TestCountEmbedContext(t *testing.T) {
	s := llmtest.NewServer(t, wire, func(w http.ResponseWriter, r *http.Request) {
		answers := map[string]string{
			"/v1beta/models/m:countTokens":        `{"totalTokens":42}`,
			"/v1beta/models/m:batchEmbedContents": `{"embeddings":[{"values":[1,2]},{"values":[3,4]}]}`,
			"/v1beta/models/m":                    `{"name":"models/m","inputTokenLimit":1048576}`,
		}
		if body, ok := answers[r.URL.Path]; ok {
			llmtest.Body(body)(w, r)
			return
		}
		http.NotFound(w, r)
	})
	m := modelAt(t, s.Client, s.URL, "m", nil)
	if n, err := m.CountTokens(context.Background(), llmtest.Request()); err != nil || n != 42 {
		t.Errorf("%d tokens, %v", n, err)
	}
	vectors, err := m.Embed(context.Background(), []string{"a", "b"})
	if diff := cmp.Diff([][]float32{{1, 2}, {3, 4}}, vectors); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if n, err := m.ContextLength(context.Background()); err != nil || n != 1048576 {
		t.Errorf("context %d, %v", n, err)
	}
	for _, request := range s.Seen() {
		if strings.Contains(request.URL.String(), llmtest.Key) {
			t.Errorf("the key is in the address %s", request.URL)
		}
	}
}

func TestMissingModelListsOthers(t *testing.T) {
	s := llmtest.NewServer(t, wire, llmtest.Status(404, nil, wire.Failure(404, "NOT_FOUND", "models/m is not found")))
	_, err := wire.New(t, s.Client, s.URL).Generate(context.Background(), llmtest.Request())
	if e, ok := err.(*llm.Error); !ok || !strings.Contains(e.Hint, "m-2") || strings.Contains(e.Hint, "embed") { //nolint:errorlint // the type is what is tested
		t.Errorf("got %+v", err)
	}
}
