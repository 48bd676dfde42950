package cluster

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/filelock"
)

const (
	mainModule     = "github.com/kupenstack/kupenstack-sync"
	binariesModule = "test/cluster/binaries" // below the main module
	versionPackage = "k8s.io/component-base/version"
	stampFile      = ".stamp"
	lockFile       = ".lock"
	// A date is stamped in, but not today's: the build must be reproducible for Go's cache.
	buildDate = "2026-01-01T00:00:00Z"
)

func programs() []string { return append(allServers(), "kubectl") }

// Build makes the programs of the control plane, and kubectl, in binDir from the module in
// test/cluster/binaries. When they are there already and nothing has changed it does nothing,
// within milliseconds. Two callers, also of different processes, do not build at once.
// The compiler's output goes to out. The working directory must be inside the main module.
// A build that is killed is repeated by the next call.
func Build(ctx context.Context, binDir string, out io.Writer) error {
	if err := build(ctx, binDir, out); err != nil {
		return fmt.Errorf("build the control plane: %w", err)
	}
	return nil
}

func build(ctx context.Context, binDir string, out io.Writer) error {
	binDir, err := filepath.Abs(binDir)
	if err != nil {
		return err
	}
	root, err := findModule()
	if err != nil {
		return err
	}
	b := builder{source: filepath.Join(root, binariesModule), bin: binDir, out: out}
	if err := os.MkdirAll(binDir, 0o755); err != nil {
		return err
	}
	held, err := filelock.Lock(ctx, filepath.Join(binDir, lockFile))
	if err != nil {
		return err
	}
	defer held.Close()
	stamp, err := b.stamp(ctx)
	if err != nil {
		return err
	}
	if b.upToDate(stamp) {
		return nil
	}
	return b.install(ctx, stamp)
}

type builder struct {
	source, bin string
	out         io.Writer
}

// stamp identifies what a build would make.
func (b builder) stamp(ctx context.Context) (string, error) {
	sum := sha256.New()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(b.source, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
	}
	version, err := b.goOutput(ctx, "env", "GOVERSION", "GOOS", "GOARCH")
	if err != nil {
		return "", err
	}
	fmt.Fprintf(sum, "%s\n%s", version, strings.Join(flags("", "", ""), " "))
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func (b builder) upToDate(stamp string) bool {
	have, err := os.ReadFile(filepath.Join(b.bin, stampFile))
	if err != nil || string(have) != stamp {
		return false
	}
	for _, name := range programs() {
		if info, err := os.Stat(filepath.Join(b.bin, name)); err != nil || info.Mode()&0o100 == 0 {
			return false
		}
	}
	return true
}

func (b builder) install(ctx context.Context, stamp string) error {
	version, err := b.goOutput(ctx, "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	if err != nil {
		return err
	}
	numbers := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(numbers) < 3 {
		return fmt.Errorf("k8s.io/kubernetes has the version %q", version)
	}
	// What killed builds left; the lock says that nobody works there now.
	stale, err := filepath.Glob(filepath.Join(b.bin, ".new-*"))
	if err != nil {
		return err
	}
	for _, dir := range stale {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	// Beside the target, so that the renames below stay on one file system.
	fresh, err := os.MkdirTemp(b.bin, ".new-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(fresh) }()
	command := b.goCommand(ctx, append([]string{"install"}, append(flags(version, numbers[0], numbers[1]), "tool")...)...)
	command.Env = append(command.Env, "CGO_ENABLED=0", "GOBIN="+fresh)
	command.Stdout, command.Stderr = b.out, b.out
	fmt.Fprintf(b.out, "building the Kubernetes %s control plane; from an empty cache this takes minutes\n", version)
	if err := command.Run(); err != nil {
		return fmt.Errorf("go install tool: %w", err)
	}
	// etcd's main package is called server.
	if err := os.Rename(filepath.Join(fresh, "server"), filepath.Join(fresh, etcdServer)); err != nil {
		return err
	}
	// From here until the new stamp is written the directory must not count as up to date.
	if err := os.Remove(filepath.Join(b.bin, stampFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, name := range programs() {
		if err := os.Rename(filepath.Join(fresh, name), filepath.Join(b.bin, name)); err != nil {
			return err
		}
	}
	temporary := filepath.Join(fresh, stampFile)
	if err := os.WriteFile(temporary, []byte(stamp), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, filepath.Join(b.bin, stampFile))
}

// flags returns the build flags. The version is stamped in because charts and clients ask for it.
func flags(version, major, minor string) []string {
	set := func(name, value string) string { return fmt.Sprintf("-X %s.%s=%s", versionPackage, name, value) }
	return []string{"-trimpath", "-ldflags", strings.Join([]string{
		"-s", "-w",
		set("gitVersion", version), set("gitMajor", major), set("gitMinor", minor),
		set("gitTreeState", "clean"), set("buildDate", buildDate),
	}, " ")}
}

func (b builder) goOutput(ctx context.Context, args ...string) (string, error) {
	command := b.goCommand(ctx, args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(output)), nil
}

// goCommand runs go in the module. Its compilers end with it when ctx ends.
func (b builder) goCommand(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = b.source
	command.Env = append(os.Environ(), "GOWORK=off")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 5 * time.Second
	return command
}

// findModule returns the root of the main module, from the working directory upwards.
func findModule() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if moduleOf(filepath.Join(dir, "go.mod")) == mainModule {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not inside the module %s", start, mainModule)
		}
	}
}

// moduleOf returns the module path that a go.mod declares, or nothing.
func moduleOf(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) == 2 && fields[0] == "module" {
			return fields[1]
		}
	}
	return ""
}
