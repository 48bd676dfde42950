package kube

import (
	"context"
	"errors"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// KeepInstallation looks whether our installation is still kept as this process knows it: its Secret, and
// the id on the namespace. Of the two the one that is gone is written again, as it was, as long as the other
// one is there; restored names it then. Anything else is left as it is, as somebody may mean it: another
// Secret or id, or the loss of both. Then the error wraps [ErrLost] and says what to do. Other errors may go
// away by themselves.
func (c *Cluster) KeepInstallation(ctx context.Context, id string, key redact.Secret) (restored string, err error) {
	ref := secretRef(c.namespace, installation)
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
	_, err = c.Create(ctx, managerStore, systemSecret(c.namespace, installation, map[string]string{"id": id, "key": key.Reveal()}))
	if errors.Is(err, ErrConflict) {
		return "", nil // it has just been restored; its watch tells
	}
	if err != nil {
		return "", err
	}
	return ref.String(), nil
}

// InstallationChanged has f called when the installation's Secret or its namespace changed, until cancel is
// called. f returns at once. The error says that changes are not told; the subscription stands all the same.
func (c *Cluster) InstallationChanged(ctx context.Context, f func()) (cancel func(), err error) {
	kept := []unit.ObjectRef{
		secretRef(c.namespace, installation),
		{APIVersion: "v1", Kind: "Namespace", Name: c.namespace},
	}
	cancel = c.Subscribe(func(ref unit.ObjectRef) {
		if ref == kept[0] || ref == kept[1] {
			f()
		}
	})
	_, err = c.Get(ctx, kept...) // begins to watch
	return cancel, err
}
