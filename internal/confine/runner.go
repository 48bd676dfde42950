package confine

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Runner starts children. It can be used by many goroutines at once.
type Runner struct {
	// Limits of each child.
	Limits Limits
	// Program is an executable that calls [Child]; "" for this one.
	Program string
}

// Run does a job on files in a child. The error is an [ErrUnavailable], or that of ctx.
func (r *Runner) Run(ctx context.Context, job string, files fs.FS, arguments ...string) (Outcome, error) {
	return r.Follow(ctx, func(string) {}, job, files, arguments...)
}

// Follow does what [Runner.Run] does and calls told for each phase as it begins. The child waits for
// no more than files meanwhile.
func (r *Runner) Follow(ctx context.Context, told func(phase string), job string, files fs.FS, arguments ...string) (Outcome, error) {
	program := r.Program
	if isChild(os.Args) {
		return Outcome{}, fmt.Errorf("%w: a program that does not call confine.Child would start itself for ever", ErrUnavailable)
	}
	if program == "" {
		found, err := executable()
		if err != nil {
			return Outcome{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		program = found
	}
	bounded, cancel := context.WithTimeout(ctx, r.Limits.Wall)
	defer cancel()
	var said head
	c := exec.CommandContext(bounded, program) //nolint:gosec // this program, or the one that a test names
	c.Args = []string{filepath.Base(os.Args[0]), marker}
	c.Env = []string{"GOTRACEBACK=none"} // nothing of ours, and not empty, as that would mean all of it
	c.Dir = string(filepath.Separator)
	c.Stderr = &said
	c.WaitDelay = time.Second
	to, err := c.StdinPipe()
	if err != nil {
		return Outcome{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	from, err := c.StdoutPipe()
	if err != nil {
		return Outcome{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	began := time.Now()
	if err := c.Start(); err != nil {
		return Outcome{}, fmt.Errorf("%w: start it: %w", ErrUnavailable, err)
	}
	talk := conversation{files: files, told: told, began: began}
	talk.hold(from, to, start{Job: job, Arguments: arguments, Limits: r.Limits})
	_ = to.Close() // a child that has ended does not read it
	ended := c.Wait()
	switch {
	case ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case bounded.Err() != nil:
		return Outcome{}, fmt.Errorf("%w: the machine gave it too little time within %v", ErrUnavailable, r.Limits.Wall)
	}
	outcome := talk.outcome
	// What counts is how the process ended: that nobody read its standard error to the end in time, on a
	// machine that is busy elsewhere, is no failure of a child that has given its answer.
	if talk.done && c.ProcessState != nil && c.ProcessState.Success() {
		return outcome, nil
	}
	outcome.CPU = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	if !talk.ready {
		return Outcome{}, fmt.Errorf("%w: it ended at once: %w", ErrUnavailable, errors.Join(ended, said.err()))
	}
	switch code := c.ProcessState.ExitCode(); code {
	case codeUnknown:
		return Outcome{}, fmt.Errorf("%w: it knows no job %q", ErrUnavailable, job)
	case codeLimits:
		return Outcome{}, fmt.Errorf("%w: it cannot limit itself: %w", ErrUnavailable, errors.Join(ended, said.err()))
	default:
		outcome.Excess = reason(code, said.String(), outcome.CPU >= r.Limits.CPU)
		outcome.Answer = nil
		return outcome, nil
	}
}

// reason finds out what ended a child. What it printed is Go's own message, never part of a file.
func reason(code int, said string, long bool) Excess {
	switch {
	case code == codeMuch:
		return Memory
	case code == codeLong:
		return Time
	case strings.Contains(said, "stack overflow"), strings.Contains(said, "stack exceeds"):
		return Stack
	case strings.Contains(said, "out of memory"), strings.Contains(said, "cannot allocate memory"):
		return Memory
	case strings.Contains(said, "unexpected signal during runtime execution"): // the collector does not always bear to get none
		return Memory
	case code == -1 && long: // killed
		return Time
	case code == -1: // by the kernel, which needed the memory
		return Memory
	default:
		return Crash
	}
}

// conversation is what parent and child have said so far.
type conversation struct {
	files   fs.FS
	told    func(phase string)
	began   time.Time // when the child was started, then when it was ready
	ready   bool
	done    bool
	outcome Outcome
}

// hold talks until the child has nothing more to say.
func (c *conversation) hold(from io.Reader, to io.Writer, first start) {
	requests, replies := gob.NewDecoder(from), gob.NewEncoder(to)
	for {
		var q request
		if err := requests.Decode(&q); err != nil {
			return // how the process ended tells more
		}
		var err error
		switch q.Op {
		case opReady:
			c.ready, c.outcome.Base, c.outcome.CPU = true, q.Peak, q.CPU
			c.outcome.Start, c.began = time.Since(c.began), time.Now()
			err = replies.Encode(first)
		case opPhase:
			c.outcome.Phase = q.Name
			c.told(q.Name)
		case opDone:
			c.done = true
			c.outcome.Answer, c.outcome.Peak, c.outcome.Work = q.Answer, q.Peak, time.Since(c.began)
			c.outcome.CPU = q.CPU - c.outcome.CPU
		default:
			found := answer(c.files, q)
			if q.Op == opOpen && !found.Info.IsDir() {
				c.outcome.File = q.Name
				c.outcome.Read = append(c.outcome.Read, q.Name)
			}
			err = replies.Encode(found)
		}
		if err != nil {
			return
		}
	}
}

// head keeps the beginning of what is written to it.
type head struct{ bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	const enough = 4 << 10
	h.Buffer.Write(p[:min(len(p), max(0, enough-h.Len()))])
	return len(p), nil
}

// err is the text as an error; nil when nothing was said.
func (h *head) err() error {
	if text := strings.TrimSpace(h.String()); text != "" {
		return errors.New(text)
	}
	return nil
}
