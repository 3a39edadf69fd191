package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"deepresearch/internal/config"
	"deepresearch/internal/search"
	"deepresearch/internal/search/engines"
	"deepresearch/internal/store"
	"deepresearch/internal/store/facts"
)

// doctorCommand says what works here.
type doctorCommand struct{ settingFlags }

func (doctorCommand) Help() string { return example("doctor") }

// health is the structured result of doctor.
type health struct {
	Version    string         `json:"version"`
	ConfigFile string         `json:"config_file"`
	Data       folderHealth   `json:"data"`
	Models     []modelHealth  `json:"models"`
	Engines    []engineHealth `json:"engines"`
	Hosts      []hostHealth   `json:"hosts"` // that name this server in their files
	Warnings   []string       `json:"warnings"`
}

type folderHealth struct {
	Path          string `json:"path"`
	Writable      bool   `json:"writable"`
	Bytes         int64  `json:"bytes"`
	RetentionDays int    `json:"retention_days"`
	Delete        string `json:"delete"` // the command that deletes everything
}

type modelHealth struct {
	BackEnd string `json:"back_end"`
	Key     bool   `json:"key"`
	BaseURL string `json:"base_url,omitempty"`
	Needs   string `json:"needs,omitempty"` // the variable that would switch it on
}

type engineHealth struct {
	Name    string `json:"name"`
	Ready   bool   `json:"ready"` // it would be asked; whether it answers was not tried
	Key     bool   `json:"key"`
	BaseURL string `json:"base_url,omitempty"`
	Needs   string `json:"needs,omitempty"`
	// Month is what the engine was asked in this calendar month.
	Month *search.Count `json:"month,omitempty"`
}

// Run prints the state of everything that the configuration leads to. It sends
// nothing over the network.
func (c *doctorCommand) Run(p *process) error {
	settings, err := config.Load(config.Sources{Flags: c.given(), Env: p.env, Engines: engines.Names()})
	if err != nil {
		return err
	}
	h, broken := examine(p.ctx, settings)
	if h.Hosts, err = knownHosts(); err != nil {
		h.Warnings = append(h.Warnings, err.Error())
	}
	return errors.Join(p.write(settings, func(w io.Writer) error {
		if settings.General.JSON {
			return printJSON(w, h)
		}
		return h.print(w)
	}), broken)
}

// examine looks at everything. Its error is what keeps every command from
// working; all else is a warning.
func examine(ctx context.Context, s *config.Settings) (h health, broken error) {
	h = health{Version: version, ConfigFile: s.Path, Warnings: append([]string{}, s.Warnings...), Models: models(s.Models)}
	h.Data = folderHealth{Path: s.General.DataDir, RetentionDays: int(retention.Hours() / 24), Delete: "mcp-server runs delete --all"}
	folder, err := config.OpenFolder(s.General.DataDir)
	switch {
	case err != nil:
		h.Warnings = append(h.Warnings, err.Error())
	case folder.Warning != "":
		h.Warnings = append(h.Warnings, folder.Warning)
		broken = os.RemoveAll(folder.Path) // only to be told about
	default:
		h.Data.Writable = true
		h.Data.Bytes = sizeOf(folder.Path)
	}
	h.Engines, err = enginesHealth(s.Config)
	if err != nil {
		h.Warnings = append(h.Warnings, err.Error())
	}
	if h.Data.Writable {
		if broken = h.count(ctx, folder.Path); broken != nil {
			h.Warnings = append(h.Warnings, broken.Error())
		}
	}
	return h, broken
}

// knownHosts are the hosts of this user that name this server.
func knownHosts() ([]hostHealth, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return []hostHealth{}, fmt.Errorf("looking for hosts: %w", err)
	}
	settings, err := os.UserConfigDir()
	if err != nil {
		return []hostHealth{}, fmt.Errorf("looking for hosts: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return []hostHealth{}, fmt.Errorf("looking for hosts: %w", err)
	}
	return hosts(home, settings, self), nil
}

// count adds what each engine was asked this month, when anything was stored.
func (h *health) count(ctx context.Context, dir string) (err error) {
	if _, err := os.Stat(filepath.Join(dir, store.FileName)); err != nil {
		return nil //nolint:nilerr // nothing was asked yet
	}
	db, err := store.Open(ctx, store.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := checked(ctx, db); err != nil {
		return err
	}
	counts, err := search.Counts(ctx, notes{facts.New(db)}, engines.Names(), time.Now())
	if err != nil {
		return err
	}
	for i, e := range h.Engines {
		if c, asked := counts[e.Name]; asked {
			h.Engines[i].Month = &c
		}
	}
	return nil
}

// checking bounds reading the whole store.
const checking = 20 * time.Second

// checked is what is wrong with the file of a store, as far as there was time to
// read it.
func checked(ctx context.Context, db *store.DB) error {
	within, cancel := context.WithTimeout(ctx, checking)
	defer cancel()
	if err := db.Check(within); err != nil && within.Err() == nil {
		return err
	}
	return context.Cause(ctx)
}

// enginesHealth lists every engine there is, ready or not.
func enginesHealth(c config.Config) ([]engineHealth, error) {
	g, err := newGuard(c)
	if err != nil {
		return nil, err
	}
	ready := map[string]bool{}
	chosen, err := engines.Choose(engineConfig(c), g)
	for _, e := range chosen {
		ready[e.Name()] = true
	}
	settings := engineConfig(c)
	var out []engineHealth
	for _, d := range engines.Describe() {
		e := engineHealth{Name: d.Name, Ready: ready[d.Name], Key: settings.Keys[d.Name] != "", BaseURL: config.URL(settings.URLs[d.Name]).String()}
		switch {
		case e.Ready:
		case len(settings.Names) > 0:
			e.Needs = "its name in DEEPRESEARCH_SEARCH"
		default:
			e.Needs = d.Needs()
		}
		out = append(out, e)
	}
	return out, err
}

func models(c config.Models) []modelHealth {
	out := []modelHealth{
		{"gemini", c.GeminiKey.IsSet(), c.GeminiURL.String(), "GEMINI_API_KEY"},
		{"openai", c.OpenAIKey.IsSet(), c.OpenAIURL.String(), "OPENAI_API_KEY"},
		{"anthropic", c.AnthropicKey.IsSet(), c.AnthropicURL.String(), "ANTHROPIC_API_KEY"},
		{"ollama", false, config.URL(c.OllamaAddress).String(), "OLLAMA_HOST"},
	}
	for i, m := range out {
		if m.Key || m.BaseURL != "" {
			out[i].Needs = ""
		}
	}
	return out
}

// sizeOf adds up the files below a folder, in bytes. A file that vanishes
// meanwhile counts as nothing.
func sizeOf(folder string) int64 {
	var sum int64
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		if stat, err := entry.Info(); err == nil {
			sum += stat.Size()
		}
		return nil
	})
	return sum
}

func (h health) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(columns ...string) { fmt.Fprintln(w, strings.Join(columns, "\t")) }
	line("mcp-server", h.Version)
	line("configuration", orElse(h.ConfigFile, "no file; flags, environment and defaults"))
	line("data", h.Data.Path)
	line("", "writable: "+yesNo(h.Data.Writable)+fmt.Sprintf(", %.1f MB, kept %d days", float64(h.Data.Bytes)/1e6, h.Data.RetentionDays))
	line("", "delete: "+h.Data.Delete+" for the runs, or remove the folder for everything")
	for _, m := range h.Models {
		line("model "+m.BackEnd, orElse(needs(m.Needs), unchecked(m.Key)), m.BaseURL)
	}
	for _, e := range h.Engines {
		line("engine "+e.Name, orElse(needs(e.Needs), unchecked(e.Key))+e.month(), e.BaseURL)
	}
	for _, host := range h.Hosts {
		line("host "+host.Host, strings.TrimSpace(host.State+" "+host.Command), host.File)
	}
	if len(h.Hosts) == 0 {
		line("host", "none found that names this server; the README says what to give yours")
	}
	for _, warning := range h.Warnings {
		line("warning", warning)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("printing what works: %w", err)
	}
	return nil
}

// month writes what was asked this month, nothing for nothing.
func (e engineHealth) month() string {
	switch {
	case e.Month == nil:
		return ""
	case e.Month.Cost == 0:
		return fmt.Sprintf(", searches this month: %d", e.Month.Searches)
	}
	return fmt.Sprintf(", searches this month: %d for about $%.2f", e.Month.Searches, e.Month.Cost)
}

// unchecked says that something would be used. Nothing is sent to find out
// whether it answers.
func unchecked(key bool) string {
	if key {
		return "on, its key set, not checked"
	}
	return "on, not checked"
}

func needs(variable string) string {
	if variable == "" {
		return ""
	}
	return "off; needs " + variable
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
