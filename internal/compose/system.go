package compose

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

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
	cephUnit        = "ceph"
	servicesUnit    = "services"
	cloudUnit       = "controlplane"
	profilesUnit    = "profiles"
	accountUnit     = "account"
	cloudsUnit      = "clouds"
)

//go:embed definitions.yaml
var definitions []byte

// Shows tells whether there is something to show people in the cluster. A cloud that deploys nothing and speaks of
// no node needs none.
func Shows(m *model.Model) bool { return m.Cloud.Deploys() || len(m.Nodes) > 0 }

// system adds what we need in the cluster.
func (c *composer) system() {
	deploys := Shows(c.m)
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
	c.show(nodesUnit, c.nodeObjects())
	c.tellLarge("configuration of nodes is not shown", c.large, kindOfNodes, len(c.m.Nodes))
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
