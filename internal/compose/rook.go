package compose

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// rookGroup is that of the objects from which Rook makes a cluster of Ceph.
const rookGroup = "ceph.rook.io"

// The Secrets in which Rook has the keys of users: how they are called, and of which type they are.
const (
	rookKeyPrefix = "rook-ceph-client-"
	rookKeyType   = "kubernetes.io/rook"
)

// usersOfRook are the users that a service reaches Ceph with.
func (c *composer) usersOfRook(service string, ceph *model.Ceph) []model.CephUser {
	switch {
	case !slices.Contains(usersOfCeph(), service) || service == imageService && !c.m.Cloud.ImagesInCeph():
		return nil
	case service == imageService:
		return []model.CephUser{ceph.ImageUser()}
	case service == volumesService:
		return []model.CephUser{ceph.VolumeUser(), ceph.BackupUser()}
	default: // hypervisors
		return []model.CephUser{ceph.VolumeUser()}
	}
}

// rookKeys adds the copies of the users' keys. Hypervisors have theirs in their configuration, so that it may be read.
func (c *composer) rookKeys(ceph *model.Ceph) {
	added := map[string]bool{}
	for _, service := range usersOfCeph() {
		for _, user := range c.usersOfRook(service, ceph) {
			if !c.deployed(service) || added[user.User] {
				continue
			}
			added[user.User] = true
			spec := &unit.Copied{
				Namespace: c.m.Cloud.Namespace, Name: user.Secret, Key: cephSecretKey,
				Source: unit.CopySource{Namespace: ceph.Rook, Name: rookKeyPrefix + user.User, Key: user.User, Type: rookKeyType},
			}
			if user.User == ceph.VolumeUser().User {
				spec.Labels = map[string]string{unit.LabelReadable: "true"}
			}
			c.add(unit.Unit{
				Address: rookKeyAddress(user), Class: unit.ClassSystem, Range: ceph.Range, Spec: spec,
				Edges: append(c.rookManifests(ceph), unit.Edge{To: systemAddress(namespaceUnit), Until: unit.Installed, Gate: unit.GateStart}),
			})
		}
	}
}

func rookKeyAddress(user model.CephUser) addr.Object {
	return systemAddress(cephUnit).WithKey(addr.StringKey(user.User))
}

// rookEdges have a service wait for the keys of its users, and the adapter for what it asks for the monitors.
func (c *composer) rookEdges(service string, ceph *model.Ceph) []unit.Edge {
	if service == rookAdapter {
		return c.rookManifests(ceph)
	}
	var edges []unit.Edge
	for _, user := range c.usersOfRook(service, ceph) {
		edges = append(edges, unit.Edge{To: rookKeyAddress(user), Until: unit.Ready, Gate: unit.GateStart})
	}
	return edges
}

// rookManifests are the edges to the manifests of the configuration that have Rook make the Ceph or a part of it.
func (c *composer) rookManifests(ceph *model.Ceph) []unit.Edge {
	var edges []unit.Edge
	for i := range c.m.Resources {
		r := &c.m.Resources[i]
		if r.Kind == schema.ManifestKind && slices.ContainsFunc(r.Objects, func(o model.Object) bool {
			id := unit.RefOf(o.Content).Identity()
			return id.Group == rookGroup && (id.Namespace == ceph.Rook || id.Namespace == "" && c.namespaceOf(r) == ceph.Rook)
		}) {
			edges = append(edges, unit.Edge{To: r.Address, Until: unit.Ready, Gate: unit.GateStart})
		}
	}
	return edges
}

// drawnNames are the names that charts draw by lot, by service. They get a part that is made of the release's own name.
func drawnNames() map[string][]unit.DrawnNames {
	var roles []unit.DrawnNames // that jobs have in Rook's namespace, where other clouds may have theirs
	for _, job := range []string{"namespace-client-ceph-config", "namespace-client-key"} {
		roles = append(roles, unit.DrawnNames{
			Template: "templates/job-" + job + ".yaml",
			Draws:    "{{- $randStringSuffix := randAlphaNum 5 | lower }}",
			Variable: "$randStringSuffix",
			Name:     `name: {{ printf "%s-%s" $serviceAccountName $randStringSuffix }}`,
			Instead:  `{{- $randStringSuffix := printf "%s/%s" .Release.Namespace .Release.Name | sha256sum | trunc 8 }}`,
		})
	}
	return map[string][]unit.DrawnNames{rookAdapter: roles}
}
