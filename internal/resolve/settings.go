package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const cloudLayer = "cloud"

// settings evaluates the profiles and the cloud, and lays the default profile over the cloud.
func (r *resolver) settings(m *model.Model) *layers {
	l := r.profiles(m)
	if b := r.config.Cloud; b != nil {
		defer r.scope.within(b)()
		r.cloud(b, &m.Cloud)
		if a := b.Attribute("profile"); a != nil && r.profileExists(l, a, m.Cloud.Profile) {
			l.fallback = l.orders[m.Cloud.Profile]
		}
		r.services(b, m, l)
	}
	for _, b := range r.config.OtherClouds {
		r.lookOverCloud(b, l)
	}
	return l
}

// text evaluates an attribute of a string that is shown; its default, or "", when it is not written.
func (r *resolver) text(b *config.Block, name string) string {
	return r.textBy(r.shown, b, name)
}

// hidden is text for what nobody is shown, so that it may be sensitive.
func (r *resolver) hidden(b *config.Block, name string) string {
	return r.textBy(func(a *config.Attribute) (cty.Value, bool) {
		v, _, ok := r.scope.decode(a)
		v, _ = v.Unmark()
		return v, ok
	}, b, name)
}

func (r *resolver) textBy(evaluate func(*config.Attribute) (cty.Value, bool), b *config.Block, name string) string {
	v := cty.NullVal(cty.String)
	if a := b.Attribute(name); a != nil {
		if decoded, ok := evaluate(a); ok {
			v = decoded
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
		c.Charts = &model.Charts{Repository: r.text(charts, "repository"), Version: r.text(charts, "version"), Unknown: r.truth(charts, "unknown_versions", false), Range: charts.Range}
	}
	for _, images := range b.Nested("images") {
		c.Images = &model.Images{
			Registries: r.registries(images), PullSecret: r.text(images, "pull_secret"), Family: r.text(images, "family"),
			Lock: r.truth(images, "lock", false), Range: images.Range,
		}
		if a := images.Attribute("registries"); a != nil {
			c.Images.RegistriesAt = a.Origin()
		}
	}
	for _, tls := range b.Nested("tls") {
		c.TLS = r.tls(tls)
	}
	for _, exposure := range b.Nested("exposure") {
		c.Exposure = r.exposure(exposure)
	}
	c.Physical = r.physicalNetworks(b)
	for _, ceph := range b.Nested("ceph") {
		c.Ceph = r.ceph(ceph)
	}
	for _, test := range b.Nested(schema.SmokeTestBlock) {
		c.SmokeTest = r.smokeTest(test)
	}
	for _, rule := range b.Nested(schema.NamespaceProjectsBlock) {
		c.Projects = r.namespaceProjects(rule)
	}
	for _, o := range b.Nested("openstack") {
		r.excludes(o)
		c.OpenStack = &model.OpenStack{
			AuthURL: r.text(o, "auth_url"), Cloud: r.text(o, "cloud"), Secret: r.text(o, "secret"),
			CA: r.hidden(o, "ca"), Interface: r.text(o, "interface"), Range: o.Range,
		}
		if c.Exposure != nil && o.Attribute("interface") == nil && len(b.Nested("service")) > 0 {
			r.interfaceUnsaid(o)
		}
	}
}

// excludes tells of attributes that do not go together.
func (r *resolver) excludes(b *config.Block) {
	values := map[string]cty.Value{}
	for _, a := range b.Attributes {
		if !layered(a) { // which is evaluated otherwise, and excludes nothing
			values[a.Name], _, _ = r.scope.decode(a)
		}
	}
	r.scope.conflicts(b, b.Schema, values)
}

// registries are what stands in for registries of images. A key is a registry as well, which no type says.
func (r *resolver) registries(b *config.Block) map[string]string {
	return r.texts(b, "registries", func(a *config.Attribute, key string) bool {
		err := schema.FormatRegistry.Check(key)
		if err != nil {
			r.scope.wrong(codeValue, a, "not a registry", fmt.Sprintf("the key %q must be %v", key, err), config.Example(a.Schema))
		}
		return err == nil
	})
}

// texts evaluates an attribute that is a map of strings which are shown; nil when it is not written. What it takes of
// a key says takes, which tells why not.
func (r *resolver) texts(b *config.Block, name string, takes func(a *config.Attribute, key string) bool) map[string]string {
	a := b.Attribute(name)
	if a == nil {
		return nil
	}
	v, ok := r.shown(a)
	if !ok || v.IsNull() {
		return nil
	}
	texts := map[string]string{}
	for it := v.ElementIterator(); it.Next(); {
		key, value := it.Element()
		if takes != nil && !takes(a, key.AsString()) {
			continue
		}
		if value.IsNull() {
			r.scope.wrong(codeValue, a, "value is missing", fmt.Sprintf("%s must have a value, and this is null", key.AsString()), config.Example(a.Schema))
			continue
		}
		texts[key.AsString()] = value.AsString()
	}
	return texts
}

// services are the cloud's services with the default profile laid over them.
func (r *resolver) services(b *config.Block, m *model.Model, l *layers) {
	for _, block := range b.Nested("service") {
		settings := slices.Concat(r.written(block, cloudLayer), ofService(l.fallback, block.Label()))
		s := r.effective(l, block.Label(), settings)
		s.Address, s.Range, s.Backends = block.Address, block.Range, r.backends(block)
		waits := r.waits(block)
		if r.waited += len(waits); r.tooManyWaits(block.Range) {
			return
		}
		s.Edges = r.withPools(r.edges(waits))
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

// node evaluates the block of a node, or of several for one of them.
func (r *resolver) node(b *config.Block, address addr.Object, m *model.Model, l *layers) model.Node {
	n := model.Node{
		Name: r.nodeName(b), Address: address, Profile: r.text(b, "profile"), Labels: r.texts(b, "labels", r.labelKey), Range: b.Range, Ranges: ranges(b),
	}
	if a := b.Attribute("labels"); a != nil {
		n.LabelsAt = a.Origin()
	}
	for _, a := range b.Attributes {
		if a.Name != "roles" && a.Name != "disabled" {
			continue
		}
		v, ok := r.shown(a)
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
		n.Services = r.nodeServices(&n, m, l)
	}
	return n
}

// nodeName is the name in Kubernetes. A label is a looser thing, so it is checked when it serves
// as the name.
func (r *resolver) nodeName(b *config.Block) string {
	if a := b.Attribute("name"); a != nil {
		v, ok := r.shown(a)
		switch {
		case !ok:
			return ""
		case !v.IsNull():
			return v.AsString()
		case b.ForEach != nil:
			r.scope.wrong(codeValue, a, "value is missing", "a block with for_each stands for several nodes, so each needs a name, and this is null",
				fmt.Sprintf("write, for example: name = \"%s-${each.key}\"", b.Label()))
		}
	}
	if b.ForEach != nil {
		return "" // told
	}
	if err := schema.FormatDNSName.Check(b.Label()); err != nil {
		r.scope.fail(codeValue, b.Range, "not the name of a node", fmt.Sprintf("the name of a node must be %v, and the label %q is none", err, b.Label()), `write the name of the node as an attribute: name = "…"`)
	}
	return b.Label()
}
