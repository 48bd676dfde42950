//go:build beds

package charts_test

import (
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
			release := cleanup.Release{Namespace: r.Namespace, Name: r.Name, Objects: objectsOf(t, renderedBy(t, theirs(t, dir, r.Name), r))}
			var found []string
			for _, left := range schema.Leftovers() {
				job, err := cleanup.Job(release, left)
				if err != nil {
					if slices.Contains(service.Leaves, left) {
						t.Errorf("%s, %s: %v", r.Name, left, err)
					}
					continue
				}
				found = append(found, left)
				wantOnlyOwn(t, r.Name, job)
			}
			if !slices.Equal(found, service.Leaves) {
				t.Errorf("%s leaves behind %v, and clean_up takes %v", r.Name, found, service.Leaves)
			}
			if slices.Contains(found, schema.LeftDatabase) && !misled()[r.Name] {
				wantDrops(t, dir, r, release)
			}
		}
	})
}

// misled are the services whose charts' own Jobs for that do not go with those that create the databases:
// Placement's looks for the database in a section of the configuration that there is not, Skyline's has no
// image and looks for a section in YAML, and Nova's has another of the administrator's Secrets.
func misled() map[string]bool {
	return map[string]bool{"placement": true, "skyline": true, "nova": true}
}

func objectsOf(t *testing.T, documents []string) []*unstructured.Unstructured {
	t.Helper()
	var objects []*unstructured.Unstructured
	for _, document := range documents {
		if strings.Contains(document, "\nkind: Secret\n") {
			continue // decoded for people
		}
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
func wantOnlyOwn(t *testing.T, service string, job *unstructured.Unstructured) {
	t.Helper()
	pod := podOf(t, job)
	for _, c := range pod.InitContainers {
		for _, e := range c.Env {
			if strings.HasPrefix(e.Name, "DEPENDENCY_JOBS") && e.Value != "" {
				t.Errorf("%s waits for %s", job.GetName(), e.Value)
			}
		}
	}
	for _, c := range pod.Containers {
		for _, e := range c.Env {
			if e.Name == "SERVICE_OS_USERNAME" && !strings.HasPrefix(e.ValueFrom.SecretKeyRef.Name, service+"-keystone-") {
				t.Errorf("%s deletes the user of Secret %s", job.GetName(), e.ValueFrom.SecretKeyRef.Name)
			}
		}
	}
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
	job, err := cleanup.Job(release, schema.LeftDatabase)
	if err != nil {
		t.Fatal(err)
	}
	ours := podOf(t, job)
	for _, object := range objectsOf(t, renderedBy(t, theirs(t, dir, r.Name), &own)) {
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
