package duckduckgo

import "strings"

// regions are the values of kl that DuckDuckGo offers, as its own form lists
// them: country and language, with a few spellings of its own.
const regions = " ar-es au-en at-de be-fr be-nl br-pt bg-bg ca-en ca-fr ct-ca cl-es cn-zh co-es hr-hr cz-cs dk-da ee-et fi-fi fr-fr " +
	"de-de gr-el hk-tzh hu-hu is-is in-en id-en ie-en il-en it-it jp-jp kr-kr lv-lv lt-lt my-en mx-es nl-nl nz-en no-no pk-en " +
	"pe-es ph-en pl-pl pt-pt ro-ro ru-ru xa-ar sg-en sk-sk sl-sl za-en es-ca es-es se-sv ch-de ch-fr tw-tzh th-en tr-tr us-en " +
	"us-es ua-uk uk-en vn-en "

// spelling is how DuckDuckGo writes countries and languages that it writes in
// its own way.
var spelling = map[string]string{"gb": "uk", "si": "sl", "sa": "xa"}

// region returns the value of kl for a country and language, empty when
// DuckDuckGo has none for the country.
func region(country, language string) string {
	country = strings.ToLower(country)
	if own, ok := spelling[country]; ok {
		country = own
	}
	if len(country) != 2 {
		return ""
	}
	language, _, _ = strings.Cut(strings.ToLower(language), "-")
	if exact := country + "-" + language; language != "" && strings.Contains(regions, " "+exact+" ") {
		return exact
	}
	_, rest, ok := strings.Cut(regions, " "+country+"-")
	if !ok {
		return ""
	}
	first, _, _ := strings.Cut(rest, " ")
	return country + "-" + first
}
