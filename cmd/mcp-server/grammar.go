package main

import "deepresearch/internal/config"

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

func newGrammar() *grammar {
	ask := func(also ...string) settingFlags { return newSettingFlags(append(also, config.OnAsk)...) }
	result := func() settingFlags { return newSettingFlags(config.OnResult) }
	all := func() settingFlags {
		return newSettingFlags(config.OnAsk, config.OnReport, config.OnSearch, config.OnCrawl, config.OnServer, config.OnHTTP)
	}
	return &grammar{
		Stdio:    stdioCommand{ask(config.OnReport, config.OnServer)},
		HTTP:     httpCommand{ask(config.OnReport, config.OnServer, config.OnHTTP)},
		Research: researchCommand{settingFlags: ask(config.OnReport)},
		Search:   searchCommand{settingFlags: ask(config.OnReport, config.OnSearch)},
		Crawl:    crawlCommand{settingFlags: ask(config.OnCrawl)},
		Plan:     planCommand{settingFlags: ask(config.OnReport)},
		Verify:   verifyCommand{settingFlags: ask()},
		Runs: runsCommand{
			List: runsListCommand{result()}, Show: runsShowCommand{settingFlags: result()}, Export: runsExportCommand{settingFlags: result()},
			Resume: runsResumeCommand{settingFlags: ask(config.OnReport)}, Answer: runsAnswerCommand{settingFlags: ask(config.OnReport)},
			Cancel: runsCancelCommand{settingFlags: result()},
			Delete: runsDeleteCommand{settingFlags: result()}, Source: runsSourceCommand{settingFlags: result()},
		},
		Library: libraryCommand{
			Add: libraryAddCommand{settingFlags: result()}, List: libraryListCommand{result()},
			Remove: libraryRemoveCommand{settingFlags: result()}, Search: librarySearchCommand{settingFlags: newSettingFlags(config.OnResult, config.OnSearch)},
		},
		Demo:    demoCommand{settingFlags: ask(config.OnReport)},
		Doctor:  doctorCommand{all()},
		Config:  configCommand{all()},
		Version: versionCommand{newSettingFlags()},
	}
}

// example adds one example to the help of a command.
func example(command string) string { return "Example:\n  mcp-server " + command }
