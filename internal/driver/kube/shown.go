package kube

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// managerStatus is the field manager of how nodes stand. It is another one than that of what the
// configuration says, so that neither takes away what the other has written.
const managerStatus = "kupenstack-status"

// kindShownNode is the kind of the objects that show nodes.
const kindShownNode = "OpenstackNode"

func shownNode(name string) unit.ObjectRef {
	return unit.ObjectRef{APIVersion: "kupenstack.io/v1alpha1", Kind: kindShownNode, Name: name}
}

// ShownNodes returns what the OpenstackNodes of these names say of how their nodes stand, from the
// watch. "" is one that says nothing yet; one that is not there is missing.
func (c *Cluster) ShownNodes(ctx context.Context, names ...string) (map[string]string, error) {
	refs := make([]unit.ObjectRef, 0, len(names))
	for _, name := range names {
		refs = append(refs, shownNode(name))
	}
	found, err := c.Get(ctx, refs...)
	if err != nil {
		return nil, err
	}
	shown := make(map[string]string, len(found))
	for ref, object := range found {
		if object.GetDeletionTimestamp() == nil {
			shown[ref.Name], _, _ = unstructured.NestedString(object.Object, "status", "status") // what is no text is not ours
		}
	}
	return shown, nil
}

// ShowNode has an OpenstackNode say how its node stands. It makes none: for one that is not there any
// more it fails.
func (c *Cluster) ShowNode(ctx context.Context, name, status string) error {
	object := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"status": status}}}
	object.SetAPIVersion(shownNode(name).APIVersion)
	object.SetKind(kindShownNode)
	object.SetName(name)
	_, err := c.ApplyStatus(ctx, managerStatus, object)
	return err
}

// SubscribeShown has f called for each change of an OpenstackNode, as [Cluster.Subscribe] has.
func (c *Cluster) SubscribeShown(f func()) (cancel func()) {
	return c.Subscribe(func(ref unit.ObjectRef) {
		if ref.Kind == kindShownNode {
			f()
		}
	})
}
