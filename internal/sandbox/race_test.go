//go:build race

package sandbox_test

// underRace: the race detector takes several times the memory of the program,
// and ends it in its own way when the kernel refuses it some.
const underRace = true
