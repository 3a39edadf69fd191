package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// conformanceVariable names the address on which this test serves the fixtures of
// the official conformance suite: scripts/conformance.sh.
const conformanceVariable = "DEEPRESEARCH_CONFORMANCE"

// TestConformanceServer serves what @modelcontextprotocol/conformance calls, over
// the transport of this program, until it is interrupted. Names and texts of the
// fixtures are the suite's.
func TestConformanceServer(t *testing.T) {
	listen := os.Getenv(conformanceVariable)
	if listen == "" {
		t.Skip("scripts/conformance.sh runs it, with the address in " + conformanceVariable)
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt)
	defer stop()
	if err := serveHTTP(ctx, conformanceServer(), httpOptions{Listen: listen}, os.Stderr); err != nil {
		t.Fatal(err)
	}
}

func conformanceServer() *server.MCPServer {
	m := server.NewMCPServer("conformance", "1", server.WithToolCapabilities(true), server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true), server.WithCompletions(), server.WithLogging(), server.WithElicitation())
	m.EnableSampling()
	for name, content := range fixedContents {
		m.AddTool(mcp.NewTool(name, mcp.WithDescription(name)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content, IsError: name == "test_error_handling"}, nil
		})
	}
	for name, ask := range asking {
		m.AddTool(mcp.NewTool(name, mcp.WithDescription(name), mcp.WithString("prompt"), mcp.WithString("message")), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			said, err := ask(ctx, m, req)
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			return mcp.NewToolResultText(said), nil
		})
	}
	m.AddTool(mcp.Tool{Name: "json_schema_2020_12_tool", Description: "A schema in full.", RawInputSchema: schema2020}, fixedText("schema"))
	addConformanceResources(m)
	addConformancePrompts(m)
	return m
}

const (
	// A PNG of one pixel and a WAV without a sample.
	onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	silence  = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
)

var schema2020 = json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
	`"$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
	`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`)

func fixedText(text string) server.ToolHandlerFunc {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(text), nil
	}
}

func embedded(uri, mime, text string) mcp.Content {
	return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: text})
}

var fixedContents = map[string][]mcp.Content{
	"test_simple_text":       {mcp.NewTextContent("This is a simple text response for testing.")},
	"test_error_handling":    {mcp.NewTextContent("This tool intentionally returns an error for testing")},
	"test_image_content":     {mcp.NewImageContent(onePixel, "image/png")},
	"test_audio_content":     {mcp.NewAudioContent(silence, "audio/wav")},
	"test_embedded_resource": {embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")},
	"test_multiple_content_types": {
		mcp.NewTextContent("Multiple content types test:"), mcp.NewImageContent(onePixel, "image/png"),
		embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`),
	},
}

type asks func(ctx context.Context, m *server.MCPServer, req mcp.CallToolRequest) (string, error)

// asking are the tools that talk to the client while they are called.
var asking = map[string]asks{
	"test_sampling":    sample,
	"test_elicitation": elicit(properties{"username": {"type": "string"}, "email": {"type": "string"}}, "username", "email"),
	"test_elicitation_sep1034_defaults": elicit(properties{
		"name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30}, "score": {"type": "number", "default": 95.5},
		"status": {"type": "string", "enum": []string{"active", "inactive", "pending"}, "default": "active"}, "verified": {"type": "boolean", "default": true},
	}),
	"test_elicitation_sep1330_enums": elicit(properties{
		"untitledSingle": {"type": "string", "enum": options("option%d", 3)},
		"titledSingle":   {"type": "string", "oneOf": titled(3)},
		"legacyEnum":     {"type": "string", "enum": options("opt%d", 3), "enumNames": options("Option %d", 3)},
		"untitledMulti":  {"type": "array", "items": map[string]any{"type": "string", "enum": options("option%d", 3)}},
		"titledMulti":    {"type": "array", "items": map[string]any{"anyOf": titled(3)}},
	}),
	"test_tool_with_logging": note(mcp.MethodNotificationMessage, func(i int, _ mcp.ProgressToken) map[string]any {
		return map[string]any{"level": "info", "data": []string{"Tool execution started", "Tool processing data", "Tool execution completed"}[i]}
	}),
	"test_tool_with_progress": note(mcp.MethodNotificationProgress, func(i int, token mcp.ProgressToken) map[string]any {
		return map[string]any{"progressToken": token, "progress": 50 * i, "total": 100}
	}),
}

func sample(ctx context.Context, m *server.MCPServer, req mcp.CallToolRequest) (string, error) {
	var ask mcp.CreateMessageRequest
	ask.Messages = []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(req.GetString("prompt", ""))}}
	ask.MaxTokens = 100
	said, err := m.RequestSampling(ctx, ask) //nolint:staticcheck // the suite asks for it still
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("LLM response: %v", said.Content), nil
}

type properties map[string]map[string]any

func elicit(p properties, required ...string) asks {
	return func(ctx context.Context, m *server.MCPServer, req mcp.CallToolRequest) (string, error) {
		var ask mcp.ElicitationRequest
		ask.Params.Message = req.GetString("message", "Please fill in.")
		ask.Params.RequestedSchema = map[string]any{"type": "object", "properties": p, "required": append([]string{}, required...)}
		said, err := m.RequestElicitation(ctx, ask)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("User response: action=%s, content=%v", said.Action, said.Content), nil
	}
}

func options(format string, n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(format, i+1))
	}
	return out
}

func titled(n int) []map[string]string {
	var out []map[string]string
	for i, value := range options("value%d", n) {
		out = append(out, map[string]string{"const": value, "title": fmt.Sprintf("Title %d", i+1)})
	}
	return out
}

// note sends three notifications, with the distances that the suite asks for. The
// last wait is what every tool of ours does after progress.
func note(method mcp.MCPMethod, fields func(i int, token mcp.ProgressToken) map[string]any) asks {
	return func(ctx context.Context, m *server.MCPServer, req mcp.CallToolRequest) (string, error) {
		var token mcp.ProgressToken
		if req.Params.Meta != nil {
			token = req.Params.Meta.ProgressToken
		}
		for i := range 3 {
			if err := m.SendNotificationToClient(ctx, string(method), fields(i, token)); err != nil {
				return "", err
			}
			time.Sleep(50 * time.Millisecond)
		}
		return "done", nil
	}
}

func addConformanceResources(m *server.MCPServer) {
	for uri, is := range map[string]mcp.ResourceContents{
		"test://static-text":      mcp.TextResourceContents{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."},
		"test://static-binary":    mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: onePixel},
		"test://watched-resource": mcp.TextResourceContents{URI: "test://watched-resource", MIMEType: "text/plain", Text: "watched"},
	} {
		m.AddResource(mcp.NewResource(uri, uri), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{is}, nil
		})
	}
	m.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template"), func(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		id := fmt.Sprint(req.Params.Arguments["id"])
		if list, ok := req.Params.Arguments["id"].([]string); ok {
			id = list[0]
		}
		text, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: string(text)}}, err
	})
}

func addConformancePrompts(m *server.MCPServer) {
	argument := func(name string) mcp.PromptOption { return mcp.WithArgument(name, mcp.RequiredArgument()) }
	for _, p := range []struct {
		prompt mcp.Prompt
		say    func(given map[string]string) []mcp.Content
	}{
		{mcp.NewPrompt("test_simple_prompt"), func(map[string]string) []mcp.Content {
			return []mcp.Content{mcp.NewTextContent("This is a simple prompt for testing.")}
		}},
		{mcp.NewPrompt("test_prompt_with_arguments", argument("arg1"), argument("arg2")), func(given map[string]string) []mcp.Content {
			return []mcp.Content{mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", given["arg1"], given["arg2"]))}
		}},
		{mcp.NewPrompt("test_prompt_with_embedded_resource", argument("resourceUri")), func(given map[string]string) []mcp.Content {
			return []mcp.Content{embedded(given["resourceUri"], "text/plain", "Embedded resource content for testing."), mcp.NewTextContent("Please process the embedded resource above.")}
		}},
		{mcp.NewPrompt("test_prompt_with_image"), func(map[string]string) []mcp.Content {
			return []mcp.Content{mcp.NewImageContent(onePixel, "image/png"), mcp.NewTextContent("Please analyze the image above.")}
		}},
	} {
		p.prompt.Description = p.prompt.Name
		m.AddPrompt(p.prompt, func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			out := &mcp.GetPromptResult{}
			for _, c := range p.say(req.Params.Arguments) {
				out.Messages = append(out.Messages, mcp.PromptMessage{Role: mcp.RoleUser, Content: c})
			}
			return out, nil
		})
	}
}
