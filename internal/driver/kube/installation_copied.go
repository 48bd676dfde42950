package kube

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// clusterSpace is the namespace that every cluster has from its first start to its end, so that its uid is that of the cluster.
	clusterSpace = "kube-system"
	// keyCluster is that uid in the Secret of the installation: a copy of the key never comes without it.
	keyCluster = "cluster"
	// annotationTakeOver is written on our namespace by a person who means a copy of an installation to go on, with the
	// uid of the cluster that it is in: a copy of that copy is not meant by it.
	annotationTakeOver = "kupenstack.io/take-over"
)

// ErrCopied says that our installation is that of another cluster, as where a backup was restored into a second one. Two
// that run would both change what is in OpenStack: a person has to decide.
var ErrCopied = errors.New("the installation is a copy")

// ClusterID returns the uid of the cluster; "" where nothing tells it.
func (c *Cluster) ClusterID(ctx context.Context) (string, error) {
	space, err := c.read(ctx, unit.ObjectRef{APIVersion: "v1", Kind: "Namespace", Name: clusterSpace})
	if err != nil || space == nil {
		return "", err
	}
	return string(space.GetUID()), nil
}

// Resides looks whether an installation is that of this cluster, by the one that its Secret names. The error wraps
// [ErrCopied] where it is that of another one, unless a person wrote that it goes on here, and says what to do. settled is
// whether [Cluster.Settle] has nothing to write. Other errors may go away by themselves.
func (c *Cluster) Resides(ctx context.Context, of string) (settled bool, err error) {
	here, err := c.ClusterID(ctx)
	if err != nil || here == "" || of == "" || of == here {
		return err == nil && of == here, err // older ones do not say it
	}
	space, err := c.read(ctx, unit.ObjectRef{APIVersion: "v1", Kind: "Namespace", Name: c.namespace})
	if err != nil || space != nil && space.GetAnnotations()[annotationTakeOver] == here {
		return false, err
	}
	return false, fmt.Errorf("%w: %s was made in another cluster, whose namespace %s has the uid %s, and the one here has %s, as where a backup was restored into a second cluster. "+
		"Two of them would both change the same OpenStack, so nothing is planned or changed here. When the other one is gone for good, have this one go on: kubectl annotate namespace %s %s=%s --overwrite",
		ErrCopied, secretRef(c.namespace, installation), clusterSpace, of, here, c.namespace, annotationTakeOver, here)
}

// Settle notes in the installation's Secret which cluster it is in. Whether that may be is for [Cluster.Resides] to say
// before. An error may go away by itself.
func (c *Cluster) Settle(ctx context.Context) error {
	here, err := c.ClusterID(ctx)
	if err != nil || here == "" {
		return err
	}
	secret, err := c.read(ctx, secretRef(c.namespace, installation))
	if err != nil || secret == nil {
		return err
	}
	next := systemSecret(c.namespace, installation, map[string]string{keyCluster: here})
	next.SetUID(secret.GetUID()) // else one that was deleted meanwhile would be made without its key
	if _, err := c.apply(ctx, next, metav1.ApplyOptions{FieldManager: managerInstallation, Force: true}); err != nil {
		return fmt.Errorf("note in which cluster the installation is: %w", err)
	}
	return nil
}
