package research

import (
	"context"
	"fmt"
	"io"
	"iter"

	"deepresearch/internal/graph"
)

// Trace writes the events of a run so far as JSON lines, in order: what each
// node did, decided and spent.
func (e *Engine) Trace(ctx context.Context, caller, id string, w io.Writer) error {
	if _, err := e.run(ctx, caller, id); err != nil {
		return err
	}
	if err := graph.WriteTrace(w, e.events(ctx, id)); err != nil {
		return fmt.Errorf("writing the trace of run %s: %w", id, err)
	}
	return nil
}

// tracePage is how many events are read from the store at once.
const tracePage = 256

// events are those of a run that are there now; unlike a tail they end.
func (e *Engine) events(ctx context.Context, id string) iter.Seq2[graph.Event, error] {
	return func(yield func(graph.Event, error) bool) {
		for after := int64(0); ; {
			page, err := e.store.Events(ctx, id, after, tracePage)
			if err != nil {
				yield(graph.Event{}, err)
				return
			}
			for _, event := range page {
				if !yield(event, nil) {
					return
				}
				after = event.Seq
			}
			if len(page) < tracePage {
				return
			}
		}
	}
}
