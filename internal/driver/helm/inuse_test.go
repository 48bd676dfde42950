package helm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// inUse returns a pod that works, by its labels, with a claim in it, and of a controller where it has one.
func inUse(name, release, claim, controller string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "o", Name: name, Labels: map[string]string{labelReleaseGroup: release}}}
	pod.Status.Phase = corev1.PodRunning
	if claim != "" {
		pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}}}
	}
	if controller != "" {
		is := true
		pod.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: controller, Controller: &is}}
	}
	return pod
}

// workload is one of a release.
func workload(name, release string) metav1.PartialObjectMetadata {
	return metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "o", Name: name, Annotations: map[string]string{annotationReleaseName: release, annotationReleaseNamespace: "o"},
	}}
}

// withData has two releases without a history, each with a claim, and keys of a third one.
func withData() *server {
	claim := func(release string) metav1.PartialObjectMetadata {
		return metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "o", Name: "data-" + release, Labels: map[string]string{labelReleaseGroup: release}}}
	}
	keys := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "o", Name: "keys", Labels: map[string]string{labelManagedBy: managedByHelm},
		Annotations: map[string]string{annotationPolicy: policyKeep, annotationRelease: "three"},
	}}
	return &server{objects: map[string][]metav1.PartialObjectMetadata{
		"persistentvolumeclaims": {claim("one"), claim("two")},
		"configmaps":             {{ObjectMeta: metav1.ObjectMeta{Namespace: "o", Name: "one" + galeraState}}},
		"secrets":                {keys},
	}}
}

// TestDataInUseStays: that Helm knows of no release does not mean that nothing of it works. As long as anything does the
// data stays, and keys with it; what is not known keeps all.
func TestDataInUseStays(t *testing.T) {
	const claimsOfTwo, all = "[PersistentVolumeClaim o/data-two]", "[PersistentVolumeClaim o/data-one PersistentVolumeClaim o/data-two ConfigMap o/one-mariadb-state Secret o/keys]"
	ended, going := inUse("job", "one", "data-one", "job"), inUse("one-0", "one", "data-one", "one")
	ended.Status.Phase, going.DeletionTimestamp = corev1.PodSucceeded, &metav1.Time{Time: time.Unix(1, 0)}
	fading := workload("one", "one")
	fading.DeletionTimestamp = going.DeletionTimestamp
	scratch := inUse("other", "", "", "")
	scratch.Spec.Volumes = []corev1.Volume{{Name: "one", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}}}
	scratch.Name = "data"
	for _, test := range []struct {
		name    string
		pods    []*corev1.Pod
		works   map[string][]metav1.PartialObjectMetadata
		refused string
		deleted string
		stay    string // a part of what is said
		err     string
	}{
		{name: "nothing works", deleted: all},
		{name: "a StatefulSet", works: map[string][]metav1.PartialObjectMetadata{"statefulsets": {workload("one", "one")}}, deleted: claimsOfTwo, stay: "the data of one stays: its release has no history, but StatefulSet o/one of it is still there; delete that first"},
		{name: "a CronJob", works: map[string][]metav1.PartialObjectMetadata{"cronjobs": {workload("rotate", "three")}}, deleted: all[:strings.Index(all, " Secret")] + "]", stay: "the data of three stays: its release has no history, but CronJob o/rotate of it"},
		{name: "a pod", pods: []*corev1.Pod{inUse("one-0", "one", "data-one", "")}, deleted: claimsOfTwo, stay: "Pod o/one-0"},
		{name: "a pod of something else", pods: []*corev1.Pod{inUse("rescue", "", "data-one", "")}, deleted: claimsOfTwo, stay: "Pod o/rescue has PersistentVolumeClaim o/data-one in it"},
		{name: "a claim of a pod's own", pods: []*corev1.Pod{scratch}, deleted: claimsOfTwo, stay: "Pod o/data has PersistentVolumeClaim o/data-one in it"},
		{name: "a pod of a controller that stays", pods: []*corev1.Pod{inUse("one-0", "one", "data-one", "one")}, deleted: claimsOfTwo, stay: "Pod o/one-0"},
		{name: "what is going or has ended", pods: []*corev1.Pod{ended, going}, works: map[string][]metav1.PartialObjectMetadata{"deployments": {fading}}, deleted: all},
		{name: "another release", pods: []*corev1.Pod{inUse("four-0", "four", "data-four", "")}, works: map[string][]metav1.PartialObjectMetadata{"daemonsets": {workload("four", "four")}}, deleted: all},
		{name: "pods that cannot be listed", refused: "pods", deleted: "[]", err: "it is not known what works with it, so all data stays: list the pods in o: forbidden"},
		{name: "workloads that cannot be listed", refused: "cronjobs", deleted: "[]", err: "list the cronjobs in o: forbidden"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := withData()
				maps.Copy(api.objects, test.works)
				api.pods, api.refused = test.pods, map[string]error{test.refused: errors.New("forbidden")}
				d := &Driver{api: api, cluster: &guarded{}}
				claims, err := d.Data(t.Context(), "o", []string{"one", "two", "three"})
				if err != nil {
					t.Fatal(err)
				}
				deleted, stay, err := d.DeleteData(t.Context(), "o", claims)
				if fmt.Sprint(deleted) != test.deleted || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
					t.Errorf("deleted %s, want %s; %v", deleted, test.deleted, err)
				}
				if said := strings.Join(stay, "\n"); !strings.Contains(said, test.stay) || (said == "") != (test.stay == "") {
					t.Errorf("it says %q", said)
				}
			})
		})
	}
}

// leaving is a cluster that deletes a pod after so many looks.
type leaving struct {
	*server
	looks int
}

func (l *leaving) EachPod(ctx context.Context, namespace, selector string, take func(*corev1.Pod) error) error {
	if l.looks--; l.looks < 0 {
		l.pods = nil
	}
	return l.server.EachPod(ctx, namespace, selector, take)
}

// TestPodsThatLeave: what was uninstalled a moment ago still has pods, for which nothing but time is needed.
func TestPodsThatLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := &leaving{withData(), 3}
		api.pods = []*corev1.Pod{inUse("one-0", "one", "data-one", "one")}
		d := &Driver{api: api, cluster: &guarded{}}
		claims, err := d.Data(t.Context(), "o", []string{"one"})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		deleted, stay, err := d.DeleteData(t.Context(), "o", claims)
		if err != nil || len(stay) > 0 || len(deleted) != 2 || time.Since(begun) != 3*leavingPoll {
			t.Errorf("after %v: deleted %v, %q, %v", time.Since(begun), deleted, stay, err)
		}
	})
}

// TestDataOnRecordInUseStays: what a configuration names goes once pods that leave are gone. What does not leave is for
// a person, and what is not known keeps it.
func TestDataOnRecordInUseStays(t *testing.T) {
	target := unit.Target{Address: addr.MustParseObject("service.one"), Locator: unit.Locator{Kind: unit.KindRelease, Namespace: "o", Name: "one"}, Data: claims("data-one")}
	api := withData()
	var told []addr.Object
	set := unit.ObjectRef{APIVersion: "apps/v1", Kind: kindStatefulSet, Namespace: "o", Name: "one"}
	h := &holder{uids: map[string]types.UID{"data-one": "uid of data-one"}, going: map[string]bool{}, used: map[string]bool{}}
	d := &Driver{api: api, cluster: h, options: Options{Notify: func(units ...addr.Object) { told = append(told, units...) }}}
	step := func(name, waits, fails string, blocked bool) {
		t.Helper()
		gone, said, err := d.takeData(t.Context(), target)
		if gone || len(h.deleted) > 0 || said != waits || unit.IsBlocked(err) != blocked || (err == nil) != (fails == "") || err != nil && !strings.Contains(err.Error(), fails) {
			t.Errorf("%s: gone %t, deleted %q, waits %q, %v", name, gone, h.deleted, said, err)
		}
	}
	api.objects["statefulsets"] = []metav1.PartialObjectMetadata{workload("one", "one")}
	step("a StatefulSet", "", "its data stays: StatefulSet o/one of it is still there, and nothing takes that away; delete it first", true)
	d.changed(unit.ObjectRef{APIVersion: "apps/v1", Kind: kindStatefulSet, Namespace: "o", Name: "two"})
	if d.changed(set); !slices.Equal(told, []addr.Object{target.Address}) || !slices.Equal(h.looked, []unit.ObjectRef{set}) {
		t.Errorf("a change of what has to be deleted was told to %v, and is watched at %v", told, h.looked)
	}
	delete(api.objects, "statefulsets")
	api.pods = []*corev1.Pod{inUse("one-0", "one", "data-one", "one")}
	step("a pod that leaves", "its data stays as long as Pod o/one-0 of it is still there", "", false)
	api.refused = map[string]error{"pods": errors.New("forbidden")}
	if d.changed(set); len(told) != 1 {
		t.Error("nothing is waited for that somebody has to delete, and its changes are told")
	}
	step("pods that cannot be listed", "", "look at what works with the data of one: list the pods in o: forbidden", false)
	api.pods, api.refused = nil, nil
	if gone, waits, err := d.takeData(t.Context(), target); gone || waits != "" || err != nil || !slices.Equal(h.deleted, []string{"data-one uid of data-one"}) {
		t.Errorf("once nothing works with it: gone %t, deleted %q, waits %q, %v", gone, h.deleted, waits, err)
	}
}
