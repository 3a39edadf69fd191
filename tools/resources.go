package tools

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"deepresearch/research"
)

const (
	runsURI  = "research://runs"
	markdown = "text/markdown"
	jsonType = "application/json"
	jsonLine = "application/jsonl"
	htmlType = "text/html"
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
		{"page", "Report as a page", "The report as one self-contained HTML page", htmlType, "report.html",
			func(ctx context.Context, r research.Result, _ int) (string, error) {
				page, err := s.Engine.HTML(ctx, callerOf(ctx).ID, r.RunID)
				return string(page), err
			}},
		{"trace", "Trace", "What a run did, decided and spent, one event a line", jsonLine, "trace.jsonl",
			func(ctx context.Context, r research.Result, _ int) (string, error) {
				var b strings.Builder
				err := s.Engine.Trace(ctx, callerOf(ctx).ID, r.RunID, &b)
				return b.String(), err
			}},
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

// listedReports is how many reports a list of resources names, the newest ones.
const listedReports = 20

// listReports adds the caller's finished reports to a list of resources. The
// library's list is the same for everyone.
func (s *surface) listReports(ctx context.Context, _ any, req *mcp.ListResourcesRequest, res *mcp.ListResourcesResult) {
	if req.Params.Cursor != "" {
		return
	}
	runs, err := s.Engine.List(ctx, callerOf(ctx).ID, listedReports)
	if err != nil {
		s.Logger.Warn("no reports can be listed", "error", err)
		return
	}
	for _, r := range runs {
		if r.Status == research.Done {
			res.Resources = append(res.Resources, mcp.NewResource(runURI(r.RunID, "report.md"), clip(oneLine(r.Question), 100), mcp.WithMIMEType(markdown)))
		}
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
