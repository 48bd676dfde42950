package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
)

// tell has the report name the newest revision, which has mistakes. Who is in charge does that by
// itself, together with how things stand.
func (p *onePass) tell(ctx context.Context, lease *kube.Lease) {
	if p.publisher.Target == nil {
		return
	}
	asking, cancel := context.WithTimeout(ctx, lease.Patience())
	defer cancel()
	holder, err := "", p.system.Ping(asking)
	if err == nil {
		holder, err = lease.Held(ctx)
	}
	if err == nil && holder == "" {
		ctx, cancel := context.WithTimeout(ctx, lease.Patience()) // of who has held it last
		defer cancel()
		err = lease.Hold(ctx, nil, func(ctx context.Context) error {
			p.publish(ctx, engine.Snapshot{})
			return nil
		})
		if err != nil {
			holder = lease.Holder()
		}
	}
	switch {
	case holder != "":
		fmt.Fprintf(os.Stderr, "%s is in charge, and reports this\n", holder)
	case err != nil:
		p.options.complain("this is not in the report: %v", err)
	}
}
