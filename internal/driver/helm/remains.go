package helm

import (
	"cmp"
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Labels that tell whose volume a claim is. One that was made for a StatefulSet has the labels that
// the StatefulSet selects its pods by, and bears nothing of Helm's.
const (
	labelReleaseGroup = "release_group" // in OpenStack-Helm's charts
	labelInstance     = "app.kubernetes.io/instance"
)

// lasting are the kinds of objects that keep what a release was made with: its processes and its data.
func lasting() []struct{ kind, group, resource string } {
	return []struct{ kind, group, resource string }{
		{kindStatefulSet, "apps", "statefulsets"},
		{kindClaim, "", "persistentvolumeclaims"},
		{"Deployment", "apps", "deployments"},
		{kindDaemonSet, "apps", "daemonsets"},
	}
}

// remaining is one look at the objects of a namespace that outlive a release's history.
type remaining struct {
	at      time.Time
	objects map[string]unit.ObjectRef // the first one of each release, by its name
}

// Remains returns an object that still keeps what a release was made with: a workload, or a claim of a
// volume. It looks at nothing of Helm's but the marks on those objects, so it finds what is left of a
// release whose history was lost. False means that there certainly is none. Those who ask at the same
// time share the look.
func (d *Driver) Remains(ctx context.Context, namespace, name string) (unit.ObjectRef, bool, error) {
	l := &d.listings
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.remains[namespace]
	if !ok || time.Since(known.at) > listingAge {
		objects, err := d.listRemains(ctx, namespace)
		if err != nil {
			return unit.ObjectRef{}, false, err
		}
		known = remaining{at: time.Now(), objects: objects}
		if l.remains == nil {
			l.remains = map[string]remaining{}
		}
		l.remains[namespace] = known
	}
	ref, found := known.objects[name]
	return ref, found, nil
}

// listRemains asks for the metadata of all lasting objects of a namespace.
func (d *Driver) listRemains(ctx context.Context, namespace string) (map[string]unit.ObjectRef, error) {
	found := map[string]unit.ObjectRef{}
	for _, of := range lasting() {
		version := schema.GroupVersion{Group: of.group, Version: "v1"}
		items, err := d.api.Metadata(ctx, version.WithResource(of.resource), namespace, "")
		if err != nil {
			return nil, fmt.Errorf("list the %s in %s: %w", of.resource, namespace, err)
		}
		for i := range items {
			item := &items[i]
			name := releaseOf(of.kind, item)
			if _, known := found[name]; name != "" && !known {
				found[name] = unit.ObjectRef{APIVersion: version.String(), Kind: of.kind, Namespace: item.Namespace, Name: item.Name}
			}
		}
	}
	return found, nil
}

// releaseOf returns the name of the release in the same namespace that an object belongs to, "" for none.
func releaseOf(kind string, object *metav1.PartialObjectMetadata) string {
	if object.Annotations[annotationReleaseNamespace] == object.Namespace {
		return object.Annotations[annotationReleaseName]
	}
	if kind != kindClaim {
		return ""
	}
	return cmp.Or(object.Labels[labelReleaseGroup], object.Labels[labelInstance])
}
