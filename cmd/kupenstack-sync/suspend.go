package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
)

// suspendPatience bounds how long it takes to tell the cluster.
const suspendPatience = time.Minute

// suspending is one call of suspend, resume or reconcile, which tell the cluster what is to be done about a part of it.
type suspending struct {
	*options
	all    bool
	reason string
	length time.Duration
	out    io.Writer
}

func suspendCommand(o *options) *cobra.Command {
	s := &suspending{options: o}
	command := &cobra.Command{
		Use: "suspend [ADDRESS...]", Short: "Have something left alone for a while",
		Long: `suspend has the daemon, and every pass, leave alone what the addresses name: an object such as
service.nova or instance.web["a"], a block with all its objects such as instance.web, a module with all that is
in it such as module.edge, or the whole cloud with --all. What is suspended is still looked at, and reported with
its drift. What is being done at the moment is finished, and something may be begun until the daemon has heard
of it, which takes a second, or some minutes where its watch was cut off: the report lists it once it holds.
Of what was suspended by command already, under the same address, the new one takes the place, and that is told.

It is kept in the cluster: it takes no repository, and outlives every process. Without arguments it lists what is
suspended by command.`,
		Example: `  kupenstack-sync suspend service.nova --for 2h --reason "disks are replaced"
  kupenstack-sync suspend --all
  kupenstack-sync resume service.nova`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.out = cmd.OutOrStdout()
			return o.bounded(cmd.Context(), func(ctx context.Context, _ *options) error { return s.suspend(ctx, args) })
		},
	}
	command.Flags().BoolVar(&s.all, "all", false, "the whole cloud")
	command.Flags().StringVar(&s.reason, "reason", "", "why, for those who read the report")
	command.Flags().DurationVar(&s.length, "for", 0, "how long, such as 2h (default: until it is resumed)")
	return command
}

func resumeCommand(o *options) *cobra.Command {
	s := &suspending{options: o}
	command := &cobra.Command{
		Use: "resume ADDRESS...", Short: "Have something looked after again that was suspended",
		Long: `resume ends what suspend began, for what the addresses name and all within it: resume module.edge ends a
suspension of module.edge.network.web as well, and --all ends every one. One of the configuration ends when its
block is taken away, and one of something larger only with that.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.out = cmd.OutOrStdout()
			return o.bounded(cmd.Context(), func(ctx context.Context, _ *options) error { return s.resume(ctx, args) })
		},
	}
	command.Flags().BoolVar(&s.all, "all", false, "everything that was suspended")
	return command
}

// targets reads what is meant.
func (s *suspending) targets(args []string) ([]addr.Address, error) {
	if s.all && len(args) > 0 {
		return nil, fmt.Errorf("%w: give addresses, or --all", wire.ErrUsage)
	}
	if s.all {
		return []addr.Address{addr.Module{}}, nil
	}
	var targets []addr.Address
	for _, arg := range args {
		if arg == "" {
			return nil, fmt.Errorf("%w: an address is empty: for the whole cloud give --all", wire.ErrUsage)
		}
		target, err := addr.ParseTarget(arg)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", wire.ErrUsage, err)
		}
		targets = append(targets, target)
	}
	return targets, nil
}

func (s *suspending) suspend(ctx context.Context, args []string) error {
	targets, err := s.targets(args)
	if err != nil {
		return err
	}
	if s.length < 0 {
		return fmt.Errorf("%w: --for %v has passed already", wire.ErrUsage, s.length)
	}
	if len(targets) == 0 && (s.reason != "" || s.length > 0) {
		return fmt.Errorf("%w: say what is to be suspended: addresses, or --all", wire.ErrUsage)
	}
	system, ctx, end, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer end()
	if len(targets) == 0 {
		return s.list(ctx, system)
	}
	by, err := system.User(ctx)
	if err != nil {
		return err
	}
	s.known(ctx, system, targets)
	now := system.Now()
	var begun []suspension.Suspension
	for _, target := range targets {
		one := suspension.Suspension{Target: target, By: by, Reason: s.reason, Since: now}
		if s.length > 0 {
			one.Until = now.Add(s.length)
		}
		begun = append(begun, one)
	}
	var over []suspension.Suspension
	err = system.ChangeSuspensions(ctx, func(list []suspension.Suspension) (next []suspension.Suspension) {
		next, over = withAll(list, begun)
		return next
	})
	if err != nil {
		return err
	}
	tellBegun(s.out, begun, over)
	return nil
}

// withAll returns the list with those that are begun, and those of it that they take the place of.
func withAll(list, begun []suspension.Suspension) (next, over []suspension.Suspension) {
	next = list
	for _, one := range begun {
		next = suspension.With(next, one)
	}
	for _, was := range list {
		if slices.ContainsFunc(begun, func(one suspension.Suspension) bool { return one.Target == was.Target }) {
			over = append(over, was)
		}
	}
	return next, over
}

// tellBegun says what is suspended now. One that another one took the place of may be somebody else's, who counts on it, and the new
// one may end before.
func tellBegun(out io.Writer, begun, over []suspension.Suspension) {
	for i := range begun {
		fmt.Fprintf(out, "%s is %s\n", begun[i].Name(), &begun[i])
	}
	for i := range over {
		fmt.Fprintf(out, "that takes the place of one before: %s was %s\n", over[i].Name(), &over[i])
	}
}

func (s *suspending) resume(ctx context.Context, args []string) error {
	targets, err := s.targets(args)
	if err != nil {
		return err
	}
	if len(targets) == 0 {
		return fmt.Errorf("%w: say what is to be resumed: addresses, or --all", wire.ErrUsage)
	}
	system, ctx, end, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer end()
	var ended, left []suspension.Suspension
	err = system.ChangeSuspensions(ctx, func(list []suspension.Suspension) []suspension.Suspension {
		ended, left = nil, list
		for _, target := range targets {
			var taken []suspension.Suspension
			left, taken = suspension.Without(left, target)
			ended = append(ended, taken...)
		}
		return left
	})
	if err != nil {
		return err
	}
	for i := range ended {
		fmt.Fprintf(s.out, "%s is not suspended by command any more\n", ended[i].Name())
	}
	for _, target := range targets {
		for i := range left {
			if left[i].Target.Contains(target) {
				fmt.Fprintf(s.out, "%s is still suspended with %s\n", target, left[i].Name())
			}
		}
	}
	if len(ended) == 0 {
		fmt.Fprintln(s.out, "nothing of that was suspended by command")
	}
	return nil
}

// open returns the cluster, and how long it may be asked.
func (s *suspending) open(ctx context.Context) (*wire.System, context.Context, func(), error) {
	log, err := wire.Logger(os.Stderr, "error", s.Masker)
	if err != nil {
		return nil, nil, nil, err
	}
	// No lease is needed to tell those something who hold it.
	system, err := wire.Open(&s.Flags, "kupenstack-sync/"+version, guard.Rights{}, log)
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, suspendPatience)
	system.Start(ctx)
	return system, ctx, func() { cancel(); system.Close() }, nil
}

// list tells what is suspended by command.
func (s *suspending) list(ctx context.Context, system *wire.System) error {
	all, err := system.Suspensions(ctx)
	if err != nil {
		return err
	}
	all = suspension.Standing(system.Now(), all)
	if s.output == outputJSON {
		document, err := suspension.Encode(all)
		if err != nil {
			return err
		}
		return printJSON(s.out, json.RawMessage(document))
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(s.out, "nothing is suspended by command")
		return err
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WHAT\tBY\tSINCE\tUNTIL\tWHY")
	for i := range all {
		one := &all[i]
		until := "resumed"
		if !one.Until.IsZero() {
			until = one.Until.Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", one.Name(), one.By, one.Since.Format(time.RFC3339), until, one.Reason)
	}
	return w.Flush()
}
