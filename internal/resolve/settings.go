package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// layers are the profiles with what they build on.
type layers struct {
	profiles map[string]*model.Profile
	fallback []*model.Profile // the default profile and those below it, the lowest first
}

const cloudLayer = "cloud"

// settings evaluates the profiles and the cloud, and lays the default profile over the cloud.
func (r *resolver) settings(m *model.Model) layers {
	l := layers{profiles: map[string]*model.Profile{}}
	for _, b := range r.config.Profiles {
		m.Profiles = append(m.Profiles, r.profile(b))
	}
	slices.SortFunc(m.Profiles, func(a, b model.Profile) int { return cmp.Compare(a.Name, b.Name) })
	for i := range m.Profiles {
		l.profiles[m.Profiles[i].Name] = &m.Profiles[i]
	}
	for _, b := range r.config.Profiles {
		if from := b.Attribute("from"); from != nil {
			r.profileExists(l, from, l.profiles[b.Label()].From)
			r.chain(l, b.Label())
		}
	}
	if b := r.config.Cloud; b != nil {
		defer r.scope.within(b)()
		r.cloud(b, &m.Cloud)
		if a := b.Attribute("profile"); a != nil && r.profileExists(l, a, m.Cloud.Profile) {
			l.fallback = r.chain(l, m.Cloud.Profile)
		}
		r.services(b, m, l)
	}
	return l
}

func (r *resolver) profileExists(l layers, a *config.Attribute, name string) bool {
	if name == "" || l.profiles[name] != nil {
		return name != ""
	}
	if !r.config.Partial {
		var names []string
		for known := range l.profiles {
			names = append(names, known)
		}
		r.scope.wrong(codeReference, a, "unknown profile", fmt.Sprintf("there is no profile %q in this configuration", name), didYouMean(name, names))
	}
	return false
}

// chain returns a profile and those it builds on, the lowest first. References in a circle were
// told before; names that are written as text make a circle that nobody has seen yet.
func (r *resolver) chain(l layers, name string) []*model.Profile {
	var chain []*model.Profile
	for p := l.profiles[name]; p != nil; p = l.profiles[p.From] {
		if slices.Contains(chain, p) {
			circle := chain[slices.Index(chain, p):]
			first := slices.MinFunc(circle, func(a, b *model.Profile) int { return a.Address.Compare(b.Address) })
			r.scope.add(diag.Diagnostic{
				Code: codeCycle, Subject: &first.Range, Address: first.Address, Summary: "profiles in a circle",
				Detail: fmt.Sprintf("%s builds on itself", first.Address), Hint: "take one of the references away",
			})
			break
		}
		chain = append(chain, p)
	}
	slices.Reverse(chain)
	return chain
}

func (r *resolver) profile(b *config.Block) model.Profile {
	defer r.scope.within(b)()
	p := model.Profile{Name: b.Label(), Address: b.Address, Range: b.Range}
	if a := b.Attribute("from"); a != nil && !r.blocks[b.Address].broken {
		p.From = r.text(b, "from")
	}
	for _, service := range b.Nested("service") {
		p.Services = append(p.Services, model.ProfileService{
			Name: service.Label(), Settings: r.written(service, b.Address.String()), Range: service.Range,
		})
	}
	return p
}

// written evaluates the settings of a service block.
func (r *resolver) written(b *config.Block, layer string) []model.Setting {
	var settings []model.Setting
	for _, a := range b.Attributes {
		if v, _, ok := r.scope.decode(a); ok && !v.IsNull() {
			settings = append(settings, model.Setting{Name: a.Name, Value: v, Layer: layer, Range: a.NameRange})
		}
	}
	return settings
}

// text evaluates an attribute of a string; its default, or "", when it is not written.
func (r *resolver) text(b *config.Block, name string) string {
	v := cty.NullVal(cty.String)
	if a := b.Attribute(name); a != nil {
		if decoded, _, ok := r.scope.decode(a); ok {
			v, _ = decoded.Unmark()
		}
	}
	if def := b.Schema.Attribute(name); v.IsNull() && def.HasDefault() {
		v = def.Default
	}
	if v.IsNull() || !v.IsKnown() {
		return ""
	}
	return v.AsString()
}

func (r *resolver) cloud(b *config.Block, c *model.Cloud) {
	*c = model.Cloud{
		Name: b.Label(), Range: b.Range, Ranges: ranges(b),
		Release: r.text(b, "release"), Region: r.text(b, "region"), Namespace: r.text(b, "namespace"),
		NetworkBackend: r.text(b, "network_backend"), StorageBackend: r.text(b, "storage_backend"), Profile: r.text(b, "profile"),
	}
	for _, charts := range b.Nested("charts") {
		c.Charts = &model.Charts{Repository: r.text(charts, "repository"), Version: r.text(charts, "version"), Range: charts.Range}
	}
	for _, o := range b.Nested("openstack") {
		r.scope.conflicts(o, o.Schema)
		c.OpenStack = &model.OpenStack{
			AuthURL: r.text(o, "auth_url"), Cloud: r.text(o, "cloud"), Secret: r.text(o, "secret"),
			CA: r.text(o, "ca"), Interface: r.text(o, "interface"), Range: o.Range,
		}
	}
}

// services are the cloud's services with the default profile laid over them.
func (r *resolver) services(b *config.Block, m *model.Model, l layers) {
	for _, block := range b.Nested("service") {
		settings := slices.Concat(r.written(block, cloudLayer), ofService(l.fallback, block.Label()))
		s := r.effective(block.Label(), settings)
		s.Address, s.Range = block.Address, block.Range
		m.Cloud.Services = append(m.Cloud.Services, s)
	}
	slices.SortFunc(m.Cloud.Services, func(a, b model.Service) int { return cmp.Compare(a.Name, b.Name) })
}

func ofService(profiles []*model.Profile, name string) []model.Setting {
	var settings []model.Setting
	for _, p := range profiles {
		for _, s := range p.Services {
			if s.Name == name {
				settings = append(settings, s.Settings...)
			}
		}
	}
	return settings
}

// effective lays settings over each other, the later over the earlier.
func (r *resolver) effective(name string, settings []model.Setting) model.Service {
	s := model.Service{Name: name, Enabled: true, Conf: cty.EmptyObjectVal, Values: cty.EmptyObjectVal, Settings: settings}
	service, _ := r.definition.Service(name)
	for _, setting := range settings {
		plain, _ := setting.Value.Unmark()
		switch setting.Name {
		case "enabled":
			s.Enabled = plain.True()
		case "version":
			s.Version = plain.AsString()
		case "storage_size":
			s.StorageSize = plain.AsString()
		case "conf":
			s.Conf = model.Merge(s.Conf, setting.Value)
		case "values":
			s.Values = model.Merge(s.Values, setting.Value)
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
	return s
}

// nodes evaluates the nodes, and lays the profile of each over the cloud.
func (r *resolver) nodes(m *model.Model, l layers) {
	for _, b := range r.config.Nodes {
		m.Nodes = append(m.Nodes, r.node(b, m, l))
	}
	slices.SortFunc(m.Nodes, func(a, b model.Node) int { return a.Address.Compare(b.Address) })
}

func (r *resolver) node(b *config.Block, m *model.Model, l layers) model.Node {
	defer r.scope.within(b)()
	n := model.Node{
		Name: r.nodeName(b), Address: b.Address, Profile: r.text(b, "profile"), Range: b.Range, Ranges: ranges(b),
	}
	for _, a := range b.Attributes {
		if a.Name != "roles" && a.Name != "disabled" {
			continue
		}
		v, _, ok := r.scope.decode(a)
		v, _ = v.UnmarkDeep()
		switch {
		case !ok || v.IsNull():
		case a.Name == "disabled":
			n.Disabled = v.True()
		default:
			for _, role := range v.AsValueSlice() {
				if !role.IsNull() {
					n.Roles = append(n.Roles, role.AsString())
				}
			}
			slices.Sort(n.Roles)
		}
	}
	if a := b.Attribute("profile"); a != nil && r.profileExists(l, a, n.Profile) {
		r.nodeServices(&n, m, l)
	}
	return n
}

// nodeName is the name in Kubernetes. A label is a looser thing, so it is checked when it serves
// as the name.
func (r *resolver) nodeName(b *config.Block) string {
	if name := r.text(b, "name"); name != "" || b.Attribute("name") != nil {
		return name
	}
	if err := schema.FormatDNSName.Check(b.Label()); err != nil {
		r.scope.fail(codeValue, b.Range, "not the name of a node", fmt.Sprintf("the name of a node must be %v, and the label %q is none", err, b.Label()), `write the name of the node as an attribute: name = "…"`)
	}
	return b.Label()
}

// nodeServices are the services that a node's own profile changes.
func (r *resolver) nodeServices(n *model.Node, m *model.Model, l layers) {
	var own []*model.Profile
	for _, p := range r.chain(l, n.Profile) {
		if !slices.Contains(l.fallback, p) {
			own = append(own, p)
			r.scopes(p, n)
		}
	}
	for _, service := range m.Cloud.Services {
		added := ofService(own, service.Name)
		if len(added) == 0 {
			continue
		}
		settings := slices.Concat(service.Settings, added)
		effective := r.effective(service.Name, settings)
		n.Services = append(n.Services, model.NodeService{Name: service.Name, Conf: effective.Conf, Settings: settings})
	}
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
				Code: codeScope, Subject: &setting.Range, Summary: "setting of the whole cloud",
				Detail: fmt.Sprintf("%s of %s holds for the whole cloud, and %s is reached only through nodes, such as %s (%s)", setting.Name, service.Name, p.Address, n.Address, place(n.Range)),
				Hint:   "set it in the cloud's service block or in the default profile",
			})
		}
	}
}
