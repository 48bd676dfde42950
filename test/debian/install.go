package debian

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	if err := restoreAfterKill(policyFile, lockFile()); err != nil {
		return fmt.Errorf("install packages: %w", err)
	}
	_, missing, err := Versions(ctx, names...)
	if errors.Is(err, exec.ErrNotFound) {
		missing, err = names, nil // no Debian, so the reason below says what to do
	}
	if err != nil || len(missing) == 0 {
		return err
	}
	if reason := Unsupported(); reason != "" {
		return fmt.Errorf("missing %s: %s", strings.Join(missing, ", "), reason)
	}
	// apt-get waits for dpkg's lock, but not for that of the package lists.
	held, err := filelock.Lock(ctx, lockFile())
	if err != nil {
		return fmt.Errorf("install packages: %w", err)
	}
	defer held.Close()
	if _, missing, err = Versions(ctx, names...); err != nil || len(missing) == 0 {
		return err
	}
	restore, err := forbidServiceStarts(ctx, policyFile)
	if err != nil {
		return fmt.Errorf("install packages: %w", err)
	}
	return errors.Join(aptInstall(ctx, out, missing), restore())
}

// lockFile is held by whoever installs, and keeps the others waiting.
func lockFile() string { return filepath.Join(os.TempDir(), "kupenstack-install.lock") }

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
