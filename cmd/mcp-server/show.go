package main

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"

	"deepresearch/internal/config"
)

// versionCommand prints which build this is.
type versionCommand struct{ settingFlags }

func (versionCommand) Help() string { return example("version --json") }

// Run prints the version, whatever the state of the configuration.
func (c *versionCommand) Run(p *process) error {
	settings, err := config.Load(config.Sources{Flags: c.given(), OS: runtime.GOOS})
	if err != nil {
		return err
	}
	return p.write(settings, func(w io.Writer) error {
		if settings.General.JSON {
			return printJSON(w, map[string]string{"version": version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
		}
		_, err := fmt.Fprintf(w, "mcp-server %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	})
}

// configCommand prints the effective configuration.
type configCommand struct{ settingFlags }

func (configCommand) Help() string { return example("config --json") }

// Run prints every setting with where its value comes from.
func (c *configCommand) Run(p *process) error {
	settings, err := p.load(c.settingFlags)
	if err != nil {
		return err
	}
	return p.write(settings, func(w io.Writer) error {
		if settings.General.JSON {
			return printJSON(w, map[string]any{"file": settings.Path, "settings": settings.Effective(), "warnings": append([]string{}, settings.Warnings...)})
		}
		return printSettings(w, settings)
	})
}

func printSettings(out io.Writer, settings *config.Settings) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range settings.Effective() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, shown(s), origin(s))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("printing the configuration: %w", err)
	}
	return nil
}

func shown(s config.Setting) string {
	switch {
	case s.Value != "":
		return s.Value
	case s.Means != "":
		return "(" + s.Means + ")"
	}
	return "-"
}

func origin(s config.Setting) string {
	if s.From == "" {
		return string(s.Origin)
	}
	return string(s.Origin) + " " + s.From
}
