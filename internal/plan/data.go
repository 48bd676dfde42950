package plan

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What is lost with the claims to volumes of a service, and with its keys.
const (
	costOfData = "deleted with it: its claims to volumes, with all that is on them"
	costOfKeys = "deleted with it: its keys, without which nobody can read what is encrypted with them"
)

// takesData tells whether the block that removes the cloud names the data of a service, and the service goes.
func (r Removals) takesData(entry *inventory.Entry) bool {
	return entry.Address.Kind() == "service" && entry.Locator.Kind == unit.KindRelease && r.fate(entry.Address) == fateDestroy &&
		slices.ContainsFunc(r, func(removal model.Removal) bool {
			module, is := removal.From.(addr.Module)
			return is && module.IsRoot() && slices.Contains(removal.DeleteData, entry.Address.Name())
		})
}

// Remnants are records of services that were taken away before and have not come back, where the block that removes the
// cloud names their data: with no record of a service, nobody would look for what it has left. Its release had its
// name, in the namespace of the cloud.
func (i Identity) Remnants(uninstalled map[addr.Object][]string, deployed *inventory.Deployment) []inventory.Entry {
	if deployed == nil {
		return nil
	}
	var remnants []inventory.Entry
	for _, a := range slices.SortedFunc(maps.Keys(uninstalled), addr.Object.Compare) {
		entry := inventory.Entry{
			UID: i.Marker.UIDs(a, i.Used)[0], Address: a, Phase: inventory.Deleting, Class: unit.ClassService,
			Locator: unit.Locator{Driver: unit.Helm, Kind: unit.KindRelease, Namespace: deployed.Namespace, Name: a.Name()},
		}
		if i.Removals.takesData(&entry) {
			remnants = append(remnants, entry)
		}
	}
	return remnants
}

// takeData has the claims and keys of a service deleted with it: those on record once its deletion has begun, and all that
// are there before. They are fields of the change, so that a plan shows them, and admits none but these.
func (c *Change) takeData(entry *inventory.Entry, state unit.State) {
	if c.Action == unit.ActionForget && state.Data != nil && len(state.Data.Claims) > 0 {
		c.Action, c.Reason = unit.ActionDelete, "the cloud is removed, and its release is gone already"
	}
	if c.Action != unit.ActionDelete {
		return
	}
	if c.Data = entry.Data; c.Data == nil {
		c.Data = state.Data
	}
	if c.Data == nil {
		c.block("it is not known yet which claims to volumes and keys it has")
		return
	}
	var costs []string
	for _, claim := range c.Data.Claims {
		cost := costOfData
		if claim.Ref.Kind == "Secret" {
			cost = costOfKeys
		}
		if !slices.Contains(costs, cost) {
			costs = append(costs, cost)
		}
		c.Fields = append(c.Fields, unit.Field{Path: claim.Ref.String(), Before: cmp.Or(claim.Size, "there")})
	}
	if len(costs) > 0 {
		c.Cost = strings.Join(costs, "; ")
	}
}
