package kube

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// KeepInstallation looks whether our installation is still kept as this process knows it: its Secret, and
// the id on the namespace. Of the two the one that is gone is written again, as it was, as long as the other
// one is there; restored names it then. Anything else is left as it is, as somebody may mean it: another
// Secret or id, or the loss of both. Then the error wraps [ErrLost] and says what to do. Other errors may go
// away by themselves. As long as the watches are in order and show it as it is to be, nothing is sent.
func (c *Cluster) KeepInstallation(ctx context.Context, id string, key redact.Secret) (restored string, err error) {
	if c.showsInstallation(ctx, id, key) {
		return "", nil
	}
	ref, _ := c.installationRefs()
	kept, err := c.noted(ctx)
	if err != nil || kept == beginAnew {
		return "", err // then nothing is to be kept
	}
	name, has, found, err := c.PeekInstallation(ctx)
	switch {
	case errors.Is(err, errDamaged):
		return "", fmt.Errorf("%w: %w. %s", ErrLost, err, c.remedy())
	case err != nil:
		return "", err
	case found && (name != id || !has.Equal(key)):
		return "", fmt.Errorf("%w: %s is not the one that this process was started with. %s", ErrLost, ref, c.remedy())
	case kept != "" && kept != id:
		return "", fmt.Errorf("%w: the annotation %s of the namespace %s names another one than %s, which this process was started with: write that id there",
			ErrLost, annotationInstallation, c.namespace, id)
	case found && kept == "":
		if err := c.Note(ctx, id); err != nil {
			return "", err
		}
		return fmt.Sprintf("the annotation %s of the namespace %s", annotationInstallation, c.namespace), nil
	case found:
		return "", nil
	case kept == "":
		return "", fmt.Errorf("%w: there is no %s, nor the annotation %s of the namespace. As long as this process runs it writes the Secret again once it is told to: kubectl annotate namespace %s %[3]s=%[5]s",
			ErrLost, ref, annotationInstallation, c.namespace, id)
	}
	err = c.install(ctx, id, key.Reveal())
	if errors.Is(err, ErrConflict) {
		return "", nil // it has just been restored; its watch tells
	}
	if err != nil {
		return "", err
	}
	return ref.String(), nil
}

// installationRefs are the objects that an installation is known by.
func (c *Cluster) installationRefs() (secret, namespace unit.ObjectRef) {
	return secretRef(c.namespace, installation), unit.ObjectRef{APIVersion: "v1", Kind: "Namespace", Name: c.namespace}
}

// showsInstallation tells whether the watches show that all is well. What is not so in them, or not shown, need not be so in
// the cluster: the label by which a Secret is watched may be gone alone, and a watch may be down, or behind. Then the cluster is asked.
func (c *Cluster) showsInstallation(ctx context.Context, id string, key redact.Secret) bool {
	ref, of := c.installationRefs()
	secret, namespace := c.asWatched(ctx, ref), c.asWatched(ctx, of)
	if secret == nil || namespace == nil || namespace.GetAnnotations()[annotationInstallation] != id {
		return false
	}
	name, has, err := installationOf(secret)
	return err == nil && name == id && has.Equal(key)
}

// asWatched returns an object as its watch shows it; nil where it does not, or where changes may have been missed.
func (c *Cluster) asWatched(ctx context.Context, ref unit.ObjectRef) *unstructured.Unstructured {
	w, err := c.watches.synced(ctx, watchKey{apiVersion: ref.APIVersion, kind: ref.Kind, namespace: ref.Namespace})
	if err != nil || w == nil {
		return nil
	}
	defer c.watches.release(w)
	if w.stalled() {
		return nil
	}
	return c.watches.get(w, ref)
}

// InstallationChanged has f called when the installation's Secret, its namespace or a shard of the inventory changed, until cancel is
// called. f returns at once. The error says that changes are not told; the subscription stands all the same.
func (c *Cluster) InstallationChanged(ctx context.Context, f func()) (cancel func(), err error) {
	secret, namespace := c.installationRefs()
	cancel = c.Subscribe(func(ref unit.ObjectRef) {
		if ref == secret || ref == namespace || ref.Kind == secret.Kind && ref.Namespace == secret.Namespace && strings.HasPrefix(ref.Name, shardPrefix) {
			f()
		}
	})
	_, err = c.Get(ctx, secret, namespace) // begins to watch
	return cancel, err
}
