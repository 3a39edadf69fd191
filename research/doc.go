// Package research turns a question into a cited report.
//
// Start with [New], which ties a [graph.Graph] of nodes to the ports declared
// in ports.go (searching, reading, the user's library, the archive of page
// texts), then [Engine.Start] and [Engine.Wait]. A run is a durable object: a
// caller attaches to it, may leave, and finds it again by its id.
//
// The package knows the domain (Question, Plan, Task, Finding, Report), the
// nodes that are the same for every method, and the order in which they run.
// Whatever exists twice, with a language model and without, is a [Method]: the
// sub-packages extract and write supply one each and cmd hands them in, so this
// package imports neither. It fetches nothing and stores nothing itself.
package research
