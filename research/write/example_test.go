package write_test

import (
	"fmt"

	"deepresearch/internal/llm"
	"deepresearch/internal/llm/scripted"
	"deepresearch/research"
	"deepresearch/research/extract"
	"deepresearch/research/write"
)

// A method over models, an archive of page texts and the method that stands in
// when a model does not answer.
func ExampleNew() {
	models, err := llm.New(llm.Options{Default: []llm.Model{scripted.New(scripted.Options{})}})
	if err != nil {
		return
	}
	texts := &archive{texts: map[string]string{}}
	var method research.Method = write.New(write.Options{Models: models, Extract: extract.New(texts, nil), Archive: texts})
	_, plans := method.(research.Spender)
	fmt.Println("knows what a run may cost:", plans)
	// Output: knows what a run may cost: true
}
