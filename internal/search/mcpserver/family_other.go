//go:build !unix

package mcpserver

import "os/exec"

// withFamily does nothing: there are no groups of processes here, and the
// process alone is killed.
func withFamily(*exec.Cmd) {}

func killFamily(*exec.Cmd) {}
