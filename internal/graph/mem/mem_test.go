package mem_test

import (
	"testing"

	"deepresearch/internal/graph"
	"deepresearch/internal/graph/mem"
	"deepresearch/internal/graph/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) storetest.Process {
		first := mem.New()
		return func(*testing.T) (graph.Store, func()) {
			s := first.Process()
			return s, s.Kill
		}
	})
}
