package tools

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"deepresearch/research"
)

func decodeResearch(raw string) (deepResearchInput, error) {
	var in deepResearchInput
	err := decode(json.RawMessage(raw), fieldsOf(reflect.TypeFor[deepResearchInput]()), reflect.ValueOf(&in).Elem())
	return in, err
}

// What models write without doubt about its meaning is taken.
func TestSlipsAreMended(t *testing.T) {
	five := 5
	for raw, want := range map[string]deepResearchInput{
		`{"question":"q"}`:                                              {Question: "q"},
		`"{\"question\":\"q\"}"`:                                        {Question: "q"},
		`{"question":["q"]}`:                                            {Question: "q"},
		`{"question":"\u001b[2Jq\u202e\r\n?"}`:                          {Question: "[2Jq\n?"},
		`{"question":2026}`:                                             {Question: "2026"},
		`{"question":"q","effort":" Deep "}`:                            {Question: "q", Effort: "deep"},
		`{"question":"q","effort":"","style":null,"max_pages":null}`:    {Question: "q"},
		`{"question":"q","maxPages":"5","max-loops":3.0,"Queries":"2"}`: {Question: "q", MaxPages: 5, MaxLoops: 3, Queries: 2},
		`{"question":"q","max_cost":"0.25","fresh":"true"}`:             {Question: "q", MaxCost: 0.25, Fresh: true},
		`{"question":"q","fresh":1,"wait_seconds":5}`:                   {Question: "q", Fresh: true, WaitSeconds: &five},
		`{"question":"q","engines":"wikipedia, arxiv"}`:                 {Question: "q", Engines: []string{"wikipedia", "arxiv"}},
		`{"question":"q","engines":"[\"wikipedia\",\"arxiv\"]"}`:        {Question: "q", Engines: []string{"wikipedia", "arxiv"}},
		`{"question":"q","engines":["wikipedia",null,""," arxiv "]}`:    {Question: "q", Engines: []string{"wikipedia", "arxiv"}},
		`{"question":"q","files":"/a, b.md\n/c.md"}`:                    {Question: "q", Files: []string{"/a, b.md", "/c.md"}},
		`{"question":"q","documents":{"name":"a","text":"b"}}`:          {Question: "q", Documents: []handedIn{{"a", "b"}}},
		`{"question":"q","documents":"[{\"name\":\"a\",\"text\":\"b\"}]"}`: {
			Question: "q", Documents: []handedIn{{"a", "b"}}},
	} {
		got, err := decodeResearch(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", raw, diff)
		}
	}
}

func TestMistakesSayWhatToDo(t *testing.T) {
	for raw, want := range map[string][]string{
		``:                                         {"question: it is missing; give it"},
		`null`:                                     {"question: it is missing"},
		`[]`:                                       {"arguments: they are not a JSON object"},
		`"text"`:                                   {"arguments: they are not a JSON object"},
		`{"question":"  "}`:                        {"question: it is empty"},
		`{"question":{}}`:                          {"question: it is not a string"},
		`{"question":"q","max_page":3}`:            {"max_page: there is no such argument", "did you mean max_pages?", "use question, effort"},
		`{"question":"q","depth":"deep"}`:          {"depth: there is no such argument", "effort"},
		`{"question":"q","effort":"medium"}`:       {`effort: "medium" is not one of its values; use quick, standard, deep`},
		`{"question":"q","effort":"standart"}`:     {"did you mean standard?"},
		`{"question":"q","max_loops":0}`:           {"max_loops: it is out of range: 0; give a number from 1 to 50"},
		`{"question":"q","max_loops":2.5}`:         {"max_loops: it is not a whole number"},
		`{"question":"q","max_loops":"many"}`:      {"max_loops: it is not a number"},
		`{"question":"q","max_loops":1e99}`:        {"max_loops: it is out of range"},
		`{"question":"q","max_cost":"NaN"}`:        {"max_cost: it is not a number"},
		`{"question":"q","fresh":"maybe"}`:         {"fresh: it is neither true nor false"},
		`{"question":"q","engines":5}`:             {"engines: it is not a list"},
		`{"question":"q","engines":[{}]}`:          {"engines: an entry is not a string"},
		`{"question":"q","documents":5}`:           {"documents: it is not a list of documents"},
		`{"qestion":"q","max_loops":-1}`:           {"qestion: there is no such argument", "did you mean question?", "max_loops", "question: it is missing"},
		`{"question":"` + long + `"}`:              {"question: it has 20001 characters; give at most 20000"},
		`{"question":"q","` + long + `":"` + `x"}`: {"there is no such argument"},
	} {
		_, err := decodeResearch(raw)
		if err == nil {
			t.Errorf("%s was taken", clip(raw, 80))
			continue
		}
		if _, ok := errors.AsType[*research.InputError](err); !ok {
			t.Errorf("%s: %T", clip(raw, 80), err)
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q is missing in %q", clip(raw, 80), w, err)
			}
		}
	}
}

var long = strings.Repeat("é", 20_001)

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"question":"q"}`, `"{\"question\":\"q\"}"`, `{"urls":"[\"a\"]","cursor":1}`, `{"documents":"[{}]","max_cost":"1e3"}`, `[]`, `{"question":"\ud800"}`, `{"engines":[[]]}`, `{"":""}`,
	} {
		f.Add([]byte(s))
	}
	types := []reflect.Type{
		reflect.TypeFor[deepResearchInput](), reflect.TypeFor[researchResultInput](), reflect.TypeFor[researchStatusInput](),
		reflect.TypeFor[researchCancelInput](), reflect.TypeFor[planInput](), reflect.TypeFor[webSearchInput](), reflect.TypeFor[crawlInput](),
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, typ := range types {
			fields := fieldsOf(typ)
			in := reflect.New(typ).Elem()
			if err := decode(raw, fields, in); err != nil {
				var bad *research.InputError
				if !errors.As(err, &bad) || bad.Field == "" || bad.Reason == "" {
					t.Fatalf("%q: %v is no input error", raw, err)
				}
				continue
			}
			// What was taken keeps the bounds of the schema, and is taken again.
			for _, f := range fields {
				v := reflect.Indirect(in.Field(f.index))
				if f.kind == kindWhole && v.IsValid() && v.Int() != 0 && (float64(v.Int()) < f.min || float64(v.Int()) > f.max) {
					t.Fatalf("%q: %s is %d", raw, f.name, v.Int())
				}
				if f.kind == kindList && f.bounded && float64(v.Len()) > f.max {
					t.Fatalf("%q: %s has %d entries", raw, f.name, v.Len())
				}
			}
		}
	})
}
