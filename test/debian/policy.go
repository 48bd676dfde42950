package debian

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"

	"github.com/kupenstack/kupenstack-sync/test/filelock"
)

const (
	policyFile = "/usr/sbin/policy-rc.d"
	// refuse is our policy while packages are installed. Its comment tells it from an
	// administrator's.
	refuse  = "#!/bin/sh\n# kupenstack: nothing starts while test packages are installed\nexit 101\n"
	refused = 101
	aside   = ".kupenstack-saved" // the ending of the policy that was there before
)

// forbidServiceStarts makes sure that invoke-rc.d(8) refuses to start services, by the policy
// file at path. The function that it returns puts things back as they were.
func forbidServiceStarts(ctx context.Context, path string) (restore func() error, err error) {
	_, err = os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		exit := (*exec.ExitError)(nil)
		asked := exec.CommandContext(ctx, path, "mariadb", "start").Run()
		if errors.As(asked, &exit) && exit.ExitCode() == refused {
			return func() error { return nil }, nil // it refuses already
		}
		if err := os.Rename(path, path+aside); err != nil {
			return nil, err
		}
	}
	restore = func() error { return restorePolicy(path) }
	if err := os.WriteFile(path, []byte(refuse), 0o755); err != nil {
		return nil, errors.Join(err, restore())
	}
	return restore, nil
}

// restorePolicy takes our policy away, and brings back what it stood in place of.
func restorePolicy(path string) error {
	err := os.Rename(path+aside, path)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// restoreAfterKill undoes what a process that was killed while it installed left in the way of
// the machine's services. A living one holds the lock, and is left alone.
func restoreAfterKill(path, lock string) error {
	ours, err := leftPolicy(path)
	if err != nil || !ours {
		return err
	}
	held, err := filelock.Try(lock)
	if err != nil || held == nil {
		return err
	}
	defer held.Close()
	// Its owner may have ended in good order meanwhile.
	if ours, err = leftPolicy(path); err != nil || !ours {
		return err
	}
	if err := restorePolicy(path); err != nil {
		return fmt.Errorf("restore %s: %w", path, err)
	}
	return nil
}

// leftPolicy tells whether the policy is ours, or one was set aside and nothing put in its place.
func leftPolicy(path string) (bool, error) {
	existing, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, err := os.Lstat(path + aside)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	return string(existing) == refuse, err
}
