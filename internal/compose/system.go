package compose

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// The units that we need ourselves.
const (
	namespaceUnit   = "namespace"
	definitionsUnit = "definitions"
	nodesUnit       = "nodes"
	credentialsUnit = "credentials"
)

// statusUnmanaged is what an OpenstackNode says of a node without a block. How one with a block stands
// does not follow from the configuration: whoever runs the units shows it.
const statusUnmanaged = "Unmanaged"

//go:embed definitions.yaml
var definitions []byte

// system adds what we need in the cluster. A cloud that deploys nothing and speaks of no node needs
// no cluster.
func (c *composer) system() {
	deploys := c.m.Cloud.Deploys() || len(c.m.Nodes) > 0
	if !deploys && !c.usesCluster() {
		return
	}
	c.add(unit.Unit{
		Address: systemAddress(namespaceUnit), Class: unit.ClassSystem, Range: c.m.Cloud.Range,
		Spec: &unit.Objects{Keep: true, Items: []map[string]any{c.namespace()}},
	})
	if !deploys {
		return
	}
	c.add(unit.Unit{
		Address: systemAddress(definitionsUnit), Class: unit.ClassSystem,
		// Deleting a definition deletes every object of its kind, so it stays.
		Spec: &unit.Objects{Keep: true, Items: definitionObjects()},
	})
	objects := c.nodeObjects()
	c.tellLarge()
	if len(objects) > 0 {
		c.add(unit.Unit{
			Address: systemAddress(nodesUnit), Class: unit.ClassSystem,
			Spec:  &unit.Objects{Items: objects},
			Edges: []unit.Edge{{To: systemAddress(definitionsUnit), Until: unit.Ready, Gate: unit.GateStart}},
		})
	}
}

// namespace is where the releases are. Virtual switches and hypervisors need more of their nodes
// than the stricter levels of Kubernetes' pod security allow.
func (c *composer) namespace() map[string]any {
	metadata := map[string]any{
		"name":   c.m.Cloud.Namespace,
		"labels": map[string]any{"pod-security.kubernetes.io/enforce": "privileged"},
	}
	return map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
}

// definitionObjects decodes the embedded definitions, whole numbers as int64.
func definitionObjects() []map[string]any {
	var objects []map[string]any
	for document := range bytes.SplitSeq(definitions, []byte("\n---\n")) {
		text, err := yaml.YAMLToJSON(document)
		if err != nil {
			panic(fmt.Sprintf("compose: definitions.yaml: %v", err)) // it is part of the binary
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var object map[string]any
		if err := decoder.Decode(&object); err != nil {
			panic(fmt.Sprintf("compose: definitions.yaml: %v", err))
		}
		objects = append(objects, wholeNumbers(object).(map[string]any))
	}
	return objects
}

func wholeNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = wholeNumbers(v[key])
		}
	case []any:
		for i := range v {
			v[i] = wholeNumbers(v[i])
		}
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			panic(fmt.Sprintf("compose: definitions.yaml has the number %s", v))
		}
		return n
	}
	return v
}

// nodeObjects are the OpenstackNodes: one for each node of the cluster, and for each node block.
func (c *composer) nodeObjects() []map[string]any {
	if c.facts.Nodes != nil {
		c.there = map[string]bool{}
		for _, name := range c.facts.Nodes {
			c.there[name] = true
		}
	}
	blocks := map[string]*model.Node{}
	names := slices.Clone(c.facts.Nodes)
	for i := range c.m.Nodes {
		blocks[c.m.Nodes[i].Name] = &c.m.Nodes[i]
		names = append(names, c.m.Nodes[i].Name)
	}
	slices.Sort(names)
	var objects []map[string]any
	for _, name := range slices.Compact(names) {
		objects = append(objects, c.nodeObject(name, blocks[name]))
	}
	return objects
}

func (c *composer) nodeObject(name string, n *model.Node) map[string]any {
	spec := map[string]any{"roles": []any{}, "disabled": false}
	status := map[string]any{"status": statusUnmanaged, "desiredNodeConfiguration": map[string]any{}}
	if n != nil {
		roles := []any{}
		for _, role := range n.Roles {
			roles = append(roles, role)
		}
		spec["roles"], spec["disabled"] = roles, n.Disabled
		if n.Profile != "" {
			spec["profile"] = n.Profile
		}
		status = map[string]any{"desiredNodeConfiguration": c.nodeConfiguration(n)}
	}
	return map[string]any{
		"apiVersion": "kupenstack.io/v1alpha1", "kind": "OpenstackNode",
		"metadata": map[string]any{"name": name}, "spec": spec, "status": status,
	}
}
