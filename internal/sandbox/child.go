package sandbox

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Child makes this process a child if a [Runner] asked for one, does the job,
// and reports whether it was one: then main has nothing more to do. When the
// job fails the process ends here. Main calls it first, before it opens
// anything or reads flags.
func Child(jobs map[string]Job) bool {
	asked, child, err := asked()
	if !child {
		return false
	}
	if err != nil {
		die(exitUnknownJob, err)
	}
	job, known := jobs[asked.Job]
	if !known {
		die(exitUnknownJob, nil)
	}
	limits := asked.Limits.orDefault()
	// The runtime opens its poller for the first timer, so this comes before
	// the kernel gives no more descriptors.
	ctx, cancel := context.WithTimeout(context.Background(), limits.Time)
	defer cancel()
	go keepWatch(limits, time.Now(), os.Getppid())
	if err := settle(limits); err != nil {
		die(exitConfine, err)
	}
	if err := perform(ctx, job); err != nil {
		if ctx.Err() != nil {
			die(exitTime, nil)
		}
		die(exitJob, err)
	}
	return true
}

// Asked is the job that this process was started for and the folder of its
// [Runner]; empty when it is no child. A job that has to open or map something
// does so between this and Child, which takes away the means. Nothing of the
// input is seen until then.
func Asked() (job, folder string) {
	asked, _, _ := asked()
	return asked.Job, asked.Folder
}

// asked reads the arguments of a child.
func asked() (_ request, child bool, err error) {
	var r request
	if len(os.Args) != 3 || os.Args[1] != childArg {
		return r, false, nil
	}
	err = json.Unmarshal([]byte(os.Args[2]), &r)
	return r, true, err
}

func perform(ctx context.Context, job Job) error {
	out := bufio.NewWriterSize(os.Stdout, 64<<10)
	if err := job(ctx, os.Stdin, out); err != nil {
		return err
	}
	return out.Flush()
}

// die ends the child with a code the parent knows.
func die(code int, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// settle makes the runtime live within limits and then asks the kernel to
// hold the process to them.
func settle(limits Limits) error {
	// The collector works harder from here on, before the watch has to end it.
	debug.SetMemoryLimit(limits.Memory / 4 * 3)
	// A stack doubles by copying, so the last step needs three times this.
	debug.SetMaxStack(int(min(limits.Memory/8, 64<<20)))
	return confine(limits)
}

// beat is how often a child looks at itself. A look takes some microseconds.
const beat = 2 * time.Millisecond

// keepWatch ends the process when it outgrows its memory, outlives its time or
// loses its parent. It runs until the process ends.
func keepWatch(limits Limits, started time.Time, parent int) {
	samples := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	// The parent decides first, with its own clock.
	latest := started.Add(limits.Time + 100*time.Millisecond)
	for now := range time.Tick(beat) {
		metrics.Read(samples)
		used := samples[0].Value.Uint64() - samples[1].Value.Uint64()
		switch {
		case used > uint64(limits.Memory):
			die(exitMemory, nil)
		case now.After(latest):
			die(exitTime, nil)
		case orphaned(parent):
			die(exitOrphan, nil)
		}
	}
}
