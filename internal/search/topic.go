package search

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The topics that engines are chosen by.
const (
	General      = "general"
	Academic     = "academic"
	Medical      = "medical"
	Code         = "code"
	News         = "news"
	Finance      = "finance"
	Law          = "law"
	Encyclopedia = "encyclopedia"
	Statistics   = "data"
	Travel       = "travel"
)

// Topics are the topics a query may name.
var Topics = []string{General, Academic, Medical, Code, News, Finance, Law, Encyclopedia, Statistics, Travel}

// KnownTopic reports whether topic is one of [Topics].
func KnownTopic(topic string) bool { return slices.Contains(Topics, topic) }

// subject is what speaks for a topic: words that decide alone, and words of
// which two are needed.
type subject struct {
	topic        string
	clear, vague *regexp.Regexp
}

// subjects are in order of precedence between equals. They are compiled when
// the first query comes.
var subjects = sync.OnceValue(func() []subject {
	return []subject{
		subjectOf(Code, `api|sdk|npm|pip install|golang|typescript|javascript|python|rust crate|java|kotlin|kubernetes|docker|github|stack ?overflow|segfault|nullpointerexception|stack trace|compiler|regex|sql query|postgres\w*|sqlite|git (?:rebase|merge|commit)|open[- ]source|async/await|goroutines?|webassembly`,
			`error|exception|library|framework|function|code|programming|implement\w*|bug|package|runtime|server|database|query|class|thread\w*|benchmark\w*|release notes|deploy\w*|linux`,
			`编程|代码|源码|开源|报错|编译|框架源码|接口文档`, `程序|函数|部署|数据库|框架|服务器|算法`),
		subjectOf(Medical, `clinical trials?|patients?|symptoms?|diagnos\w+|vaccin\w+|side effects?|dosage|chemotherapy|diabetes|cancer|alzheimer\w*|hypertension|covid\w*|placebo|pharmac\w+|epidemiolog\w+|cochrane|pubmed`,
			`treatments?|disease\w*|drugs?|therap\w+|medical|medicine|health|infection\w*|syndrome|dose|blood|heart|brain|surgery|safety|efficacy`,
			`患者|症状|临床|疫苗|药物|副作用|糖尿病|癌症|高血压|诊断`, `治疗|疾病|医学|健康|手术|感染`),
		subjectOf(Academic, `papers?|arxiv|preprints?|literature review|peer[- ]reviewed|meta-analys[ei]s|citations?|doi|systematic review|survey of|state of the art|theorem|proceedings|journal article|scholar\w*`,
			`research|stud(?:y|ies)|theory|model|learning|neural|quantum|attention|algorithm\w*|mechanism|hypothesis|experiment\w*|analysis|physics|chemistry|biology|evidence`,
			`论文|文献综述|学术|期刊|预印本|综述`, `研究|理论|机制|实验|模型|算法|量子|神经网络`),
		subjectOf(News, `news|breaking|headlines?|announced|yesterday|today|this week|latest on|election results?|press release`,
			`latest|recent|update|launch\w*|report(?:ed|s)?|minister|president|war|strike|protest\w*|deal`,
			`新闻|快讯|今日|昨日|头条|通报`, `最新|近日|发布|宣布|本周|事件`),
		subjectOf(Finance, `stocks?|share price|earnings|dividends?|10-k|ipo|etf|bonds?|interest rates?|central bank|hedge fund|market cap\w*|balance sheet|revenue|forex|mortgage`,
			`market|invest\w*|price|bank|economy|inflation|company|profit|fund|trading|quarter|currency|tax`,
			`股票|股价|财报|基金|市值|利率|融资|上市公司|央行`, `市场|投资|价格|银行|经济|通胀|利润`),
		subjectOf(Law, `laws?|lawsuit|court|supreme court|statute|regulation|gdpr|ai act|copyright|patent|litigation|constitution\w*|jurisdiction|plaintiff|legal`,
			`rights|ruling|judge|compliance|contract|liability|directive|article|bill|privacy|license`,
			`法律|法规|法院|判决|诉讼|条例|宪法|著作权|专利|合同法`, `合规|条款|权利|责任|监管`),
		subjectOf(Statistics, `gdp|population|per capita|statistics|unemployment rate|birth rate|life expectancy|emissions|census|world bank|oecd|time series|indicator|literacy rate`,
			`rate|growth|percent\w*|figures|numbers|data|by country|since \d{4}|index|average|total`,
			`人口|统计数据|国内生产总值|人均|失业率|出生率|排放量`, `数据|增长率|比例|指数|历年`),
		subjectOf(Travel, `travel|itinerary|things to do|hotels?|flights?|visa requirements?|sightseeing|tourist\w*|tourism|backpacking|day trip|where to stay`,
			`visit|trip|beach|museum|city|airport|train|restaurants?|guide|weather|best time`,
			`旅游|旅行|攻略|景点|酒店|签证|行程|自由行`, `游玩|美食|机票|住宿|交通`),
		subjectOf(Encyclopedia, `who (?:is|was|were)|what (?:is|was|are) (?:a|an|the)|history of|biography|definition of|meaning of|capital of|born in|founded in|invented`,
			`history|origin|known for|century|ancient|empire|born|founder`,
			`是什么|是谁|历史|简介|百科|定义|含义|首都`, `起源|朝代|世纪|发明|创始人`),
	}
})

func subjectOf(topic, clear, vague, clearHan, vagueHan string) subject {
	compile := func(latin, han string) *regexp.Regexp {
		return regexp.MustCompile(`\b(?:` + latin + `)\b|` + han)
	}
	return subject{topic, compile(clear, clearHan), compile(vague, vagueHan)}
}

// Classify returns the one or two topics that the words of a query speak for,
// the stronger first, and [General] when they speak for none. A wrong topic
// costs little: general engines are asked whatever the topic.
func Classify(query string) []string {
	const sure = 2
	query = strings.ToLower(query)
	type scored struct {
		topic string
		score int
	}
	var found []scored
	for _, s := range subjects() {
		score := sure*len(unique(s.clear.FindAllString(query, 8))) + len(unique(s.vague.FindAllString(query, 8)))
		if score >= sure {
			found = append(found, scored{s.topic, score})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return b.score - a.score })
	var topics []string
	for _, f := range found[:min(len(found), 2)] {
		topics = append(topics, f.topic)
	}
	if len(topics) == 0 {
		return []string{General}
	}
	return topics
}

func unique(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}
