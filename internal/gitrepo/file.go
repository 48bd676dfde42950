package gitrepo

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"
)

// startGit runs the git program's side of the protocol on a repository of this machine, cut off
// from the configuration of the user and the machine.
func startGit(ctx context.Context, at location, service string) (*pipes, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, &Error{Kind: Other, Where: at.display, Text: "a file:// URL needs the git program on the PATH"}
	}
	// The services are constants of ours, and the path cannot be an option: it is absolute.
	command := exec.CommandContext(ctx, program, service[len("git-"):], at.path) //nolint:gosec // see above
	command.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
		// The operator named the repository, whoever owns its files.
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
	p := &pipes{}
	if p.in, err = command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = out
	command.WaitDelay = 5 * time.Second // for children of git that keep its output open
	command.Stderr = &p.said
	if err := command.Start(); err != nil {
		return nil, err
	}
	p.end = func() error {
		_ = p.in.Close() // already closed when the conversation was complete
		_ = out.Close()  // or git would wait for ever for somebody to read the rest
		err := command.Wait()
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			return nil // what it said was read from its output
		}
		return err
	}
	return p, nil
}
