package kube

import (
	"context"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// projectNamespace handles [unit.ProjectNamespace]: it sets two annotations of a Namespace, and nothing else of it.
type projectNamespace struct {
	cluster *Cluster
	name    string
	values  map[string]string // of the annotations; nil while they are not known
	taken   bool              // ours have just been taken away: what is left is somebody else's
}

// seenNamespace is what a state keeps for Compare.
type seenNamespace struct {
	values map[string]string // of the annotations that are there
	others []any             // who else has written what, see [othersIn]
	waits  string            // why nothing can be written now; "" when it can
}

func projectKeys() []string { return []string{unit.AnnotationProject, unit.AnnotationProjectID} }

// want takes the late value: the annotations as far as they are to be there.
func (p *projectNamespace) want(desired cty.Value) {
	if desired == cty.NilVal || !desired.IsWhollyKnown() {
		return
	}
	p.values = map[string]string{}
	for _, key := range projectKeys() {
		if value := desired.GetAttr(key); !value.IsNull() {
			p.values[key] = value.AsString()
		}
	}
}

func (p *projectNamespace) ref() unit.ObjectRef {
	return unit.ObjectRef{APIVersion: "v1", Kind: "Namespace", Name: p.name}
}

func (p *projectNamespace) refs() []unit.ObjectRef { return []unit.ObjectRef{p.ref()} }

// waits says why nothing can be written. What is being deleted is left alone: the annotations go with it.
func (p *projectNamespace) waits(live *unstructured.Unstructured) string {
	switch {
	case live == nil:
		return fmt.Sprintf("the namespace %q is not in the cluster", p.name)
	case live.GetDeletionTimestamp() != nil:
		return fmt.Sprintf("the namespace %q is being deleted", p.name)
	default:
		return ""
	}
}

func (p *projectNamespace) state(_ context.Context, there objects) (unit.State, error) {
	live := there[p.ref()]
	seen := &seenNamespace{values: map[string]string{}, waits: p.waits(live)}
	if seen.waits == "" && !p.taken {
		annotations := live.GetAnnotations()
		seen.others = managersIn(metadataOf(live))
		for _, key := range projectKeys() {
			if value, ok := annotations[key]; ok {
				seen.values[key] = value
			}
		}
	}
	if len(seen.values) == 0 {
		return unit.State{Existence: unit.Absent, Message: seen.waits, Observed: seen}, nil
	}
	return unit.State{Existence: unit.Present, Health: unit.HealthReady, Installed: true, Owned: true, Observed: seen}, nil
}

func (p *projectNamespace) compare(state unit.State) unit.Diff {
	seen, ok := state.Observed.(*seenNamespace)
	action := unit.ActionUpdate
	if state.Existence == unit.Absent {
		action = unit.ActionCreate
	}
	switch {
	case !ok:
		return unit.Diff{Action: unit.ActionUnknown, Reason: "the state is not this driver's"}
	case seen.waits != "":
		return unit.Diff{Action: action, Waits: true, Reason: seen.waits}
	case p.values == nil && action == unit.ActionUpdate:
		return unit.Diff{Action: unit.ActionNone} // it may well turn out to be what is there
	}
	var fields []unit.Field
	for _, key := range projectKeys() {
		at := path{}.field("metadata").field("annotations").field(key)
		before, had := seen.values[key]
		after, wanted := p.values[key]
		if p.values == nil {
			after, wanted = unit.TextUnknown, true
		}
		if had != wanted || before != after {
			fields = append(fields, told(unit.Field{Path: at.String(), Before: before, After: after}, seen.others, nil, at))
		}
	}
	if len(fields) == 0 {
		return unit.Diff{Action: unit.ActionNone}
	}
	return unit.Diff{Action: action, Fields: fields}
}

func (p *projectNamespace) apply(ctx context.Context, there objects) error {
	live := there[p.ref()]
	if p.waits(live) != "" || p.values == nil { // the next look tells of it
		return nil
	}
	return p.set(ctx, live, p.values)
}

// remove takes our annotations away. The namespace stays, and so does what somebody else has written.
func (p *projectNamespace) remove(ctx context.Context, there objects) error {
	live := there[p.ref()]
	if p.waits(live) != "" || !slices.ContainsFunc(projectKeys(), func(key string) bool { return live.GetAnnotations()[key] != "" }) {
		return nil
	}
	err := p.set(ctx, live, nil)
	p.taken = err == nil
	return err
}

// set applies exactly these annotations. The UID keeps the server from making a namespace that has gone in the
// meantime, or writing to another one of its name.
func (p *projectNamespace) set(ctx context.Context, live *unstructured.Unstructured, values map[string]string) error {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": p.name, "uid": string(live.GetUID())},
	}}
	if len(values) > 0 {
		object.SetAnnotations(values)
	}
	_, err := p.cluster.apply(ctx, object, metav1.ApplyOptions{FieldManager: managerProjects, Force: true})
	return err
}
