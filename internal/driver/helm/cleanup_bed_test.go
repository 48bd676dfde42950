//go:build beds

package helm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// initJob has the form of OpenStack-Helm's Jobs that make something in other services.
func initJob(name, containers string) *fstest.MapFile {
	return file(fmt.Sprintf(`apiVersion: batch/v1
kind: Job
metadata:
  name: %s
  labels: {application: app}
  annotations: {helm.sh/hook: "post-install,post-upgrade", helm.sh/hook-weight: "-5"}
spec:
  backoffLimit: 1000
  ttlSecondsAfterFinished: 60
  template:
    spec:
      restartPolicy: OnFailure
      containers:
%s      volumes:
      - {name: db-init-sh, configMap: {name: app-bin}}
`, name, containers))
}

func makersChart() fstest.MapFS {
	tree := appChart()
	tree["charts/app/templates/bin.yaml"] = file(`apiVersion: v1
kind: ConfigMap
metadata: {name: app-bin}
data: {db-init.py: create, db-drop.py: drop, ks-user.sh: create}
`)
	tree["charts/app/templates/job-db-init.yaml"] = initJob("app-db-init", `      - name: app-db-init-0
        image: example.org/client:1
        command: [/tmp/db-init.py]
        env: [{name: DB_CONNECTION, value: "mysql://app:{{ .Values.auth.password }}@db/app"}]
        volumeMounts: [{name: db-init-sh, mountPath: /tmp/db-init.py, subPath: db-init.py}]
`)
	tree["charts/app/templates/job-ks-user.yaml"] = initJob("app-ks-user", `      - {name: app-ks-user, image: example.org/client:1, command: [/bin/bash, -c, /tmp/ks-user.sh]}
      - {name: other-ks-user, image: example.org/client:1, command: [/bin/bash, -c, /tmp/ks-user.sh]}
`)
	return tree
}

// removing takes the steps of a deletion, each by another process, until something is so.
func (b *bed) removing(until func(unit.State) bool) {
	b.t.Helper()
	target := b.target
	target.Spec = nil
	state := unit.State{}
	for deadline := time.Now().Add(patience); !until(state); b.restart() {
		var err error
		if state, err = b.driver.Delete(b.t.Context(), target, state); err != nil {
			b.t.Fatalf("delete: %v", err)
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("not in time: %+v", state)
		}
		select {
		case <-b.woken:
		case <-time.After(300 * time.Millisecond):
		}
	}
}

// What a release has in other services goes before anything of the release does, and each Job for that runs once.
func TestWhatAReleaseHasInOthersGoesWithIt(t *testing.T) {
	b := newBed(t, makersChart())
	b.settle()
	offset, err := b.server.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	b.target.CleanUp = []string{"database", "users"}
	seen := map[string]bool{}
	b.removing(func(state unit.State) bool {
		seen[state.Message] = true
		if done := slices.Equal(state.CleanedUp, b.target.CleanUp); state.TooLate && !done || state.Gone() && !done {
			t.Errorf("it goes with %v: %+v", state.CleanedUp, state)
		}
		if job, err := b.client.BatchV1().Jobs(b.namespace).Get(t.Context(), "app-clean-database", metav1.GetOptions{}); err == nil {
			c := job.Spec.Template.Spec.Containers
			if len(c) != 1 || !slices.Equal(c[0].Command, []string{"/tmp/db-drop.py"}) || c[0].VolumeMounts[0].SubPath != "db-drop.py" || job.Spec.TTLSecondsAfterFinished != nil {
				t.Errorf("the Job runs %+v", job.Spec)
			}
		} else if !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
		if job, err := b.client.BatchV1().Jobs(b.namespace).Get(t.Context(), "app-clean-users", metav1.GetOptions{}); err == nil {
			if c := job.Spec.Template.Spec.Containers; len(c) != 1 || c[0].Name != "app-ks-user" || !strings.Contains(c[0].Command[2], "openstack user delete") {
				t.Errorf("the Job runs %+v", c)
			}
		}
		return state.Gone()
	})
	if got, want := b.created("jobs"), []string{"app-db-init", "app-ks-user", "app-clean-users", "app-clean-database"}; !slices.Equal(got, want) {
		t.Errorf("Jobs ran as %q, want %q", got, want)
	}
	var order []string
	for _, request := range b.requests(offset) {
		switch {
		case request.Verb == "create" && strings.HasSuffix(strings.Split(request.URI, "?")[0], "/jobs"):
			order = append(order, "job")
		case request.Verb == "delete" && strings.Contains(request.URI, "/deployments/app"):
			order = append(order, "deployment")
		}
	}
	if !slices.Equal(order, []string{"job", "job", "deployment"}) {
		t.Errorf("it went as %q", order)
	}
	jobs, err := b.client.BatchV1().Jobs(b.namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(jobs.Items) != 0 {
		t.Errorf("jobs are left: %d, %v", len(jobs.Items), err)
	}
	if told := fmt.Sprint(seen); !strings.Contains(told, "in other services") && !strings.Contains(told, "app-clean-") {
		t.Errorf("it was never told: %s", told)
	}
	for text := range seen {
		b.innocent(text)
	}
}

// What is asked for once the objects of a release go cannot happen, and nobody is told that it does.
func TestWhatIsAskedForTooLate(t *testing.T) {
	b := newBed(t, makersChart())
	b.settle()
	b.removing(func(state unit.State) bool { return state.TooLate || state.Gone() })
	target := b.target
	target.Spec, target.CleanUp = nil, []string{"users"}
	state, err := b.driver.Delete(t.Context(), target, unit.State{})
	if !state.Gone() && (!unit.IsBlocked(err) || !strings.Contains(err.Error(), "users can be taken away with it")) {
		t.Errorf("%+v, %v", state, err)
	}
	if got := b.created("jobs"); !slices.Equal(got, []string{"app-db-init", "app-ks-user"}) {
		t.Errorf("Jobs ran as %q", got)
	}
	b.removing(unit.State.Gone)
}

// A pool of Ceph's that another release uses stays, and nothing is begun.
func TestAPoolThatOthersUseStays(t *testing.T) {
	tree := makersChart()
	tree["charts/app/templates/job-storage-init.yaml"] = initJob("app-storage-init", `      - name: app-storage-init
        image: example.org/ceph:1
        command: [/tmp/storage-init.sh]
        env: [{name: RBD_POOL_NAME, value: pictures}, {name: RBD_POOL_APP_NAME, value: app}]
`)
	tree["charts/other/Chart.yaml"] = file("apiVersion: v2\nname: other\nversion: 1.0.0\n")
	tree["charts/other/templates/job-storage-init.yaml"] = initJob("other-storage-init", `      - name: other-storage-init
        image: example.org/ceph:1
        command: [/tmp/storage-init.sh]
        env: [{name: RBD_POOL_NAME, value: pictures}, {name: RBD_POOL_APP_NAME, value: other}]
`)
	b := newBed(t, tree)
	b.settle()
	first := b.target
	first.Spec, first.CleanUp = nil, []string{"pools"}
	spec := *b.target.Spec.(*unit.Release)
	spec.Name, spec.Chart.Name = "other", "other"
	b.target.Spec, b.target.Locator = &spec, spec.Locator()
	b.settle()
	if _, err := b.driver.Delete(t.Context(), first, unit.State{}); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "the pool pictures is used by release "+b.namespace+"/other") {
		t.Errorf("with another release that uses the pool: %v", err)
	}
	if got := b.created("jobs"); slices.Contains(got, "app-clean-pools") {
		t.Errorf("Jobs ran as %q", got)
	}
}

// Once something may be gone, the release is made again from the beginning should it be wanted after all.
func TestAReleaseThatIsWantedAgainWhileItIsCleanedUp(t *testing.T) {
	b := newBed(t, makersChart())
	b.settle()
	b.target.CleanUp = []string{"users", "database"}
	b.removing(func(unit.State) bool { return slices.Contains(b.created("jobs"), "app-clean-users") })
	b.target.CleanUp, b.target.Fresh = nil, false
	b.settle()
	got := b.created("jobs")
	count := 0
	for _, name := range got {
		if name == "app-db-init" {
			count++
		}
	}
	if count != 2 {
		t.Errorf("Jobs ran as %q", got)
	}
	jobs, err := b.client.BatchV1().Jobs(b.namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs.Items {
		if strings.HasPrefix(jobs.Items[i].Name, "app-clean-") {
			t.Errorf("%s is left", jobs.Items[i].Name)
		}
	}
}

// What did not make a thing does not say how to take it away: then nothing is begun.
func TestWhatNoJobMadeIsNotTakenAway(t *testing.T) {
	b := newBed(t, makersChart())
	b.settle()
	for left, want := range map[string]string{"messaging": "there is no Job app-rabbit-init", "pools": "no Job app-storage-init makes any"} {
		target := b.target
		target.Spec, target.CleanUp = nil, []string{left}
		_, err := b.driver.Delete(t.Context(), target, unit.State{})
		if !unit.IsBlocked(err) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "clean_up") {
			t.Errorf("%s: %v", left, err)
		}
		states, err := b.driver.Observe(t.Context(), []unit.Target{target}) // as the plan tells before
		if why := states[target.Address].Stuck[left].Why; err != nil || !strings.Contains(why, want) {
			t.Errorf("%s: beforehand %q, %v", left, why, err)
		}
	}
	if got := b.revisions(); got != "1 deployed" {
		t.Errorf("revisions %s", got)
	}
	if state := b.settle(); !state.Ready() {
		t.Errorf("afterwards: %+v", state)
	}
}

// Data that is on record as going with a release goes once its objects are gone, and no other does; of a release that
// somebody else has uninstalled meanwhile it goes as well.
func TestDataGoesWithItsRelease(t *testing.T) {
	for _, uninstalled := range []bool{false, true} {
		t.Run(fmt.Sprintf("uninstalled %t", uninstalled), func(t *testing.T) {
			b := newBed(t, appChart())
			b.settle()
			claims := b.client.CoreV1().PersistentVolumeClaims(b.namespace)
			claim := func(name, release string) {
				t.Helper()
				_, err := claims.Create(t.Context(), &corev1.PersistentVolumeClaim{
					ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"release_group": release}},
					Spec: corev1.PersistentVolumeClaimSpec{
						AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
						Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
					},
				}, metav1.CreateOptions{})
				if err != nil {
					t.Fatal(err)
				}
			}
			claim("data-app-0", "app")
			claim("data-other-0", "other")
			goes := b.target
			goes.Spec, goes.TakesData = nil, true
			seen := func() unit.State {
				t.Helper()
				states, err := b.driver.Observe(t.Context(), []unit.Target{goes})
				if err != nil {
					t.Fatal(err)
				}
				return states[goes.Address]
			}
			data := seen().Data
			if data == nil || len(data.Claims) != 1 || data.Claims[0].Ref.Name != "data-app-0" || data.Claims[0].Size != "1Gi" {
				t.Fatalf("what goes is %+v", data)
			}
			goes.Data = data
			claim("late-app-0", "app")
			if uninstalled {
				b.remove()
			}
			if got := seen().Data; !got.Equal(data) {
				t.Errorf("of what is on record there is left %+v", got)
			}
			state := unit.State{}
			for deadline := time.Now().Add(patience); state.Existence != unit.Absent; {
				var err error
				if state, err = b.driver.Delete(t.Context(), goes, state); err != nil {
					t.Fatal(err)
				}
				if time.Now().After(deadline) {
					t.Fatalf("it does not go: %+v", state)
				}
			}
			if state = seen(); state.Existence != unit.Absent || len(state.Data.Claims) > 0 {
				t.Errorf("afterwards: %+v with %+v", state, state.Data)
			}
			list, err := claims.List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for i := range list.Items {
				left = append(left, list.Items[i].Name)
			}
			if !slices.Equal(left, []string{"data-other-0", "late-app-0"}) {
				t.Errorf("left are %q", left)
			}
		})
	}
}

// Data goes only of what was named and is gone.
func TestDataGoesWhenItIsNamed(t *testing.T) {
	b := newBed(t, appChart())
	b.settle()
	claims := b.client.CoreV1().PersistentVolumeClaims(b.namespace)
	for name, release := range map[string]string{"data-app-0": "app", "data-other-0": "other", "loose": ""} {
		claim := &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"release_group": release}},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
			},
		}
		if _, err := claims.Create(t.Context(), claim, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"app-mariadb-state", "other-mariadb-state"} {
		if _, err := b.client.CoreV1().ConfigMaps(b.namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := b.driver.Data(t.Context(), b.namespace, []string{"app", "never"})
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, one := range listed {
		named = append(named, one.Ref.Kind+" "+one.Ref.Name+" of "+one.Release+" "+one.Size)
	}
	if want := []string{"PersistentVolumeClaim data-app-0 of app 1Gi", "ConfigMap app-mariadb-state of app "}; !slices.Equal(named, want) {
		t.Errorf("listed are %q, want %q", named, want)
	}
	if deleted, _, err := b.driver.DeleteData(t.Context(), b.namespace, listed); err == nil || !strings.Contains(err.Error(), "/app is still there, so its data stays") || len(deleted) > 0 {
		t.Errorf("of a release that is there: %v, %v", deleted, err)
	}
	b.remove()
	late := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "late-app-0", Labels: map[string]string{"release_group": "app"}},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
	if _, err := claims.Create(t.Context(), late, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	deleted, _, err := b.driver.DeleteData(t.Context(), b.namespace, listed)
	if want := fmt.Sprintf("[PersistentVolumeClaim %[1]s/data-app-0 ConfigMap %[1]s/app-mariadb-state]", b.namespace); err != nil || fmt.Sprint(deleted) != want {
		t.Errorf("deleted %v, want %s, %v", deleted, want, err)
	}
	list, err := claims.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for i := range list.Items {
		if list.Items[i].DeletionTimestamp == nil {
			left = append(left, list.Items[i].Name)
		}
	}
	if !slices.Equal(left, []string{"data-other-0", "late-app-0", "loose"}) {
		t.Errorf("left are %q", left)
	}
}
