package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// takePatience is how long a daemon has to take a request; it takes one at once, unless the cluster is slow to tell.
const takePatience = 30 * time.Second

// takePause is the time between two looks whether it has.
const takePause = 500 * time.Millisecond

func reconcileCommand(o *options) *cobra.Command {
	s := &suspending{options: o}
	return &cobra.Command{
		Use: "reconcile [ADDRESS...]", Short: "Have the daemon look again now",
		Long: `reconcile has the daemon look at the repository, and at what the addresses name, at once: at everything without
addresses. What failed or was refused there is tried again without the rest of its pause. It returns once the daemon
has taken the request, and not only when the work is done. For one pass without a daemon, call kupenstack-sync
without a command.

The same is asked for by another value of the annotation kupenstack.io/reconcile of the object in the cluster that
shows the cloud, a service or a node. A value counts once, also one that was written while no daemon ran.`,
		Example: `  kupenstack-sync reconcile
  kupenstack-sync reconcile service.nova module.edge
  kubectl annotate ossvc nova kupenstack.io/reconcile="$(date)" --overwrite`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.out, s.all = cmd.OutOrStdout(), len(args) == 0
			return o.bounded(cmd.Context(), func(ctx context.Context, _ *options) error { return s.reconcile(ctx, args) })
		},
	}
}

func (s *suspending) reconcile(ctx context.Context, args []string) error {
	targets, err := s.targets(args)
	if err != nil {
		return err
	}
	system, ctx, end, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer end()
	s.known(ctx, system, targets)
	by, err := system.User(ctx)
	if err != nil {
		return err
	}
	id, err := system.Ask(ctx, by, targets)
	if err != nil {
		return err
	}
	err = s.taken(ctx, system, id)
	if err == nil {
		_, err = fmt.Fprintln(s.out, "the daemon looks again")
		return err
	}
	// Nobody is to take it up when it is not expected any more.
	withdraw, cancel := context.WithTimeout(context.WithoutCancel(ctx), takePatience)
	defer cancel()
	return errors.Join(err, system.Withdraw(withdraw, id))
}

// taken waits until the daemon has taken a request.
func (s *suspending) taken(ctx context.Context, system *wire.System, id string) error {
	ctx, cancel := context.WithTimeout(ctx, takePatience)
	defer cancel()
	for {
		left, err := system.Asked(ctx, id)
		switch {
		case err == nil && !left:
			return nil
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return fmt.Errorf("no daemon has taken the request within %v: one pass without a daemon is kupenstack-sync without a command", takePatience)
		case err != nil:
			return err
		}
		select {
		case <-time.After(takePause):
		case <-ctx.Done():
		}
	}
}

// known warns of addresses that nothing is on record for. Where the records cannot be read, it warns of that: to have
// something left alone matters most then.
func (s *suspending) known(ctx context.Context, system *wire.System, targets []addr.Address) {
	targets = slices.DeleteFunc(slices.Clone(targets), func(a addr.Address) bool { return a == addr.Address(addr.Module{}) })
	if len(targets) == 0 {
		return
	}
	unknown, err := system.Unknown(ctx, targets)
	if err != nil {
		s.complain("it is not known whether there is anything at these addresses: %v", err)
	}
	for _, target := range unknown {
		fmt.Fprintf(os.Stderr, "kupenstack-sync: there is nothing on record at %s yet\n", target)
	}
}
