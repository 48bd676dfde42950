package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"syscall"
	"time"
)

// Spec says what to run.
type Spec struct {
	Name string   // names the record and the log; unique within a directory
	Args []string // the program's path and its arguments
	Env  []string // the whole environment, as os.Environ has it; nil means the caller's
	Dir  string   // working directory; empty means the caller's
	// Bound has the kernel kill the process as soon as the program that starts it ends, however that is: a test
	// that is cut off leaves nothing then. Descendants are not killed by it.
	Bound bool
}

// Process is one started process, as its record describes it.
type Process struct {
	Spec
	PID        int
	StartTicks uint64    // field 22 of /proc/PID/stat: tells this process from a later one with the same id
	Started    time.Time // for people
	Log        string    // path of the file with the output

	dir string
}

const recordSuffix = ".process.json"

// killLimit is how long the kernel may take to end what was killed, on a machine that is busy elsewhere.
const killLimit = time.Minute

// Start runs spec in a session of its own and records it in dir. The process outlives
// the caller, unless it is bound to it or Stop is called. Output is appended to dir/NAME.log. It fails when a
// process of that name is still alive.
func Start(dir string, spec Spec) (*Process, error) {
	if existing, err := Load(dir, spec.Name); err == nil && existing.Alive() {
		return nil, fmt.Errorf("start %s: it runs already with process id %d", spec.Name, existing.PID)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	logPath := filepath.Join(dir, spec.Name+".log")
	output, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	defer output.Close()

	command := exec.Command(spec.Args[0], spec.Args[1:]...)
	command.Env, command.Dir = spec.Env, spec.Dir
	command.Stdout, command.Stderr = output, output
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if spec.Bound {
		command.SysProcAttr.Pdeathsig = syscall.SIGKILL
	}
	reap, err := launch(command, spec.Bound)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	p := &Process{Spec: spec, PID: command.Process.Pid, Started: time.Now(), Log: logPath, dir: dir}
	// The child is not reaped yet, so its entry in /proc exists even if it died at once.
	stat, err := readStat(p.PID)
	if err == nil {
		p.StartTicks = stat.startTicks
		err = p.save()
	}
	close(reap) // how it ended is told by Alive and the log
	if err != nil {
		_ = syscall.Kill(-p.PID, syscall.SIGKILL)
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	return p, nil
}

// launch starts a command and reaps it once the channel is closed.
func launch(command *exec.Cmd, bound bool) (reap chan<- struct{}, err error) {
	begun, known := make(chan error), make(chan struct{})
	go func() {
		if bound { // the kernel goes by the thread that starts the process: keep it until the process ends
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		err := command.Start()
		begun <- err
		if err == nil {
			<-known
			_ = command.Wait()
		}
	}()
	return known, <-begun
}

// Load reads the record of one process. The error matches fs.ErrNotExist when there is none.
func Load(dir, name string) (*Process, error) {
	data, err := os.ReadFile(filepath.Join(dir, name+recordSuffix))
	if err != nil {
		return nil, err
	}
	p := &Process{dir: dir}
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("record of %s: %w", name, err)
	}
	return p, nil
}

// LoadAll reads every record in dir, in the order in which the processes were started.
func LoadAll(dir string) ([]*Process, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"+recordSuffix))
	if err != nil {
		return nil, err
	}
	var all []*Process
	for _, path := range paths {
		base := filepath.Base(path)
		p, err := Load(dir, base[:len(base)-len(recordSuffix)])
		if errors.Is(err, os.ErrNotExist) {
			continue // somebody else stopped it in the meantime
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Started.Before(all[j].Started) })
	return all, nil
}

// Alive tells whether the process itself, not merely a descendant, still runs.
func (p *Process) Alive() bool {
	stat, err := readStat(p.PID)
	return err == nil && stat.startTicks == p.StartTicks && stat.state != 'Z'
}

// Signal sends a signal to the process and all its descendants in its session. It does
// nothing when none of them is left.
func (p *Process) Signal(signal syscall.Signal) error {
	for _, pid := range p.session() {
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("signal %s (process id %d): %w", p.Name, pid, err)
		}
	}
	return nil
}

// Stop ends the process and its descendants: SIGTERM, then SIGKILL when grace has passed
// or ctx has ended. It returns once none is left, and removes the record. Stopping what has
// ended already is not an error.
func (p *Process) Stop(ctx context.Context, grace time.Duration) error {
	if err := p.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	if !p.waitGone(wait, nil) {
		// Not bound by ctx: SIGKILL cannot be refused, and a caller that gave up still wants no leftovers.
		wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), killLimit)
		defer cancel()
		var failed error
		// Again and again: a process may have forked after it was listed and before it was killed.
		gone := p.waitGone(wait, func() { failed = p.Signal(syscall.SIGKILL) })
		if failed != nil {
			return failed
		}
		if !gone {
			return fmt.Errorf("stop %s: process ids %v do not end", p.Name, p.session())
		}
	}
	if err := os.Remove(p.recordPath()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("stop %s: %w", p.Name, err)
	}
	return nil
}

// StopAll stops every process recorded in dir, the last started first.
func StopAll(ctx context.Context, dir string, grace time.Duration) error {
	all, err := LoadAll(dir)
	if err != nil {
		return err
	}
	var failures []error
	for i := len(all) - 1; i >= 0; i-- {
		failures = append(failures, all[i].Stop(ctx, grace))
	}
	return errors.Join(failures...)
}

// LogTail returns about the last n bytes of the output, for error messages.
func (p *Process) LogTail(n int64) string {
	file, err := os.Open(p.Log)
	if err != nil {
		return err.Error()
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > n {
		_, _ = file.Seek(-n, io.SeekEnd)
	}
	data, _ := io.ReadAll(io.LimitReader(file, n))
	return string(data)
}

func (p *Process) recordPath() string { return filepath.Join(p.dir, p.Name+recordSuffix) }

// save writes the record in one step, so that no reader sees half of it.
func (p *Process) save() error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	temporary := p.recordPath() + ".new"
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, p.recordPath())
}

// waitGone waits until no process of the session is left, or ctx has ended, and calls each, if it is not
// nil, as often as it finds one.
func (p *Process) waitGone(ctx context.Context, each func()) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for len(p.session()) > 0 {
		if each != nil {
			each()
		}
		select {
		case <-ctx.Done():
			return len(p.session()) == 0
		case <-tick.C:
		}
	}
	return true
}

// IsRecord tells whether a path names the record of a process.
func IsRecord(path string) bool { return strings.HasSuffix(path, recordSuffix) }
