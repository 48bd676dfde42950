package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// Limits bound one child.
type Limits struct {
	// Memory is what the child may hold in all, its own program included.
	Memory int64
	// CPU is the processor time of all its threads.
	CPU time.Duration
	// Wall is when the parent gives up. The work never waits for anything but the processor, so
	// this is about a machine that has no time for it, never about what is in the files.
	Wall time.Duration
}

// DefaultLimits are several times what the largest sensible configuration needs. The parent does
// the same work once more, so both together stay within five seconds.
func DefaultLimits() Limits {
	return Limits{Memory: 256 << 20, CPU: 2500 * time.Millisecond, Wall: time.Minute}
}

// Job is work on files. It runs in the child, and may cost what it wants.
type Job func(Task) []byte

// Task is what a job gets. Its result should be a few bytes, or nil.
type Task struct {
	// Files reads from the tree that the parent serves.
	Files     fs.FS
	Arguments []string
	// Phase tells the parent which part of the work begins, for [Outcome.Phase].
	Phase func(name string)
}

// Excess is what ended a child.
type Excess uint8

// What can end a child.
const (
	None   Excess = iota // nothing: the job is done
	Memory               // the limit on memory
	Time                 // the limit on processor time
	Stack                // calls nested too deeply
	Crash                // a panic, or anything else that must not happen
)

// Outcome is how a job ended.
type Outcome struct {
	Excess Excess
	Answer []byte   // of the job; nil when it did not end by itself
	Phase  string   // the last one that the job told
	File   string   // the last one that the job opened; "" when there is none
	Read   []string // all that it opened

	Base  int64         // the memory that the child held before it began; 0 where it cannot be told
	Peak  int64         // the most that it held at once; 0 where it cannot be told
	CPU   time.Duration // the processor time of the work; of a child that was ended, its start included
	Start time.Duration // by the clock, until the child was ready
	Work  time.Duration // by the clock, from the child being ready to its answer
}

// ErrUnavailable says that there was no verdict, and not because of the files: no process could
// be started, or the machine gave it no time. Trying again later may help.
var ErrUnavailable = errors.New("no process of its own for untrusted files")

// The codes of what can end a child.
const (
	codeMemory diag.Code = "confine.memory"
	codeTime   diag.Code = "confine.time"
	codeStack  diag.Code = "confine.stack"
	codeCrash  diag.Code = "confine.crash"
)

// Ended tells whether a diagnostic with the code is one of [Outcome.Diagnostic].
func Ended(code diag.Code) bool {
	return slices.Contains([]diag.Code{codeMemory, codeTime, codeStack, codeCrash}, code)
}

// Diagnostic tells a user what ended a job, or returns nil when nothing did. work names the job in
// a sentence, as in "evaluating the configuration". blame is the file that it was about, or "".
func (o Outcome) Diagnostic(limits Limits, work, blame string) *diag.Diagnostic {
	d := diag.Diagnostic{Summary: "configuration costs too much"}
	hint := "look at what was changed last for values that grow by each step, such as text, lists or loops made from each other"
	switch o.Excess {
	case None:
		return nil
	case Memory:
		d.Code, d.Hint = codeMemory, hint
		d.Detail = fmt.Sprintf("%s takes more than %d MiB of memory, so it was stopped", work, limits.Memory>>20)
	case Time:
		d.Code, d.Hint = codeTime, hint
		d.Detail = fmt.Sprintf("%s takes more than %v of processor time, so it was stopped", work, limits.CPU)
	case Stack:
		d.Code = codeStack
		d.Detail = work + " goes deeper than any sensible configuration is nested, so it was stopped"
		d.Hint = "look at what was changed last for what is nested very deeply, and give parts of it names with locals"
	default:
		d.Code, d.Summary = codeCrash, "configuration cannot be read"
		d.Detail = work + " ended in a way that it never should: this is a mistake of KupenStack, which the configuration brought to light"
		d.Hint = "undo what was changed last, and report the files that lead to this"
	}
	if blame != "" {
		start := diag.Pos{Line: 1, Column: 1}
		d.Subject = &diag.Range{File: blame, Start: start, End: start}
	}
	return &d
}
