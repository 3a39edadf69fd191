package main

import "deepresearch/internal/config"

const about = "Deep research with a source for every sentence, as MCP tools and at the command line. It needs no key to start."

// grammar is the command line. A command is here when it works.
type grammar struct {
	Search  searchCommand  `cmd:"" help:"Ask search engines, and your documents with --files"`
	Doctor  doctorCommand  `cmd:"" help:"Say what works here and what is missing"`
	Config  configCommand  `cmd:"" help:"Print the effective configuration, secrets masked"`
	Version versionCommand `cmd:"" help:"Print the version"`
}

func newGrammar() *grammar {
	every := []string{config.OnAsk, config.OnReport, config.OnSearch, config.OnCrawl, config.OnServer, config.OnHTTP}
	return &grammar{
		Search:  searchCommand{settingFlags: newSettingFlags(config.OnAsk, config.OnReport, config.OnSearch)},
		Doctor:  doctorCommand{settingFlags: newSettingFlags(every...)},
		Config:  configCommand{settingFlags: newSettingFlags(every...)},
		Version: versionCommand{settingFlags: newSettingFlags()},
	}
}

// example adds one example to the help of a command.
func example(command string) string { return "Example:\n  mcp-server " + command }
