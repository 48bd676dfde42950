package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// dataPatience bounds how long it takes to find the volumes of services.
const dataPatience = 5 * time.Minute

// dataOf finds the volumes and keys of the services that somebody named, as the newest revision has them. It changes nothing.
func dataOf(ctx context.Context, o *options) ([]wire.Claim, error) {
	ctx, cancel := context.WithTimeout(ctx, dataPatience)
	defer cancel()
	log, err := wire.Logger(os.Stderr, "error")
	if err != nil {
		return nil, err
	}
	source, err := o.Source(ctx)
	if err != nil {
		return nil, err
	}
	tree, err := newest(ctx, source)
	if err != nil {
		return nil, err
	}
	loaded, found, err := read(ctx, o, tree, true)
	if err != nil {
		return nil, err
	}
	if loaded == nil {
		return nil, findings(o, found)
	}
	system, err := wire.Open(&o.Flags, "kupenstack-sync/"+version, func() error { return unit.ErrNotWriter }, log)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	if err := system.Ping(ctx); err != nil {
		return nil, err
	}
	system.Start(context.WithoutCancel(ctx)) // running calls need its watches to the end
	system.Model = func() *model.Model { return loaded.Model }
	if _, err := system.Engine(ctx, true, nil); err != nil {
		return nil, err
	}
	return system.Data(ctx, o.deleteData)
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
