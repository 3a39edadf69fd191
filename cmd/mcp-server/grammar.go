package main

import (
	"strings"

	"deepresearch/internal/config"
)

const about = "Deep research with a source for every sentence, as MCP tools and at the command line. It needs no key to start."

// grammar is the command line. A command is here when it works.
type grammar struct {
	Stdio    stdioCommand    `cmd:"" default:"withargs" help:"Serve MCP over stdin and stdout (what happens without a command)"`
	HTTP     httpCommand     `cmd:"" name:"http" help:"Serve MCP over HTTP"`
	Research researchCommand `cmd:"" help:"Research a question and print a report with sources"`
	Search   searchCommand   `cmd:"" help:"Ask search engines, and your documents with --files"`
	Crawl    crawlCommand    `cmd:"" help:"Read pages"`
	Plan     planCommand     `cmd:"" help:"Say how a question would be researched"`
	Verify   verifyCommand   `cmd:"" help:"Check a report written anywhere against its sources"`
	Runs     runsCommand     `cmd:"" help:"List, show, resume and delete stored runs"`
	Library  libraryCommand  `cmd:"" help:"Keep libraries of your documents and search them"`
	Demo     demoCommand     `cmd:"" help:"See it work on embedded documents, offline"`
	Doctor   doctorCommand   `cmd:"" help:"Say what works here and what is missing"`
	Config   configCommand   `cmd:"" help:"Print the effective configuration, secrets masked"`
	Version  versionCommand  `cmd:"" help:"Print the version"`
}

// newGrammar returns the command line with the settings of one command. Those of
// all took a third of the time in which the server starts.
func newGrammar(command string) *grammar {
	flags := func(of string, kinds ...string) settingFlags {
		if of != command {
			return settingFlags{}
		}
		return newSettingFlags(kinds...)
	}
	ask := func(of string, also ...string) settingFlags { return flags(of, append(also, config.OnAsk)...) }
	result := func(of string) settingFlags { return flags(of, config.OnResult) }
	all := func(of string) settingFlags {
		return flags(of, config.OnAsk, config.OnReport, config.OnSearch, config.OnCrawl, config.OnServer, config.OnHTTP)
	}
	return &grammar{
		Stdio:    stdioCommand{ask("stdio", config.OnReport, config.OnServer)},
		HTTP:     httpCommand{ask("http", config.OnReport, config.OnServer, config.OnHTTP)},
		Research: researchCommand{settingFlags: ask("research", config.OnReport)},
		Search:   searchCommand{settingFlags: ask("search", config.OnReport, config.OnSearch)},
		Crawl:    crawlCommand{settingFlags: ask("crawl", config.OnCrawl)},
		Plan:     planCommand{settingFlags: ask("plan", config.OnReport)},
		Verify:   verifyCommand{settingFlags: ask("verify")},
		Runs: runsCommand{
			List: runsListCommand{result("runs")}, Show: runsShowCommand{settingFlags: result("runs")}, Export: runsExportCommand{settingFlags: result("runs")},
			Resume: runsResumeCommand{settingFlags: ask("runs", config.OnReport)}, Answer: runsAnswerCommand{settingFlags: ask("runs", config.OnReport)},
			Cancel: runsCancelCommand{settingFlags: result("runs")},
			Delete: runsDeleteCommand{settingFlags: result("runs")}, Source: runsSourceCommand{settingFlags: result("runs")},
		},
		Library: libraryCommand{
			Add: libraryAddCommand{settingFlags: result("library")}, List: libraryListCommand{result("library")},
			Remove: libraryRemoveCommand{settingFlags: result("library")},
			Search: librarySearchCommand{settingFlags: flags("library", config.OnResult, config.OnSearch)},
		},
		Demo:    demoCommand{settingFlags: ask("demo", config.OnReport)},
		Doctor:  doctorCommand{all("doctor")},
		Config:  configCommand{all("config")},
		Version: versionCommand{flags("version")},
	}
}

// commandOf is the first word of the command line, behind a call for help.
// Without one it is stdio.
func commandOf(args []string) string {
	for len(args) > 0 && (args[0] == "--help" || args[0] == "-h") {
		args = args[1:]
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return "stdio"
	}
	return args[0]
}

// example adds one example to the help of a command.
func example(command string) string { return "Example:\n  mcp-server " + command }
