package worldbank

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"deepresearch/internal/rank"
	"deepresearch/internal/search"
	"deepresearch/internal/search/wire"
	"deepresearch/internal/text"
)

// catalogues are the lists of indicators and countries by language.
type catalogues struct {
	mu   sync.Mutex
	have map[string]*catalogue
}

type catalogue struct {
	indicators []indicator
	index      *rank.Index // of the names of indicators
	countries  []country   // longest name first
}

type indicator struct{ id, name string }

type country struct{ code, name string }

// in returns the catalogue in a language, fetching it when it is not there yet.
func (c *catalogues) in(ctx context.Context, send wire.Sender, language string) (*catalogue, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.have[language]; known != nil {
		return known, nil
	}
	known := &catalogue{index: rank.NewIndex(rank.Options{})}
	// Source 2 are the World Development Indicators, about 1,500.
	err := list(ctx, send, "/v2/"+language+"/indicator", "2", func(v gjson.Result) {
		i := indicator{v.Get("id").String(), strings.TrimSpace(v.Get("name").String())}
		if i.id != "" && i.name != "" && !strings.ContainsAny(i.id, "/?#;") {
			known.indicators = append(known.indicators, i)
			known.index.Add(text.Terms(i.name))
		}
	})
	if err != nil {
		return nil, err
	}
	err = list(ctx, send, "/v2/"+language+"/country", "", func(v gjson.Result) {
		n := country{v.Get("id").String(), strings.ToLower(strings.TrimSpace(v.Get("name").String()))}
		if n.code != "" && n.name != "" && !strings.ContainsAny(n.code, "/?#;") {
			known.countries = append(known.countries, n)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(known.countries, func(a, b country) int { return len(b.name) - len(a.name) })
	if c.have == nil {
		c.have = map[string]*catalogue{}
	}
	c.have[language] = known
	return known, nil
}

// list reads one list of the World Bank, [meta, entries], in one page.
func list(ctx context.Context, send wire.Sender, path, source string, each func(gjson.Result)) error {
	answer, err := send(ctx, wire.Request{Path: path, Query: wire.Values("format", "json", "per_page", "3000", "source", source)})
	if err != nil {
		return err
	}
	doc, err := answer.Document()
	if err != nil {
		return err
	}
	entries := doc.Get("1")
	if !entries.IsArray() {
		return &search.Failure{Kind: search.LayoutChanged, Message: fmt.Sprintf("%s holds no list", path)}
	}
	for _, v := range entries.Array() {
		each(v)
	}
	return nil
}

// mostCountries bounds the countries of one query.
const mostCountries = 4

// also are names of countries that people write and the list does not have.
var also = map[string]string{
	"usa": "USA", "u.s.": "USA", "united states of america": "USA", "america": "USA", "uk": "GBR", "britain": "GBR", "great britain": "GBR",
	"south korea": "KOR", "russia": "RUS", "iran": "IRN", "egypt": "EGY", "turkey": "TUR", "vietnam": "VNM", "venezuela": "VEN", "eu": "EUU",
	"european union": "EUU", "world": "WLD", "worldwide": "WLD", "global": "WLD",
}

// countriesIn returns the codes of countries that the query names, the world
// for none, and the query without their names.
func (c *catalogue) countriesIn(query string) (codes []string, rest string) {
	rest = " " + strings.ToLower(query) + " "
	take := func(name, code string) {
		if len(codes) == mostCountries {
			return
		}
		if i := wordAt(rest, name); i >= 0 {
			rest = rest[:i] + " " + rest[i+len(name):]
			if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	for _, n := range c.countries {
		take(n.name, n.code)
	}
	for _, name := range slices.Sorted(maps.Keys(also)) {
		take(name, also[name])
	}
	if len(codes) == 0 {
		codes = []string{"WLD"}
	}
	return codes, rest
}

// wordAt returns where name stands as whole words in s, -1 when it does not.
// Names in scripts without spaces stand anywhere.
func wordAt(s, name string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], name)
		if i < 0 {
			return -1
		}
		i += from
		if !letter(s[i-1]) && !letter(s[i+len(name)]) || name[0] >= 0x80 {
			return i
		}
		from = i + len(name)
	}
}

func letter(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }

// common are the indicators that are meant when people name a thing shortly;
// the list of indicators has dozens of each. Longer phrases come first.
var common = []struct{ phrases, id string }{
	{"gdp per capita|人均gdp|人均国内生产总值", "NY.GDP.PCAP.CD"},
	{"gdp growth|economic growth|经济增长|gdp增长", "NY.GDP.MKTP.KD.ZG"},
	{"gdp|gross domestic product|国内生产总值", "NY.GDP.MKTP.CD"},
	{"population growth|人口增长", "SP.POP.GROW"},
	{"population density|人口密度", "EN.POP.DNST"},
	{"urban population|城市人口|城镇人口", "SP.URB.TOTL.IN.ZS"},
	{"population|人口", "SP.POP.TOTL"},
	{"inflation|通货膨胀|通胀", "FP.CPI.TOTL.ZG"},
	{"unemployment|失业", "SL.UEM.TOTL.ZS"},
	{"life expectancy|预期寿命", "SP.DYN.LE00.IN"},
	{"fertility|生育率", "SP.DYN.TFRT.IN"},
	{"birth rate|出生率", "SP.DYN.CBRT.IN"},
	{"infant mortality|婴儿死亡率", "SP.DYN.IMRT.IN"},
	{"internet users|internet use|互联网用户", "IT.NET.USER.ZS"},
	{"literacy|识字率", "SE.ADT.LITR.ZS"},
	{"gini|inequality|基尼", "SI.POV.GINI"},
	{"forest|森林", "AG.LND.FRST.ZS"},
}

// indicatorsFor returns the indicators whose names fit the words, best first:
// the commonest meaning of a phrase, then by BM25.
func (c *catalogue) indicatorsFor(words string) []indicator {
	var fit []indicator
	for _, m := range common {
		at := slices.IndexFunc(c.indicators, func(i indicator) bool { return i.id == m.id })
		if at >= 0 && slices.ContainsFunc(strings.Split(m.phrases, "|"), func(p string) bool { return wordAt(words, p) >= 0 }) {
			fit = append(fit, c.indicators[at])
			break
		}
	}
	for _, hit := range c.index.Search(text.Terms(words), mostSeries) {
		if i := c.indicators[hit.Doc]; !slices.Contains(fit, i) {
			fit = append(fit, i)
		}
	}
	return fit
}

// usualYears is how far back a series goes when the query names no year.
const usualYears = 20

// yearsIn returns the years that a query asks for as FROM:TO.
func yearsIn(query string, now int) string {
	first, last := now, 0
	for _, word := range strings.FieldsFunc(query, func(r rune) bool { return r < '0' || r > '9' }) {
		if year, err := strconv.Atoi(word); err == nil && len(word) == 4 && year >= 1960 && year <= now {
			first, last = min(first, year), max(last, year)
		}
	}
	switch {
	case last == 0:
		first, last = now-usualYears, now
	case first == last: // "since 2010" and "in 2010" both want the years after
		last = now
	}
	return fmt.Sprintf("%d:%d", first, last)
}
