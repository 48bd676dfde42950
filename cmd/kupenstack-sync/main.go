package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/memory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// version is set when a release is built.
var version = "dev"

// The exit codes; scripts rely on them.
const (
	exitDone        = 0   // in sync, or converged
	exitFailed      = 1   // something failed
	exitChanges     = 2   // plan found changes
	exitInvalid     = 3   // the configuration has mistakes, or fmt --check found another layout
	exitBlocked     = 4   // something is blocked, or time ran out
	exitUsage       = 64  // EX_USAGE
	exitInterrupted = 130 // by a signal
)

// options are the command's own flags.
type options struct {
	wire.Flags
	timeout time.Duration
	output  string
	// wait has a pass wait until a daemon ends, and not ask it.
	wait bool
	// given are the flags that were written or have a variable.
	given []string
	// repoGiven tells that --repo was written, not only its variable.
	repoGiven bool
	// tearDown is the name of the cloud that a pass is to take away, "" for none.
	tearDown string
	// deleteData are the services whose volumes go with it.
	deleteData []string
	// claims are these volumes, as they were listed when somebody confirmed it.
	claims []wire.Claim
}

func newOptions(language *schema.Definition) *options {
	return &options{Flags: wire.Flags{Language: language, Masker: redact.NewMasker()}}
}

// complain tells on standard error what is wrong, without what the cluster has of secrets.
func (o *options) complain(format string, args ...any) {
	fmt.Fprintln(os.Stderr, "kupenstack-sync:", o.Masker.Text(fmt.Sprintf(format, args...)))
}

// exit ends the command with a code. Its text, if any, has been printed.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

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

func run(language *schema.Definition) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, contain.Callback(stop)) // a second signal ends the process at once
	o := newOptions(language)
	err := logging(commandOf(o), o).ExecuteContext(ctx)
	var told exit
	if err != nil && !errors.As(err, &told) {
		o.complain("%v", err)
	}
	return codeOf(err)
}

// codeOf returns the exit code for the end of a command.
func codeOf(err error) int {
	var code exit
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, wire.ErrUsage):
		return exitUsage
	case errors.Is(err, kube.ErrLost), errors.Is(err, kube.ErrCopied):
		return exitBlocked
	}
	return exitFailed
}

// logging has a command set the logger of our libraries before it runs.
func logging(root *cobra.Command, o *options) *cobra.Command {
	prepare := root.PersistentPreRunE
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if err := prepare(cmd, args); err != nil {
			return err
		}
		level, err := cmd.Flags().GetString("log-level")
		if err != nil {
			return err
		}
		log, err := wire.Logger(os.Stderr, level, o.Masker)
		if err != nil {
			return err
		}
		wire.LogLibraries(log)
		return nil
	}
	return root
}

func command(language *schema.Definition) *cobra.Command {
	return commandOf(newOptions(language))
}

func commandOf(o *options) *cobra.Command {
	root := &cobra.Command{
		Use:   "kupenstack-sync",
		Short: "Bring an OpenStack cloud to what a repository wants, in one pass",
		Long: `Without a command, kupenstack-sync reads the configuration at --repo, brings the cluster and OpenStack to
what it says, and ends when nothing more can move. Beside a daemon it has that do so, and ends with what became of it;
values of variables have to be those of the daemon then, and how to go about it is up to the daemon's flags.

Every flag but those that allow to destroy can be given as a variable: --status-branch as KUPENSTACK_STATUS_BRANCH.

Exit codes: 0 in sync or converged, 1 failed, 2 plan found changes, 3 the configuration has mistakes
(fmt --check: or another layout), 4 blocked or timed out, 64 wrong usage, 130 interrupted.`,
		Args: wire.Args(cobra.NoArgs), Version: version, SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			o.repoGiven = cmd.Flags().Changed("repo")
			if err := wire.FromEnvironment(cmd.Flags()); err != nil {
				return err
			}
			o.given = givenFlags(cmd.Flags())
			if o.output != outputText && o.output != outputJSON {
				return fmt.Errorf("%w: --output %s: use text or json", wire.ErrUsage, o.output)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return o.bounded(cmd.Context(), pass) },
	}
	wire.Usage(root)
	o.Register(root.PersistentFlags())
	root.PersistentFlags().DurationVar(&o.timeout, "timeout", 30*time.Minute, "how long the pass may take")
	root.PersistentFlags().StringVar(&o.output, "output", outputText, "text or json")
	root.Flags().BoolVar(&o.wait, "wait", false, "beside a daemon: wait until it ends, up to --timeout, and do the pass then, instead of asking it")
	root.AddCommand(
		planCommand(o),
		&cobra.Command{
			Use: "validate [DIRECTORY]", Short: "Check a configuration without any server", Args: wire.Args(cobra.MaximumNArgs(1)),
			RunE: func(cmd *cobra.Command, args []string) error {
				return o.bounded(cmd.Context(), func(ctx context.Context, o *options) error { return validate(ctx, o, args) })
			},
		},
		&cobra.Command{
			Use: "schema", Short: "Print the JSON Schema of the language, for editors", Args: wire.Args(cobra.NoArgs),
			RunE: func(cmd *cobra.Command, _ []string) error { return printSchema(o.Language, cmd.OutOrStdout()) },
		},
		explainCommand(o),
		convertCommand(o),
		exportCommand(o),
		formatCommand(o),
		graphCommand(o),
		lockCommand(o),
		destroyCommand(o),
		suspendCommand(o),
		resumeCommand(o),
		reconcileCommand(o),
	)
	complete(root, o)
	return root
}

// bounded runs a command for no longer than --timeout. What fails because the time ran out, or
// because of a signal, ends with the code for that, wherever it happened.
func (o *options) bounded(ctx context.Context, command func(context.Context, *options) error) error {
	if o.timeout <= 0 {
		return fmt.Errorf("%w: --timeout %v leaves no time", wire.ErrUsage, o.timeout)
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	err := command(ctx, o)
	var code exit
	switch {
	case err == nil || errors.As(err, &code) || ctx.Err() == nil:
		return err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		o.complain("the time ran out; see --timeout: %v", err)
		return exit(exitBlocked)
	default:
		fmt.Fprintln(os.Stderr, "kupenstack-sync: interrupted")
		return exit(exitInterrupted)
	}
}
