package wire

import (
	"context"
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// way is what the configuration says of how OpenStack is reached.
type way struct {
	known             bool // there is a block
	own               bool // with the user that we make ourselves
	block             model.OpenStack
	namespace, region string
	trust             string // the Secret with the authority of the APIs; "" for none
}

func wayOf(m *model.Model) way {
	if m == nil {
		return way{}
	}
	w := way{namespace: m.Cloud.Namespace, region: m.Cloud.Region, own: compose.OwnAccount(m), trust: compose.TrustSecret(m)}
	if m.Cloud.OpenStack != nil {
		w.known, w.block = true, *m.Cloud.OpenStack
		w.block.Range = diag.Range{} // where it is written makes no difference
	}
	return w
}

// way is what the configuration in force says, or what is on record of the last one while none is at hand.
func (s *System) way() way {
	if m := s.Model(); m != nil {
		return wayOf(m)
	}
	s.mutex.Lock()
	entries := s.entries
	s.mutex.Unlock()
	if entries == nil {
		return way{}
	}
	r := entries.Way()
	if r == nil {
		return way{}
	}
	return way{
		known: r.Block, own: r.Own, namespace: r.Namespace, region: r.Region, trust: r.Trust,
		block: model.OpenStack{AuthURL: r.AuthURL, Cloud: r.Cloud, Secret: r.Secret, CA: r.CA, Interface: r.Interface},
	}
}

// recorded is what goes on record of it.
func (w way) recorded() inventory.Way {
	return inventory.Way{
		Own: w.own, Block: w.known, Cloud: w.block.Cloud, Secret: w.block.Secret, Namespace: w.namespace, AuthURL: w.block.AuthURL,
		CA: w.block.CA, Interface: w.block.Interface, Region: w.region, Trust: w.trust,
	}
}

// stale tells whether the configuration now says another way than when connect was called last.
func (s *System) stale() bool {
	w := s.way()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return w != s.taken
}

// home refuses an OpenStack that is not the one which what we have there lies in: there, not to find
// it would mean nothing. The first one is recorded, and how it is reached, unless readOnly. Where that record is lost,
// and there are objects, a person has to say which one it is.
func (s *System) home(entries *inventory.Inventory, readOnly bool) func(context.Context, openstack.Home) error {
	return func(ctx context.Context, at openstack.Home) error {
		was, is := entries.Home(), inventory.Home(at)
		switch {
		case was != nil && *was == is:
		case s.Flags.AcceptOpenStack != "" && s.Flags.AcceptOpenStack == is.Project:
		case was == nil && has(entries):
			return unit.Blocked(fmt.Sprintf("the inventory has objects in OpenStack, but the record of which OpenStack they lie in is lost, and in another one all of them would count as gone: "+
				"restore the Secret kupenstack-inventory-deployment, or, when the project %s in the region %q is the right one, say so with --accept-openstack=%s", is.Project, is.Region, is.Project))
		case was == nil, !inUse(entries):
		default:
			return unit.Blocked(fmt.Sprintf("the credentials are for the project %s in the region %q, but what we have in OpenStack lies in the project %s in the region %q: "+
				"put the old credentials back, or, when this is meant, as after the loss of the cloud, say so with --accept-openstack=%s", is.Project, is.Region, was.Project, was.Region, is.Project))
		}
		if readOnly || s.Model() == nil { // without a configuration all is only looked at
			return nil
		}
		s.mutex.Lock()
		taken := s.taken
		s.mutex.Unlock()
		if err := entries.SetHome(ctx, is); err != nil {
			return err
		}
		return entries.SetWay(ctx, taken.recorded())
	}
}

// has tells whether anything is known to be in OpenStack. It came to be there after the first connection.
func has(entries *inventory.Inventory) bool {
	return slices.ContainsFunc(entries.Entries(), func(e inventory.Entry) bool {
		return e.Class == unit.ClassResource && e.Locator.Driver == unit.OpenStack && e.ID != ""
	})
}

// inUse tells whether anything depends on which OpenStack it is.
func inUse(entries *inventory.Inventory) bool {
	return hasCompute(entries) || slices.ContainsFunc(entries.Entries(), func(e inventory.Entry) bool { return e.Class == unit.ClassResource })
}
