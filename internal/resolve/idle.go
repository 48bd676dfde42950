package resolve

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// idle lays the profiles that neither the cloud nor a node uses over the cloud, as if a node used them: what
// is wrong with them is told when it is written, and not when somebody takes them into use. A profile that
// another one builds on is looked at together with that.
//
// It has a budget of its own, and what that does not reach is passed over, since nothing of it is applied.
func (r *resolver) idle(m *model.Model, l *layers) {
	covered := map[*model.Profile]bool{}
	for _, p := range l.fallback {
		covered[p] = true
	}
	for name := range l.nodes {
		for _, p := range l.orders[name] {
			covered[p] = true
		}
	}
	var left []*model.Profile
	for i := range m.Profiles {
		if p := &m.Profiles[i]; !covered[p] {
			left = append(left, p)
		}
	}
	for _, p := range left {
		for _, name := range p.From {
			covered[l.profiles[name]] = true
		}
	}
	apart := *l
	apart.spare, apart.budget = true, config.NewBudget(config.DefaultCosts())
	for _, p := range left {
		if covered[p] {
			continue
		}
		own := slices.DeleteFunc(slices.Clone(l.orders[p.Name]), func(p *model.Profile) bool { return slices.Contains(l.fallback, p) })
		for i := range m.Cloud.Services {
			s := &m.Cloud.Services[i]
			if added := ofService(own, s.Name); len(added) > 0 {
				r.effective(&apart, s.Name, slices.Concat(s.Settings, added))
			}
		}
	}
}
