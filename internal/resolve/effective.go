package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// effective lays settings over each other, the later over the earlier.
func (r *resolver) effective(l *layers, name string, settings []model.Setting) model.Service {
	s := model.Service{Name: name, Enabled: true, Conf: cty.EmptyObjectVal, Values: cty.EmptyObjectVal, Settings: settings}
	service, _ := r.definition.Service(name)
	for i, setting := range settings {
		plain, _ := setting.Value.Unmark()
		switch setting.Name {
		case "enabled":
			s.Enabled = plain.True()
		case "version":
			s.Version = plain.AsString()
		case "storage_size":
			s.StorageSize = plain.AsString()
		case "on_failure":
			s.RollBack = plain.AsString() == schema.FailureRollsBack
		case "retry":
			s.Retry = plain.AsString()
		case "virt_type":
			s.VirtType = plain.AsString()
		case "storage":
			s.Storage = plain.AsString()
		case schema.IgnoreDrift:
			s.IgnoreDrift = model.DriftRulesOf(setting.Value)
		case schema.CleanUp:
			s.CleanUp = model.NamesOf(plain)
		case "conf":
			s.Conf = r.merge(l, s.Conf, settings[:i+1])
		case "values":
			s.Values = r.merge(l, s.Values, settings[:i+1])
		case "images":
			for name, image := range plain.AsValueMap() {
				if s.Images == nil {
					s.Images = map[string]string{}
				}
				s.Images[name] = image.AsString()
			}
		case "replicas":
			counts, err := model.Replicas(service, plain)
			if err != nil {
				continue // the model's own check tells
			}
			for part, n := range counts {
				if s.Replicas == nil {
					s.Replicas = map[string]int{}
				}
				s.Replicas[part] = n
			}
		}
	}
	s.Pods = model.PodsOf(service, settings)
	s.Conf, s.Values = model.Settle(s.Conf), model.Settle(s.Values)
	return s
}

// merge lays the last of the settings over what those before it led to.
func (r *resolver) merge(l *layers, base cty.Value, settings []model.Setting) cty.Value {
	over := &settings[len(settings)-1]
	l.budget.Begin()
	l.budget.Charge(base, true)
	l.budget.Charge(over.Value, true)
	if err := l.budget.End(); err != nil && l.spare {
		return base
	} else if err != nil {
		r.scope.fail(codeTooLarge, over.Range, "settings are too large", "laying the settings of all layers over each other makes far more than a configuration needs", "make the settings smaller, or let the profile build on fewer others")
		return base
	}
	merged, conflicts := model.Merge(base, over.Value)
	for _, path := range conflicts {
		r.noList(l, path, settings)
	}
	return merged
}

// noList tells that the last of the settings adds to a list where the one below it has none.
func (r *resolver) noList(l *layers, path []string, settings []model.Setting) {
	over := &settings[len(settings)-1]
	key := strings.Join(append([]string{over.Name}, path...), ".")
	detail := key + " is no list in the layers below"
	for _, below := range slices.Backward(settings[:len(settings)-1]) {
		if below.Name != over.Name {
			continue
		}
		v, ok := model.Part(below.Value, path...)
		if !ok || model.Adds(v) {
			continue
		}
		v, _ = v.Unmark()
		detail = fmt.Sprintf("append and prepend add to a list, and %s is a %s in %s (%s)", key, friendly(v.Type()), below.Layer, place(below.At(path...)))
		break
	}
	where := over.At(path...)
	d := diag.Diagnostic{
		Code: codeValue, Subject: &where, Summary: "addition to what is no list", Detail: detail,
		Hint: "write the value without append or prepend, so that it takes the place of the one below, or make that a list",
	}
	for _, p := range l.profiles {
		if p.Address.String() == over.Layer {
			d.Address, d.Context = p.Address, &p.Range
		}
	}
	r.scope.add(d)
}

func friendly(t cty.Type) string {
	if t.IsObjectType() || t.IsMapType() {
		return "map"
	}
	return t.FriendlyName()
}

// nodeServices are the services that a node's own profile changes. Nodes with the same profile
// share them.
func (r *resolver) nodeServices(n *model.Node, m *model.Model, l *layers) []model.NodeService {
	if services, ok := l.nodes[n.Profile]; ok {
		return services
	}
	var own []*model.Profile
	for _, p := range l.orders[n.Profile] {
		if !slices.Contains(l.fallback, p) {
			own = append(own, p)
			if r.defaultKnown() {
				r.scopes(p, n)
			}
		}
	}
	var services []model.NodeService
	for _, service := range m.Cloud.Services {
		added := ofService(own, service.Name)
		if len(added) == 0 {
			continue
		}
		settings := slices.Concat(service.Settings, added)
		effective := r.effective(l, service.Name, settings)
		services = append(services, model.NodeService{Name: service.Name, Conf: effective.Conf, Settings: settings})
	}
	l.nodes[n.Profile] = services
	return services
}

// scopes refuses settings of the whole cloud in a profile that only some nodes use.
func (r *resolver) scopes(p *model.Profile, n *model.Node) {
	def := r.definition.Block(profileKind).Nested("service")
	for _, service := range p.Services {
		for _, setting := range service.Settings {
			if a := def.Attribute(setting.Name); a == nil || a.Scope&schema.ScopeNode != 0 {
				continue
			}
			r.scope.add(diag.Diagnostic{
				Code: codeScope, Subject: &setting.Range, Context: &service.Range, Address: p.Address, Summary: "setting of the whole cloud",
				Detail: fmt.Sprintf("%s of %s holds for the whole cloud, and %s is reached only through nodes, such as %s (%s)", setting.Name, service.Name, p.Address, n.Address, place(n.Range)),
				Hint:   "set it in the cloud's service block or in the default profile",
			})
		}
	}
}

// unused warns of settings for services that the cloud does not have: nothing would ever use them,
// and nobody would notice. It is no error, so that a service can be taken out of the cloud and
// put back without touching the profiles.
func (r *resolver) unused(m *model.Model) {
	if r.config.Partial {
		return
	}
	for i := range m.Profiles {
		p := &m.Profiles[i]
		for _, s := range p.Services {
			if m.Service(s.Name) != nil || r.mayHave(s.Name) {
				continue
			}
			r.scope.add(diag.Diagnostic{
				Severity: diag.Warning, Code: codeScope, Subject: &s.Range, Address: p.Address, Summary: "settings of a service that the cloud does not have",
				Detail: fmt.Sprintf("%s configures %s, and the cloud has no block for it, so the settings apply to nothing", p.Address, s.Name),
				Hint:   fmt.Sprintf("write in the cloud: service %q {}, or take the settings away", s.Name),
			})
		}
	}
}
