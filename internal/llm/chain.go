package llm

import (
	"context"
	"fmt"
	"strings"
)

// along asks the models of a chain in order until one answers, and makes the
// best of it when none does.
func (m *Models) along(ctx context.Context, chain []*stack, r Request, e *emission) (Reply, error) {
	p := &purse{attempts: r.attempts(), output: r.outputCeiling()}
	var failed []*Error
	var last Reply
	for i, s := range chain {
		reply, err := s.read(ctx, r, p, e)
		reply.Usage = last.Usage.Add(reply.Usage)
		if err == nil {
			reply.Warnings = append(reply.Warnings, changes(failed, s.model.Name())...)
			return reply, nil
		}
		if reply.Text == "" {
			reply.Text = last.Text
		}
		last = reply
		failure := errorOf(err)
		if KindOf(err) == "" { // ctx has ended
			return last, err
		}
		failed = append(failed, failure)
		if p.attempts == 0 || i == len(chain)-1 {
			break
		}
		s.tell(ctx, Event{Kind: Switched, Role: r.Role, Error: failure, Say: fmt.Sprintf("%s failed, asking %s", s.model.Name(), chain[i+1].model.Name())})
	}
	return settle(r, last, joined(failed))
}

// changes are the warnings that another model answered.
func changes(failed []*Error, model string) []string {
	var warnings []string
	for _, f := range failed {
		warnings = append(warnings, fmt.Sprintf("Model %s failed (%s); %s answered.", f.Model, f.Kind, model))
	}
	return warnings
}

// joined is the failure of a whole chain: that of its first model, which the
// user chose, with the words of all.
func joined(failed []*Error) *Error {
	if len(failed) == 1 {
		return failed[0]
	}
	e := *failed[0]
	words := []string{e.Message}
	for _, f := range failed[1:] {
		words = append(words, f.Error())
	}
	e.Message = strings.Join(words, "; ")
	return &e
}
