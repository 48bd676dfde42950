package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Claim makes a record for each of these nodes that none has, under the address node.unclaimed["name"]. The
// nodes bear labels of ours: without a record nobody would ever take these away. That can come to pass when
// blocks change nodes with each other, only some of them get so far, and the others are taken away. What a
// block of the configuration has becomes that block's; from the others the labels are taken, as when a block
// goes, and under the same rules.
//
// An inventory without any record was lost, or is new: then nothing is claimed. The error is the store's.
func Claim(ctx context.Context, records *inventory.Inventory, marker inventory.Marker, labelled []string) error {
	entries := records.Entries()
	if len(entries) == 0 {
		return nil
	}
	unclaimed := slices.DeleteFunc(slices.Clone(labelled), func(node string) bool {
		return slices.ContainsFunc(entries, func(e inventory.Entry) bool { return e.Locator.Kind == unit.KindNode && e.Locator.Name == node })
	})
	return each(unclaimed, func(node string) error {
		a, err := addr.NewObject(addr.Module{}, addr.Managed, unit.KindNode, "unclaimed", addr.StringKey(node))
		if err != nil {
			return fmt.Errorf("record the labels of node %s: %w", node, err)
		}
		return records.Put(ctx, inventory.Entry{
			Address: a, UID: marker.UID(a), Phase: inventory.Owned, Class: unit.ClassNode,
			Locator: unit.Locator{Driver: unit.Kubernetes, Kind: unit.KindNode, Name: node},
		})
	})
}
