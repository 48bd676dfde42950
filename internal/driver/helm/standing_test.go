package helm

import (
	"testing"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestWhereAReleaseStands(t *testing.T) {
	whole := seen{status: release.StatusDeployed, hooks: true}
	with := func(edit func(*seen)) seen {
		s := whole
		edit(&s)
		return s
	}
	tests := []struct {
		name string
		seen seen
		want unit.ReleaseState
	}{
		{"nothing", seen{}, unit.ReleaseAbsent},
		{"only its history", seen{status: release.StatusUninstalled}, unit.ReleaseAbsent},
		{"as wanted", whole, unit.ReleaseDeployed},
		{"another wish", with(func(s *seen) { s.outdated = true }), unit.ReleaseOutdated},
		{"another wish, and drift", with(func(s *seen) { s.outdated, s.drifted = true, true }), unit.ReleaseOutdated},
		{"drift", with(func(s *seen) { s.drifted = true }), unit.ReleaseDrifted},
		{"hooks to be run", with(func(s *seen) { s.hooks = false }), unit.ReleasePending},
		{"a hook that failed", with(func(s *seen) { s.hooks, s.failed = false, true }), unit.ReleaseFailed},
		{"a hook before the next revision that failed", with(func(s *seen) { s.outdated, s.failed = true, true }), unit.ReleaseFailed},
		{"gone back", with(func(s *seen) { s.outdated, s.failed, s.returned = true, true, true }), unit.ReleaseRolledBack},
		{"refused by the server", seen{status: release.StatusFailed, outdated: true}, unit.ReleaseFailed},
		{"cut off at its installation", seen{status: release.StatusPendingInstall, outdated: true}, unit.ReleasePending},
		{"cut off at an upgrade", seen{status: release.StatusPendingUpgrade, outdated: true}, unit.ReleasePending},
		{"cut off on its way back", seen{status: release.StatusPendingRollback, outdated: true, failed: true}, unit.ReleasePending},
		{"its deletion has begun", with(func(s *seen) { s.deleting = true }), unit.ReleaseUninstalling},
		{"cut off while it was uninstalled", seen{status: release.StatusUninstalling}, unit.ReleaseUninstalling},
		{"uninstalled, with hooks after that", seen{status: release.StatusUninstalled, deleting: true}, unit.ReleaseUninstalling},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.seen.standing(); got != tt.want {
				t.Errorf("it is %s, want %s", got, tt.want)
			}
		})
	}
}

func TestWhatMayHaveChangedData(t *testing.T) {
	job := func(image string) string {
		return "spec:\n  template:\n    spec:\n      containers:\n      - {name: sync, image: " + image + "}\n"
	}
	with := func(image string) *revision {
		return &revision{hooks: []*release.Hook{{Name: "app-db-sync", Kind: kindJob, Manifest: job(image)}}}
	}
	hooks := []*release.Hook{{Name: "app-db-sync", Kind: kindJob, Manifest: job("app:1")}, {Name: "app-ks-user", Kind: kindJob}, {Name: "app-migrate", Kind: kindJob}, {Name: "app-bin", Kind: "ConfigMap"}}
	record := func(name, stage string) *progress {
		return &progress{Hooks: map[string]hookRecord{"post-upgrade Job openstack/" + name: {Stage: stage}}}
	}
	tests := []struct {
		name    string
		toolkit bool
		record  *progress
		before  *revision
		want    string
	}{
		{"none has run", true, &progress{}, nil, ""},
		{"of OpenStack-Helm, a schema that was begun", true, record("app-db-sync", hookFailed), nil, "hook app-db-sync has run"},
		{"of OpenStack-Helm, a schema that is about to begin", true, record("app-db-sync", hookCreating), nil, "hook app-db-sync has run"},
		{"of OpenStack-Helm, the schema of the program that was there before", true, record("app-db-sync", hookDone), with("app:1"), ""},
		{"of OpenStack-Helm, the schema of another program", true, record("app-db-sync", hookDone), with("app:0"), "hook app-db-sync has run"},
		{"of another chart, the same program", false, record("app-db-sync", hookDone), with("app:1"), "hook app-db-sync has run"},
		{"of OpenStack-Helm, users", true, record("app-ks-user", hookDone), nil, ""},
		{"of another chart, done", false, record("app-ks-user", hookDone), nil, "hook app-ks-user has run"},
		{"of another chart, failed", false, record("app-ks-user", hookFailed), nil, ""},
		{"of another chart, a schema that was begun", false, record("app-migrate", hookFailed), nil, "hook app-migrate has run"},
		{"no program", false, record("app-bin", hookDone), nil, ""},
		{"another one's name ends alike", true, record("other-app-db-sync", hookDone), nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := migration(&revision{toolkit: tt.toolkit, hooks: hooks}, tt.record, tt.before); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Programs of charts that are not OpenStack-Helm's often change their schema as they start.
func TestWhatMayChangeDataAtItsStart(t *testing.T) {
	of := func(init, image, greeting string) *revision {
		object := simple("apps/v1", "Deployment", "app", 1)
		spec := map[string]any{
			"containers":     []any{map[string]any{"name": "app", "image": image, "env": []any{map[string]any{"name": "GREETING", "value": greeting}}}},
			"initContainers": []any{map[string]any{"name": init, "image": image}},
		}
		if err := unstructured.SetNestedMap(object.Object, spec, "spec", "template", "spec"); err != nil {
			t.Fatal(err)
		}
		return &revision{objects: []*unstructured.Unstructured{object}}
	}
	const told = "init container db-migrate of Deployment o/app is part of it"
	for _, tt := range []struct {
		name          string
		toolkit       bool
		before, after *revision
		want          string
	}{
		{"another image", false, of("db-migrate", "1", "a"), of("db-migrate", "2", "a"), told},
		{"other pods", false, of("db-migrate", "1", "a"), of("db-migrate", "1", "b"), told},
		{"the same pods", false, of("db-migrate", "1", "a"), of("db-migrate", "1", "a"), ""},
		{"with nothing before", false, nil, of("db-migrate", "1", "a"), told},
		{"no migration", false, of("init", "1", "a"), of("init", "2", "a"), ""},
		{"of OpenStack-Helm, another image", true, of("db-migrate", "1", "a"), of("db-migrate", "2", "a"), told},
		{"of OpenStack-Helm, the same image", true, of("db-migrate", "1", "a"), of("db-migrate", "1", "b"), ""},
	} {
		tt.after.toolkit = tt.toolkit
		if got := migration(tt.after, &progress{}, tt.before); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWhoseDataMayHaveANewForm(t *testing.T) {
	claiming := func(object *unstructured.Unstructured) *unstructured.Unstructured {
		volumes := []any{map[string]any{"name": "data", "persistentVolumeClaim": map[string]any{"claimName": "data"}}}
		if err := unstructured.SetNestedSlice(object.Object, volumes, "spec", "template", "spec", "volumes"); err != nil {
			t.Fatal(err)
		}
		return object
	}
	of := func(kind, image string) *unstructured.Unstructured {
		object := simple("apps/v1", kind, "db", 1)
		containers := []any{map[string]any{"name": "db", "image": image}}
		if err := unstructured.SetNestedSlice(object.Object, containers, "spec", "template", "spec", "containers"); err != nil {
			t.Fatal(err)
		}
		return object
	}
	tests := []struct {
		name          string
		before, after *unstructured.Unstructured
		want          bool
	}{
		{"a database with another image", of(kindStatefulSet, "1"), of(kindStatefulSet, "2"), true},
		{"a database with the same image", of(kindStatefulSet, "1"), of(kindStatefulSet, "1"), false},
		{"an API with another image", of("Deployment", "1"), of("Deployment", "2"), false},
		{"what was not there before", of("Deployment", "1"), of(kindStatefulSet, "2"), false},
		{"an API with a volume and another image", of("Deployment", "1"), claiming(of("Deployment", "2")), true},
		{"an API with a volume and the same image", of("Deployment", "1"), claiming(of("Deployment", "1")), false},
		{"a Job with a volume and another image", of(kindJob, "1"), claiming(of(kindJob, "2")), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before, after := &revision{objects: []*unstructured.Unstructured{tt.before}}, &revision{objects: []*unstructured.Unstructured{tt.after}}
			if got := takenOver(before, after); (got != "") != tt.want {
				t.Errorf("it is said of %q", got)
			}
		})
	}
}
