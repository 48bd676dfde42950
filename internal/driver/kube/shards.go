package kube

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	shardPrefix = "kupenstack-inventory-"
	shardKey    = "inventory"
	// labelShard tells our Secrets with the inventory from all others.
	labelShard = "kupenstack.io/inventory"
	// managerStore is the field manager of what we keep for ourselves.
	managerStore = "kupenstack-store"
)

// Shard is a part of the inventory and the version it was read as.
type Shard struct {
	Data    []byte
	Version string
}

// Shards keeps the inventory, in Secrets as it names what an operator may not want to be read.
type Shards struct {
	cluster   *Cluster
	namespace string
}

// Shards returns the store in a namespace, "" for the system's.
func (c *Cluster) Shards(namespace string) *Shards {
	if namespace == "" {
		namespace = c.namespace
	}
	return &Shards{cluster: c, namespace: namespace}
}

// Load returns all shards by name, as the server has them now. None is no error.
func (s *Shards) Load(ctx context.Context) (map[string]Shard, error) {
	doing := "read the inventory in " + s.namespace
	objects, ok, err := s.cluster.at(ctx, secretRef(s.namespace, ""))
	if err == nil && !ok {
		err = errors.New("the cluster does not know Secrets")
	}
	if err != nil {
		return nil, s.cluster.explainError(err, doing)
	}
	list, err := secretList(objects.List(ctx, metav1.ListOptions{LabelSelector: labelShard + "=true"}))
	if err == nil && list.GetContinue() != "" { // what is missing would be taken for nobody's
		err = errors.New("the API server has answered with a part of the list, and the whole was asked for")
	}
	if err != nil {
		return nil, s.cluster.explainError(err, doing)
	}
	shards := make(map[string]Shard, len(list.Items))
	for i := range list.Items {
		name, ok := strings.CutPrefix(list.Items[i].GetName(), shardPrefix)
		if !ok {
			continue
		}
		data, ok, err := secretValue(&list.Items[i], shardKey)
		if err != nil || !ok {
			return nil, fmt.Errorf("%s: shard %s has no readable content: %w", doing, name, errors.Join(err, errDamaged))
		}
		shards[name] = Shard{Data: []byte(data.Reveal()), Version: list.Items[i].GetResourceVersion()}
	}
	return shards, nil
}

// errDamaged says that a person has to look: what was kept for us is not as we wrote it.
var errDamaged = errors.New("it was changed by somebody else")

// Put writes a shard over the version it was read as, and returns the new version. An empty
// version means that there is no such shard yet. When that is not so any more the error wraps
// [ErrConflict] and nothing was written. The namespace is made when it is missing. A name is part
// of the name of a Secret, and the data has to fit into one: less than a MiB.
func (s *Shards) Put(ctx context.Context, name string, data []byte, version string) (string, error) {
	object := systemSecret(s.namespace, shardPrefix+name, map[string]string{shardKey: string(data)})
	labels := object.GetLabels()
	labels[labelShard] = "true"
	object.SetLabels(labels)
	var (
		stored *unstructured.Unstructured
		err    error
	)
	if version == "" {
		if err = s.cluster.ensureNamespace(ctx, s.namespace); err == nil {
			stored, err = s.cluster.Create(ctx, managerStore, object)
		}
	} else {
		object.SetResourceVersion(version)
		stored, err = s.cluster.update(ctx, object, metav1.UpdateOptions{FieldManager: managerStore})
	}
	if version == "" && errors.Is(err, ErrConflict) {
		err = cmp.Or(s.unshown(ctx, name), err)
	}
	if err != nil {
		return "", fmt.Errorf("shard %s of the inventory: %w", name, err)
	}
	return stored.GetResourceVersion(), nil
}

// unshown says why a shard that is there is not among those that are read; nil where it is, or nobody knows.
func (s *Shards) unshown(ctx context.Context, name string) error {
	ref := secretRef(s.namespace, shardPrefix+name)
	found, err := s.cluster.read(ctx, ref)
	if err != nil || found == nil || found.GetLabels()[labelShard] == "true" {
		return nil //nolint:nilerr // the conflict is told
	}
	return fmt.Errorf("somebody took its label away, without which it is not read: kubectl -n %s label secret %s --overwrite %s=true", ref.Namespace, ref.Name, labelShard)
}

// ensureNamespace makes a namespace of ours when it is missing.
func (c *Cluster) ensureNamespace(ctx context.Context, name string) error {
	ref := unit.ObjectRef{APIVersion: "v1", Kind: "Namespace", Name: name}
	found, err := c.read(ctx, ref)
	if err != nil || found != nil {
		return err
	}
	_, err = c.Create(ctx, managerStore, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}})
	if errors.Is(err, ErrConflict) {
		return nil
	}
	return err
}

// ShowsShards tells whether the watches show all these shards in the system's namespace. One that they do not show need not
// be gone, as for an installation.
func (c *Cluster) ShowsShards(ctx context.Context, names []string) bool {
	for _, name := range names {
		if secret := c.asWatched(ctx, secretRef(c.namespace, shardPrefix+name)); secret == nil || secret.GetLabels()[labelShard] != "true" {
			return false
		}
	}
	return true
}

func systemSecret(namespace, name string, values map[string]string) *unstructured.Unstructured {
	data := make(map[string]any, len(values))
	for key, value := range values {
		data[key] = base64.StdEncoding.EncodeToString([]byte(value))
	}
	return labelled(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "data": data,
		"metadata": map[string]any{"namespace": namespace, "name": name},
	}})
}
