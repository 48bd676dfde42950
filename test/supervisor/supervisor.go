package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/debian"
	"github.com/kupenstack/kupenstack-sync/test/openstack"
	"github.com/kupenstack/kupenstack-sync/test/slow"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// Options say which beds a run has and where it speaks.
type Options struct {
	Cluster   bool // start the shared Kubernetes control plane
	OpenStack bool // start the shared OpenStack
	// RequireAll makes a bed that this machine cannot have an error instead of a line. Set in CI.
	RequireAll bool
	// Unsupported says in one line why this machine cannot run the OpenStack bed, or nothing;
	// nil means openstack.Unsupported.
	Unsupported func() string
	Cache       string    // directory that survives runs: binaries, database snapshots
	Out         io.Writer // progress, one line each
}

// Choose returns the options for the beds named, such as "cluster,openstack", of which CI (the
// value of that variable) misses none.
func Choose(beds, ci string) (Options, error) {
	options := Options{RequireAll: !slices.Contains([]string{"", "0", "false"}, strings.ToLower(ci))}
	for _, bed := range strings.Split(beds, ",") {
		switch bed {
		case "cluster":
			options.Cluster = true
		case "openstack":
			options.OpenStack = true
		default:
			return options, fmt.Errorf("no bed is called %q: choose from cluster,openstack", bed)
		}
	}
	return options, nil
}

func (o Options) unsupported() string {
	if o.Unsupported != nil {
		return o.Unsupported()
	}
	return openstack.Unsupported()
}

// Beds are the running servers of one run.
type Beds struct {
	Dir     string
	owner   *os.File // locked while this run lives
	options Options
	started time.Time
	stops   []func(context.Context) error
	mu      sync.Mutex // guards Out and stops
}

const stopLimit = 2 * time.Minute

// Prepare builds and installs what the chosen beds need. It is quick when nothing changed.
func Prepare(ctx context.Context, options Options) error {
	if err := prepareTools(ctx, options); err != nil {
		return err
	}
	if options.Cluster {
		if err := cluster.Build(ctx, binaries(options), options.Out); err != nil {
			return err
		}
	}
	if options.OpenStack && os.Getenv("OS_CLOUD") == "" && options.unsupported() == "" {
		if err := openstack.Install(ctx, options.Out); err != nil {
			return err
		}
	}
	return nil
}

// prepareTools installs the programs that tests run or are built with, where one is missing.
func prepareTools(ctx context.Context, options Options) error {
	packages := map[string][]string{
		"git":        {"git"},
		"ssh":        {"openssh-client"},
		"ssh-keygen": {"openssh-client"},
		"gcc":        {"gcc", "libc6-dev"}, // for the race detector
	}
	var missing []string
	for program, names := range packages {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, names...)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return debian.Install(ctx, options.Out, slices.Compact(missing)...)
}

func binaries(options Options) string { return filepath.Join(options.Cache, "cluster", "bin") }

// Start reaps what dead supervisors left, then prepares and starts the beds. When it fails,
// everything it had started is stopped again.
func Start(ctx context.Context, options Options) (*Beds, error) {
	if err := reap(ctx, options.Out); err != nil {
		return nil, err
	}
	if err := Prepare(ctx, options); err != nil {
		return nil, err
	}
	dir, owner, err := newDir()
	if err != nil {
		return nil, err
	}
	beds := &Beds{Dir: dir, owner: owner, options: options, started: time.Now()}
	group, groupCtx := errgroup.WithContext(ctx)
	if options.Cluster {
		group.Go(func() error { return beds.startCluster(groupCtx) })
	}
	if options.OpenStack {
		group.Go(func() error { return beds.startOpenStack(groupCtx) })
	}
	if err := group.Wait(); err != nil {
		return nil, errors.Join(err, beds.Stop(context.WithoutCancel(ctx)))
	}
	return beds, nil
}

func (b *Beds) startCluster(ctx context.Context) error {
	bin := filepath.Join(b.Dir, testbed.BinDir)
	if err := os.Symlink(binaries(b.options), bin); err != nil {
		return err
	}
	c, err := cluster.Start(ctx, cluster.Options{Bin: bin, Dir: filepath.Join(b.Dir, testbed.ClusterDir), Player: true})
	if err != nil {
		return fmt.Errorf("control plane: %w", err)
	}
	b.onStop(c.Stop)
	b.play(c)
	b.say("control plane ready at %s", c.RESTConfig().Host)
	return nil
}

func (b *Beds) startOpenStack(ctx context.Context) error {
	if name := os.Getenv("OS_CLOUD"); name != "" {
		b.say("OpenStack: using the cloud %q of OS_CLOUD", name)
		return nil
	}
	dir := filepath.Join(b.Dir, testbed.OpenStackDir)
	if reason := b.options.unsupported(); reason != "" {
		if b.options.RequireAll {
			return errors.New("OpenStack: " + reason)
		}
		b.say("OpenStack skipped: %s", reason)
		return os.WriteFile(dir+testbed.SkippedSuffix, []byte(reason), 0o600)
	}
	cloud, err := openstack.Start(ctx, openstack.Options{Dir: dir, Cache: filepath.Join(b.options.Cache, "openstack"), Out: b.writer()})
	if err != nil {
		return fmt.Errorf("OpenStack: %w", err)
	}
	b.onStop(cloud.Stop)
	b.say("OpenStack ready at %s", cloud.AuthURL)
	return nil
}

// Run runs a command with the beds in its environment and returns what it returned. When ctx
// ends, the command and all its descendants in its process group get SIGTERM; whatever is left
// of them when the command has ended, or half a minute later, gets SIGKILL.
func (b *Beds) Run(ctx context.Context, args []string) error {
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Env = append(os.Environ(), testbed.DirVariable+"="+b.Dir, slow.Variable+"=1", runVariable+"="+b.Dir)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	signal := func(s syscall.Signal) error { return syscall.Kill(-command.Process.Pid, s) }
	command.Cancel = func() error { return signal(syscall.SIGTERM) }
	command.WaitDelay = 30 * time.Second
	err := command.Run()
	if ctx.Err() != nil && command.Process != nil {
		_ = signal(syscall.SIGKILL) // no such group is the usual answer
	}
	return err
}

// lastBreath is how long a process may still be seen after it was killed: it needs a processor to end, and others
// may have that.
const lastBreath = time.Minute

// goneSoon returns what is left of the run. A process that was just killed may be seen for a moment.
func (b *Beds) goneSoon(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, lastBreath)
	defer cancel()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		left, err := leftovers(b.Dir)
		if err != nil || len(left) == 0 {
			return left, err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return left, nil
		}
	}
}

// Stop ends every server of the run, also those that tests started below the bed's
// directory and lost, and fails when a process of the run is still there afterwards. Logs
// stay in Dir until Remove.
func (b *Beds) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	var failures []error
	b.mu.Lock()
	stops := b.stops
	b.stops = nil
	b.mu.Unlock()
	for i := len(stops) - 1; i >= 0; i-- {
		failures = append(failures, stops[i](ctx))
	}
	failures = append(failures, stopRecorded(ctx, b.Dir))
	left, err := b.goneSoon(ctx)
	failures = append(failures, err)
	if len(left) > 0 {
		failures = append(failures, fmt.Errorf("still running after everything was stopped: %q", left))
	}
	if err := errors.Join(failures...); err != nil {
		return err
	}
	b.say("all stopped, nothing left running")
	return nil
}

// Remove deletes the run's directory with all its logs.
func (b *Beds) Remove() error { return errors.Join(os.RemoveAll(b.Dir), b.owner.Close()) }

func (b *Beds) onStop(stop func(context.Context) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stops = append(b.stops, stop)
}

func (b *Beds) say(format string, args ...any) {
	fmt.Fprintf(b.writer(), "%6.1fs %s\n", time.Since(b.started).Seconds(), fmt.Sprintf(format, args...))
}

// writer lets the beds, which start side by side, speak one at a time.
func (b *Beds) writer() io.Writer { return &lockedWriter{mu: &b.mu, out: b.options.Out} }

type lockedWriter struct {
	mu  *sync.Mutex
	out io.Writer
}

func (w *lockedWriter) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(data)
}
