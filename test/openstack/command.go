package openstack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/process"
)

// run runs a program of the bed to its end. It has a record like a server's while it runs,
// so that another process can stop it if this one dies. Its output goes to NAME.log, and the
// end of it into the error.
func (r record) run(ctx context.Context, name string, args ...string) (err error) {
	// Only a parent learns how a process ended, and that may be another process of ours or
	// none: let a shell write it down.
	const script = `"$@"; echo $? >"$0"`
	status := filepath.Join(r.runDir(), name+".status")
	if err := os.RemoveAll(status); err != nil {
		return err
	}
	p, err := process.Start(r.runDir(), process.Spec{
		Name: name, Args: append([]string{"/bin/sh", "-c", script, status}, args...), Env: r.environment(), Dir: r.Dir, Bound: true,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop(context.WithoutCancel(ctx), time.Second)) }()
	// Nothing tells when a process ends that may not be a child.
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for p.Alive() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", name, ctx.Err())
		case <-tick.C:
		}
	}
	code, err := os.ReadFile(status)
	if err != nil || strings.TrimSpace(string(code)) != "0" {
		return fmt.Errorf("%s failed (exit status %q); its log ends with:\n%s", name, bytes.TrimSpace(code), strings.TrimSpace(p.LogTail(4000)))
	}
	return os.Remove(status)
}

// sql runs statements and returns the rows, one per line, columns apart by tabs.
func (r record) sql(ctx context.Context, statements ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "/usr/bin/mariadb", "--no-defaults", "--socket="+r.socket(), "--batch", "--skip-column-names")
	command.Env, command.Dir = r.environment(), r.Dir
	var output, messages bytes.Buffer
	command.Stdin = strings.NewReader(strings.Join(statements, ";\n"))
	command.Stdout, command.Stderr = &output, &messages
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("mariadb: %w: %s", err, strings.TrimSpace(messages.String()))
	}
	return output.String(), nil
}

// quote makes a string literal of SQL.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\x00", `\0`).Replace(text) + "'"
}
