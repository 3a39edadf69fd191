package tools

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"deepresearch/research"
)

const (
	runsURI  = "research://runs"
	markdown = "text/markdown"
	jsonType = "application/json"
	plainTxt = "text/plain"
)

// runURI is the address of one view of a run.
func runURI(id, view string) string { return runsURI + "/" + id + "/" + view }

// resourceView is one way to read a run.
type resourceView struct {
	name, title, about, mime string
	path                     string // below the run; may hold {n}
	read                     func(ctx context.Context, r research.Result, n int) (string, error)
}

func (s *surface) resourceViews() []resourceView {
	asJSON := func(pick func(research.Result) any) func(context.Context, research.Result, int) (string, error) {
		return func(_ context.Context, r research.Result, _ int) (string, error) { return string(encode(pick(r))), nil }
	}
	return []resourceView{
		{"report", "Report", "The report of a run, in Markdown", markdown, "report.md",
			func(_ context.Context, r research.Result, _ int) (string, error) { return r.Report, nil }},
		{"result", "Structured result", "Everything a run came to: report, claims, sources, usage", jsonType, "report.json",
			asJSON(func(r research.Result) any { return r })},
		{"sources", "Sources", "The sources of a report with all their quotes", jsonType, "sources.json",
			asJSON(func(r research.Result) any { return r.Sources })},
		{"source", "Text of a source", "The text of source n as it was archived, to the byte; quotes give offsets into it", plainTxt, "sources/{n}.txt",
			func(ctx context.Context, r research.Result, n int) (string, error) {
				return s.Engine.Source(ctx, callerOf(ctx).ID, r.RunID, n)
			}},
	}
}

func (s *surface) addResources(m *server.MCPServer) {
	m.AddResource(mcp.NewResource(runsURI, "runs", mcp.WithResourceDescription("Your research runs, the newest first"), mcp.WithMIMEType(jsonType)), s.readRuns)
	for _, v := range s.resourceViews() {
		t := mcp.NewResourceTemplate(runURI("{id}", v.path), v.name, mcp.WithTemplateDescription(v.about), mcp.WithTemplateMIMEType(v.mime))
		t.Title = v.title
		m.AddResourceTemplate(t, func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return s.readRun(ctx, v, req)
		})
	}
}

func (s *surface) readRuns(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	runs, err := s.Engine.List(ctx, callerOf(ctx).ID, listedRuns)
	if err != nil {
		return nil, err
	}
	if runs == nil {
		runs = []research.Summary{}
	}
	return contents(req.Params.URI, jsonType, string(encode(map[string]any{"runs": runs}))), nil
}

func (s *surface) readRun(ctx context.Context, v resourceView, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	r, err := s.Engine.Result(ctx, callerOf(ctx).ID, variable(req, "id"))
	if err != nil {
		return nil, resourceError(err)
	}
	n, _ := strconv.Atoi(variable(req, "n"))
	body, err := v.read(ctx, r, n)
	if err != nil {
		return nil, resourceError(err)
	}
	return contents(req.Params.URI, v.mime, body), nil
}

// variable is a part of the address that matched the template.
func variable(req mcp.ReadResourceRequest, name string) string {
	switch v := req.Params.Arguments[name].(type) {
	case string:
		return v
	case []string:
		if len(v) == 1 {
			return v[0]
		}
	}
	return ""
}

// resourceError says "not found" the way the protocol does.
func resourceError(err error) error {
	var bad *research.InputError
	if errors.Is(err, research.ErrNoRun) || errors.As(err, &bad) {
		return fmt.Errorf("%w: %w", server.ErrResourceNotFound, err)
	}
	return err
}

func contents(uri, mime, body string) []mcp.ResourceContents {
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: body}}
}
