package sandbox

import (
	"context"
	"os"
	"syscall"
)

func executable() (string, error) { return running("") }

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// confine leaves memory to the child's watch: macOS enforces no limit that
// suits how Go maps memory.
func confine(limits Limits) error { return lower(limits) }

func watch(context.Context, *os.Process, int64, context.CancelCauseFunc) {}
