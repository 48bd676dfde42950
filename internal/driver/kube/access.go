package kube

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Labels and field managers of ours.
const (
	LabelManagedBy = "app.kubernetes.io/managed-by"
	ManagedBy      = "kupenstack"
	managedByHelm  = "Helm"

	// Manager is the field manager of everything we apply, but labels of nodes and which projects namespaces have.
	Manager         = "kupenstack"
	managerNodes    = "kupenstack-nodes"
	managerProjects = "kupenstack-projects"
)

// at returns the client for an object. false means that the server does not serve the kind.
func (c *Cluster) at(ctx context.Context, ref unit.ObjectRef) (dynamic.ResourceInterface, bool, error) {
	return c.of(ctx, c.dynamic, ref)
}

// toWrite is at for a request that changes the object, or tries to.
func (c *Cluster) toWrite(ctx context.Context, ref unit.ObjectRef) (dynamic.ResourceInterface, bool, error) {
	return c.of(ctx, c.writes, ref)
}

func (c *Cluster) of(ctx context.Context, client dynamic.Interface, ref unit.ObjectRef) (dynamic.ResourceInterface, bool, error) {
	served, ok, err := c.kinds.lookup(ctx, ref.APIVersion, ref.Kind)
	if err != nil || !ok {
		return nil, false, err
	}
	if !served.namespaced {
		return client.Resource(served.resource), true, nil
	}
	if ref.Namespace == "" {
		return nil, false, unit.Blocked(fmt.Sprintf("objects of the kind %s live in a namespace, and none is given: write metadata.namespace", ref.Kind))
	}
	return client.Resource(served.resource).Namespace(ref.Namespace), true, nil
}

// Confirm asks the server for one object, whatever its labels. nil without an error means that it
// is certainly not there.
func (c *Cluster) Confirm(ctx context.Context, ref unit.ObjectRef) (*unstructured.Unstructured, error) {
	object, err := c.read(ctx, ref)
	if err != nil || object == nil {
		return nil, err
	}
	return strip(object), nil
}

// read is Confirm with the object as the server has it.
func (c *Cluster) read(ctx context.Context, ref unit.ObjectRef) (*unstructured.Unstructured, error) {
	doing := "read " + ref.String()
	objects, ok, err := c.at(ctx, ref)
	if err != nil {
		return nil, c.explainError(err, doing)
	}
	if !ok {
		return nil, nil
	}
	object, err := objects.Get(ctx, ref.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return object, c.explainError(err, doing)
}

// Apply applies an object server-side: the fields it has become those of the manager, whoever had
// them before, and fields that the manager had before and it has no more go. An object without a
// label that says who manages it gets ours. The object is not changed; what the server made of it
// is returned, to be read only. Elements of lists that somebody changed so far that ours would come beside
// them, which the server refuses, are replaced by ours.
// What a Helm release has and no server can apply is merged over what is there: see [wishesTwice].
//
// It fails with an [ImmutableError] when a field cannot be changed, and never deletes anything.
// Other failures may go away by themselves.
func (c *Cluster) Apply(ctx context.Context, manager string, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	object = sendable(labelled(object))
	options := metav1.ApplyOptions{FieldManager: manager, Force: true}
	applied, err := c.apply(ctx, object, options)
	var twice *doubledError
	if !errors.As(err, &twice) {
		return applied, err
	}
	if err := c.putLists(ctx, manager, object, twice.lists); err != nil {
		return nil, err
	}
	return c.apply(ctx, object, options)
}

// ApplyStatus applies the status of an object, which needs a kind with that subresource.
func (c *Cluster) ApplyStatus(ctx context.Context, manager string, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return c.apply(ctx, statusOf(object), metav1.ApplyOptions{FieldManager: manager, Force: true}, "status")
}

// apply sends an object as it is.
func (c *Cluster) apply(ctx context.Context, object *unstructured.Unstructured, options metav1.ApplyOptions,
	subresources ...string,
) (*unstructured.Unstructured, error) {
	ref := unit.RefOf(object.Object)
	doing := "apply " + ref.String()
	objects, ok, err := c.toWrite(ctx, ref)
	if err != nil {
		return nil, c.explainError(err, doing)
	}
	if !ok {
		return nil, &UnknownKindError{Ref: ref}
	}
	applied, err := objects.Apply(ctx, ref.Name, object, options, subresources...)
	if belongsToHelm(object) && wishesTwice(err) {
		applied, err = mergeOver(ctx, objects, object, options)
	}
	if err != nil {
		if fixed := immutableError(ref, err); fixed != nil {
			return nil, fixed
		}
		if lists := doubled(err); lists != nil {
			return nil, &doubledError{lists, c.explainError(err, doing)}
		}
		if noSuchPath(err) {
			c.kinds.forget(object.GroupVersionKind().GroupVersion())
			return nil, &UnknownKindError{Ref: ref} // it was served a moment ago
		}
		return nil, c.explainError(err, doing)
	}
	applied = strip(applied)
	if len(options.DryRun) == 0 {
		c.watches.written.wrote(c.cacheRef(ctx, ref), applied)
	}
	return applied, nil
}

// noSuchPath tells whether the server serves nothing there, other than that an object or a namespace is
// not there: then it answers with a text that is no status.
func noSuchPath(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// Create makes an object that is not there yet. When it is there after all the error wraps
// [ErrConflict].
func (c *Cluster) Create(ctx context.Context, manager string, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	object = labelled(object)
	ref := unit.RefOf(object.Object)
	doing := "create " + ref.String()
	objects, ok, err := c.toWrite(ctx, ref)
	if err != nil {
		return nil, c.explainError(err, doing)
	}
	if !ok {
		return nil, &UnknownKindError{Ref: ref}
	}
	created, err := objects.Create(ctx, object, metav1.CreateOptions{FieldManager: manager})
	switch {
	case apierrors.IsAlreadyExists(err):
		return nil, fmt.Errorf("%s: it is there already: %w", doing, ErrConflict)
	case err != nil:
		return nil, c.explainError(err, doing)
	}
	created = strip(created)
	c.watches.written.wrote(c.cacheRef(ctx, ref), created)
	return created, nil
}

// update writes an object over the version that it was read as. When that is not the latest any
// more the error wraps [ErrConflict].
func (c *Cluster) update(ctx context.Context, object *unstructured.Unstructured, options metav1.UpdateOptions) (*unstructured.Unstructured, error) {
	ref := unit.RefOf(object.Object)
	doing := "write " + ref.String()
	objects, ok, err := c.toWrite(ctx, ref)
	if err != nil {
		return nil, c.explainError(err, doing)
	}
	if !ok {
		return nil, &UnknownKindError{Ref: ref}
	}
	updated, err := objects.Update(ctx, object, options)
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return nil, fmt.Errorf("%s: %w", doing, ErrConflict)
	case err != nil:
		return nil, c.explainError(err, doing)
	}
	updated = strip(updated)
	c.watches.written.wrote(c.cacheRef(ctx, ref), updated)
	return updated, nil
}

// Delete deletes an object if it still is the one with that UID; what it owns goes later. That it
// is not there, or another one has taken its name, is success. After success the object may still
// exist until its finalizers are done.
func (c *Cluster) Delete(ctx context.Context, ref unit.ObjectRef, uid types.UID) error {
	doing := "delete " + ref.String()
	if uid == "" {
		return errors.New(doing + ": it is not known which one is meant")
	}
	objects, ok, err := c.toWrite(ctx, ref)
	if err != nil {
		return c.explainError(err, doing)
	}
	if !ok {
		return nil
	}
	policy := metav1.DeletePropagationBackground
	err = objects.Delete(ctx, ref.Name, metav1.DeleteOptions{
		PropagationPolicy: &policy, Preconditions: &metav1.Preconditions{UID: &uid},
	})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		err = nil // a conflict is about the UID, the only precondition
	}
	if err != nil {
		return c.explainError(err, doing)
	}
	return c.afterDelete(ctx, ref, uid)
}

// afterDelete finds out what is left, so that a watch that lags does not show it as before.
func (c *Cluster) afterDelete(ctx context.Context, ref unit.ObjectRef, uid types.UID) error {
	left, err := c.Confirm(ctx, ref)
	switch {
	case err != nil:
		return err
	case left == nil:
		c.watches.written.erased(c.cacheRef(ctx, ref), uid)
	default:
		c.watches.written.wrote(c.cacheRef(ctx, ref), left)
	}
	return nil
}

// Secret returns a value of a Secret; false means that it certainly is not there.
func (c *Cluster) Secret(ctx context.Context, namespace, name, key string) (redact.Secret, bool, error) {
	ref := secretRef(namespace, name)
	objects, err := c.Get(ctx, ref)
	if err != nil {
		return redact.Secret{}, false, err
	}
	object := objects[ref]
	if object == nil { // it need not be ours
		if object, err = c.Confirm(ctx, ref); err != nil || object == nil {
			return redact.Secret{}, false, err
		}
	}
	return secretValue(object, key)
}

func secretRef(namespace, name string) unit.ObjectRef {
	return unit.ObjectRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: name}
}

func secretValue(object *unstructured.Unstructured, key string) (redact.Secret, bool, error) {
	text, ok, err := unstructured.NestedString(object.Object, "data", key)
	if err != nil || !ok {
		return redact.Secret{}, false, nil //nolint:nilerr // the server lets only texts be there
	}
	value, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return redact.Secret{}, false, fmt.Errorf("read Secret %s/%s: the value of %s is not base64", object.GetNamespace(), object.GetName(), key)
	}
	return redact.NewSecret(string(value)), true, nil
}

// Nodes returns the names of all nodes, sorted.
func (c *Cluster) Nodes(ctx context.Context) ([]string, error) {
	nodes, err := c.all(ctx, watchKey{apiVersion: "v1", kind: "Node"})
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(nodes))
	for _, node := range nodes {
		names = append(names, node.GetName())
	}
	slices.Sort(names)
	return names, nil
}

// NodeLabels returns the labels of all nodes by their names. Nobody changes them.
func (c *Cluster) NodeLabels(ctx context.Context) (map[string]map[string]string, error) {
	nodes, err := c.all(ctx, watchKey{apiVersion: "v1", kind: "Node"})
	if err != nil {
		return nil, err
	}
	labels := make(map[string]map[string]string, len(nodes))
	for _, node := range nodes {
		labels[node.GetName()] = node.GetLabels()
	}
	return labels, nil
}

// Bearing returns the names of the nodes that have a label with a value, whoever gave it to them, sorted. What we have
// taken away already counts as gone, also where no watch tells of it yet.
func (c *Cluster) Bearing(ctx context.Context, label, value string) ([]string, error) {
	nodes, err := c.all(ctx, watchKey{apiVersion: "v1", kind: "Node"})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, node := range nodes {
		ref := unit.ObjectRef{APIVersion: "v1", Kind: "Node", Name: node.GetName()}
		if now := c.watches.written.newer(ref, node); now != nil && now.GetLabels()[label] == value {
			names = append(names, ref.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Labelled returns the names of the nodes that bear labels which we have set, sorted.
func (c *Cluster) Labelled(ctx context.Context) ([]string, error) {
	nodes, err := c.all(ctx, watchKey{apiVersion: "v1", kind: "Node"})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, node := range nodes {
		if node.GetAnnotations()[annotationOwned] != "" {
			names = append(names, node.GetName())
		}
	}
	slices.Sort(names)
	return names, nil
}

// cacheRef returns a reference as watches tell of the object: without a namespace where the kind
// has none.
func (c *Cluster) cacheRef(ctx context.Context, ref unit.ObjectRef) unit.ObjectRef {
	if served, ok, err := c.kinds.lookup(ctx, ref.APIVersion, ref.Kind); err == nil && ok && !served.namespaced {
		ref.Namespace = ""
	}
	return ref
}

// apart returns a copy of an object whose metadata can be written to. All below is shared.
func apart(object *unstructured.Unstructured) *unstructured.Unstructured {
	content := maps.Clone(object.Object)
	if metadata, ok := content["metadata"].(map[string]any); ok {
		content["metadata"] = maps.Clone(metadata)
	}
	return &unstructured.Unstructured{Object: content}
}

// labelled returns a copy of the object that says who manages it.
func labelled(object *unstructured.Unstructured) *unstructured.Unstructured {
	object = apart(object)
	labels := object.GetLabels()
	if labels[LabelManagedBy] != "" {
		return object
	}
	if labels == nil {
		labels = map[string]string{}
	}
	labels[LabelManagedBy] = ManagedBy
	object.SetLabels(labels)
	return object
}

// sendable returns a copy of the object without what only the server writes. A Secret has its texts in data, where the server
// puts them: of what is applied as stringData it forgets whose it is, so that a key that is taken out would stay.
func sendable(object *unstructured.Unstructured) *unstructured.Unstructured {
	object = apart(object)
	if isSecret(object) && onlyTexts(object.Object["stringData"]) {
		object.Object = withoutStringData(object.Object)
	}
	for _, field := range []string{fieldManagers, "creationTimestamp", "resourceVersion", "generation", "uid", "selfLink"} {
		unstructured.RemoveNestedField(object.Object, "metadata", field)
	}
	delete(object.Object, "status")
	return object
}

// statusOf returns what the subresource takes of an object.
func statusOf(object *unstructured.Unstructured) *unstructured.Unstructured {
	metadata := map[string]any{"name": object.GetName()}
	if namespace := object.GetNamespace(); namespace != "" {
		metadata["namespace"] = namespace
	}
	return (&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": object.GetAPIVersion(), "kind": object.GetKind(),
		"metadata": metadata, "status": object.Object["status"],
	}}).DeepCopy()
}
