package compose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// What the chart of Cinder calls cinder-volume, and where it takes how its pods keep away from each other.
const (
	partOfVolumes = "volume"
	apartFrom     = "pod.affinity.anti."
	hostnameLabel = "kubernetes.io/hostname"
)

// checkLocalDisks refuses to leave open which node serves volumes that are on the disks of one. Kubernetes starts the next
// pod elsewhere, and all of them would belong to a service that is no more.
func (c *composer) checkLocalDisks(s *model.Service, values map[string]any) {
	name, local := localBackend(values)
	if s.Name != volumesService || !local {
		return
	}
	nodes := c.nodesFor(values, partOfVolumes)
	if len(nodes) < 2 || onePerNode(values, len(nodes)) {
		return
	}
	hint := fmt.Sprintf("say which one in the service: values = { labels = { volume = { node_selector_key = %q, node_selector_value = %q } } }", hostnameLabel, nodes[0])
	if everyLocal(values) {
		hint += fmt.Sprintf("; or have each of them serve its own disks: replicas = { volume = %d } and %s = %q", len(nodes), schema.AntiAffinity, schema.AffinityRequired)
	}
	c.failAt(codeValue, c.originOfBackend(s, name), "no node for volumes on local disks",
		fmt.Sprintf("the backend %s keeps volumes on disks of the node that cinder-volume runs on, which may be %s: started on another one, it could not find those that are there",
			name, someOf(nodes)), hint)
}

// isLocal tells whether a backend of some values keeps volumes in a volume group.
func isLocal(values map[string]any, name string) bool {
	return plainText(get(values, "conf.backends."+name+".volume_driver")) == driverOfGroups
}

// localBackend is the first one that does.
func localBackend(values map[string]any) (string, bool) {
	for _, name := range enabled(values) {
		if isLocal(values, name) {
			return name, true
		}
	}
	return "", false
}

// everyLocal tells whether there is no other one, as only then there can be several pods: see checkAlone.
func everyLocal(values map[string]any) bool {
	return !slices.ContainsFunc(enabled(values), func(name string) bool { return !isLocal(values, name) })
}

// nodesFor are the nodes of the configuration that a part of a service of the control plane may run on, sorted. Of labels
// that others set nobody knows here which nodes have them.
func (c *composer) nodesFor(values map[string]any, part string) []string {
	return c.nodesWith(values, part, unit.ControlPlaneLabel)
}

// nodesWith is nodesFor for what a chart has under a name among labels, and runs on nodes with a label otherwise.
func (c *composer) nodesWith(values map[string]any, name, label string) []string {
	selector := "labels." + name + ".node_selector_"
	key := cmp.Or(plainText(get(values, selector+"key")), label)
	value := cmp.Or(plainText(get(values, selector+"value")), unit.LabelEnabled)
	var nodes []string
	for i := range c.m.Nodes {
		if n := &c.m.Nodes[i]; !n.Disabled && c.labelsOfNode(n)[key] == value {
			nodes = append(nodes, n.Name)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// onePerNode tells whether cinder-volume runs on all of so many nodes, and never twice on one.
func onePerNode(values map[string]any, nodes int) bool {
	kind := cmp.Or(plainText(get(values, apartFrom+"type."+partOfVolumes)), plainText(get(values, apartFrom+"type.default")))
	topology := plainText(get(values, apartFrom+"topologyKey.default"))
	n, _ := get(values, "pod.replicas."+partOfVolumes).(int64)
	return int(n) == nodes && strings.HasPrefix(kind, schema.AffinityRequired) && (topology == "" || topology == hostnameLabel)
}

// originOfBackend is where a backend is written, by a block or for the whole cloud.
func (c *composer) originOfBackend(s *model.Service, name string) origin {
	for i := range s.Backends {
		if b := &s.Backends[i]; b.Name == name {
			return origin{where: b.Range, block: s.Range, about: s.Address}
		}
	}
	if where, written := c.m.Cloud.Ranges["storage_backend"]; written && len(s.Backends) == 0 && c.m.Cloud.StorageBackend == storageLVM {
		return origin{where: where, about: s.Address}
	}
	return origin{where: s.Range, about: s.Address}
}

// someOf names things that there is a choice of.
func someOf(names []string) string {
	const most = 4
	if len(names) > most {
		return fmt.Sprintf("%s or %d others", strings.Join(names[:most-1], ", "), len(names)-most+1)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
