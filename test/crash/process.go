package crash

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Program says what to run.
type Program struct {
	Path string
	Args []string // without the program's name
	Env  []string // the whole environment, as os.Environ has it; nil means the caller's
	Dir  string   // working directory; empty means the caller's
}

// Process is one life of a program. Its methods are safe for concurrent use.
type Process struct {
	Stdout, Stderr string // paths of the files with its output

	output  *output
	begun   chan struct{} // closed when it runs, or could not be started
	done    chan struct{} // closed when it has ended and its output is complete
	err     error         // why it ended; set before done is closed
	shot    atomic.Bool   // a trigger has killed it, or tried to
	mu      sync.Mutex
	command *exec.Cmd
	living  bool // the process id is still its own
}

// killLimit is how long the kernel may take to end a killed process.
const killLimit = time.Minute

// newProcess prepares a process whose output goes to dir/NAME.stdout and dir/NAME.stderr.
func newProcess(dir, name string) *Process {
	return &Process{
		Stdout: filepath.Join(dir, name+".stdout"), Stderr: filepath.Join(dir, name+".stderr"),
		output: &output{}, begun: make(chan struct{}), done: make(chan struct{}),
	}
}

// start runs program in a process group of its own. It is called once.
func (p *Process) start(program Program) error {
	defer close(p.begun)
	stdout, err := os.Create(p.Stdout)
	if err != nil {
		close(p.done)
		return fmt.Errorf("start %s: %w", program.Path, err)
	}
	stderr, err := os.Create(p.Stderr)
	if err != nil {
		_ = stdout.Close()
		close(p.done)
		return fmt.Errorf("start %s: %w", program.Path, err)
	}
	p.command = exec.Command(program.Path, program.Args...)
	p.command.Env, p.command.Dir = program.Env, program.Dir
	// Pdeathsig, so that a test binary that is killed or runs into its time limit leaves nothing.
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p.command.WaitDelay = killLimit // a descendant that left the group may hold the output open
	p.command.Stdout = io.MultiWriter(stdout, p.output.stream())
	p.command.Stderr = io.MultiWriter(stderr, p.output.stream())
	started := make(chan error)
	go func() {
		// Pdeathsig is about the thread that starts the process: keep it until the process ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.done)
		defer stdout.Close()
		defer stderr.Close()
		if err := p.command.Start(); err != nil {
			started <- fmt.Errorf("start %s: %w", program.Path, err)
			return
		}
		p.mu.Lock()
		p.living = true
		p.mu.Unlock()
		started <- nil
		p.err = p.wait()
	}()
	return <-started
}

// wait returns when the process has ended. What is left of its group ends with it, before
// the process is reaped: afterwards the kernel may give its id to somebody else.
func (p *Process) wait() error {
	for {
		err := unix.Waitid(unix.P_PID, p.command.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break // any other error is told by Wait
		}
	}
	p.signal(syscall.SIGKILL)
	p.mu.Lock()
	p.living = false
	p.mu.Unlock()
	return p.command.Wait()
}

// signal goes to the whole group; it does nothing once the process has ended.
func (p *Process) signal(signal syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.living {
		_ = syscall.Kill(-p.command.Process.Pid, signal)
	}
}

// Done is closed when the process has ended and its output is complete.
func (p *Process) Done() <-chan struct{} { return p.done }

// Logged tells whether a line of its output, on either stream, has matched so far.
func (p *Process) Logged(pattern *regexp.Regexp) bool { return p.output.seen(pattern) }

// shoot kills the process on behalf of a trigger, which may have been armed before the start.
func (p *Process) shoot() {
	<-p.begun
	p.shot.Store(true)
	p.signal(syscall.SIGKILL)
}

// killed tells whether a trigger ended the process, which has ended.
func (p *Process) killed() bool {
	var exit *exec.ExitError
	if !p.shot.Load() || !errors.As(p.err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// stop asks the process to end, kills it when grace has passed, and returns when it is gone.
func (p *Process) stop(grace time.Duration) error {
	p.signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return nil
	case <-time.After(grace):
	}
	p.signal(syscall.SIGKILL)
	select {
	case <-p.done:
		return nil
	case <-time.After(2 * killLimit):
		return fmt.Errorf("process %d does not end on SIGKILL", p.command.Process.Pid)
	}
}

// describe adds the end of the output to an error about the process.
func (p *Process) describe(err error) error {
	return fmt.Errorf("%w; standard error ends with: %s", err, tail(p.Stderr, 2000))
}

// tail returns at most the last n bytes of a file, for error messages.
func tail(path string, n int) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, len(data)-n):])
}
