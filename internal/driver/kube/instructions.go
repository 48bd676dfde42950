package kube

import (
	"context"
	"errors"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What people tell us by command, whatever the repository says, is in a ConfigMap of our namespace each: it is
// kept there so that it needs no repository and no process that runs.
const (
	instructionPrefix = "kupenstack-"
	instructionKey    = "instructions"
	// managerInstructions is the field manager of these.
	managerInstructions = "kupenstack-instructions"
)

func instructionRef(namespace, name string) unit.ObjectRef {
	return unit.ObjectRef{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: instructionPrefix + name}
}

// Instructions returns what was told by that name as the server has it now, and its version. Nil without an error
// means that nothing was.
func (c *Cluster) Instructions(ctx context.Context, name string) (data []byte, version string, err error) {
	ref := instructionRef(c.namespace, name)
	object, err := c.read(ctx, ref)
	if err != nil || object == nil {
		return nil, "", err
	}
	text, ok, err := unstructured.NestedString(object.Object, "data", instructionKey)
	if err != nil || !ok {
		return nil, "", fmt.Errorf("%s: it has no text %s: %w", ref, instructionKey, errDamaged)
	}
	return []byte(text), object.GetResourceVersion(), nil
}

// InstructionsVersion returns the version of what was told by a name as the watch has it, "" for nothing: where it is
// another one than that of what was read last, it is worth to read it again.
func (c *Cluster) InstructionsVersion(ctx context.Context, name string) (string, error) {
	ref := instructionRef(c.namespace, name)
	found, err := c.Get(ctx, ref)
	if err != nil || found[ref] == nil {
		return "", err
	}
	return found[ref].GetResourceVersion(), nil
}

// Instruct writes what is told by a name over the version that it was read as, "" for none. When that is not so
// any more the error wraps [ErrConflict], and nothing was written.
func (c *Cluster) Instruct(ctx context.Context, name string, data []byte, version string) error {
	ref := instructionRef(c.namespace, name)
	object := labelled(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": ref.APIVersion, "kind": ref.Kind, "data": map[string]any{instructionKey: string(data)},
		"metadata": map[string]any{"namespace": ref.Namespace, "name": ref.Name},
	}})
	var err error
	if version == "" {
		_, err = c.Create(ctx, managerInstructions, object)
	} else {
		object.SetResourceVersion(version)
		_, err = c.update(ctx, object, metav1.UpdateOptions{FieldManager: managerInstructions})
	}
	return err
}

// InstructionsChanged has f called when what is told by a name changed, until cancel is called. f returns at
// once. The error says that changes are not told; the subscription stands all the same.
func (c *Cluster) InstructionsChanged(ctx context.Context, name string, f func()) (cancel func(), err error) {
	ref := instructionRef(c.namespace, name)
	cancel = c.Subscribe(func(changed unit.ObjectRef) {
		if changed == ref {
			f()
		}
	})
	_, err = c.Get(ctx, ref) // begins to watch
	return cancel, err
}

// User returns by which name the API server knows us.
func (c *Cluster) User(ctx context.Context) (string, error) {
	client, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return "", fmt.Errorf("access to the cluster: %w", err)
	}
	review, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return "", c.explainError(err, "ask who we are")
	}
	if review.Status.UserInfo.Username == "" {
		return "", errors.New("ask who we are: the API server has no name for us")
	}
	return review.Status.UserInfo.Username, nil
}
