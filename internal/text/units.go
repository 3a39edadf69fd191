package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// measureUnit is a unit of measurement: units of one class measure the same
// thing, factor converts to the class's first unit.
type measureUnit struct {
	name, class string
	factor      float64
}

// units maps spellings to units, one class a line of "name factor spellings".
// Lower-case spellings match any case; others match as written.
var units = readUnits(map[string]string{
	"time": `ms .001 ms msec millisecond milliseconds millisekunden 毫秒; µs 1e-6 µs μs us microseconds 微秒; ns 1e-9 ns nanoseconds 纳秒;
		s 1 s sec secs second seconds sekunde sekunden seconde secondes segundos 秒 秒钟; min 60 min mins minute minutes minuten minutos 分钟;
		h 3600 h hr hrs hour hours stunde stunden heure heures horas 小时 時間; day 86400 d day days tag tage tagen jour jours días 天;
		week 604800 week weeks woche wochen semaine semaines semanas 周 星期`,
	"months": `month 1 month months monat monate monaten mois mes meses 个月 か月 ヶ月; year 12 year years yr yrs jahr jahre jahren an ans année années año años 年;
		decade 120 decade decades; century 1200 century centuries`,
	"length": `m 1 m metre metres meter meters mètre mètres 米; km 1000 km kilometre kilometres kilometer kilometers 公里 千米; cm .01 cm centimetres centimeters 厘米;
		mm .001 mm millimetres millimeters 毫米; µm 1e-6 µm μm um 微米; nm 1e-9 nm nanometres nanometers 纳米; mile 1609.344 mile miles mi 英里; ft .3048 ft foot feet 英尺; inch .0254 inch inches 英寸`,
	"area":   `m² 1 m² m2 sqm 平方米; km² 1e6 km² km2 平方公里; ha 1e4 ha hectare hectares 公顷`,
	"mass":   `g 1 g gram grams gramm 克; kg 1000 kg kilogram kilograms kilogramm 公斤 千克; mg .001 mg milligrams 毫克; t 1e6 t ton tons tonne tonnes tonnen 吨; lb 453.59237 lb lbs pound-mass`,
	"volume": `l 1 l litre litres liter liters 升; ml .001 ml 毫升; gal 3.785411784 gallon gallons`,
	"bytes": `B 1 B byte bytes 字节; KB 1e3 KB kB; MB 1e6 MB megabytes; GB 1e9 GB gigabytes; TB 1e12 TB terabytes; PB 1e15 PB petabytes;
		KiB 1024 KiB; MiB 1048576 MiB; GiB 1073741824 GiB; TiB 1099511627776 TiB`,
	"bits":    `bit 1 bit bits; Mbps 1e6 Mbps Mbit/s; Gbps 1e9 Gbps Gbit/s`,
	"power":   `W 1 W watt watts 瓦; kW 1e3 kW kilowatts 千瓦; MW 1e6 MW megawatts 兆瓦; GW 1e9 GW gigawatts 吉瓦`,
	"energy":  `Wh 1 Wh; kWh 1e3 kWh 千瓦时; MWh 1e6 MWh; GWh 1e9 GWh; TWh 1e12 TWh; J .000277777777777778 J joule joules`,
	"hertz":   `Hz 1 Hz; kHz 1e3 kHz; MHz 1e6 MHz; GHz 1e9 GHz`,
	"celsius": `°C 1 °C ℃ 摄氏度`, "fahrenheit": `°F 1 °F ℉`, "degree": `° 1 ° degree degrees`,
	"factor":  `x 1 x × times fold mal fois veces 倍`,
	"percent": `% 1 % ％ percent pct prozent 百分比; ‰ .1 ‰`,
	"points":  `pp 1 pp ppt 个百分点 百分点 prozentpunkte`,
	"people":  `person 1 people person persons personen personnes personas menschen 人 名`,
	"pieces":  `个 1 个 個 项 件`,
	"tokens":  `token 1 token tokens`,
	"USD":     `USD 1 $ US$ USD dollar dollars 美元 美金`, "EUR": `EUR 1 € EUR euro euros 欧元`,
	"GBP": `GBP 1 £ GBP 英镑`, "JPY": `JPY 1 JPY yen 日元 円`, "CNY": `CNY 1 CNY RMB yuan renminbi 人民币 元`,
	"yen or yuan": `¥ 1 ¥ ￥`, "KRW": `KRW 1 ₩ KRW 韩元`, "INR": `INR 1 ₹ INR rupees`, "CHF": `CHF 1 CHF 瑞士法郎`,
	"count": `user 1 user users`,
})

func readUnits(classes map[string]string) map[string]measureUnit {
	table := make(map[string]measureUnit)
	for class, list := range classes {
		for line := range strings.SplitSeq(list, ";") {
			words := strings.Fields(line)
			u := measureUnit{words[0], class, parseFloat(words[1])}
			for _, spelling := range words[2:] {
				table[spelling] = u
			}
		}
	}
	return table
}

// longestWideUnit is the longest CJK unit, in characters.
const longestWideUnit = 5

// unitWord returns the unit that a word names.
func unitWord(word string) (measureUnit, bool) {
	if len(word) == 0 || len(word) > 20 {
		return measureUnit{}, false
	}
	u, ok := units[word]
	if !ok && len(word) > 2 && isASCIIWord(word) {
		u, ok = units[strings.ToLower(word)]
	}
	return u, ok
}

func isASCIIWord(word string) bool {
	for i := range len(word) {
		if !isAlpha(word[i]) {
			return false
		}
	}
	return true
}

// unitAt reads the unit at i, after blanks or a hyphen, and returns its end.
func unitAt(s string, i int) (measureUnit, int) {
	j := blankAfter(s, i)
	for _, phrase := range unitPhrases {
		if phrase.words[0] != at(s, j)|0x20 && phrase.words[0] != at(s, j) {
			continue
		}
		if hasFoldPrefix(s[j:], phrase.words) && !isAlpha(at(s, j+len(phrase.words))) {
			return units[phrase.unit], j + len(phrase.words)
		}
	}
	if end := signEnd(s, j); end > j {
		if u, ok := units[s[j:end]]; ok {
			return u, end
		}
	}
	if isWide(runeAt(s, j)) {
		return wideUnit(s, j)
	}
	if i == j && at(s, j) == '-' && isAlpha(at(s, j+3)) { // a 5-year plan
		j++
	}
	end := wordAt(s, j)
	if u, ok := unitWord(s[j:end]); ok && !(i < j && ambiguousUnit(s, j, end)) {
		return u, end
	}
	return measureUnit{}, i
}

// ambiguousUnit reports whether a unit set off by a blank is likelier a word or
// an initial ("in 5 B vitamins", "2 us", "3 an", "5 millions d'euros").
func ambiguousUnit(s string, i, end int) bool {
	switch s[i:end] {
	case "B", "us", "an":
		return true
	}
	r := runeAt(s, end)
	return (r == '\'' || r == '’') && isAlpha(at(s, end+utf8.RuneLen(r))) // not "60 days' notice"
}

// unitPhrases are units of several words or joined to the number by a hyphen.
var unitPhrases = []struct{ words, unit string }{
	{"percentage points", "pp"}, {"percentage point", "pp"}, {"per cent", "%"}, {"pour cent", "%"}, {"por ciento", "%"},
	{"-fold", "fold"}, {"-times", "times"}, {"us dollars", "USD"}, {"mbit/s", "Mbit/s"}, {"gbit/s", "Gbit/s"},
}

func hasFoldPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// signEnd returns the end of a unit written with a sign at i: %, °C, $, €.
func signEnd(s string, i int) int {
	r, size := utf8.DecodeRuneInString(s[i:])
	switch {
	case r == '°' && (at(s, i+size) == 'C' || at(s, i+size) == 'F'):
		return i + size + 1
	case r != 0 && strings.ContainsRune("%％‰°℃℉×$€£¥￥₩₹", r):
		return i + size
	}
	return i
}

// wideUnit reads the longest CJK unit at i.
func wideUnit(s string, i int) (measureUnit, int) {
	ends := make([]int, 0, longestWideUnit)
	for end := i; end < len(s) && len(ends) < longestWideUnit; {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !isWide(r) {
			break
		}
		end += size
		ends = append(ends, end)
	}
	for _, end := range slices.Backward(ends) {
		if u, ok := units[s[i:end]]; ok {
			return u, end
		}
	}
	return measureUnit{}, i
}

// scales are words that multiply the number before them.
var scales = map[string]float64{
	"hundred": 1e2, "thousand": 1e3, "tausend": 1e3, "mille": 1e3, "mil": 1e3,
	"million": 1e6, "millions": 1e6, "millionen": 1e6, "millones": 1e6, "mn": 1e6, "mio": 1e6, "mln": 1e6,
	"billion": 1e9, "billions": 1e9, "bn": 1e9, "milliarde": 1e9, "milliarden": 1e9, "milliard": 1e9, "milliards": 1e9, "mrd": 1e9,
	"trillion": 1e12, "trillions": 1e12, "tn": 1e12, "lakh": 1e5, "crore": 1e7,
}

// wideScales are the Chinese and Japanese ones; longer spellings come first.
var wideScales = []struct {
	word  string
	value float64
}{
	{"万亿", 1e12}, {"千万", 1e7}, {"百万", 1e6}, {"十万", 1e5}, {"十亿", 1e9}, {"百亿", 1e10}, {"千亿", 1e11},
	{"万", 1e4}, {"萬", 1e4}, {"亿", 1e8}, {"億", 1e8}, {"兆", 1e12}, {"千", 1e3}, {"百", 1e2},
}

func isScale(word string) bool { return scales[strings.ToLower(word)] != 0 }

// scaleAt reads the scale at i, after at most one blank; money says whether the
// number has a currency, which makes "m" and "T" scales.
func scaleAt(s string, i int, money bool) (float64, int) {
	for _, w := range wideScales {
		if j := skipBlank(s, i); strings.HasPrefix(s[j:], w.word) && units["千"+s[j+len(w.word):min(len(s), j+len(w.word)+3)]].name == "" {
			return w.value, j + len(w.word)
		}
	}
	if v := letterScale(s, i, money); v != 0 {
		return v, i + 1
	}
	j := blankAfter(s, i)
	if at(s, j) == '-' { // a 3-million budget
		j++
	}
	end := wordAt(s, j)
	if end-j > 10 {
		return 1, i
	}
	if v := scales[strings.ToLower(s[j:end])]; v != 0 {
		if at(s, end) == '.' && (end-j == 3) { // Mio., Mrd.
			end++
		}
		return v, end
	}
	return 1, i
}

// letterScale is the value of a single letter glued to a number: 5k, 7B, $5m.
func letterScale(s string, i int, money bool) float64 {
	after := i + 1
	if isAlnum(at(s, after)) || at(s, after) == '/' {
		return 0
	}
	switch at(s, i) {
	case 'k', 'K':
		return 1e3
	case 'M':
		return 1e6
	case 'B':
		return 1e9
	case 'm':
		if money {
			return 1e6
		}
	case 'b':
		if money {
			return 1e9
		}
	case 'T':
		if money {
			return 1e12
		}
	}
	return 0
}
