package sandbox

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

func executable() (string, error) { return running("") }

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

func kill(p *os.Process) error { return p.Kill() }

func orphaned(int) bool { return false }

// confine has nothing to do: the parent's job object confines the child.
func confine(Limits) error { return nil }

// watch holds a job object with the child in it until ctx ends. Closing it
// ends the child, and Windows closes it when this process ends.
func watch(ctx context.Context, p *os.Process, memory int64, stop context.CancelCauseFunc) {
	job, err := confined(p, memory)
	if err != nil {
		stop(fmt.Errorf("confining the child: %w", err))
		return
	}
	<-ctx.Done()
	_ = windows.CloseHandle(job) // the child has ended or ends by this
}

// confined puts a process into a job object that may commit memory bytes and
// start no other process.
func confined(p *os.Process, memory int64) (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{ProcessMemoryLimit: uintptr(memory)}
	limits.BasicLimitInformation.ActiveProcessLimit = 1
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY |
		windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS | windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		inner := p.WithHandle(func(h uintptr) {
			err = windows.AssignProcessToJobObject(job, windows.Handle(h))
		})
		if inner != nil {
			err = inner
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job) // the first error is the one to report
		return 0, err
	}
	return job, nil
}
