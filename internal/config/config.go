// Package config turns flags, the environment and the configuration file into
// one checked [Config].
//
// Start with [Load]. Everything that can be set is a field of Config, and its
// struct tags are the only place where a setting is described: flags, names of
// environment variables, keys of the file and the table in the README derive
// from them through [Fields].
//
// The package reads the configuration file and nothing else; it opens no
// connection, knows no other package of this module, and does not decide what
// a setting means.
package config

import (
	"reflect"
	"slices"
	"time"
)

// Config is everything that can be set from outside a single call. A zero
// number means that the effort, or the package it is meant for, decides.
//
// The tags of a field:
//
//	name     the setting's name: --name, DEEPRESEARCH_NAME and the key in the file
//	help     one sentence without a full stop
//	on       the kinds of command that take it as a flag; none: no flag
//	env      the names in the environment where they are not DEEPRESEARCH_NAME; "none": only the file
//	default  the value when nothing else sets it
//	oneof    the values that a text may have
//	min, max the bounds of a number
//	sep      "none" when a flag's value may contain commas
//	like     "host" or "language": what a text must be written as
//	means    what an empty value stands for, where that is not plain
type Config struct {
	General General
	Ask     Ask
	Models  Models
	Search  Search
	Crawl   Crawl
	Limits  Limits
	Output  Output
	Server  Server
}

// General holds what every command needs.
type General struct {
	File    string `name:"config" on:"every" help:"The configuration file" means:"deepresearch/config.toml in your configuration folder"`
	DataDir string `name:"data-dir" on:"every" help:"The folder that keeps runs, pages and libraries" means:"the state folder of this system"`
	JSON    bool   `name:"json" on:"every" help:"Print the structured result on stdout and nothing else"`
	Quiet   bool   `name:"quiet" on:"every" help:"Show no progress"`
}

// Ask holds what shapes a question and its answer.
type Ask struct {
	Effort          string   `name:"effort" on:"ask" oneof:"quick,standard,deep" default:"standard" help:"How much work a question is worth"`
	Memory          string   `name:"memory" on:"ask" oneof:"full,rolling" default:"full" help:"Keep every finding, or one running summary for models with small windows"`
	Queries         int      `name:"queries" on:"ask" min:"1" max:"20" help:"Queries of the first round" means:"by effort: 1, 3, 5"`
	MaxLoops        int      `name:"max-loops" on:"ask" min:"1" max:"50" help:"Rounds of search and reflection" means:"by effort: 1, 2, 5"`
	Topic           string   `name:"topic" on:"ask" oneof:"general,academic,medical,code,news,finance,law,encyclopedia,data,travel" help:"What the question is about; engines are chosen by it" means:"from the question"`
	Language        string   `name:"language" on:"ask" like:"language" help:"Language of the answer as a tag such as en or zh-Hans" means:"that of the question"`
	Style           string   `name:"style" on:"ask" oneof:"brief,report,comparison,timeline" help:"Shape of the report" means:"from the question"`
	Audience        string   `name:"audience" on:"ask" help:"Whom the report is written for"`
	IncludeDomains  []string `name:"include-domains" on:"ask" like:"host" help:"Only pages of these hosts"`
	ExcludeDomains  []string `name:"exclude-domains" on:"ask" like:"host" help:"No pages of these hosts"`
	Recency         Recency  `name:"recency" on:"ask" help:"How recent: day, week, month, year or dates as 2026-01-31..2026-02-28" means:"any time"`
	Files           []string `name:"files" on:"ask" sep:"none" help:"A document or folder of documents to research too"`
	Libraries       []string `name:"libraries" on:"ask" help:"Libraries to research too"`
	Offline         bool     `name:"offline" on:"ask" help:"Use no network but models on this machine"`
	SharePrivate    bool     `name:"share-private" on:"ask" help:"Let text from files enter queries to remote engines"`
	Fresh           bool     `name:"fresh" on:"ask" help:"Start anew instead of using a stored run or cached answers"`
	ContinueFrom    string   `name:"continue-from" on:"ask" help:"The id of a run to build on"`
	PlanFile        string   `name:"plan" on:"ask" help:"A file with the plan to follow"`
	ApprovePlan     bool     `name:"approve-plan" on:"ask" help:"Wait for approval of the plan"`
	MaxSourceTokens int      `name:"max-source-tokens" on:"ask" min:"1" max:"100000" help:"Tokens of one source that a model reads at a time"`
	Replay          string   `name:"replay" on:"ask" help:"A file with recorded calls to answer from"`
}

// Models holds which models work and how they are reached.
type Models struct {
	NoModel bool `name:"no-model" on:"ask" help:"Answer by quotation alone, without a language model"`

	All     Model `name:"model" on:"ask" help:"The model as gemini:NAME, openai:NAME, ollama:NAME, anthropic:NAME or none" means:"the first that has a key, else none"`
	Plan    Model `name:"model-plan" help:"Model for queries and the plan" means:"model"`
	Search  Model `name:"model-search" help:"Model that reads pages and searches with grounding" means:"model"`
	Reflect Model `name:"model-reflect" help:"Model that looks for gaps" means:"model"`
	Write   Model `name:"model-write" help:"Model for outline, sections and summary" means:"model"`
	Judge   Model `name:"model-judge" help:"Model that checks claims" means:"model"`

	PromptsDir string `name:"prompts-dir" help:"A folder whose templates replace those of the product, file by file, such as write/section.tmpl"`

	GeminiKey     Secret `name:"gemini-api-key" env:"GEMINI_API_KEY,GOOGLE_API_KEY" help:"Key for Gemini"`
	GeminiURL     URL    `name:"gemini-base-url" env:"GEMINI_BASE_URL" help:"Base URL of Gemini" means:"Google's"`
	OpenAIKey     Secret `name:"openai-api-key" env:"OPENAI_API_KEY" help:"Key for OpenAI or a compatible server"`
	OpenAIURL     URL    `name:"openai-base-url" env:"OPENAI_BASE_URL" help:"Base URL of a compatible server, its /v1 included" means:"OpenAI's"`
	AnthropicKey  Secret `name:"anthropic-api-key" env:"ANTHROPIC_API_KEY" help:"Key for Anthropic"`
	AnthropicURL  URL    `name:"anthropic-base-url" env:"ANTHROPIC_BASE_URL" help:"Base URL of Anthropic" means:"Anthropic's"`
	OpenRouterKey Secret `name:"openrouter-api-key" env:"OPENROUTER_API_KEY" help:"Key for OpenRouter"`
	DashScopeKey  Secret `name:"dashscope-api-key" env:"DASHSCOPE_API_KEY" help:"Key for DashScope (Qwen)"`
	DeepSeekKey   Secret `name:"deepseek-api-key" env:"DEEPSEEK_API_KEY" help:"Key for DeepSeek"`
	OllamaAddress Ollama `name:"ollama-host" env:"OLLAMA_HOST" help:"Address of Ollama" means:"http://127.0.0.1:11434"`
}

// Search holds which engines are asked and how they are reached.
type Search struct {
	Engines    []string `name:"engines" on:"ask" env:"DEEPRESEARCH_SEARCH,DEEPRESEARCH_ENGINES" help:"Exactly these engines, in order" means:"those that suit the question"`
	MaxResults int      `name:"max-results" on:"search" min:"1" max:"50" default:"10" help:"Results of one search"`

	SearXNG        URL    `name:"searxng-url" env:"SEARXNG_URL" help:"Your SearXNG; setting it switches it on"`
	TavilyKey      Secret `name:"tavily-api-key" env:"TAVILY_API_KEY" help:"Key for Tavily"`
	BraveKey       Secret `name:"brave-api-key" env:"BRAVE_API_KEY" help:"Key for Brave"`
	PerplexityKey  Secret `name:"perplexity-api-key" env:"PERPLEXITY_API_KEY" help:"Key for Perplexity"`
	ExaKey         Secret `name:"exa-api-key" env:"EXA_API_KEY" help:"Key for Exa"`
	SerperKey      Secret `name:"serper-api-key" env:"SERPER_API_KEY" help:"Key for Serper"`
	SerpAPIKey     Secret `name:"serpapi-api-key" env:"SERPAPI_API_KEY" help:"Key for SerpApi"`
	JinaKey        Secret `name:"jina-api-key" env:"JINA_API_KEY" help:"Key for Jina"`
	OpenTripMapKey Secret `name:"opentripmap-api-key" env:"OPENTRIPMAP_API_KEY" help:"Key for OpenTripMap"`
	IQSKey         Secret `name:"iqs-api-key" env:"IQS_API_KEY" help:"Key for Aliyun IQS"`
	OpenAlexKey    Secret `name:"openalex-api-key" env:"OPENALEX_API_KEY" help:"Key for OpenAlex"`
	StackKey       Secret `name:"stackexchange-api-key" env:"STACKEXCHANGE_API_KEY" help:"Key for Stack Exchange, for a higher limit"`
	GitHubToken    Secret `name:"github-token" env:"GITHUB_TOKEN" help:"Token for GitHub, for a higher limit"`

	Contact    string         `name:"contact" help:"Your e-mail address or URL, for free services that ask for one"`
	EngineURLs map[string]URL `name:"engine-urls" env:"DEEPRESEARCH_<ENGINE>_URL" help:"Scheme and host to use for an engine instead of its own; the path stays"`

	Servers map[string]MCPServer `name:"mcp-servers" env:"none" help:"MCP servers to search with: a table [mcp-servers.NAME] each; docs/engines.md has its keys"`
	Weights map[string]Weight    `name:"sources.weights" help:"Trust in sites, as host=N: above 0 lifts a host up to 1, below 0 drops it; in the file a table [sources.weights]"`

	PrivateFilter bool     `name:"private-filter" on:"ask" help:"Take payment cards, keys, mail addresses and phone numbers out of queries before they go to engines"`
	PrivateWords  []Phrase `name:"private-words" help:"Words and phrases of your own to take out too; naming any switches private-filter on"`
}

// FiltersPrivate reports whether queries go through the filter of private data.
func (c Config) FiltersPrivate() bool {
	return c.Search.PrivateFilter || len(c.Search.PrivateWords) > 0
}

// Crawl holds how pages are fetched and read.
type Crawl struct {
	Mode       string        `name:"mode" on:"crawl" oneof:"page,site,sitemap,map" default:"page" help:"The pages named, those of a site by its links or its sitemap, or a list of its pages"`
	Depth      int           `name:"depth" on:"crawl" min:"0" max:"10" default:"2" help:"Links to follow from the first page of a site"`
	Query      string        `name:"query" on:"crawl" help:"Keep the passages that answer this"`
	Timeout    time.Duration `name:"timeout" on:"crawl" min:"1" max:"600" help:"Seconds for one page"`
	Proxy      URL           `name:"proxy" on:"ask" help:"Proxy for pages; HTTP_PROXY and the like are ignored"`
	AllowHosts []HostPort    `name:"allow-hosts" help:"Private addresses that may be fetched, each as host:port"`
}

// Limits are the hard limits of a run.
type Limits struct {
	Seconds     int     `name:"max-seconds" on:"ask" min:"1" max:"86400" help:"Seconds of work" means:"by effort: 45, 180, 1200"`
	Tokens      int     `name:"max-tokens" on:"report" min:"1" max:"1000000000" help:"Tokens, read and written together"`
	Cost        float64 `name:"max-cost" on:"ask" min:"0.0001" max:"10000" help:"US dollars" means:"by effort: 0.05, 0.50, 3.00"`
	Calls       int     `name:"max-calls" on:"ask" min:"1" max:"100000" help:"Calls of models" means:"by effort: 6, 30, 150"`
	Searches    int     `name:"max-searches" on:"ask" min:"1" max:"100000" help:"Queries sent to engines" means:"by effort"`
	Pages       int     `name:"max-pages" on:"report" min:"1" max:"100000" help:"Pages fetched" means:"by effort"`
	Concurrency int     `name:"concurrency" on:"ask" min:"1" max:"256" help:"Model calls, searches and pages at once, so many each" means:"4, 8 and 8"`
}

// Output holds where a result goes.
type Output struct {
	Format string `name:"format" on:"report,result" oneof:"md,json,html,csl,bibtex,ris,replay" default:"md" help:"Form of the report; replay is for runs export"`
	Out    string `name:"out" on:"ask,result" help:"Write the result to this file" means:"stdout"`
}

// Server holds how hosts are served.
type Server struct {
	Listen     Listen        `name:"listen" on:"http" default:"127.0.0.1:8080" help:"Address to serve HTTP on; port 0 takes a free one"`
	Tokens     []Secret      `name:"http-token" help:"Bearer tokens that HTTP callers must show one of"`
	Hosts      []string      `name:"http-host" on:"http" like:"host" help:"A further name under which HTTP callers reach this server"`
	Origins    []string      `name:"http-origin" on:"http" help:"A web page that may call, as https://example.org"`
	FilesRoots []string      `name:"files-root" on:"server" sep:"none" help:"A folder that calls may name files under"`
	Toolsets   []string      `name:"toolset" on:"server" oneof:"chatgpt" help:"Further tools to offer"`
	MaxWait    time.Duration `name:"max-wait" on:"server" min:"1" max:"3600" default:"45" help:"Seconds a call waits for its run before it answers with the next step"`
}

// For returns the model of one role: plan, search, reflect, write or judge. A
// role without a model of its own has the one for all.
func (m Models) For(role string) Model {
	own := map[string]Model{"plan": m.Plan, "search": m.Search, "reflect": m.Reflect, "write": m.Write, "judge": m.Judge}[role]
	if m.NoModel {
		return Model{BackEnd: NoBackEnd}
	}
	if own == (Model{}) {
		return m.All
	}
	return own
}

// Secrets returns the texts of all secrets that are set, for masking them in
// what is printed.
func (c Config) Secrets() []string {
	var texts []string
	add := func(s Secret) {
		if s.IsSet() {
			texts = append(texts, s.Reveal())
		}
	}
	for _, f := range allFields() {
		switch value := reflect.ValueOf(c).FieldByIndex(f.index).Interface().(type) {
		case Secret:
			add(value)
		case []Secret:
			for _, s := range value {
				add(s)
			}
		case map[string]MCPServer:
			for _, server := range value {
				for _, table := range []map[string]Secret{server.Env, server.Headers} {
					for _, s := range table {
						add(s)
					}
				}
			}
		}
	}
	return texts
}

// Key returns the secret that a variable of the environment holds, such as
// TAVILY_API_KEY, wherever the user has written it down; ok is false when no
// setting has that variable.
func (c Config) Key(variable string) (key Secret, ok bool) {
	for _, f := range allFields() {
		if f.Kind == Text && f.Secret && slices.Contains(f.Env, variable) {
			return reflect.TypeAssert[Secret](reflect.ValueOf(c).FieldByIndex(f.index))
		}
	}
	return Secret{}, false
}
