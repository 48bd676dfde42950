package compose

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// shownObjects adds what shows the services, the cloud and the profiles to people in the cluster. Each kind has a
// unit of its own: a change of one service is none of the cloud. How they stand is shown by whoever runs the units.
func (c *composer) shownObjects() {
	if !Shows(c.m) {
		return
	}
	c.show(servicesUnit, c.serviceObjects())
	c.show(cloudUnit, []map[string]any{c.cloudObject()})
	c.show(profilesUnit, c.profileObjects())
}

// show adds the objects of one kind, if there are any.
func (c *composer) show(name string, objects []map[string]any) {
	if len(objects) == 0 {
		return
	}
	c.add(unit.Unit{
		Address: systemAddress(name), Class: unit.ClassSystem,
		Spec:  &unit.Objects{Items: objects},
		Edges: []unit.Edge{{To: systemAddress(definitionsUnit), Until: unit.Ready, Gate: unit.GateStart}},
	})
}

func shownObject(kind, name string, spec map[string]any) map[string]any {
	ref := unit.ShownRef(kind, name)
	return map[string]any{
		"apiVersion": ref.APIVersion, "kind": ref.Kind,
		"metadata": map[string]any{"name": ref.Name}, "spec": spec,
	}
}

// serviceObjects are the OpenStackServices: one for each service block, disabled or not.
func (c *composer) serviceObjects() []map[string]any {
	var objects []map[string]any
	for i := range c.m.Cloud.Services {
		s := &c.m.Cloud.Services[i]
		objects = append(objects, shownObject(unit.KindShownService, s.Name, c.serviceSpec(s)))
	}
	return objects
}

func (c *composer) serviceSpec(s *model.Service) map[string]any {
	spec := map[string]any{"enabled": s.Enabled}
	put := func(to map[string]any, name, value string) {
		if value != "" {
			to[name] = value
		}
	}
	put(spec, "version", s.Version)
	i := slices.IndexFunc(c.units, func(u unit.Unit) bool { return u.Address == s.Address })
	if i < 0 {
		return spec // disabled
	}
	u := &c.units[i]
	if release, is := u.Spec.(*unit.Release); is {
		chart := map[string]any{"name": release.Chart.Name}
		put(chart, "version", release.Chart.Version)
		put(spec, "release", release.OpenStackRelease)
		spec["chart"] = chart
	}
	var needs []string
	for _, e := range u.Edges {
		if e.Gate != unit.GateKeep && e.To.Kind() != systemKind {
			needs = append(needs, e.To.String())
		}
	}
	slices.Sort(needs)
	if needs = slices.Compact(needs); len(needs) > 0 {
		spec["dependsOn"] = anys(needs)
	}
	return spec
}

// cloudObject is the OpenStackControlPlane.
func (c *composer) cloudObject() map[string]any {
	cloud := &c.m.Cloud
	spec := map[string]any{}
	for name, value := range map[string]string{
		"name": cloud.Name, "release": cloud.Release, "region": cloud.Region, "namespace": cloud.Namespace,
		"networkBackend": cloud.NetworkBackend, "storageBackend": cloud.StorageBackend,
	} {
		if value != "" {
			spec[name] = value
		}
	}
	if secured(c.m) {
		spec["tls"] = c.tlsSpec()
	}
	return shownObject(unit.KindShownCloud, cloud.Name, spec)
}

// tlsSpec is who speaks TLS, and who signs for them.
func (c *composer) tlsSpec() map[string]any {
	var services []string
	for i := range c.m.Cloud.Services {
		if name := c.m.Cloud.Services[i].Name; speaksTLS(c.m, name) {
			services = append(services, name)
		}
	}
	slices.Sort(services)
	issuer := c.m.Cloud.TLS.Issuer
	return map[string]any{"enabled": true, "issuerRef": map[string]any{"kind": issuer.Kind, "name": issuer.Name}, "services": anys(services)}
}

func anys(texts []string) []any {
	list := make([]any, 0, len(texts))
	for _, s := range texts {
		list = append(list, s)
	}
	return list
}
