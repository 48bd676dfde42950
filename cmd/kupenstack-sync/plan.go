package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// showPlan tells what a pass would change. It takes no lease and sends nothing that changes
// anything.
func showPlan(ctx context.Context, o *options) error {
	log, err := wire.Logger(os.Stderr, o.LogLevel)
	if err != nil {
		return err
	}
	loaded, found, err := load(ctx, o, true)
	if err != nil {
		return err
	}
	if loaded == nil {
		return findings(o, found)
	}
	system, err := wire.Open(&o.Flags, "kupenstack-sync/"+version, func() error { return unit.ErrNotWriter }, log)
	if err != nil {
		return err
	}
	defer system.Close()
	system.Start(context.WithoutCancel(ctx)) // running calls need its watches to the end
	system.Model = func() *model.Model { return loaded.Model }
	facts, err := system.Facts(ctx)
	if err != nil {
		return err
	}
	wanted, diags := loaded.Compose(facts)
	found.Diagnostics.Append(diags...)
	if wanted == nil {
		return findings(o, found)
	}
	e, err := system.Engine(ctx, true, nil)
	if err != nil {
		return err
	}
	p, unseen := e.Plan(ctx, wanted)
	if err := ctx.Err(); err != nil {
		return err
	}
	if o.output == outputJSON {
		err = printPlan(os.Stdout, p, found)
	} else {
		fmt.Fprint(os.Stderr, found.Text(colored(os.Stderr))) // warnings
		err = p.Text(os.Stdout)
	}
	switch {
	case err != nil:
		return err
	case len(p.Refused) > 0:
		return exit(exitBlocked)
	case p.Count(unit.ActionUnknown) > 0:
		fmt.Fprintln(os.Stderr, "kupenstack-sync: not everything could be observed:", unseen)
		return exit(exitFailed)
	case slices.ContainsFunc(p.Changes, func(c plan.Change) bool { return c.Changes() }):
		return exit(exitChanges)
	case !p.Empty():
		return exit(exitBlocked)
	}
	return nil
}
