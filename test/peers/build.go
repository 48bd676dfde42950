package peers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// buildLimit is for an empty cache on a small machine that has other work.
const buildLimit = time.Hour

// controllers are the modules of Flux whose programs have their names.
func controllers() []string {
	return []string{"source-controller", "kustomize-controller", "helm-controller"}
}

// binaries is the directory of the module that pins them, from that of this package, where its tests run.
const binaries = "binaries"

// build makes the controllers and returns the directory that they are in, beside the programs of the control plane. Go
// keeps what it has compiled: the first time takes minutes, another time seconds.
func build(t testing.TB) string {
	t.Helper()
	servers, err := filepath.EvalSymlinks(filepath.Join(testbed.Dir(t), testbed.BinDir))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(filepath.Dir(filepath.Dir(servers)), "peers", "bin")
	t.Log("building Flux's controllers; from an empty cache this takes minutes")
	goRun(t, []string{"CGO_ENABLED=0", "GOBIN=" + dir}, "install", "-trimpath", "-ldflags=-s -w", "tool")
	return dir
}

// definitions are the directories with the definitions of the controllers' kinds.
func definitions(t testing.TB) []string {
	t.Helper()
	var dirs []string
	for _, name := range controllers() {
		module := goRun(t, nil, "list", "-m", "-f", "{{.Dir}}", "github.com/fluxcd/"+name)
		dirs = append(dirs, filepath.Join(module, "config", "crd", "bases"))
	}
	return dirs
}

// goRun runs go in the module and returns what it prints.
func goRun(t testing.TB, variables []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	defer cancel()
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = binaries
	command.Env = append(append(os.Environ(), "GOWORK=off"), variables...)
	// Its compilers end with it.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 5 * time.Second
	var failure strings.Builder
	command.Stderr = &failure
	output, err := command.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, failure.String())
	}
	return strings.TrimSpace(string(output))
}
