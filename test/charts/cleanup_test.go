//go:build beds

package charts_test

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/cleanup"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestCleanUpOfOpenStackHelm wants of each service a Job for all that clean_up can name, and only for that, and of
// that for databases that it does what the chart's own would.
func TestCleanUpOfOpenStackHelm(t *testing.T) {
	dir := checkoutOfCharts(t)
	composed.Variants(t, func(t *testing.T, units map[string]unit.Unit) {
		for _, r := range releases(units) {
			service, known := schema.New().Service(r.Name)
			if !known {
				continue
			}
			release := cleanup.Release{Namespace: r.Namespace, Name: r.Name, Objects: objectsOf(t, documents(t, theirs(t, dir, r.Name), r))}
			var found []string
			for _, left := range schema.Leftovers() {
				jobs, err := cleanup.Jobs(release, left)
				if err != nil {
					if slices.Contains(service.Leaves, left) && (left != schema.LeftPools || makesPools(release)) {
						t.Errorf("%s, %s: %v", r.Name, left, err)
					}
					continue
				}
				found = append(found, left)
				for _, job := range jobs {
					wantOnlyOwn(t, release, job)
				}
				if left == schema.LeftUsers {
					wantAllUsers(t, release, jobs[0])
				}
				if left == schema.LeftPools {
					wantPools(t, release, jobs)
				}
			}
			leaves := slices.DeleteFunc(slices.Clone(service.Leaves), func(left string) bool { return left == schema.LeftPools && !makesPools(release) })
			if !slices.Equal(found, leaves) {
				t.Errorf("%s leaves behind %v, and clean_up takes %v", r.Name, found, leaves)
			}
			wantDomain(t, release)
			if slices.Contains(found, schema.LeftDatabase) && !misled()[r.Name] {
				wantDrops(t, dir, r, release)
			}
		}
	})
}

// misled are the services whose charts' own Jobs for that do not go with those that create the databases:
// Placement's looks for the database in a section of the configuration that there is not, Skyline's has no
// image and looks for a section in YAML, and Nova's has another of the administrator's Secrets. Designate's has none.
func misled() map[string]bool {
	return map[string]bool{"placement": true, "skyline": true, "nova": true, "designate": true}
}

func objectsOf(t *testing.T, documents []string) []*unstructured.Unstructured {
	t.Helper()
	var objects []*unstructured.Unstructured
	for _, document := range documents {
		object := &unstructured.Unstructured{}
		text, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			t.Fatalf("%v in %.200s", err, document)
		}
		if string(text) == "null" {
			continue
		}
		if err := object.UnmarshalJSON(text); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	return objects
}

// wantOnlyOwn wants a Job not to wait for other Jobs, which are long gone, nor to delete users of other services.
func wantOnlyOwn(t *testing.T, r cleanup.Release, job *unstructured.Unstructured) {
	t.Helper()
	pod := podOf(t, job)
	for _, c := range pod.InitContainers {
		for _, e := range c.Env {
			if strings.HasPrefix(e.Name, "DEPENDENCY_JOBS") && e.Value != "" {
				t.Errorf("%s waits for %s", job.GetName(), e.Value)
			}
		}
	}
	for name, user := range usersOf(t, r, pod) {
		if user != r.Name && !strings.HasPrefix(user, r.Name+"_") && !strings.HasPrefix(user, r.Name+"-") {
			t.Errorf("%s deletes the user %q in container %s", job.GetName(), user, name)
		}
	}
}

// wantAllUsers wants a Job to delete each user that the chart's own makes.
func wantAllUsers(t *testing.T, r cleanup.Release, job *unstructured.Unstructured) {
	t.Helper()
	for _, object := range r.Objects {
		if object.GetKind() != "Job" || object.GetName() != r.Name+"-ks-user" {
			continue
		}
		made, deleted := usersOf(t, r, podOf(t, object)), usersOf(t, r, podOf(t, job))
		if len(made) == 0 || !maps.Equal(made, deleted) {
			t.Errorf("%s makes the users %v, and %s deletes %v", object.GetName(), made, job.GetName(), deleted)
		}
	}
}

// usersOf are the users that containers make or delete, by their names.
func usersOf(t *testing.T, r cleanup.Release, pod corev1.PodSpec) map[string]string {
	t.Helper()
	users := map[string]string{}
	for _, c := range pod.Containers {
		for _, e := range c.Env {
			if e.Name != "SERVICE_OS_USERNAME" {
				continue
			}
			from := e.ValueFrom.SecretKeyRef
			for _, object := range r.Objects {
				if object.GetKind() == "Secret" && object.GetName() == from.Name {
					coded, _, _ := unstructured.NestedString(object.Object, "data", from.Key)
					name, err := base64.StdEncoding.DecodeString(coded)
					if err != nil {
						t.Fatal(err)
					}
					users[c.Name] = string(name)
				}
			}
		}
	}
	return users
}

// wantDrops compares the Job for databases with the one that the chart has for that.
func wantDrops(t *testing.T, dir string, r *unit.Release, release cleanup.Release) {
	t.Helper()
	own := *r
	own.Values = maps.Clone(r.Values)
	manifests := map[string]any{"job_db_drop": true}
	if composed, ok := r.Values["manifests"].(map[string]any); ok {
		maps.Copy(manifests, composed)
	}
	own.Values["manifests"] = manifests
	jobs, err := cleanup.Jobs(release, schema.LeftDatabase)
	if err != nil || len(jobs) != 1 {
		t.Fatal(len(jobs), err)
	}
	ours := podOf(t, jobs[0])
	for _, object := range objectsOf(t, documents(t, theirs(t, dir, r.Name), &own)) {
		if object.GetKind() != "Job" || object.GetName() != r.Name+"-db-drop" {
			continue
		}
		theirs := podOf(t, object)
		for i, c := range theirs.Containers {
			if i >= len(ours.Containers) {
				t.Errorf("%s drops more: %s", object.GetName(), c.Name)
				continue
			}
			mine := ours.Containers[i]
			if !slices.Equal(c.Command, mine.Command) || c.Image != mine.Image {
				t.Errorf("%s runs %v in %s, and ours %v in %s", object.GetName(), c.Command, c.Image, mine.Command, mine.Image)
			}
			if got, want := texts(t, mine.Env), texts(t, c.Env); got != want {
				t.Errorf("%s is told\n%s\nand ours\n%s", object.GetName(), want, got)
			}
			for _, mount := range c.VolumeMounts {
				if !slices.ContainsFunc(mine.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == mount.MountPath && m.SubPath == mount.SubPath }) {
					t.Errorf("%s has %s, and ours has not", object.GetName(), mount.MountPath)
				}
			}
		}
		if more := len(ours.Containers) - len(theirs.Containers); more != 0 {
			t.Logf("%s drops %d databases less than there are", object.GetName(), more)
		}
		return
	}
	t.Errorf("%s has no Job of its own that drops its databases", r.Name)
}

// makesPools tells whether a release has a container that makes a pool.
func makesPools(r cleanup.Release) bool {
	return slices.ContainsFunc(r.Objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == "Job" && len(cleanup.Pools(o)) > 0 })
}

// wantPools wants all pools to go that Jobs of the release make, and their containers to reach Ceph as those do.
func wantPools(t *testing.T, release cleanup.Release, jobs []*unstructured.Unstructured) {
	t.Helper()
	var made, gone []string
	for _, o := range release.Objects {
		if o.GetKind() == "Job" {
			made = append(made, cleanup.Pools(o)...)
		}
	}
	for _, job := range jobs {
		gone = append(gone, cleanup.Pools(job)...)
		pod := podOf(t, job)
		if !slices.ContainsFunc(pod.InitContainers, func(c corev1.Container) bool { return c.Name == "ceph-keyring-placement" }) {
			t.Errorf("%s has nobody who places the key of Ceph", job.GetName())
		}
		for _, c := range pod.Containers {
			if !slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/etc/ceph/ceph.conf" }) {
				t.Errorf("%s does not know where Ceph is", job.GetName())
			}
			if !slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "RBD_POOL_APP_NAME" && e.Value != "" && e.Value != "rbd" }) {
				t.Errorf("%s does not know whose its pool is", job.GetName())
			}
		}
	}
	slices.Sort(made)
	slices.Sort(gone)
	if !slices.Equal(made, gone) {
		t.Errorf("%s makes the pools %v, and %v go", release.Name, made, gone)
	}
}

// wantDomain wants the domain to go together with the users where a release makes one, and what deletes them to know
// which services other regions might have.
func wantDomain(t *testing.T, release cleanup.Release) {
	t.Helper()
	domain := slices.ContainsFunc(release.Objects, func(o *unstructured.Unstructured) bool {
		return o.GetKind() == "Job" && o.GetName() == release.Name+"-domain-ks-user"
	})
	if made := release.Name == "heat" || release.Name == "magnum"; made != domain {
		t.Errorf("%s makes a domain: %v", release.Name, domain)
	}
	jobs, err := cleanup.Jobs(release, schema.LeftUsers)
	if err != nil {
		return // it has none
	}
	if got := slices.ContainsFunc(jobs, func(o *unstructured.Unstructured) bool { return o.GetName() == release.Name+"-clean-users-domain" }); got != domain {
		t.Errorf("%s has its domain taken away: %v", release.Name, got)
	}
	_, noCatalogue := cleanup.Jobs(release, schema.LeftCatalogue)
	for _, job := range jobs {
		for _, c := range podOf(t, job).Containers {
			at := slices.IndexFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == "KUPENSTACK_SERVICE_TYPES" })
			if at < 0 || (c.Env[at].Value == "") != (noCatalogue != nil) {
				t.Errorf("%s does not know the services in the catalogue", job.GetName())
			}
			for _, name := range []string{"OS_REGION_NAME", "OS_USER_DOMAIN_NAME", "OS_PROJECT_DOMAIN_NAME"} {
				if !slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == name }) {
					t.Errorf("%s has no %s", job.GetName(), name)
				}
			}
		}
	}
}

func podOf(t *testing.T, job *unstructured.Unstructured) corev1.PodSpec {
	t.Helper()
	var typed batchv1.Job
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(job.Object, &typed); err != nil {
		t.Fatal(err)
	}
	return typed.Spec.Template.Spec
}

func texts(t *testing.T, env []corev1.EnvVar) string {
	t.Helper()
	text, err := yaml.Marshal(env)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
