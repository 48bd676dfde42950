package confine

import (
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
)

// marker is the argument by which a process knows that it is a child.
const marker = "(confined)"

// The exit codes of a child. Go itself ends a process with 2.
const (
	codeDone    = 0
	codeUnknown = 40 // no such job
	codeAlone   = 41 // the parent is gone
	codeMuch    = 42 // too much memory
	codeLong    = 43 // too much time
	codeLimits  = 44 // the limits could not be set
)

// maxStack is far more than what the bounds on nesting let anything use, and far less than the
// memory of the child.
const maxStack = 16 << 20

// Child does the work of a child when this process is one, and reports whether it is; the
// process should then end with the code. It has to be called before anything else, with the
// arguments of the process.
func Child(arguments []string, jobs map[string]Job) (code int, is bool) {
	if !isChild(arguments) {
		return 0, false
	}
	return work(os.Stdin, os.Stdout, jobs), true
}

func isChild(arguments []string) bool { return len(arguments) == 2 && arguments[1] == marker }

func work(from io.Reader, to io.Writer, jobs map[string]Job) int {
	tree := &remote{to: gob.NewEncoder(to), from: gob.NewDecoder(from)}
	tree.tell(request{Op: opReady, Peak: peak(), CPU: processorTime()})
	var s start
	if err := tree.from.Decode(&s); err != nil {
		return codeAlone
	}
	job := jobs[s.Job]
	if job == nil {
		return codeUnknown
	}
	// One processor: the limit counts the time of all threads, and a collector that uses
	// processors which are idle would use it up.
	runtime.GOMAXPROCS(1)
	debug.SetMaxStack(maxStack)
	// Garbage is collected only when memory runs short: most children end long before.
	debug.SetGCPercent(-1)
	room := roomFor(s.Limits.Memory, text())
	soft := room * 13 / 16 // what a machine with other work lets grow while it collects is well below the watch
	debug.SetMemoryLimit(soft)
	if err := limit(s.Limits, room); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return codeLimits
	}
	contain.Go(func() { watch(room*15/16, s.Limits.CPU) })
	answer := job(Task{Files: tree, Arguments: s.Arguments, Phase: func(name string) {
		tree.tell(request{Op: opPhase, Name: name})
		tidy(soft)
	}})
	tree.tell(request{Op: opDone, Answer: answer, Peak: peak(), CPU: processorTime()})
	return codeDone
}

// roomFor is how much memory the work may take: what the limit leaves beside the program itself, of which
// more comes into memory while it runs. Collecting, watching and the kernel's limit go by this, in this
// order: a program that is larger would else meet the kernel before it collects its garbage.
func roomFor(limit, program int64) int64 { return limit - max(limit/8, program) }

// tidy collects garbage between two phases when half of the memory is used: what the last phase needed
// for its work is garbage now, and little is alive. In the midst of the next one there would be more.
func tidy(soft int64) {
	if held(samples()) > soft/2 {
		runtime.GC()
	}
}

// samples are what held takes.
func samples() []metrics.Sample {
	return []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
}

// held is the memory that the process holds.
func held(samples []metrics.Sample) int64 {
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64()) //nolint:gosec // far below 2^63
}

// watch ends the process when it goes beyond its limits. The kernel's limits lie a little higher:
// they catch what grows between two looks.
func watch(most int64, long time.Duration) {
	of := samples()
	for range time.Tick(5 * time.Millisecond) {
		if held(of) > most {
			os.Exit(codeMuch)
		}
		if processorTime() > long {
			os.Exit(codeLong)
		}
	}
}
