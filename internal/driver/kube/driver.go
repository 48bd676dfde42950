package kube

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Annotations of ours on objects.
const (
	AnnotationUnit    = "kupenstack.io/unit"    // the address of the unit that an object belongs to
	AnnotationApplied = "kupenstack.io/applied" // the digest of what was applied last
)

// Recoverer finds generated values in what they were handed to.
type Recoverer interface {
	// Recover reads a value back from a release. An empty value with releaseExists means that the
	// release is there and does not have it. An error is neither.
	Recover(ctx context.Context, use unit.CredentialUse) (value redact.Secret, releaseExists bool, err error)
	// Remains returns an object that still keeps what a release was made with, such as its StatefulSet or
	// a claim of a volume, also when nothing tells of the release itself any more. False means that there
	// is none, which an error does not.
	Remains(ctx context.Context, namespace, release string) (object unit.ObjectRef, found bool, err error)
}

// Driver brings units of Kubernetes objects, generated credentials, nodes and namespaces of projects to what is wanted. It
// keeps the contract of the engine's drivers.
type Driver struct {
	cluster   *Cluster
	recoverer Recoverer
	index     *index
	agreed    *agreements
	troubles  *troubles
	cancel    func()
}

// NewDriver returns a driver on a cluster. notify is called with the units whose objects changed,
// and must return at once; it hears of a unit once that has been observed or applied.
func NewDriver(cluster *Cluster, recoverer Recoverer, notify func(...addr.Object)) *Driver {
	d := &Driver{cluster: cluster, recoverer: recoverer, index: newIndex(), agreed: newAgreements(), troubles: newTroubles()}
	d.cancel = cluster.Subscribe(func(ref unit.ObjectRef) {
		if units := d.index.units(ref); len(units) > 0 && notify != nil {
			notify(units...)
		}
	})
	return d
}

// Close ends the notifications.
func (d *Driver) Close() { d.cancel() }

// handler does the work for one kind of spec.
type handler interface {
	// refs are the objects that the unit is about.
	refs() []unit.ObjectRef
	// state makes of the objects that are there what is said of the unit. It may ask the server
	// what differences really are. An error means that the unit's state is not known.
	state(ctx context.Context, there objects) (unit.State, error)
	compare(state unit.State) unit.Diff
	apply(ctx context.Context, there objects) error
	remove(ctx context.Context, there objects) error
}

// objects are those of a unit that are there.
type objects map[unit.ObjectRef]*unstructured.Unstructured

// wanting is a handler of what depends on the outputs of other units.
type wanting interface {
	// want takes the late value before anything is compared or applied.
	want(desired cty.Value)
}

// handlerOf returns the one for a target, with its late value.
func (d *Driver) handlerOf(target unit.Target, desired cty.Value) (handler, error) {
	h, err := d.handler(target)
	if w, ok := h.(wanting); ok && err == nil {
		w.want(desired)
	}
	return h, err
}

// handler returns the one for a target.
func (d *Driver) handler(target unit.Target) (handler, error) {
	switch spec := target.Spec.(type) {
	case *unit.Objects:
		return d.objectSet(target, spec), nil
	case *unit.Credentials:
		return &credentialSet{cluster: d.cluster, recoverer: d.recoverer, agreed: d.agreed, target: target, spec: spec}, nil
	case *unit.Filled:
		return &late{&filledSecret{driver: d, target: target, spec: spec}, target}, nil
	case *unit.Copied:
		return &late{&copiedSecret{driver: d, target: target, spec: spec}, target}, nil
	case *unit.Node:
		return &nodeLabels{cluster: d.cluster, spec: spec, name: spec.Name}, nil
	case *unit.ProjectNamespace:
		return &projectNamespace{cluster: d.cluster, name: spec.Namespace}, nil
	case nil:
	default:
		return nil, fmt.Errorf("%s: %T is not for Kubernetes", target.Address, target.Spec)
	}
	switch target.Locator.Kind {
	case unit.KindObjects:
		return d.objectSet(target, nil), nil
	case unit.KindCredentials:
		return &credentialSet{cluster: d.cluster, target: target}, nil
	case unit.KindFilled:
		return &late{&filledSecret{driver: d, target: target}, target}, nil
	case unit.KindNode:
		return &nodeLabels{cluster: d.cluster, name: target.Locator.Name}, nil
	case unit.KindProjectNamespace:
		return &projectNamespace{cluster: d.cluster, name: target.Locator.Name}, nil
	default:
		return nil, fmt.Errorf("%s: the kind %q is not for Kubernetes", target.Address, target.Locator.Kind)
	}
}

func (d *Driver) objectSet(target unit.Target, spec *unit.Objects) *objectSet {
	s := newObjectSet(d.cluster, d.troubles, target, spec)
	s.index = d.index
	return s
}

// Observe looks at the units' objects in the watches. Only what no watch shows costs a request.
func (d *Driver) Observe(ctx context.Context, targets []unit.Target) (map[addr.Object]unit.State, error) {
	var errs []error
	handlers := make(map[addr.Object]handler, len(targets))
	var refs []unit.ObjectRef
	managers := map[unit.ObjectRef]string{}
	for _, target := range targets {
		h, err := d.handler(target)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		handlers[target.Address] = h
		d.index.put(target.Address, h.refs())
		others := managersOf(h)
		d.index.want(target, others)
		refs = append(refs, h.refs()...)
		maps.Copy(managers, others)
	}
	found, unknown, err := d.find(ctx, refs, managers)
	d.closeWatches()
	if err != nil {
		errs = append(errs, err)
	}
	states := make(map[addr.Object]unit.State, len(handlers))
	for address, h := range handlers {
		there, ok := pick(h.refs(), found, unknown)
		if !ok {
			continue
		}
		state, err := h.state(ctx, there)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", address, err))
			continue
		}
		states[address] = state
	}
	return states, errors.Join(errs...)
}

// Retain forgets what units want that are not wanted any more, whether or not these are ever looked at again.
func (d *Driver) Retain(wanted func(addr.Object) bool) {
	d.index.retain(wanted)
	d.closeWatches()
}

// closeWatches ends the watches of what others manage that no object is in any more.
func (d *Driver) closeWatches() { d.cluster.watches.retain(d.index.watches) }

// Compare tells what an Apply would do.
func (d *Driver) Compare(target unit.Target, desired cty.Value, state unit.State) unit.Diff {
	if state.Existence == unit.Unknown {
		return unit.Diff{Action: unit.ActionUnknown}
	}
	h, err := d.handlerOf(target, desired)
	if err != nil {
		return unit.Diff{Action: unit.ActionUnknown, Reason: err.Error()}
	}
	if target.Spec == nil {
		return unit.Diff{Action: unit.ActionNone}
	}
	return h.compare(state)
}

// Apply takes the next step and returns what is there then.
func (d *Driver) Apply(ctx context.Context, target unit.Target, desired cty.Value, _ unit.State) (unit.State, error) {
	return d.step(ctx, target, desired, handler.apply)
}

// Delete takes the next step towards absence. What is to be kept stays, and the state says so.
func (d *Driver) Delete(ctx context.Context, target unit.Target, _ unit.State) (unit.State, error) {
	if target.Spec != nil && target.Locator.Kind == "" {
		target.Locator = target.Spec.Locator()
	}
	target.Spec = nil
	state, err := d.step(ctx, target, cty.NilVal, handler.remove)
	if err == nil && state.Existence == unit.Present && !target.Locator.Keep {
		state.Health, state.After = unit.HealthProgressing, installPoll
	}
	return state, err
}

// step looks, acts and looks again. The state that was handed in may be old, a look costs nothing.
func (d *Driver) step(ctx context.Context, target unit.Target, desired cty.Value, act func(handler, context.Context, objects) error) (unit.State, error) {
	h, err := d.handlerOf(target, desired)
	if err != nil {
		return unit.State{}, err
	}
	d.index.put(target.Address, h.refs())
	there, err := d.look(ctx, h)
	if err != nil {
		return unit.State{}, err
	}
	if err := act(h, ctx, there); err != nil {
		return unit.State{}, err
	}
	if there, err = d.look(ctx, h); err != nil {
		return unit.State{}, err
	}
	return h.state(ctx, there)
}

func (d *Driver) look(ctx context.Context, h handler) (objects, error) {
	managers := managersOf(h)
	found, unknown, err := d.find(ctx, h.refs(), managers)
	if len(managers) > 0 { // it may not be wanted any more
		d.closeWatches()
	}
	there, ok := pick(h.refs(), found, unknown)
	if !ok {
		return nil, err
	}
	return there, nil
}

// find returns the objects that are there, and those of which nothing is known.
func (d *Driver) find(ctx context.Context, refs []unit.ObjectRef, managers map[unit.ObjectRef]string) (found objects, unknown map[unit.ObjectRef]bool, err error) {
	all, err := d.cluster.get(ctx, refs, managers)
	found, unknown = all, map[unit.ObjectRef]bool{}
	var partial *PartialError
	errors.As(err, &partial)
	var missing []unit.ObjectRef
	for _, ref := range refs {
		switch {
		case partial != nil && partial.Unknown(ref) != nil:
			unknown[ref] = true
		case found[ref] == nil && !watchedWhole(ref.APIVersion, ref.Kind):
			missing = append(missing, ref)
		}
	}
	confirmed, errs := d.confirm(ctx, missing)
	var causes []error
	if err != nil {
		causes = append(causes, err)
	}
	for i, ref := range missing {
		if errs[i] != nil {
			unknown[ref] = true
			causes = append(causes, errs[i])
		} else if confirmed[i] != nil {
			found[ref] = confirmed[i]
		}
	}
	if len(causes) > 0 {
		return found, unknown, joinDistinct(causes)
	}
	return found, unknown, nil
}

// pick returns the objects of one unit; false when something about them is unknown.
func pick(refs []unit.ObjectRef, found objects, unknown map[unit.ObjectRef]bool) (objects, bool) {
	there := make(objects, len(refs))
	for _, ref := range refs {
		if unknown[ref] {
			return nil, false
		}
		if object := found[ref]; object != nil {
			there[ref] = object
		}
	}
	return there, true
}
