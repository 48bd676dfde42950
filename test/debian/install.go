package debian

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/filelock"
)

// Install installs the packages named, and starts none of their services. It returns in
// milliseconds when all are there. Progress goes to out.
func Install(ctx context.Context, out io.Writer, names ...string) error {
	_, missing, err := Versions(ctx, names...)
	if err != nil || len(missing) == 0 {
		return err
	}
	if reason := Unsupported(); reason != "" {
		return fmt.Errorf("missing %s: %s", strings.Join(missing, ", "), reason)
	}
	// apt-get waits for dpkg's lock, but not for that of the package lists.
	held, err := filelock.Lock(ctx, filepath.Join(os.TempDir(), "kupenstack-install.lock"))
	if err != nil {
		return fmt.Errorf("install packages: %w", err)
	}
	defer held.Close()
	if _, missing, err = Versions(ctx, names...); err != nil || len(missing) == 0 {
		return err
	}
	restore, err := forbidServiceStarts(ctx, "/usr/sbin/policy-rc.d")
	if err != nil {
		return fmt.Errorf("install packages: %w", err)
	}
	return errors.Join(aptInstall(ctx, out, missing), restore())
}

// Versions returns what dpkg says about the packages, one line each, and the names of those
// that are not installed.
func Versions(ctx context.Context, names ...string) (versions string, missing []string, err error) {
	args := append([]string{"-W", "-f", "${Package} ${Version} ${db:Status-Status}\n"}, names...)
	var messages strings.Builder
	query := exec.CommandContext(ctx, "dpkg-query", args...)
	query.Stderr = &messages
	output, err := query.Output()
	// Status 1 says that a package is unknown; the output tells which.
	exit := (*exec.ExitError)(nil)
	unknown := errors.As(err, &exit) && exit.ExitCode() == 1
	if err != nil && !unknown {
		return "", nil, fmt.Errorf("dpkg-query: %w: %s", err, messages.String())
	}
	return string(output), missingFrom(string(output), names), nil
}

func missingFrom(versions string, names []string) []string {
	present := map[string]bool{}
	for line := range strings.Lines(versions) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[2] == "installed" {
			present[fields[0]] = true
		}
	}
	var missing []string
	for _, name := range names {
		if !present[name] {
			missing = append(missing, name)
		}
	}
	return missing
}

// aptInstall updates the package lists first when there are none, and once more when
// installing fails, because old lists name files that the mirrors have dropped.
func aptInstall(ctx context.Context, out io.Writer, packages []string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Minute)
	defer cancel()
	lists, err := filepath.Glob("/var/lib/apt/lists/*_Packages*")
	if err != nil {
		return err
	}
	updated := len(lists) == 0
	if updated {
		if err := apt(ctx, out, "update"); err != nil {
			return err
		}
	}
	install := append([]string{"install", "-y", "--no-install-recommends", "-o", "Dpkg::Options::=--force-unsafe-io"}, packages...)
	err = apt(ctx, out, install...)
	if err == nil || updated || ctx.Err() != nil {
		return err
	}
	if err := apt(ctx, out, "update"); err != nil {
		return err
	}
	return apt(ctx, out, install...)
}

func apt(ctx context.Context, out io.Writer, args ...string) error {
	fmt.Fprintf(out, "apt-get %s\n", strings.Join(args, " "))
	command := exec.CommandContext(ctx, "apt-get", append([]string{"-q", "-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Use-Pty=0"}, args...)...)
	command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	command.Stdout, command.Stderr = out, out
	// An interrupted dpkg leaves half-configured packages: ask first, and give it time to end the step at hand.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = time.Minute
	if err := command.Run(); err != nil {
		return fmt.Errorf("apt-get %s: %w", args[0], err)
	}
	return nil
}

// forbidServiceStarts makes sure that invoke-rc.d(8) refuses to start services, by the policy
// file at path. The function that it returns puts things back as they were.
func forbidServiceStarts(ctx context.Context, path string) (restore func() error, err error) {
	const refuse = "#!/bin/sh\nexit 101\n"
	const refused = 101
	aside := path + ".kupenstack-saved"
	existing, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		restore = func() error { return os.Remove(path) }
	case err != nil:
		return nil, err
	default:
		exit := (*exec.ExitError)(nil)
		asked := exec.CommandContext(ctx, path, "mariadb", "start").Run()
		if errors.As(asked, &exit) && exit.ExitCode() == refused || string(existing) == refuse {
			return func() error { return nil }, nil // it refuses already
		}
		if err := os.Rename(path, aside); err != nil {
			return nil, err
		}
		restore = func() error { return os.Rename(aside, path) }
	}
	if err := os.WriteFile(path, []byte(refuse), 0o755); err != nil {
		return nil, errors.Join(err, restore())
	}
	return restore, nil
}
