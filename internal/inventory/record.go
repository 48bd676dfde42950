package inventory

import (
	"context"
	"maps"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// record is what is known of the installation as a whole.
type record struct {
	Deployment *Deployment `json:"deployment,omitempty"`
	Home       *Home       `json:"home,omitempty"`
	// Way is how OpenStack was reached last. An older program neither knows nor keeps it.
	Way     *Way     `json:"way,omitempty"`
	InForce *InForce `json:"inForce,omitempty"`
	// Uninstalled are the services that were taken away, by their addresses, with what went along.
	Uninstalled map[string][]string `json:"uninstalled,omitempty"`
	// Grants are the roles that our user has given itself, or is about to.
	Grants []unit.Grant `json:"grants,omitempty"`
	// Older says that the inventory is older than one that was reported on, see [Inventory.Expect]: a program that
	// does not know it would delete by it. Base is by how many writes that one had more.
	Older bool  `json:"older,omitempty"`
	Base  int64 `json:"base,omitempty"`
}

// format is the oldest version that can hold the record: a program that knows of no roles would forget them.
func (r *record) format() int {
	if r.Older {
		return formatOlder
	}
	if len(r.Grants) > 0 {
		return formatGrants
	}
	return formatFirst
}

// Way is how OpenStack is reached, without anything that is secret: for as long as the configuration that says so is
// not at hand.
type Way struct {
	Own       bool   `json:"own,omitempty"`       // with the user that we make ourselves
	Block     bool   `json:"block,omitempty"`     // an openstack block says the rest
	Cloud     string `json:"cloud,omitempty"`     // an entry of clouds.yaml
	Secret    string `json:"secret,omitempty"`    // the name of a Secret
	Namespace string `json:"namespace,omitempty"` // of it
	AuthURL   string `json:"authURL,omitempty"`
	CA        string `json:"ca,omitempty"` // certificates in PEM
	Interface string `json:"interface,omitempty"`
	Region    string `json:"region,omitempty"`
	Trust     string `json:"trust,omitempty"` // the Secret with the authority of the APIs inside
}

// InForce names the configuration that was admitted last.
type InForce struct {
	Revision string `json:"revision"`       // the id of the commit
	Path     string `json:"path,omitempty"` // of the configuration in there
}

// Deployment returns the record of the deployment, nil before the first one.
func (i *Inventory) Deployment() *Deployment {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return copied(i.record.Deployment)
}

// Home returns where in OpenStack everything lies, nil before the first connection.
func (i *Inventory) Home() *Home {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return copied(i.record.Home)
}

// Way returns how OpenStack was reached last, nil before the first connection and where an older program made the record.
func (i *Inventory) Way() *Way {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return copied(i.record.Way)
}

// InForce returns which configuration was admitted last, nil before the first.
func (i *Inventory) InForce() *InForce {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return copied(i.record.InForce)
}

// Uninstalled returns the services that were taken away and have not come back, with what went along.
func (i *Inventory) Uninstalled() map[addr.Object][]string {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	all := map[addr.Object][]string{}
	for text, cleaned := range i.record.Uninstalled {
		if a, err := addr.ParseObject(text); err == nil {
			all[a] = slices.Clone(cleaned)
		}
	}
	return all
}

// SetUninstalled records that a service was taken away, and what went along. Retrying after an error is safe.
func (i *Inventory) SetUninstalled(ctx context.Context, a addr.Object, cleaned []string) error {
	return i.note(ctx, func(r *record) bool {
		if known, ok := r.Uninstalled[a.String()]; ok && slices.Equal(known, cleaned) {
			return false
		}
		next := maps.Clone(r.Uninstalled)
		if next == nil {
			next = map[string][]string{}
		}
		next[a.String()] = append([]string{}, cleaned...)
		r.Uninstalled = next
		return true
	})
}

// SetInstalled records that a service is not among those any more: it comes back, or nothing of it is left. Retrying after an error is safe.
func (i *Inventory) SetInstalled(ctx context.Context, a addr.Object) error {
	return i.note(ctx, func(r *record) bool {
		if _, ok := r.Uninstalled[a.String()]; !ok {
			return false
		}
		r.Uninstalled = maps.Clone(r.Uninstalled)
		delete(r.Uninstalled, a.String())
		return true
	})
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	value := *p
	return &value
}

// SetDeployment records the deployment; nothing is written when it is stored already.
func (i *Inventory) SetDeployment(ctx context.Context, d Deployment) error {
	return i.note(ctx, func(r *record) bool {
		if r.Deployment != nil && *r.Deployment == d {
			return false
		}
		r.Deployment = &d
		return true
	})
}

// SetHome records where in OpenStack everything lies; nothing is written when it is stored already.
func (i *Inventory) SetHome(ctx context.Context, h Home) error {
	return i.note(ctx, func(r *record) bool {
		if r.Home != nil && *r.Home == h {
			return false
		}
		r.Home = &h
		return true
	})
}

// SetWay records how OpenStack is reached; nothing is written when it is stored already.
func (i *Inventory) SetWay(ctx context.Context, w Way) error {
	return i.note(ctx, func(r *record) bool {
		if r.Way != nil && *r.Way == w {
			return false
		}
		r.Way = &w
		return true
	})
}

// SetInForce records which configuration was admitted last; nothing is written when it is stored already.
func (i *Inventory) SetInForce(ctx context.Context, f InForce) error {
	return i.note(ctx, func(r *record) bool {
		if r.InForce != nil && *r.InForce == f {
			return false
		}
		r.InForce = &f
		return true
	})
}

// note stores what change makes of the record, unless it says that nothing changes.
func (i *Inventory) note(ctx context.Context, change func(*record) bool) error {
	same := func() bool {
		i.mutex.Lock()
		defer i.mutex.Unlock()
		next := i.record
		return !change(&next)
	}
	if same() {
		return nil
	}
	if err := i.enter(ctx, deploymentShard); err != nil {
		return err
	}
	defer i.leave(deploymentShard)
	if same() { // somebody before us did it
		return nil
	}
	var next record
	return i.commit(ctx, deploymentShard, func() content {
		next = i.record
		change(&next)
		return content{Format: next.format(), record: next}
	}, func() { i.record = next })
}
