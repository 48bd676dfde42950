package kube

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// installation names the Secret with the id of our installation and the key for its marks.
	installation = "kupenstack-installation"
	// annotationInstallation is the id once more, on the namespace: there it outlives the Secrets.
	annotationInstallation = "kupenstack.io/installation"
	// beginAnew is what a person writes there to give up what the lost Secret was for.
	beginAnew = "new"
	// managerInstallation is the field manager of that annotation alone.
	managerInstallation = "kupenstack-installation"
)

// ErrLost says that the Secret of our installation is gone, or is that of another one, while what it was
// made for is still there. Nothing is made in its place: a person has to decide.
var ErrLost = errors.New("the installation's Secret is lost")

// Installation returns the id of our installation in this cluster, and the key for its marks. They
// are made once and never change. Whether they were lost is for the caller to ask before, see [Cluster.Remembers].
func (c *Cluster) Installation(ctx context.Context) (id string, key redact.Secret, err error) {
	for range maxWrites {
		id, key, found, err := c.PeekInstallation(ctx)
		if err != nil || found {
			return id, key, err
		}
		if err := c.ensureNamespace(ctx, c.namespace); err != nil {
			return "", redact.Secret{}, err
		}
		var random [32]byte
		_, _ = rand.Read(random[:]) // it never fails: the program ends instead
		err = c.install(ctx, newUUID().Reveal(), string(random[:]))
		if err != nil && !errors.Is(err, ErrConflict) {
			return "", redact.Secret{}, err
		}
	}
	return "", redact.Secret{}, fmt.Errorf("the installation's Secret in %s comes and goes: %w", c.namespace, ErrConflict)
}

// install writes the Secret where there is none, with the cluster that it is in.
func (c *Cluster) install(ctx context.Context, id, key string) error {
	values := map[string]string{"id": id, "key": key}
	here, err := c.ClusterID(ctx)
	if err != nil {
		return err
	}
	if here != "" {
		values[keyCluster] = here
	}
	_, err = c.Create(ctx, managerStore, systemSecret(c.namespace, installation, values))
	return err
}

// PeekInstallation is Installation without making anything; false means that there is none now.
func (c *Cluster) PeekInstallation(ctx context.Context) (id string, key redact.Secret, found bool, err error) {
	i, err := c.Look(ctx)
	if err != nil || i == nil {
		return "", redact.Secret{}, false, err
	}
	return i.ID, i.Key, true, nil
}

// Installed is what the Secret of an installation says.
type Installed struct {
	ID      string
	Key     redact.Secret
	Cluster string // the one that it is in, see [Cluster.Resides]; "" of an older one
}

// Look returns what there is of an installation, nil for nothing.
func (c *Cluster) Look(ctx context.Context) (*Installed, error) {
	ref := secretRef(c.namespace, installation)
	object, err := c.read(ctx, ref)
	if err != nil || object == nil {
		return nil, err
	}
	var i Installed
	if i.ID, i.Key, err = installationOf(object); err == nil {
		var of redact.Secret
		of, _, err = secretValue(object, keyCluster)
		i.Cluster = of.Reveal()
	}
	if err != nil {
		// A new one would not know our own marks any more.
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	return &i, nil
}

// installationOf reads the Secret. The error wraps [errDamaged].
func installationOf(object *unstructured.Unstructured) (id string, key redact.Secret, err error) {
	name, hasID, idErr := secretValue(object, "id")
	key, hasKey, keyErr := secretValue(object, "key")
	if err := errors.Join(idErr, keyErr); err != nil || !hasID || !hasKey {
		return "", redact.Secret{}, errors.Join(err, errDamaged)
	}
	return name.Reveal(), key, nil
}

// Remembers looks whether the cluster remembers another installation in our namespace than the one with
// this id, "" for none: then the error wraps [ErrLost] and says what to do. It is nil where nothing was ever
// installed, and where a person wrote that all begins anew. noted is whether this id was kept by
// [Cluster.Note]. Other errors may go away by themselves.
func (c *Cluster) Remembers(ctx context.Context, id string) (noted bool, err error) {
	kept, err := c.noted(ctx)
	if err != nil || kept == beginAnew {
		return false, err
	}
	if id == "" {
		return false, c.lost(ctx, kept)
	}
	if kept != "" && kept != id {
		return false, fmt.Errorf("%w: %s is not that of the installation %s, which the annotation %s of the namespace names, and its key is another one. %s",
			ErrLost, secretRef(c.namespace, installation), kept, annotationInstallation, c.remedy())
	}
	return kept == id, nil // older ones were made without a note
}

// lost says that there was an installation here; nil when nothing tells of one.
func (c *Cluster) lost(ctx context.Context, noted string) error {
	trace := "the annotation " + annotationInstallation + " of the namespace"
	if noted == "" {
		var err error
		if trace, err = c.trace(ctx); err != nil || trace == "" {
			return err
		}
	}
	// Whoever makes one makes the Secret first: it may be there by now.
	if _, _, found, err := c.PeekInstallation(ctx); err != nil || found {
		return err
	}
	return fmt.Errorf("%w: there is no %s, and %s tells that there was one. %s", ErrLost, secretRef(c.namespace, installation), trace, c.remedy())
}

func (c *Cluster) remedy() string {
	return fmt.Sprintf("Without its key the marks of objects in OpenStack cannot be checked any more, and a new key would make strangers of all of them: "+
		"restore the Secret from a backup; or, to begin anew on purpose, say so with: kubectl annotate namespace %s %s=%s --overwrite",
		c.namespace, annotationInstallation, beginAnew)
}

// noted returns what the namespace has for an id, "" for nothing.
func (c *Cluster) noted(ctx context.Context) (string, error) {
	namespace, err := c.read(ctx, unit.ObjectRef{APIVersion: "v1", Kind: "Namespace", Name: c.namespace})
	if err != nil || namespace == nil {
		return "", err
	}
	return namespace.GetAnnotations()[annotationInstallation], nil
}

// trace names something that an installation has left in the cluster, "" when there is nothing.
func (c *Cluster) trace(ctx context.Context) (string, error) {
	secrets := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"})
	list, err := secretList(secrets.List(ctx, metav1.ListOptions{LabelSelector: LabelManagedBy + "=" + ManagedBy, Limit: 1}))
	if err != nil {
		return "", c.explainError(err, "look for what is left of an installation in this cluster")
	}
	if len(list.Items) > 0 {
		return secretRef(list.Items[0].GetNamespace(), list.Items[0].GetName()).String(), nil
	}
	nodes, err := c.Labelled(ctx)
	if err != nil || len(nodes) == 0 {
		return "", err
	}
	return "the labels of the node " + nodes[0], nil
}

// Note keeps the id where the loss of the Secrets does not reach it, in place of what was there: see
// [Cluster.Remembers] for whether that may go. An error may go away by itself.
func (c *Cluster) Note(ctx context.Context, id string) error {
	_, err := c.apply(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": c.namespace, "annotations": map[string]any{annotationInstallation: id}},
	}}, metav1.ApplyOptions{FieldManager: managerInstallation, Force: true})
	if err != nil {
		return fmt.Errorf("note the installation on its namespace: %w", err)
	}
	return nil
}

// Elsewhere returns another namespace that holds an installation of ours; "" when there is none. The
// cluster is asked, whatever was seen of it before.
func (c *Cluster) Elsewhere(ctx context.Context) (namespace string, err error) {
	secrets := c.dynamic.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"})
	list, err := secretList(secrets.List(ctx, metav1.ListOptions{
		LabelSelector: LabelManagedBy + "=" + ManagedBy, FieldSelector: "metadata.name=" + installation,
	}))
	if err != nil {
		return "", c.explainError(err, "look for another installation in this cluster")
	}
	for i := range list.Items {
		if found := list.Items[i].GetNamespace(); found != c.namespace {
			return found, nil
		}
	}
	return "", nil
}
