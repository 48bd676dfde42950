package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// NodeBoard is where the cluster shows people how its nodes stand.
type NodeBoard interface {
	// Nodes returns the names of the cluster's nodes.
	Nodes(ctx context.Context) ([]string, error)
	// ShownNodes returns what is shown of these nodes; one that has no place there is missing.
	ShownNodes(ctx context.Context, names ...string) (map[string]string, error)
	// ShowNode shows how a node stands that has a place there.
	ShowNode(ctx context.Context, name, status string) error
	// SubscribeShown has f called when what is shown changed, whoever changed it, until cancel is
	// called. f returns at once.
	SubscribeShown(f func()) (cancel func())
}

// How a node stands that has a block.
const (
	nodeReady    = "Ready"    // it is as its block says, and Kubernetes calls it ready
	nodeDisabled = "Disabled" // its block takes it out of the cloud, and that is done
	nodeWaiting  = "Waiting"  // it is on its way to that, or waits for something else
	nodeFailed   = "Failed"   // something went wrong, and is tried again
	nodeBlocked  = "Blocked"  // it stands still until somebody changes something
	nodeMissing  = "Missing"  // the cluster has no such node
)

const (
	// showTimeout bounds one update of what is shown.
	showTimeout = 30 * time.Second
	// showPause is the longest time between two updates while there is something to write.
	showPause = 30 * time.Second
)

// ShowNodes shows how the nodes of the configuration stand, and returns how many it had to write. What
// is not known for the revision in force stays as it is shown. After an error another call goes on with
// what is left.
func ShowNodes(ctx context.Context, board NodeBoard, state revision.State, snapshot engine.Snapshot) (wrote int, err error) {
	m := modelOf(state, snapshot.Revision)
	if m == nil || len(m.Nodes) == 0 {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, showTimeout)
	defer cancel()
	there, err := board.Nodes(ctx)
	if err != nil {
		return 0, fmt.Errorf("show how nodes stand: %w", err)
	}
	names := make([]string, 0, len(m.Nodes))
	for i := range m.Nodes {
		names = append(names, m.Nodes[i].Name)
	}
	shown, err := board.ShownNodes(ctx, names...)
	if err != nil {
		return 0, fmt.Errorf("show how nodes stand: %w", err)
	}
	units := map[addr.Object]*engine.UnitStatus{}
	for i := range snapshot.Units {
		units[snapshot.Units[i].Address] = &snapshot.Units[i]
	}
	var errs []error
	for i := range m.Nodes {
		n := &m.Nodes[i]
		now, has := shown[n.Name]
		want := nodeStatus(n, units[n.Address], slices.Contains(there, n.Name))
		if !has || want == "" || want == now {
			continue
		}
		if err := board.ShowNode(ctx, n.Name, want); err != nil {
			errs = append(errs, fmt.Errorf("show how node %s stands: %w", n.Name, err))
			continue
		}
		wrote++
	}
	return wrote, errors.Join(errs...)
}

// modelOf returns the model of the revision that a snapshot is of; nil when that is another one by now.
func modelOf(state revision.State, id string) *model.Model {
	switch id {
	case "":
		return nil
	case state.Applied.Hash:
		return state.Model
	case state.InForce.Hash:
		return state.InForceModel
	default:
		return nil
	}
}

// nodeStatus is how a node stands; "" when that is not known.
func nodeStatus(n *model.Node, u *engine.UnitStatus, there bool) string {
	switch {
	case !there:
		return nodeMissing
	case u == nil || !u.Decided:
		return ""
	case u.Phase == engine.PhaseFailed:
		return nodeFailed
	case u.Phase == engine.PhaseBlocked:
		return nodeBlocked
	case u.Phase != engine.PhaseReady:
		return nodeWaiting
	case n.Disabled:
		return nodeDisabled
	default:
		return nodeReady
	}
}

// showNodes keeps what is shown of nodes as it is.
func (d *Daemon) showNodes(ctx context.Context, changed <-chan struct{}) {
	if d.Nodes == nil {
		return
	}
	heard := make(chan struct{}, 1)
	defer d.Nodes.SubscribeShown(func() {
		select {
		case heard <- struct{}{}:
		default: // one word is enough
		}
	})()
	keepShown(ctx, changed, heard, func() bool {
		wrote, err := ShowNodes(ctx, d.Nodes, d.Tracker.State(), d.snapshot())
		if err != nil && ctx.Err() == nil {
			d.Log.Warn().Err(err).Msg("how nodes stand is not shown")
		}
		return wrote == 0 && err == nil
	})
}

// keepShown calls show when there is word of a change, until ctx ends. While that finds something to
// write each time, as when somebody else changes it back, the pauses grow.
func keepShown(ctx context.Context, changed, heard <-chan struct{}, show func() (still bool)) {
	again := time.NewTimer(showPause)
	defer again.Stop()
	again.Stop()
	for rounds := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-heard:
		case <-again.C:
		}
		if show() {
			rounds = 0
			again.Stop()
		} else {
			rounds++
			again.Reset(showPause) // what failed is tried again, and what was written looked at
		}
		if !pause(ctx, min(backoff(rounds), showPause)) {
			return
		}
	}
}
