//go:build !linux && !darwin && !windows

package sandbox

import (
	"context"
	"os"
	"syscall"
)

func executable() (string, error) { return running("") }

func attributes() *syscall.SysProcAttr { return nil }

func kill(p *os.Process) error { return p.Kill() }

func orphaned(int) bool { return false }

func confine(Limits) error { return nil }

func watch(context.Context, *os.Process, int64, context.CancelCauseFunc) {}
