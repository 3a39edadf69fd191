package write

import "strings"

// phrases are the words of a report that code writes, in one language.
type phrases struct {
	notFound, disagree, about, limits string // headings; about opens a line
	aspect, date, event               string // of tables
	early                             string // with the name of a budget
	mixed, oneSource, unjudged        string
	smallTalk                         string // why nothing was searched
	calculations, programs            string // headings
	input, value                      string // of tables
	stop                              string // full stop
	open, close                       string // quotation marks
}

var phrasesIn = map[string]phrases{
	"en": {
		notFound: "What was not found", disagree: "Sources disagree", about: "About: ", limits: "Limits of this report",
		aspect: "Aspect", date: "Date", event: "What happened",
		early:        "Searching ended early, because the budget of %s was spent.",
		mixed:        "Parts of this report are plain quotations, because no model wrote them.",
		oneSource:    "Everything here rests on a single source.",
		unjudged:     "Its sentences were compared with their sources by words and figures; no second model read them.",
		calculations: "Calculations", programs: "How it was calculated", input: "Input", value: "Value", stop: ".",
		smallTalk: "That is a greeting and no question, so nothing was searched. Ask what you want to know.",
		open:      "“", close: "”",
	},
	"zh": {
		notFound: "未找到的内容", disagree: "来源之间的分歧", about: "关于：", limits: "本报告的局限",
		aspect: "方面", date: "日期", event: "事件",
		early:        "由于预算（%s）已用完，检索提前结束。",
		mixed:        "本报告的部分内容为原文引用，并非由模型撰写。",
		oneSource:    "全部内容仅依据一个来源。",
		unjudged:     "各句仅按词语和数字与来源作了比对，没有由另一个模型复核。",
		calculations: "计算结果", programs: "计算方法", input: "输入", value: "数值", stop: "。",
		smallTalk: "这只是问候，不是问题，因此没有检索。请说出您想了解的内容。",
		open:      "“", close: "”",
	},
	"de": {
		notFound: "Was nicht gefunden wurde", disagree: "Quellen widersprechen sich", about: "Thema: ", limits: "Grenzen dieses Berichts",
		aspect: "Aspekt", date: "Datum", event: "Was geschah",
		early:        "Die Suche endete vorzeitig, weil das Budget (%s) verbraucht war.",
		mixed:        "Teile dieses Berichts sind reine Zitate, weil kein Modell sie geschrieben hat.",
		oneSource:    "Alles hier beruht auf einer einzigen Quelle.",
		unjudged:     "Die Sätze wurden nach Wörtern und Zahlen mit ihren Quellen verglichen; kein zweites Modell hat sie gelesen.",
		calculations: "Berechnungen", programs: "Wie gerechnet wurde", input: "Eingabe", value: "Wert", stop: ".",
		smallTalk: "Das ist ein Gruß und keine Frage, deshalb wurde nichts gesucht. Fragen Sie, was Sie wissen möchten.",
		open:      "„", close: "“",
	},
	"fr": {
		notFound: "Ce qui n’a pas été trouvé", disagree: "Les sources divergent", about: "Sujet : ", limits: "Limites de ce rapport",
		aspect: "Aspect", date: "Date", event: "Ce qui s’est passé",
		early:        "La recherche s’est arrêtée plus tôt, car le budget (%s) était épuisé.",
		mixed:        "Certaines parties de ce rapport sont de simples citations, car aucun modèle ne les a rédigées.",
		oneSource:    "Tout repose ici sur une seule source.",
		unjudged:     "Les phrases ont été comparées à leurs sources par mots et chiffres ; aucun second modèle ne les a lues.",
		calculations: "Résultats calculés", programs: "Comment cela a été calculé", input: "Entrée", value: "Valeur", stop: ".",
		smallTalk: "C’est une salutation et non une question : rien n’a été cherché. Demandez ce que vous voulez savoir.",
		open:      "« ", close: " »",
	},
	"es": {
		notFound: "Lo que no se encontró", disagree: "Las fuentes discrepan", about: "Tema: ", limits: "Límites de este informe",
		aspect: "Aspecto", date: "Fecha", event: "Qué ocurrió",
		early:        "La búsqueda terminó antes porque se agotó el presupuesto (%s).",
		mixed:        "Partes de este informe son simples citas, porque ningún modelo las redactó.",
		oneSource:    "Todo se apoya aquí en una sola fuente.",
		unjudged:     "Las frases se compararon con sus fuentes por palabras y cifras; ningún segundo modelo las leyó.",
		calculations: "Cálculos", programs: "Cómo se calculó", input: "Entrada", value: "Valor", stop: ".",
		smallTalk: "Eso es un saludo y no una pregunta, así que no se buscó nada. Pregunte lo que quiera saber.",
		open:      "«", close: "»",
	},
}

// phrasesOf are the phrases of a language, the English ones when there are none.
func phrasesOf(language string) phrases {
	base, _, _ := strings.Cut(language, "-")
	if p, ok := phrasesIn[base]; ok {
		return p
	}
	return phrasesIn["en"]
}
