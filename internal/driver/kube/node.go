package kube

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// nodeLabels handles [unit.Node]: it sets labels of a Node, and nothing else of it but when it changed one that pods
// had read when they started.
type nodeLabels struct {
	cluster *Cluster
	name    string
	spec    *unit.Node // nil for what is no longer wanted
}

func (n *nodeLabels) ref() unit.ObjectRef {
	return unit.ObjectRef{APIVersion: "v1", Kind: "Node", Name: n.name}
}

func (n *nodeLabels) refs() []unit.ObjectRef { return []unit.ObjectRef{n.ref()} }

// seenNode is what a state keeps for Compare.
type seenNode struct {
	labels map[string]string
	owned  []string // keys that we have set before, sorted
	others []any    // who else has set which, see [othersIn]
}

func seenOf(live *unstructured.Unstructured) *seenNode {
	seen := &seenNode{labels: live.GetLabels(), others: managersIn(metadataOf(live))}
	if keys := live.GetAnnotations()[annotationOwned]; keys != "" {
		seen.owned = strings.Split(keys, ",")
	}
	return seen
}

func (n *nodeLabels) state(_ context.Context, there objects) (unit.State, error) {
	live := there[n.ref()]
	if live == nil {
		return unit.State{Existence: unit.Absent, Observed: &seenNode{}}, nil
	}
	seen := seenOf(live)
	if n.spec == nil && len(seen.owned) == 0 {
		return unit.State{Existence: unit.Absent, Observed: seen}, nil // nothing of ours is left
	}
	state := unit.State{
		Existence: unit.Present, Health: unit.HealthReady, Installed: true,
		Owned: len(seen.owned) > 0, Observed: seen, Labels: slices.AppendSeq([]string{}, maps.Keys(seen.labels)),
	}
	_, ready := readiness(live)
	switch {
	case n.spec == nil:
	case len(n.fields(seen)) > 0:
		state.Installed, state.Health, state.Message = false, unit.HealthProgressing, "its labels are not as wanted yet"
	case !n.spec.Disabled && ready != "" && ready != "True":
		state.Health, state.Message = unit.HealthFailed, "Kubernetes does not call the node ready"
	}
	return state, nil
}

// fields returns the labels to set and those of ours to remove.
func (n *nodeLabels) fields(seen *seenNode) []unit.Field {
	var fields []unit.Field
	differs := func(key, after string) {
		at := path{}.field("metadata").field("labels").field(key)
		fields = append(fields, told(unit.Field{Path: at.String(), Before: seen.labels[key], After: after}, seen.others, nil, at))
	}
	for _, key := range slices.Sorted(maps.Keys(n.spec.Labels)) {
		if value, ok := seen.labels[key]; !ok || value != n.spec.Labels[key] {
			differs(key, n.spec.Labels[key])
		}
	}
	for _, key := range seen.owned {
		if _, ok := n.spec.Labels[key]; !ok {
			differs(key, "")
		}
	}
	return fields
}

func (n *nodeLabels) compare(state unit.State) unit.Diff {
	if state.Existence == unit.Absent {
		return unit.Diff{Action: unit.ActionBlocked, Reason: fmt.Sprintf("node %q is not in the cluster", n.name)}
	}
	seen, ok := state.Observed.(*seenNode)
	if !ok {
		return unit.Diff{Action: unit.ActionUnknown, Reason: "the state is not this driver's"}
	}
	if fields := n.fields(seen); len(fields) > 0 {
		return unit.Diff{Action: unit.ActionUpdate, Fields: fields, Cost: n.cost(seen)}
	}
	for key := range n.spec.Labels {
		if !slices.Contains(seen.owned, key) {
			// They have to become ours, or nobody removes them once they are not wanted any more.
			return unit.Diff{Action: unit.ActionAdopt, Reason: "the labels are there already"}
		}
	}
	return unit.Diff{Action: unit.ActionNone}
}

// cost tells of a node that moves from one slot to another one: Kubernetes ends the pods of the old one itself. And it
// tells of pods that have to read other labels.
func (n *nodeLabels) cost(seen *seenNode) string {
	var costs []string
	if then, ok := n.spec.Labels[unit.SlotLabel]; ok && seen.labels[unit.SlotLabel] != "" && seen.labels[unit.SlotLabel] != then {
		costs = append(costs, "the pods of Nova, libvirt and Neutron on the node end, and others take their place")
	}
	for _, label := range n.misread(seen) {
		costs = append(costs, fmt.Sprintf("pods of %s on the node are replaced, as they read the label %s only when they start", label.Release, label.Key))
	}
	return strings.Join(costs, "; ")
}

// misread are the labels whose change pods on the node do not notice by themselves. Where there are none of these pods,
// or none will be, nobody has to.
func (n *nodeLabels) misread(seen *seenNode) []unit.StartLabel {
	ends := func(key string) bool {
		_, wanted := n.spec.Labels[key]
		return !wanted && slices.Contains(seen.owned, key)
	}
	var labels []unit.StartLabel
	for _, label := range n.spec.StartLabels {
		if seen.labels[label.Chosen] != unit.LabelEnabled || ends(label.Chosen) {
			continue
		}
		before, there := seen.labels[label.Key]
		after, wanted := n.spec.Labels[label.Key]
		if wanted && (!there || before != after) || there && ends(label.Key) {
			labels = append(labels, label)
		}
	}
	return labels
}

func (n *nodeLabels) apply(ctx context.Context, there objects) error {
	live := there[n.ref()]
	if live == nil {
		return unit.Blocked(fmt.Sprintf("node %q is not in the cluster", n.name))
	}
	relabelled := live.GetAnnotations()[unit.RelabelledAnnotation]
	if len(n.misread(seenOf(live))) > 0 {
		relabelled = time.Now().UTC().Format(time.RFC3339)
	}
	return n.set(ctx, live, n.spec.Labels, relabelled)
}

// remove takes our labels away. The node stays.
func (n *nodeLabels) remove(ctx context.Context, there objects) error {
	live := there[n.ref()]
	if live == nil || live.GetAnnotations()[annotationOwned] == "" {
		return nil
	}
	return n.set(ctx, live, nil, "")
}

// set applies exactly these labels, and with them when such changed that pods had read, "" for never: so that this is
// lost with no process. The UID keeps the server from making a node that has gone in
// the meantime.
func (n *nodeLabels) set(ctx context.Context, live *unstructured.Unstructured, labels map[string]string, relabelled string) error {
	// What somebody else has set as well stays, but for the role that Nova runs by: who takes that away means it.
	ends := slices.DeleteFunc(slices.Clone(seenOf(live).owned), func(key string) bool {
		_, wanted := labels[key]
		return wanted || key != unit.ComputeLabel
	})
	if err := n.cluster.dropLabels(ctx, n.ref(), live.GetUID(), ends); err != nil {
		return err
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Node",
		"metadata": map[string]any{"name": n.name, "uid": string(live.GetUID())},
	}}
	if len(labels) > 0 {
		object.SetLabels(labels)
	}
	if relabelled != "" {
		object.SetAnnotations(map[string]string{unit.RelabelledAnnotation: relabelled})
	}
	_, err := n.cluster.apply(ctx, object, metav1.ApplyOptions{FieldManager: managerNodes, Force: true})
	return err
}

// Disown has a node that is forgotten keep its labels, and nothing that says they are ours: by that they would be put on
// record again, and taken away. What has been made of anything else shows by its mark alone, which nobody goes by.
func (d *Driver) Disown(ctx context.Context, target unit.Target) error {
	if target.Locator.Kind != unit.KindNode {
		return nil
	}
	ref := unit.ObjectRef{APIVersion: "v1", Kind: "Node", Name: target.Locator.Name}
	for range maxWrites {
		live, err := d.cluster.read(ctx, ref)
		if err != nil || live == nil {
			return err
		}
		all := live.GetManagedFields()
		rest := slices.DeleteFunc(slices.Clone(all), func(e metav1.ManagedFieldsEntry) bool { return e.Manager == managerNodes })
		if len(rest) == len(all) {
			return nil
		}
		if err := d.cluster.putManagers(ctx, ref, live.GetResourceVersion(), rest); !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("leave the labels of %s to others: %w", ref, ErrConflict)
}
