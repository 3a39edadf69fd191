package citations

import (
	"strings"

	"deepresearch/internal/text"
)

// lexicon tells what the words of a sentence are good for when two sentences are
// compared: which name what is stated, which only frame it, and which narrow or
// weaken it. It is short on purpose and covers English, German, French, Chinese
// and Japanese.
type lexicon struct {
	aspects map[string]string // word to what it states: "tall" is "height"
	frame   map[string]bool   // words that change no subject
	weak    map[string]bool   // words of doubt, plans, averages and parts
	scope   map[string]bool   // prepositions that open a restriction
	clause  map[string]bool   // conjunctions that do
	wide    []wideWord        // words of scripts without blanks, longest first where one begins another
}

// wideWord is a word of a script without blanks: an aspect, or else weak, or
// else frame.
type wideWord struct {
	word, aspect string
	weak         bool
}

// aspectWords are the ways to say what a figure, a date or a denial is about;
// figures of different aspects do not disagree. Words of scripts without blanks
// stand behind the bar.
const aspectWords = `
open: open opened opens opening inaugurated inauguration eingeweiht einweihung eröffnet eröffnung inauguré inaugurée ouvert ouverte ouverture | 通车 开通 开业 開通 開業
build: build built building construction constructed erected erbaut gebaut errichtet bau construit construite | 建成 竣工 建造 完成
begin: started begun began begonnen begann baubeginn commencé débuté | 开工 动工 着工
found: founded founding established gegründet gründung fondé fondée fondation créé créée | 成立 创立 创办 設立 創業
sign: signed signing signature unterzeichnet unterzeichnung signé signée | 签署 签订 調印
ratify: ratified ratification ratifiziert ratifié | 批准
release: released release published veröffentlicht erschienen publié publiée paru | 发布 公開 リリース
death: killed deaths died dead toll fatalities tote toten starben morts décès | 死亡 死者
injury: injured injuries wounded verletzt verletzte blessés | 受伤 負傷者
height: high height tall elevation altitude highest summit peak hoch höhe haut haute hauteur | 海拔 高度 标高 標高 高さ
length: long length longest lang länge longueur longue | 全长 长度 全長 長さ
width: wide width broad breit breite largeur | 宽度 幅
depth: deep depth tief tiefe profondeur profond | 深度 水深
span: span spans spannweite portée | 主跨 跨度
area: area fläche superficie | 面积 面積
weight: weighs weight mass wiegt gewicht poids pèse | 重量
capacity: capacity seats seat seating holds kapazität capacité | 容量 座位
visits: attended attendance visitors visited came besucher visiteurs | 客流 来場者
staff: employs employed employees workforce staff beschäftigt mitarbeiter beschäftigte emploie salariés effectif | 员工 従業員
revenue: revenue revenues turnover sales umsatz affaires | 营收 营业额 收入 売上高 売上
profit: profit profits earnings gewinn bénéfice | 利润 利益
cost: cost costs price priced kosten kostet preis coût coûté coûte prix | 造价 成本 費用
budget: budget budgeted haushalt | 预算 予算
people: population inhabitants residents einwohner bevölkerung habitants | 人口
tries: retry retries retried attempt attempts attempted versuche tentatives | 重试 再試行
wait: timeout waits waited wartet expires läuft délai | 超时 タイムアウト
need: requires require required needs need needed minimum benötigt nötig erfordert voraus exige nécessite requiert | 需要 要求
support: supports supported support unterstützt unterstützung | 支持 対応
tested: tested tests getestet testé | 测试
`

// frameWords say nothing about the subject: bounds, approximations, and verbs
// that hold any statement together.
const frameWords = `least most maximum minimum max min default newer later older higher lower recent neuer höher höchstens
	mindestens maximal standardmäßig récent environ rund etwa circa ca about roughly around approximately nearly almost over
	exactly year years month months day days jahr jahre jahren fand statt date dates an année run runs fonctionne
	ran take takes took beträgt liegt lag gilt leben gibt hat effectue gives says said shows show note observation observations
	according measure measures measured totals total counted lasts stands remains became becomes
	reach reached reaches reported recorded erreicht erreichte erzielte atteint atteignait réalisé partir avant après vor nach
	now today currently still also its their gets | 为 是 达到 达 约 大约 的 于 在 共 有 正式 目前 截至 超过 将近 左右 至 和 了 该 其 同比 环比 最大 最多 默认 月份 增长 上升 下降 下滑 増加 減少 低下`

// weakWords make a statement less than a plain one, or one about a part or a
// mean. A plain statement and a weak one do not contradict each other.
const weakWords = `may might could possibly perhaps probably likely potentially experimental expected expects expect forecast
	forecasts projected planned plans budgeted originally initially target goal average averages averaged mean median typical
	typically partly partially among davon darunter möglicherweise vielleicht voraussichtlich geplant erwartet ursprünglich
	durchschnittlich teilweise könnte dont peut pourrait probablement prévu prévoit moyenne initialement partiellement
	| 可能 或许 预计 计划 平均 预期 其中 部分 かもしれ 予定 見込 平均 うち`

// scopeWords open a phrase that says for whom, where or when a statement holds.
const scopeWords = `for in among on at with within during inside outside under für bei in im auf mit während unter pour dans chez
	sur parmi avec pendant lors`

// clauseWords open a condition.
const clauseWords = `if unless where when while wenn falls si quand`

// eventAspects happen once: a number of four digits beside them is a year.
var eventAspects = []string{"open", "build", "begin", "found", "sign", "ratify", "release"}

var words = readLexicon()

func readLexicon() lexicon {
	l := lexicon{aspects: map[string]string{}, frame: map[string]bool{}, weak: map[string]bool{}, scope: map[string]bool{}, clause: map[string]bool{}}
	for line := range strings.Lines(strings.TrimSpace(aspectWords)) {
		aspect, list, _ := strings.Cut(strings.TrimSpace(line), ":")
		spaced, wide, _ := strings.Cut(list, "|")
		for w := range strings.FieldsSeq(spaced) {
			l.aspects[termOf(w)] = aspect
		}
		for w := range strings.FieldsSeq(wide) {
			l.wide = append(l.wide, wideWord{word: w, aspect: aspect})
		}
	}
	for _, kind := range []struct {
		list string
		to   map[string]bool
		weak bool
	}{{weakWords, l.weak, true}, {frameWords, l.frame, false}, {scopeWords, l.scope, false}, {clauseWords, l.clause, false}} {
		spaced, wide, _ := strings.Cut(kind.list, "|")
		for w := range strings.FieldsSeq(spaced) {
			kind.to[termOf(w)] = true
		}
		for w := range strings.FieldsSeq(wide) {
			l.wide = append(l.wide, wideWord{word: w, weak: kind.weak})
		}
	}
	return l
}

// termOf is the form under which a word is compared.
func termOf(word string) string {
	tokens := text.Tokens(word)
	if len(tokens) == 0 {
		return word
	}
	return tokens[0].Term
}
