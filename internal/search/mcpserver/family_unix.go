//go:build unix

package mcpserver

import (
	"os/exec"
	"syscall"
)

// withFamily makes the process the head of a group, so that what it starts ends
// with it: launchers such as npx start the server as their child.
func withFamily(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error {
		killFamily(c)
		return nil
	}
}

// killFamily kills what is left of the group of a process.
func killFamily(c *exec.Cmd) {
	if c.Process != nil {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // none left is what we want
	}
}
