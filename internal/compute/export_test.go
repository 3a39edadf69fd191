package compute

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
)

// CheckEvaluates evaluates a program in this process and checks that whatever
// comes of it can be sent and shown.
func CheckEvaluates(t *testing.T, code string) {
	t.Helper()
	p := Program{Code: code, Inputs: []Input{{Name: "a", Value: json.Number("1")}}}
	if check(p) != nil {
		t.Skip("refused before it starts")
	}
	got, err := evaluate(t.Context(), p, 2000)
	var wrong *ProgramError
	switch {
	case err != nil && !errors.As(err, &wrong):
		t.Fatalf("%q: %v is no ProgramError", code, err)
	case err != nil:
		if wrong.Message == "" || len(wrong.Error()) > 8000 {
			t.Errorf("%q: the sentence is %q", code, wrong.Error())
		}
		return
	}
	var out bytes.Buffer
	if err := json.NewEncoder(&out).Encode(got); err != nil {
		t.Errorf("%q: %v", code, err)
	}
	for _, chart := range got.Charts {
		chart.SVG()
		chart.Table().Markdown()
	}
}
