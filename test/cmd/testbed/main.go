package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/kupenstack/kupenstack-sync/test/slow"
	"github.com/kupenstack/kupenstack-sync/test/supervisor"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

const usage = `testbed keeps real servers for tests, on loopback only.

  testbed [flags] prepare             build and install what the beds need
  testbed [flags] run -- COMMAND ...  start the beds, run the command, stop the beds
  testbed [flags] serve               start the beds and keep them until interrupted

The command finds the beds through ` + testbed.DirVariable + `. With OS_CLOUD set, that cloud is
used in place of the OpenStack bed. In CI (CI=true) a bed that cannot be had is an error.

Flags:
`

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	code := run(ctx, os.Args[1:])
	cancel()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet("testbed", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	beds := flags.String("beds", "cluster,openstack", "which beds to start")
	cache := flags.String("cache", defaultCache(), "directory that keeps binaries and database snapshots between runs")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	options, err := supervisor.Choose(*beds, os.Getenv("CI"))
	if err != nil {
		return fail(err)
	}
	options.Cache, options.Out = *cache, os.Stderr
	switch command := flags.Args(); {
	case len(command) == 1 && command[0] == "prepare":
		return fail(supervisor.Prepare(ctx, options))
	case len(command) == 1 && command[0] == "serve":
		return withBeds(ctx, options, func(dir *supervisor.Beds) error {
			fmt.Printf("export %s=%s %s=1\n", testbed.DirVariable, dir.Dir, slow.Variable)
			<-ctx.Done()
			return nil
		})
	case len(command) > 1 && command[0] == "run":
		if command[1] == "--" {
			command = command[1:]
		}
		if len(command) > 1 {
			return withBeds(ctx, options, func(dir *supervisor.Beds) error { return dir.Run(ctx, command[1:]) })
		}
	}
	flags.Usage()
	return 2
}

// withBeds returns the exit code: that of the command, or 1 when the beds themselves failed.
func withBeds(ctx context.Context, options supervisor.Options, use func(*supervisor.Beds) error) int {
	beds, err := supervisor.Start(ctx, options)
	if err != nil {
		return fail(err)
	}
	used := use(beds)
	// Not bound by ctx: an interrupted run is stopped as cleanly as a finished one.
	if err := beds.Stop(context.WithoutCancel(ctx)); err != nil {
		return fail(errors.Join(used, err))
	}
	var exit *exec.ExitError
	if errors.As(used, &exit) && exit.ExitCode() > 0 {
		fmt.Fprintf(os.Stderr, "the logs of the beds are in %s\n", beds.Dir)
		return exit.ExitCode()
	}
	if used != nil {
		return fail(used)
	}
	return fail(beds.Remove())
}

func fail(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "testbed:", err)
	return 1
}

func defaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "kupenstack-testbed")
}
