package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// dataPatience bounds how long it takes to find the volumes of services, or to delete them.
const dataPatience = 5 * time.Minute

// dataOf finds the volumes and keys of the services that somebody named, as the newest revision has them, and says of which
// services the data stays for a suspension. It changes nothing.
func dataOf(ctx context.Context, o *options) (claims []wire.Claim, stay []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, dataPatience)
	defer cancel()
	log, err := wire.Logger(os.Stderr, "error", o.Masker)
	if err != nil {
		return nil, nil, err
	}
	source, err := o.Source(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	tree, err := newest(ctx, source)
	if err != nil {
		return nil, nil, err
	}
	loaded, found, err := read(ctx, o, tree, true)
	if err != nil {
		return nil, nil, err
	}
	if loaded == nil {
		return nil, nil, findings(o, found)
	}
	system, err := wire.Open(&o.Flags, "kupenstack-sync/"+version, guard.Rights{Write: func() error { return unit.ErrNotWriter }}, log)
	if err != nil {
		return nil, nil, err
	}
	defer system.Close()
	if err := system.Ping(ctx); err != nil {
		return nil, nil, err
	}
	system.Start(context.WithoutCancel(ctx)) // running calls need its watches to the end
	system.Model = func() *model.Model { return loaded.Model }
	if _, err := system.Engine(ctx, true, nil); err != nil {
		return nil, nil, err
	}
	held, err := system.Suspensions(ctx)
	if err != nil {
		return nil, nil, err
	}
	claims, err = system.Data(ctx, o.deleteData)
	_, stay = unsuspended(claims, append(held, loaded.Model.Suspensions...), system.Now())
	return claims, stay, err
}

// listData tells which volumes and keys are deleted, by the services that somebody named.
func listData(out io.Writer, services []string, claims []wire.Claim) {
	fmt.Fprintln(out, "These are deleted once their service is gone, with all that is on them, and nothing else:")
	for i, service := range services {
		if slices.Contains(services[:i], service) {
			continue
		}
		fmt.Fprintf(out, "  %s\n", service)
		none := true
		for _, claim := range claims {
			if claim.Release != service {
				continue
			}
			none = false
			if claim.Size != "" {
				fmt.Fprintf(out, "    %s, %s\n", claim.Ref, claim.Size)
			} else {
				fmt.Fprintf(out, "    %s\n", claim.Ref)
			}
		}
		if none {
			fmt.Fprintln(out, "    no volumes, no keys")
		}
	}
}

// deleteData deletes the volumes that were listed when somebody confirmed it, of services that are gone now, with all that
// works with these, and not suspended. It tells what is wrong, and returns an exit code then.
func (p *onePass) deleteData(ctx context.Context, s engine.Snapshot) error {
	if len(p.options.claims) == 0 || len(s.Refused) > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, dataPatience)
	defer cancel()
	fails := func(err error) error {
		p.options.complain("%v", why(ctx, err))
		return exit(exitFailed)
	}
	held, err := p.system.Suspensions(ctx)
	if err != nil {
		return fails(fmt.Errorf("it is not known what is suspended, so all data stays: %w", err))
	}
	claims, stay := unsuspended(p.options.claims, append(held, s.Suspensions...), p.system.Now())
	for _, line := range stay {
		fmt.Fprintln(os.Stderr, line)
	}
	deleted, used, err := p.system.DeleteData(ctx, claims)
	for _, line := range used {
		fmt.Fprintln(os.Stderr, line)
	}
	for _, ref := range deleted {
		fmt.Fprintf(os.Stderr, "deleted %s\n", ref)
	}
	switch {
	case err != nil:
		return fails(err)
	case len(stay)+len(used) > 0:
		return exit(exitBlocked)
	default:
		return nil
	}
}

// unsuspended returns what may be deleted while these suspensions hold, and a line for each service whose data stays for
// them. Keys stay with whatever stays, as they may be needed for it.
func unsuspended(claims []wire.Claim, list []suspension.Suspension, now time.Time) (free []wire.Claim, stay []string) {
	held := map[string]bool{}
	for _, claim := range claims {
		if held[claim.Release] {
			continue
		}
		if by := suspension.Of(list, serviceAt(claim.Release), now); by != nil {
			held[claim.Release] = true
			stay = append(stay, fmt.Sprintf("the data of %s stays: it is %s", claim.Release, by))
		}
	}
	for _, claim := range claims {
		if !held[claim.Release] && (len(held) == 0 || claim.Ref.Kind != "Secret") {
			free = append(free, claim)
		}
	}
	return free, stay
}

// serviceAt is the address of a service that the schema knows.
func serviceAt(name string) addr.Object { return addr.MustParseObject("service." + name) }
