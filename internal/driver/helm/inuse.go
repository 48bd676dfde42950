package helm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A release without a history need not be gone: somebody may have deleted the Secrets that Helm keeps it in, while all
// that it consists of works on. So what works is looked at itself before data is deleted.

const (
	// leavingPoll is when to look again for pods that are about to be deleted.
	leavingPoll = time.Second
	// leavingPatience is how long Kubernetes has to begin with the deletion of pods whose controllers are gone.
	leavingPatience = 2 * time.Minute
)

// user is something that works, or will again, with the data of a release.
type user struct {
	ref    unit.ObjectRef
	claim  string // that it has in it, where nothing else tells that it belongs to the release
	leaves bool   // it is a pod of a controller: without that, Kubernetes deletes it before long
}

func (u user) String() string {
	if u.claim != "" {
		return fmt.Sprintf("%s has %s %s in it", u.ref, kindClaim, u.claim)
	}
	return u.ref.String() + " of it is still there"
}

// working are the kinds of objects that make the pods of releases.
func working() []struct{ kind, group, resource string } {
	return []struct{ kind, group, resource string }{
		{kindStatefulSet, "apps", "statefulsets"},
		{"Deployment", "apps", "deployments"},
		{kindDaemonSet, "apps", "daemonsets"},
		{"CronJob", "batch", "cronjobs"},
	}
}

// users returns what uses the data of each release that some claims are of: a workload of the release, a pod of it, or a
// pod with one of the claims in it, and rather one that does not leave by itself. What is being deleted, or has ended, does
// not count. An error means that it is not known.
func (d *Driver) users(ctx context.Context, namespace string, claims []Claim) (map[string]user, error) {
	releases, claimed := map[string]bool{}, map[string]string{}
	for _, claim := range claims {
		releases[claim.Release] = true
		if claim.Ref.Kind == kindClaim {
			claimed[claim.Ref.Name] = claim.Release
		}
	}
	found := map[string]user{}
	if len(releases) == 0 {
		return found, nil
	}
	note := func(release string, u user) {
		if old, known := found[release]; releases[release] && (!known || old.leaves && !u.leaves) {
			found[release] = u
		}
	}
	for _, of := range working() {
		version := schema.GroupVersion{Group: of.group, Version: "v1"}
		items, err := d.api.Metadata(ctx, version.WithResource(of.resource), namespace, "")
		if err != nil {
			return nil, fmt.Errorf("list the %s in %s: %w", of.resource, namespace, err)
		}
		for i := range items {
			if item := &items[i]; item.DeletionTimestamp == nil {
				note(releaseOf(of.kind, item), user{ref: unit.ObjectRef{APIVersion: version.String(), Kind: of.kind, Namespace: namespace, Name: item.Name}})
			}
		}
	}
	err := d.api.EachPod(ctx, namespace, "", func(pod *corev1.Pod) error {
		if pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			return nil
		}
		u := user{ref: unit.ObjectRef{APIVersion: "v1", Kind: "Pod", Namespace: namespace, Name: pod.Name}, leaves: metav1.GetControllerOf(pod) != nil}
		note(cmp.Or(pod.Labels[labelReleaseGroup], pod.Labels[labelInstance]), u)
		for _, name := range claimsOf(pod) {
			if release, one := claimed[name]; one {
				u.claim = namespace + "/" + name
				note(release, u)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the pods in %s: %w", namespace, err)
	}
	return found, nil
}

// claimsOf are the names of the claims to volumes that a pod has in it.
func claimsOf(pod *corev1.Pod) []string {
	var names []string
	for i := range pod.Spec.Volumes {
		switch volume := &pod.Spec.Volumes[i]; {
		case volume.PersistentVolumeClaim != nil:
			names = append(names, volume.PersistentVolumeClaim.ClaimName)
		case volume.Ephemeral != nil:
			names = append(names, pod.Name+"-"+volume.Name)
		}
	}
	return names
}

// usersLeft are the users that are there once Kubernetes had the time to delete the pods of what has just been uninstalled.
func (d *Driver) usersLeft(ctx context.Context, namespace string, claims []Claim) (map[string]user, error) {
	limit := time.Now().Add(leavingPatience)
	for {
		users, err := d.users(ctx, namespace, claims)
		if err != nil {
			return nil, err
		}
		leave := slices.ContainsFunc(claims, func(claim Claim) bool { return users[claim.Release].leaves })
		if !leave || !time.Now().Before(limit) {
			return users, nil
		}
		select {
		case <-time.After(leavingPoll):
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the pods in %s to be deleted: %w", namespace, context.Cause(ctx))
		}
	}
}
