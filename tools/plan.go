package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

type planInput struct {
	Question string   `json:"question" required:"true" max:"20000" about:"In full"`
	Effort   string   `json:"effort" oneof:"quick,standard,deep" default:"standard" about:"How much work it is worth"`
	Language string   `json:"language" max:"35" about:"Such as en; else the question's"`
	Files    []string `json:"files" max:"50" sep:"none" about:"Paths to research too"`
}

func (s *surface) plan() tool {
	return define(tool{
		name: "plan", title: "Plan research",
		about: "Says how a question would be researched: its tasks with their queries, the assumptions made, and an estimate of time and cost. Nothing is searched.\n" +
			"Use it when the user wants to see or discuss the approach before research begins. Not needed before research. Takes seconds.\n" +
			"Returns plan_id, title, tasks [{id, kind, title, detail, depends_on, queries}], assumptions, estimate, warnings.",
		hints:  hints{repeatable: true, openWorld: true},
		output: `{"type":"object","properties":{"plan_id":{"type":"string"},"question":{"type":"string"},"title":{"type":"string"},"tasks":{"type":"array"},"assumptions":{"type":"array"},"estimate":{"type":"object"},"warnings":{"type":"array"}},"required":["tasks"]}`,
	}, s.runPlan)
}

// planWithin bounds the making of a plan.
const planWithin = 55 * time.Second

func (s *surface) runPlan(ctx context.Context, c *call, in planInput) (reply, error) {
	q, err := s.question(ctx, c, deepResearchInput{Question: in.Question, Effort: in.Effort, Language: in.Language, Files: in.Files})
	if err != nil {
		return reply{}, err
	}
	rep := c.report(ctx, "Planning")
	defer rep.close()
	ctx, cancel := context.WithTimeout(ctx, planWithin)
	defer cancel()
	p, err := s.Engine.Plan(ctx, q)
	if err != nil {
		return reply{}, err
	}
	out := fieldsFrom(p)
	shorten(out)
	out.fill([]share{{"warnings", 0.2}, {"assumptions", 0.2}, {"tasks", 1}}, resultBytes)
	return reply{text: planText(encode(out)), structured: encode(out)}, nil
}

// planText reads a plan aloud.
func planText(plan json.RawMessage) string {
	var p struct {
		ID          string `json:"plan_id"`
		Title       string `json:"title"`
		Assumptions []string
		Tasks       []struct {
			ID, Kind, Title, Detail string
			DependsOn               []string `json:"depends_on"`
			Queries                 []string
		}
		Estimate map[string]any
		Warnings []string
	}
	if json.Unmarshal(plan, &p) != nil {
		return string(plan)
	}
	var b strings.Builder
	if p.Title != "" {
		fmt.Fprintf(&b, "# %s\n\n", p.Title)
	}
	for _, t := range p.Tasks {
		fmt.Fprintf(&b, "- %s (%s) %s", t.ID, t.Kind, t.Title)
		if len(t.DependsOn) > 0 {
			fmt.Fprintf(&b, ", after %s", strings.Join(t.DependsOn, ", "))
		}
		b.WriteString("\n")
		if t.Detail != "" {
			b.WriteString("  " + t.Detail + "\n")
		}
		for _, q := range t.Queries {
			b.WriteString("  - query: " + q + "\n")
		}
	}
	bullets(&b, "Assumptions", p.Assumptions)
	bullets(&b, "Warnings", p.Warnings)
	if len(p.Estimate) > 0 {
		fmt.Fprintf(&b, "\nEstimate: %s\n", encode(p.Estimate))
	}
	if p.ID != "" {
		fmt.Fprintf(&b, "Plan %s\n", p.ID)
	}
	return b.String()
}
