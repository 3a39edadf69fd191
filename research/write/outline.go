package write

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"deepresearch/prompts"
	"deepresearch/research"
)

var outlineSchema = json.RawMessage(`{"type":"object","properties":{
"title":{"type":"string"},
"sections":{"type":"array","items":{"type":"object","properties":{
"heading":{"type":"string"},
"passages":{"type":"array","items":{"type":"string"},"description":"names of passages, such as S1.q2"}},"required":["heading","passages"]}}},
"required":["title","sections"]}`)

// minSectioned is the number of calls below which a report is written as one
// section: outline, one section and summary would be no better.
const minSectioned = 4

// outline divides the evidence into sections. Small reports are one section; where
// no model lays one out, each facet of the question is one.
func (w *writer) outline(ctx context.Context) ([]part, error) {
	whole := []part{{chosen: w.all()}}
	most := min(maxSections[w.effort], left(w.state)-2)
	if w.tabled() {
		most--
	}
	if single(w.state) || left(w.state) < minSectioned || most < 2 {
		return whole, nil
	}
	out, err := w.laidOut(ctx, most)
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		out = w.byFacet(most)
	}
	if len(out) < 2 {
		return whole, nil
	}
	for _, p := range out {
		research.Trace(ctx, research.Decision{Chose: "section", What: p.heading, Why: fmt.Sprintf("outline, %d passages", len(p.chosen))})
	}
	return out, nil
}

// laidOut are the sections that a model lays out, none when it gives none that
// can be used.
func (w *writer) laidOut(ctx context.Context, most int) ([]part, error) {
	all := w.within(w.all()[:min(outlineQuotes, len(w.quotes))], sectionTokens)
	view := w.show(w.state, all, outlineText)
	in := prompts.Outline{
		Task: w.m.taskOf(w.state), Mark: view.mark, N: most, Shape: string(w.state.Analysis.Shape), Audience: audience(w.state.Question),
		Parts: parts(w.state.Analysis), Quotes: view.lines,
	}
	prompt, err := w.m.opt.Prompts.Outline(in)
	var said struct {
		Title    string
		Sections []struct {
			Heading  string
			Passages []string
		}
	}
	if ok, err := w.askFor(ctx, outlining, prompt, err, &said); !ok {
		return nil, err
	}
	if title, ok := heading(said.Title, append(w.texts(all), w.state.Question.Text)...); ok {
		w.title = title
	}
	var out []part
	taken := map[int]bool{}
	for _, sec := range said.Sections {
		p := part{chosen: w.named(sec.Passages, view, taken)}
		title, ok := heading(sec.Heading, append(w.texts(p.chosen), w.state.Question.Text)...)
		double := slices.ContainsFunc(out, func(o part) bool { return o.heading == title })
		if p.heading = title; ok && !double && len(p.chosen) > 0 && len(out) < most {
			out = append(out, p)
		}
	}
	return out, nil
}

// named are the quotes that an outline names and no section has yet.
func (w *writer) named(names []string, view shown, taken map[int]bool) []int {
	var out []int
	for _, name := range names {
		id, ok := view.aliases.ID(trimName(name))
		if !ok {
			w.forged++
			continue
		}
		if i := w.byID[id]; !taken[i] {
			taken[i] = true
			out = append(out, i)
		}
	}
	return out
}

// trimName takes the brackets off a name.
func trimName(name string) string { return strings.Trim(name, "[]() \"") }

// byFacet makes a section of each part of the question.
func (w *writer) byFacet(most int) []part {
	var out []part
	if len(w.state.Analysis.Facets) < 2 {
		return nil
	}
	for _, f := range w.state.Analysis.Facets {
		if chosen := w.about(f.Terms); len(chosen) > 0 && len(out) < most {
			out = append(out, part{heading: f.Title, chosen: chosen})
		}
	}
	return out
}
