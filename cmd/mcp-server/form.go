package main

import (
	"fmt"
	"io"
	"strings"

	"deepresearch/citations"
	"deepresearch/internal/config"
	"deepresearch/research"
)

// printRun prints the report in the form of --format: as it was written, as a
// page, its sources for a reference manager, or all that is known as JSON. A run
// without a report prints nothing but JSON on stdout.
func (p *process) printRun(e *research.Engine, settings *config.Settings, r research.Result) error {
	form := settings.Output.Format
	if settings.General.JSON {
		form = "json"
	}
	if err := reportForm(settings); err != nil {
		return err
	}
	if form != "json" && r.Report == "" {
		return nil
	}
	return p.write(settings, func(w io.Writer) error {
		if form == "json" {
			return printJSON(w, r)
		}
		text, err := p.formed(e, form, r)
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, strings.TrimRight(text, "\r\n")+"\n")
		return err
	})
}

func (p *process) formed(e *research.Engine, form string, r research.Result) (string, error) {
	switch form {
	case "html":
		page, err := e.HTML(p.ctx, everyCaller, r.RunID)
		return string(page), err
	case "csl":
		list, err := citations.CSL(r.Sources)
		return string(list), err
	case "bibtex":
		return citations.BibTeX(r.Sources), nil
	case "ris":
		return citations.RIS(r.Sources), nil
	}
	return r.Report, nil
}

// reportForm refuses the form that is no report, before anything is spent.
func reportForm(settings *config.Settings) error {
	if settings.Output.Format == "replay" {
		return usageError(settings.Where("format") + " replay: only mcp-server runs export writes it")
	}
	return nil
}

// onlyList refuses forms that a list of results or a plan does not have.
func onlyList(settings *config.Settings) error {
	if form := settings.Output.Format; form != "md" && form != "json" {
		return usageError(fmt.Sprintf("%s: there is no report to print as %s here: use md or json", settings.Where("format"), form))
	}
	return nil
}
