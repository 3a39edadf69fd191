package compute

import "testing"

// BenchmarkEvaluate is a million turns of a loop without the child around it.
func BenchmarkEvaluate(b *testing.B) {
	p := Program{Code: "t = 0\nfor i in range(1000000):\n    t += i % 7\nresult(\"t\", t)\n"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := evaluate(b.Context(), p, 1e9); err != nil {
			b.Fatal(err)
		}
	}
}
