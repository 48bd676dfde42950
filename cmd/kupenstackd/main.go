package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/memory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/request"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// version is set when a release is built.
var version = "dev"

// firstLook is how long a Git server may hang before a daemon that comes into charge begins with the commit that was fetched
// last. A server that works tells its refs in much less.
const firstLook = 5 * time.Second

func main() {
	contain.Callback(func() {
		language := schema.New()
		if code, is := wire.Child(language, os.Args); is {
			os.Exit(code)
		}
		memory.Spare()
		os.Exit(run(language))
	})()
}

// options are the daemon's own flags.
type options struct {
	wire.Flags
	interval  time.Duration
	heartbeat time.Duration
	listen    string

	tlsCert, tlsKey                      string // files
	hooks, hookSecret, hookCert, hookKey string // an address, and files
}

func run(language *schema.Definition) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, contain.Callback(stop)) // a second signal ends the process at once
	o := options{Flags: wire.Flags{Language: language, Masker: redact.NewMasker()}}
	command := &cobra.Command{
		Use:   "kupenstackd",
		Short: "Keep an OpenStack cloud as a Git repository wants it",
		Args:  wire.Args(cobra.NoArgs), Version: version, SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return wire.FromEnvironment(cmd.Flags()) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), &o) },
	}
	wire.Usage(command)
	o.Register(command.Flags())
	command.Flags().DurationVar(&o.interval, "interval", 30*time.Second, "the time between two polls of the repository")
	command.Flags().DurationVar(&o.Resync, "resync", 5*time.Minute, "the time between two looks at everything, though nothing was heard")
	command.Flags().DurationVar(&o.OpenStackInterval, "openstack-interval", 30*time.Second, "the time between two looks at OpenStack, which tells nobody of changes, when something has happened there; it doubles up to --resync while nothing does; 0 for a look at each --resync alone")
	command.Flags().DurationVar(&o.heartbeat, "heartbeat", time.Hour, "the time between two notes in the repository that the world is still observed; 0 for none")
	command.Flags().StringVar(&o.listen, "listen", ":8080", "the address for /healthz, /readyz and /metrics")
	command.Flags().StringVar(&o.tlsCert, "tls-cert-file", "", "a file with the certificate that --listen answers over TLS with, in PEM")
	command.Flags().StringVar(&o.tlsKey, "tls-key-file", "", "a file with the key of that certificate")
	command.Flags().StringVar(&o.hooks, "webhook-listen", "", "the address for /webhook, where forges tell of pushes; empty for none")
	command.Flags().StringVar(&o.hookSecret, "webhook-secret-file", "", "a file with the secret that webhooks are signed with")
	command.Flags().StringVar(&o.hookCert, "webhook-tls-cert-file", "", "a file with the certificate that --webhook-listen answers over TLS with, in PEM")
	command.Flags().StringVar(&o.hookKey, "webhook-tls-key-file", "", "a file with the key of that certificate")
	if err := command.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "kupenstackd:", o.Masker.Text(err.Error()))
		if errors.Is(err, wire.ErrUsage) {
			return 64 // EX_USAGE
		}
		return 1
	}
	return 0
}

// checkTimes refuses intervals that would have everything looked at without a pause, or never.
func (o *options) checkTimes() error {
	if o.interval < time.Second {
		return fmt.Errorf("%w: --interval %v is too short: one second is the least", wire.ErrUsage, o.interval)
	}
	if o.heartbeat != 0 && o.heartbeat < time.Minute {
		return fmt.Errorf("%w: --heartbeat %v is too short: one minute is the least, and 0 for none", wire.ErrUsage, o.heartbeat)
	}
	if o.Resync < time.Second {
		return fmt.Errorf("%w: --resync %v is too short: one second is the least", wire.ErrUsage, o.Resync)
	}
	if o.OpenStackInterval != 0 && o.OpenStackInterval < time.Second {
		return fmt.Errorf("%w: --openstack-interval %v is too short: one second is the least, and 0 for none", wire.ErrUsage, o.OpenStackInterval)
	}
	return nil
}

// serve runs until ctx ends.
func serve(ctx context.Context, o *options) error {
	log, err := wire.Logger(os.Stderr, o.LogLevel, o.Masker)
	if err != nil {
		return err
	}
	wire.LogLibraries(log)
	defer context.AfterFunc(ctx, contain.Callback(func() {
		log.Info().Dur("grace", wire.Grace).Msg("is told to stop, and waits for what is under way; a second signal ends that")
	}))()
	if err := o.checkTimes(); err != nil {
		return err
	}
	certificate, err := certificate("tls", o.tlsCert, o.tlsKey)
	if err != nil {
		return err
	}
	hooks, err := o.webhooks(log)
	if err != nil {
		return err
	}
	reading, err := o.Reading(true)
	if err != nil {
		return err
	}
	lease := o.Lease("kupenstackd", log)
	source, err := o.Source(ctx, lease.Lapsed)
	if err != nil {
		return err
	}
	trust, err := o.Trust(source)
	if err != nil {
		return err
	}
	system, err := wire.Open(&o.Flags, "kupenstackd/"+version, lease.Rights(), log)
	if err != nil {
		return err
	}
	defer system.Close()
	lease.Access = system.Access
	target, err := o.Reports(source, system)
	if err != nil {
		return err
	}
	system.Start(context.WithoutCancel(ctx)) // running calls need its watches to the end
	tracker := o.Tracker(source, system, trust, reading)
	tracker.FirstLook = firstLook
	tracker.Reread = func() (revision.Options, error) { return o.Reading(true) }
	system.Model, system.Newest = tracker.InForce, tracker.Newest

	changes := make(chan daemon.Change, 1)
	tell := func(change daemon.Change) {
		select {
		case changes <- change:
		case <-ctx.Done():
		}
	}
	contain.Go(func() { system.FactsChanged(ctx, func() { tell(daemon.FactsChanged) }) })
	if source.IsDirectory() {
		if err := daemon.Watch(ctx, o.Repo, log, func() { tell(daemon.SourceChanged) }); err != nil {
			return err
		}
	}
	var d *daemon.Daemon
	follower := wire.Follower{
		Poll:    func() { d.LookNow() },
		Begun:   func() int64 { return d.Begun() },
		Outcome: func(ctx context.Context, begun int64) (request.Outcome, bool) { return d.Outcome(ctx, begun) },
	}
	d = &daemon.Daemon{
		Tracker: tracker, Lease: lease, Ping: system.Ping, Changes: changes,
		Publisher: &daemon.Publisher{
			Target: target, Tracker: tracker, Agents: &daemon.Agents{Source: system, Log: log}, Log: log,
			Base: report.Input{Version: version, Repository: source.String(), Ref: o.Ref, Path: o.Path},
		},
		Engine: func(ctx context.Context, changed func()) (*engine.Engine, error) {
			return system.Engine(ctx, false, changed)
		},
		Budgets: system.Budgets, Rendered: system.Rendered, Board: system.Board(), Keep: system.KeepInstallation, Suspend: system.FollowSuspensions,
		Requests: system.FollowRequests(follower), Variables: system.Variables, Interval: o.interval, Grace: wire.Grace, Listen: o.listen, Certificate: certificate, Hooks: hooks, Log: log,
		Listening: func(address net.Addr) { log.Info().Stringer("address", address).Msg("answers health checks") },
	}
	system.Admit = d.Admit
	if heart, ok := target.(daemon.Heartbeat); ok {
		d.Pulse = &daemon.Pulse{Target: heart, Every: o.heartbeat, Log: log}
	}
	if hooks != nil {
		// Asking is no change of the world, and no work of who is in charge, so that it goes past the guards.
		asking, err := wire.Open(&o.Flags, "kupenstackd/"+version, guard.Rights{}, log)
		if err != nil {
			return err
		}
		defer asking.Close()
		d.HandOn = func(ctx context.Context) error { return asking.AskToLook(ctx, "a webhook") }
	}
	started(log, source.String(), o)
	return d.Run(ctx)
}

func started(log zerolog.Logger, repository string, o *options) {
	log.Info().Str("version", version).Str("repo", repository).Str("ref", o.Ref).Str("path", o.Path).Dur("interval", o.interval).Msg("started")
}
