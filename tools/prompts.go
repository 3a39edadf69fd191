package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// prompt is one MCP prompt: what a user picks in a host's menu. (The templates
// for language models live in package prompts.)
type prompt struct {
	name, title, about string
	arguments          []mcp.PromptArgument
	text               string // {name} stands for an argument
}

func argument(name, about string, required bool) mcp.PromptArgument {
	return mcp.PromptArgument{Name: name, Description: about, Required: required}
}

var (
	effortArgument   = argument("effort", "quick, standard or deep; standard when left out", false)
	languageArgument = argument("language", "Language of the report, such as en; that of the question when left out", false)
)

// finish is what every prompt ends with.
const finish = "\n\nCall deep_research with effort {effort}{language}. While its status is running, make the call it names in next. " +
	"Then show me the report as it is, with every mark [n] and the list of sources, and say in one sentence what was not found."

func allPrompts() []prompt {
	return []prompt{
		{"deep_research", "Deep research", "Research a question and show a cited report",
			[]mcp.PromptArgument{argument("question", "What you want to know", true), effortArgument, languageArgument},
			"Research this question: {question}" + finish},
		{"compare", "Compare", "Compare things side by side from sources",
			[]mcp.PromptArgument{argument("subjects", "What to compare, separated by commas", true), argument("aspects", "What to compare them by", false), effortArgument, languageArgument},
			"Compare these: {subjects}{aspects}. Use style comparison." + finish},
		{"fact_check", "Check a claim", "Find what supports and what contradicts a claim",
			[]mcp.PromptArgument{argument("claim", "The claim to check", true), effortArgument, languageArgument},
			"Check this claim: {claim}\n\nAsk what speaks for it, what speaks against it, and where it comes from. Quote both sides; where the sources do not settle it, say so." + finish},
		{"literature_review", "Literature review", "Survey what is published on a subject",
			[]mcp.PromptArgument{argument("subject", "The subject", true), argument("recency", "How recent: year, or dates as 2020-01-01..", false), effortArgument, languageArgument},
			"Review the literature on {subject}. Use topic academic{recency}. Cover the main findings, the methods, where studies disagree, and what is open." + finish},
	}
}

// phrases are how optional arguments enter a text.
var phrases = map[string]string{"language": " and language %s", "aspects": " by %s", "recency": " and recency %s"}

func addPrompts(m *server.MCPServer) {
	for _, p := range allPrompts() {
		m.AddPrompt(mcp.Prompt{Name: p.name, Title: p.title, Description: p.about, Arguments: p.arguments},
			func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return p.get(req.Params.Arguments)
			})
	}
}

// promptChars bounds an argument, as the question is bounded that it becomes.
const promptChars = 20_000

func (p prompt) get(given map[string]string) (*mcp.GetPromptResult, error) {
	var pairs []string
	for _, a := range p.arguments {
		value := clip(strings.TrimSpace(given[a.Name]), promptChars)
		if value == "" && a.Required {
			return nil, fmt.Errorf("%s: it is missing; give %s", a.Name, strings.ToLower(a.Description))
		}
		if value == "" && a.Name == "effort" {
			value = "standard"
		}
		if phrase := phrases[a.Name]; phrase != "" && value != "" {
			value = fmt.Sprintf(phrase, value)
		}
		pairs = append(pairs, "{"+a.Name+"}", value)
	}
	said := strings.NewReplacer(pairs...).Replace(p.text)
	return mcp.NewGetPromptResult(p.about, []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(said))}), nil
}
