package safe

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// orderRule finds one kind of order in a folded sentence.
type orderRule struct {
	near     []stemSet // a sentence the rule may match has a stem of each
	re       *regexp.Regexp
	anywhere bool // an order wherever it stands, not only at a clause's start
}

// orderBook is the compiled table of rules. One pass over a sentence finds the
// stems in it, which spares nearly every sentence every pattern.
type orderBook struct {
	rules  []orderRule
	stems  []string
	used   [64]uint64     // a bit for each bucket with stems
	starts [4096][]uint16 // indexes into stems by bucket of the first two bytes
}

func bucket(a, b byte) int { return (int(a)<<5 ^ int(b)) & 4095 }

// stemSet is a set of indexes into orderBook.stems.
type stemSet [8]uint64

func (s *stemSet) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s *stemSet) meets(o *stemSet) bool {
	for i := range s {
		if s[i]&o[i] != 0 {
			return true
		}
	}
	return false
}

// stemsIn returns the stems that occur in s.
func stemsIn[S string | []byte](b *orderBook, s S) (found stemSet) {
	for i := 0; i+1 < len(s); i++ {
		at := bucket(s[i], s[i+1])
		if b.used[at/64]&(1<<(at%64)) == 0 {
			continue
		}
		for _, k := range b.starts[at] {
			if stem := b.stems[k]; i+len(stem) <= len(s) && string(s[i:i+len(stem)]) == stem {
				found.add(int(k))
			}
		}
	}
	return found
}

// near reports whether any rule applies to a sentence with these stems.
func (b *orderBook) near(found *stemSet) bool {
	if *found == (stemSet{}) {
		return false
	}
	return slices.ContainsFunc(b.rules, func(r orderRule) bool { return r.applies(found) })
}

func (r *orderRule) applies(found *stemSet) bool {
	for i := range r.near {
		if !r.near[i].meets(found) {
			return false
		}
	}
	return true
}

// Word classes of the English rules.
const (
	drop      = `(?:ignore|disregard|forget|override|bypass|neglect|abandon|discard|(?:do not|don't|never) (?:follow|obey|listen to)|stop (?:following|obeying))`
	earlier   = `(?:previous|previously|prior|preceding|above|earlier|foregoing|existing|original|initial|other|all|any|every|your|my|system|safety)`
	guidance  = `(?:instructions?|prompts?|directions?|directives?|commands?|guidelines|guidance|rules|programming|training|constraints|restrictions|policies|context|system message)`
	reader    = `(?:ai|a\.i\.|llm|language model|large language model|chatbot|chat bot|ai assistant|ai agent|ai model|ai system|assistant|gpt|chatgpt|claude|gemini|copilot)s?`
	answering = `(?:respond|reply|answer|output|print|say|write|return|repeat|speak|act|behave)`
	ourTools  = `(?:deep_research|web_search|research_result|research_status|research_cancel)`
)

// orderSpecs is the table of rules. Patterns see folded text: lower
// case, single spaces, ASCII quotation marks, simplified Chinese.
var orderSpecs = [...]struct {
	stems    string // groups separated by &, alternatives by ;
	pattern  string
	anywhere bool
}{
	// Dropping what the model was told.
	{stems: "ignore;disregard;forget;override;bypass;neglect;abandon;discard;follow;obey;listen to&instruction;prompt;direct;command;guid;rules;programming;training;constraint;restriction;polic;context;system message",
		pattern: drop + `\b (?:[\w'-]+ ){0,3}?` + earlier + `\b (?:[\w',-]+ ){0,5}?` + guidance + `\b`},
	{stems: "ignoreall;ignoreprev;ignoretheab;disregard;forgetall;forgetprev;ignoreany",
		pattern: `(?:ignore|disregard|forget)(?:all|any|the)*(?:previous|prior|above|earlier)(?:instruction|prompt|rule|direction)`, anywhere: true},
	{stems: "ignore;disregard;forget;override;bypass;neglect;abandon;discard;follow;obey;listen to&above;before;told;said;so far",
		pattern: drop + ` (?:absolutely )?(?:everything|anything|all|what)(?: that)?(?: was| is| has been| came)?(?: (?:written|said|stated))? (?:above|before (?:this|now)|so far|you (?:were|have been|was) (?:told|given|instructed)|i (?:said|told you))`},
	{stems: "new ;updated ;revised ;real ;actual ;hidden ;secret &instruction;prompt;task;objective", pattern: `(?:begin |start of |here are |these are |follow (?:these|the) )?(?:your )?(?:new|updated|revised|real|actual|hidden|secret) (?:system )?(?:instructions?|prompt|task|objective)s?(?: for (?:you|the ` + reader + `))?(?: (?:is|are|begins?|follows?))? ?[:=]`},
	{stems: "instead&the word;the phrase;the following", pattern: answering + ` (?:only )?the (?:word|phrase|following) [^.]{0,60} instead`},

	// Becoming someone else.
	{stems: "you are now;you're now;you are no longer;you're no longer", pattern: `you(?: a|')re (?:now|no longer) (?:[\w'-]+ ){0,4}?(?:` + reader + `|dan|bot|model|agent|unrestricted|jailbroken|unfiltered|uncensored|bound|(?:developer|admin|god|debug|root|sudo) mode|maintenance mode)\b`, anywhere: true},
	{stems: "from now on;from this point;henceforth", pattern: `(?:from now on|from this point (?:on|forward|onward)|henceforth),? (?:you (?:are to|must|will|shall|should)(?: only| always| never)? )?` + answering + `\b`},
	{stems: "act as;pretend;roleplay;role-play;behave as;simulate&dan;un;jailbroken;evil;system admin;without;developer mode", pattern: `(?:act as|pretend (?:to be|that you are|you are)|role-?play as|behave as|simulate(?: being)?) (?:if you were )?(?:an? |the )?(?:[\w'-]+ ){0,2}?(?:dan|unrestricted|unfiltered|uncensored|jailbroken|evil|system administrator|ai without|model without|developer mode)\b`},
	{stems: "as an ai;as a large language;as a language model;as an artificial;as the ai", pattern: `as (?:an|the|a) (?:ai|artificial intelligence|large language model|language model)(?: language)?(?: model| assistant| agent| system)?(?: reading [\w ]{1,30})?,? (?:you|your|i) `, anywhere: true},
	{stems: "if you;when you;since you;because you;whenever you&ai;a.i.;llm;model;bot;gpt;claude;gemini;copilot;assistant;agent;crawler", pattern: `(?:if|when|since|because|whenever) you(?: are|'re) (?:an? |the )?(?:(?:autonomous|helpful|automated|artificial|web|large|another|some|not human|kind of) ){0,2}(?:` + reader + `|bot|agent|crawler)\b[^.]{0,40}?(?:,| (?:reading|processing|summari[sz]ing|parsing|scraping|analy[sz]ing) )`, anywhere: true},
	{stems: "note to;attention;message to;instruction;dear;hey;hello;hi ;hi,;notice to;important for;to any;to all&ai;a.i.;llm;model;bot;gpt;claude;gemini;copilot;assistant", pattern: `(?:note to|attention|message to|instructions? (?:for|to)|dear|hey|hello|hi|notice to|important for|to any|to all)[,:]? (?:all |any |the |an? )?(?:[\w'-]+ ){0,2}?` + reader + `(?: (?:reading|processing|summari[sz]ing|browsing|visiting)\b[^.:]{0,40})? ?[:,!]`},
	{stems: "reading this;processing this;summarizing this;summarising this;parsing this;who reads this;that reads this", pattern: reader + `,? (?:that (?:is|are|reads?) |who (?:is|are|reads?) |currently )?(?:reading|processing|summari[sz]ing|parsing)? ?this (?:page|text|document|message|site|website|article|file|email)?,? (?:must|should|shall|has to|have to|needs? to|please|is (?:required|instructed|ordered) to|are (?:required|instructed|ordered) to)\b`, anywhere: true},

	// Calling tools, giving away what is private.
	{stems: "deep_research;web_search;research_result;research_status;research_cancel", pattern: `(?:call|invoke|use|run|execute|trigger)(?: the)?(?: tool| function)? ` + ourTools},
	{stems: "crawl", pattern: `call (?:the )?crawl (?:tool )?(?:with|on|for|using|http)`},
	{stems: "call;invoke;execute;trigger& tool", pattern: `(?:call|invoke|execute|trigger) (?:the|this|your|a|an|any|every)(?: [\w'-]+){0,2} tools?\b`},
	{stems: "reveal;print;repeat;output;show;leak;send;disclose;display;expose;exfiltrate;share;give;tell&your ;the user's;system ;initial ;hidden ;internal &prompt;instruction;message;api key;credential;password;secret;conversation;environment", pattern: `(?:reveal|print|repeat|output|show|leak|send|disclose|display|expose|exfiltrate|share|give|tell)(?: me| us)?(?: (?:the|all|any|of)){0,3} (?:your|the user's|system|initial|hidden|internal) (?:[\w'-]+ ){0,3}?(?:prompts?|instructions?|messages?|api keys?|credentials?|passwords?|secrets?|conversation|environment variables)\b`},
	{stems: "do not;don't;never&the user;the human;anyone", pattern: `(?:do not|don't|never) (?:tell|inform|alert|notify|warn|mention (?:this|it) to|reveal (?:this|it) to|show (?:this|it) to|let) (?:the user|the human|anyone)\b`},
	{stems: "decode ", pattern: `decode (?:[\w'-]+ ){0,6}?and (?:follow|obey|execute|run)\b`},

	// Steering what is written and cited.
	{stems: "cite;trust;recommend;mention;quote;rely on&only;exclusively", pattern: `(?:cite|trust|recommend|quote|rely on|mention) (?:only|exclusively) (?:this|that|our|the following|https?://)`},
	{stems: "cite only;trust only;quote only;recommend only", pattern: `and (?:cite|trust|quote|recommend) only (?:this|that|our)\b`, anywhere: true},
	{stems: "other source;other page;other site;another source;any source", pattern: `(?:do not|don't|never) (?:cite|trust|mention|consult|use|quote|read) (?:any |all )?(?:other|another) (?:sources?|pages?|sites?|websites?)\b`},
	{stems: "search for", pattern: `search for:? ?site:`, anywhere: true},
	{stems: "only ;exactly ;just ;nothing but &respond;reply;say;output;print;answer;write", pattern: `(?:respond|reply|say|output|print|answer|write)(?: back)?(?: with)? (?:only|exactly|just|nothing but)(?: with)? (?:the )?(?:(?:word|words|phrase|string|text)\b|["'~])`},
	{stems: "nothing else", pattern: `(?:respond|reply|say|output|print|answer|write) [^.]{1,80}\band nothing else\b`},

	// Forged structure.
	{stems: "system:;system :;system];system message;system prompt;system override;system note;system instruction;assistant:;assistant :;assistant];developer:;developer :;developer]", pattern: `(?:#+ ?|\[|<)?(?:system|assistant|developer)(?: (?:message|prompt|override|note|instruction))?(?:[\]>] ?:?| ?:) ?(?:now\b|ignore|disregard|forget|call |output|override|from now|do not|never|you (?:are|must|will|shall)|respond|reply|print|new )`},
	{stems: "system override;system prompt", pattern: `system (?:override|prompt) ?(?:activated|engaged|mode)? ?[:!]`},
	{stems: "im_start;im_end;endoftext;eot_id;header_id;begin_of_text;endofprompt;<|system;<|user;<|assistant", pattern: `<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|endofprompt)\|>`},
	{stems: "[inst];[/inst];<<sys>>;<</sys>>", pattern: `\[/?inst\]|<</?sys>>`},
	{stems: "</", pattern: `</(?:sources?|documents?|system|assistant|user|instructions?|context|page|passages?|quotes?|untrusted|tool_call|tool_result|function_calls?|function_results|thinking|search_results?)> ?(?:$|</?[a-z_]+>|\W{0,3}(?:system|assistant|user|human|new|now|ignore|important)\b)`},
	{stems: "tool_call;function_call;<invoke;<system;<assistant", pattern: `<(?:tool_calls?|function_calls?|invoke name=|system|assistant)[^>]{0,40}>`},
	{stems: "end of;begin;start of;end &prompt;context;system;instruction;untrusted;user;result;document", pattern: `\W{2,}(?:end|begin|beginning|start) (?:of )?(?:the )?(?:system prompt|system|context|instructions?|untrusted (?:content|text|input)|user (?:input|message)|search results?|documents?|prompt)\W*$`},

	// Chinese.
	{stems: "指令;指示;提示;命令;规则;要求;设定;限制;约束", pattern: `(?:忽略|无视|忘记|忘掉|不要?理会|不要?遵循|不要?遵守|抛弃|丢弃|放弃|绕过|覆盖|停止遵循|停止执行)(?:掉|一下)?[^。，；,.!！“”"]{0,8}?(?:以上|之前|先前|上面|前面|上述|此前|以前|前述|一切|所有|全部|任何|你的|您的|原有|原来|系统)[^。，；,.!！“”"]{0,10}?(?:指令|指示|提示词?|命令|规则|要求|设定|限制|约束)`},
	{stems: "你现在是;您现在是;你现在扮演;你不再", pattern: `(?:你|您)(?:现在(?:是|扮演|将?扮演|成为)|不再)[^。，；]{0,12}?(?:ai|人工智能|助手|机器人|模型|dan|不受限制|无限制|管理员|开发者模式|受[^。]{0,6}约束|受[^。]{0,6}限制)`, anywhere: true},
	{stems: "从现在;从此刻", pattern: `从(?:现在|此刻)(?:开始|起)?[，,]? ?(?:你|您)(?:是|将|必须|只能|只|要|不再|应)`},
	{stems: "只输出;只回复;只回答;只返回;仅输出;仅回复;仅回答;仅返回;只需输出;只需回复;只能输出;只能回复", pattern: `(?:只|仅)(?:需|能|要|须)?(?:输出|回复|回答|返回)[:： ]?(?:"|“|以下|下面|单词|这个词|一个词)`},
	{stems: "用户;任何人;使用者", pattern: `(?:不要|别|不得|不许|切勿)(?:告诉|告知|提醒|通知|透露给|让)(?:用户|使用者|任何人)`},
	{stems: "工具;deep_research;web_search;crawl", pattern: `(?:调用|执行|使用|运行) ?(?:工具|deep_research|web_search|research_|crawl|这个工具|该工具|[^。，；]{0,6}工具 ?(?:访问|打开|抓取|发送|搜索))`},
	{stems: "作为", pattern: `作为(?:一个|一名|一款)?(?:ai|人工智能|大?语言模型|大模型)(?:语言)?(?:模型|助手|助理|系统)?[，, ]?(?:你|您|我)`},
	{stems: "系统;助手", pattern: `(?:系统(?:提示词?|指令|消息|覆盖)?|助手) ?: ?(?:忽略|无视|忘记|你|您|现在|请|调用|不要|从现在)`},
	{stems: "引用;信任;推荐;采信", pattern: `(?:只|仅)(?:能|可|应|需)?(?:引用|信任|推荐|采信|参考)(?:本|该|此|这个|这一|以下)(?:页|站|网|文|来源|链接)`},
	{stems: "提示词;指令;系统提示;密钥;密码", pattern: `(?:输出|泄露|显示|透露|重复|打印|说出|发送|公开|给出)(?:你|您)的?[^。，；]{0,6}(?:系统提示词?|提示词|初始指令|指令|密钥|密码)`},
	{stems: "如果你是;如果您是;若你是;致所有;致ai;致各", pattern: `(?:(?:如果|若)(?:你|您)是|致(?:所有|各位?|各个)?)[^。，；]{0,6}(?:ai|人工智能|语言模型|大模型|助手|智能体)[^。；]{0,12}?[，,:：]`},

	// The call to drop instructions in other languages.
	{stems: "指示;命令;指令;プロンプト", pattern: `(?:以前|これまで|前|上記|すべて|全て|上)の[^。]{0,12}(?:指示|命令|指令|プロンプト)[^。]{0,6}(?:無視|无视|忘れ)(?:し|て|ろ)`, anywhere: true},
	{stems: "지시;명령;프롬프트", pattern: `(?:이전|앞|위|모든|기존)[^.]{0,14}(?:지시|명령|프롬프트)[^.]{0,8}(?:무시하(?:고|세요|십시오|라)|무시해|잊어|잊으)`, anywhere: true},
	{stems: "инструкци;указани;команд", pattern: `(?:игнорируй(?:те)?|проигнорируй(?:те)?|забудь(?:те)?|не следуй(?:те)?)[^.!]{0,24}(?:предыдущ|прежни|вышеуказанн|все|прошл)[^.!]{0,24}(?:инструкци|указани|команд)`},
	{stems: "ignor;olvid;esque;dimentica;desconsid&instruc;instruç;istruz;órdenes;ordini", pattern: `(?:ignora(?:d|r|te)?|ignore|olvid[ae]|esqueça|dimentica|desconsidere)(?: [\p{L}]+){0,4} (?:instrucciones|instruções|istruzioni|órdenes|ordini)(?: [\p{L}]+){0,2} (?:anterior(?:es)?|previas?|precedenti|acima|arriba)`},
	{stems: "ignore;oubli;ne su&instruction;consigne", pattern: `(?:ignore[zr]?|oublie[zr]?|ne (?:suis|suivez) pas)(?: [\p{L}]+){0,3} (?:instructions|consignes)(?: [\p{L}]+){0,2} (?:précédentes|antérieures|ci-dessus)`},
	{stems: "anweisung;instruktion;befehl", pattern: `(?:ignorier(?:e|en sie|t)?|vergiss|vergessen sie|missachte)(?: [\p{L}]+){0,3} (?:vorherigen|bisherigen|vorigen|obigen|früheren|vorangegangenen|vorhergehenden) (?:anweisungen|instruktionen|befehle)`},
}

// orders compiles the table once, at first use.
var orders = sync.OnceValue(func() *orderBook {
	b := &orderBook{}
	index := map[string]int{}
	for _, spec := range orderSpecs {
		r := orderRule{re: regexp.MustCompile(spec.pattern), anywhere: spec.anywhere}
		for group := range strings.SplitSeq(spec.stems, "&") {
			var set stemSet
			for stem := range strings.SplitSeq(group, ";") {
				if _, known := index[stem]; !known {
					index[stem] = b.learn(stem)
				}
				set.add(index[stem])
			}
			r.near = append(r.near, set)
		}
		b.rules = append(b.rules, r)
	}
	return b
})

// learn adds a stem of two bytes or more and returns its index.
func (b *orderBook) learn(stem string) int {
	k := len(b.stems)
	b.stems = append(b.stems, stem)
	at := bucket(stem[0], stem[1])
	b.used[at/64] |= 1 << (at % 64)
	b.starts[at] = append(b.starts[at], uint16(k))
	return k
}
