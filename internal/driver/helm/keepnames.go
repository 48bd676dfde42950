package helm

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// configurationHash is where the charts of OpenStack-Helm put a hash of the configuration, so that pods are replaced
// when it changes.
const configurationHash = "configmap-etc-hash"

// keepNames has the DaemonSets for nodes of no group keep their names when there is a further group, and ask for the same nodes
// where no group is left to them: the chart's name has a hash of all groups in it, and with another name all of its pods would
// be replaced at once.
// The name is that of before, or the one without a hash; one whose groups are the same as before stays as it was rendered,
// so that no pod is replaced where nothing changed. It returns what it changed.
func keepNames(objects, before []*unstructured.Unstructured, remainders []unit.Remainder) []*unstructured.Unstructured {
	var changed []*unstructured.Unstructured
	for _, r := range remainders {
		named := regexp.MustCompile("^" + regexp.QuoteMeta(r.Name) + "(-[0-9a-f]{8})?$")
		set, was := remainder(objects, named), remainder(before, named)
		if set == nil || set.GetName() == r.Name {
			continue // without groups there is no hash
		}
		name := r.Name
		if was != nil {
			if name = was.GetName(); name == set.GetName() && reflect.DeepEqual(termsOf(was), termsOf(set)) {
				continue
			}
		}
		changed = append(changed, renamed(objects, set, name)...)
		if r.Label != "" {
			choose(set, r.Label)
		}
	}
	return changed
}

// left are the DaemonSets of a release that are there though Helm has no revision of it any more.
func (d *Driver) left(ctx context.Context, spec *unit.Release) ([]*unstructured.Unstructured, error) {
	version := schema.GroupVersion{Group: "apps", Version: "v1"}
	items, err := d.api.Metadata(ctx, version.WithResource("daemonsets"), spec.Namespace, "")
	if err != nil {
		return nil, fmt.Errorf("list the DaemonSets in %s: %w", spec.Namespace, err)
	}
	var refs []unit.ObjectRef
	for i := range items {
		if items[i].Annotations[annotationReleaseName] == spec.Name && items[i].Annotations[annotationReleaseNamespace] == spec.Namespace {
			refs = append(refs, unit.ObjectRef{APIVersion: version.String(), Kind: kindDaemonSet, Namespace: items[i].Namespace, Name: items[i].Name})
		}
	}
	if len(refs) == 0 {
		return nil, nil
	}
	slices.SortFunc(refs, unit.ObjectRef.Compare)
	live, err := d.cluster.Get(ctx, refs...)
	if err != nil {
		return nil, fmt.Errorf("look at what is left of release %s/%s: %w", spec.Namespace, spec.Name, err)
	}
	var there []*unstructured.Unstructured
	for _, ref := range refs {
		if live[ref] != nil {
			there = append(there, live[ref])
		}
	}
	return there, nil
}

// remainder is the first DaemonSet with such a name, nil for none.
func remainder(objects []*unstructured.Unstructured, named *regexp.Regexp) *unstructured.Unstructured {
	i := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool {
		return o.GetKind() == kindDaemonSet && named.MatchString(o.GetName())
	})
	if i < 0 {
		return nil
	}
	return objects[i]
}

// renamed gives a DaemonSet and the Secret with its configuration another name. The chart's hash of that covers the name.
func renamed(objects []*unstructured.Unstructured, set *unstructured.Unstructured, name string) []*unstructured.Unstructured {
	former, changed := set.GetName(), []*unstructured.Unstructured{set}
	set.SetName(name)
	i := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == kindSecret && o.GetName() == former })
	if i < 0 {
		return changed
	}
	objects[i].SetName(name)
	content, _ := json.Marshal([]any{objects[i].Object["data"], objects[i].Object["stringData"]}) // it was read from YAML
	_ = unstructured.SetNestedField(set.Object, hashOf(string(content)), "spec", "template", "metadata", "annotations", configurationHash)
	volumes, _, _ := unstructured.NestedFieldNoCopy(set.Object, "spec", "template", "spec", "volumes")
	list, _ := volumes.([]any)
	for _, volume := range list {
		one, _ := volume.(map[string]any)
		if secret, ok := one["secret"].(map[string]any); ok && secret["secretName"] == former {
			secret["secretName"] = name
		}
	}
	return append(changed, objects[i])
}

// wayToTerms is where a DaemonSet has which nodes its pods may run on.
func wayToTerms() []string {
	return []string{"spec", "template", "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"}
}

func termsOf(set *unstructured.Unstructured) any {
	terms, _, _ := unstructured.NestedFieldNoCopy(set.Object, wayToTerms()...)
	return terms
}

// choose has a DaemonSet ask for nodes without a label. What is no object on the way there the API server refuses.
func choose(set *unstructured.Unstructured, label string) {
	_ = unstructured.SetNestedField(set.Object, []any{map[string]any{"matchExpressions": []any{
		map[string]any{"key": label, "operator": string(corev1.NodeSelectorOpDoesNotExist)},
	}}}, wayToTerms()...)
}
