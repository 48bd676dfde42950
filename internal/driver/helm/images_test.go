package helm

import (
	"maps"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestRedirected(t *testing.T) {
	registries := map[string]string{
		"quay.io": "mirror.example.org/quay", "quay.io/airshipit": "mirror.example.org:5000/osh", "docker.io": "mirror.example.org/docker",
		"docker.io/library/rabbitmq": "mirror.example.org/rabbitmq",
	}
	for image, want := range map[string]string{
		"quay.io/airshipit/keystone:2026.1-ubuntu_noble": "mirror.example.org:5000/osh/keystone:2026.1-ubuntu_noble",
		"quay.io/other/image":                            "mirror.example.org/quay/other/image",
		"quay.io/airshipitself/image:1":                  "mirror.example.org/quay/airshipitself/image:1",
		"docker.io/rabbitmq:4.2":                         "mirror.example.org/rabbitmq:4.2",
		"rabbitmq:4.2":                                   "mirror.example.org/rabbitmq:4.2",
		"mariadb:11":                                     "mirror.example.org/docker/library/mariadb:11",
		"openstackhelm/x:1":                              "mirror.example.org/docker/openstackhelm/x:1",
		"ghcr.io/a/b:1":                                  "ghcr.io/a/b:1",
		"quay.io/a@sha256:0123456789012345678901234567890123456789012345678901234567890123":   "mirror.example.org/quay/a@sha256:0123456789012345678901234567890123456789012345678901234567890123",
		"quay.io/a:1@sha256:0123456789012345678901234567890123456789012345678901234567890123": "mirror.example.org/quay/a:1@sha256:0123456789012345678901234567890123456789012345678901234567890123",
		"Not An Image": "Not An Image", "": "",
	} {
		if got := redirected(image, registries); got != want {
			t.Errorf("%q: %q, want %q", image, got, want)
		}
	}
}

func TestRedirect(t *testing.T) {
	s := &source{files: []*loader.BufferedFile{{Name: "values.yaml", Data: []byte("images:\n  pull_policy: Always\n  tags:\n    api: quay.io/a:1\n    sync: quay.io/a:1\n    none: null\n    own: quay.io/b:1\n")}}}
	spec := &unit.Release{Registries: map[string]string{"quay.io": "mirror.example.org"}, OwnImages: []string{"own"}}
	for range 2 { // the chart's own stay as they are
		values := map[string]any{"images": map[string]any{"tags": map[string]any{"api": "quay.io/a:2", "own": "quay.io/c:3"}}, "other": int64(1)}
		redirect(values, s, spec)
		got, _ := values["images"].(map[string]any)["tags"].(map[string]any)
		want := map[string]any{"api": "mirror.example.org/a:2", "sync": "mirror.example.org/a:1", "own": "quay.io/c:3"}
		if !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	bare := map[string]any{}
	redirect(bare, &source{}, spec)
	redirect(bare, s, &unit.Release{})
	if len(bare) > 0 {
		t.Errorf("nothing becomes %v", bare)
	}
}

// What stands in for registries without an image of the release makes no other revision of it.
func TestRegistriesWithoutAnImage(t *testing.T) {
	s := &source{files: []*loader.BufferedFile{{Name: "values.yaml", Data: []byte("images:\n  tags:\n    api: quay.io/a:1\n    own: ghcr.io/b:1\n    gone: registry.k8s.io/c:1\n")}}}
	of := func(registries map[string]string) string {
		return digestOfSpec(&unit.Release{
			Name: "a", Registries: registries, OwnImages: []string{"own"},
			Values: map[string]any{"images": map[string]any{"tags": map[string]any{"sync": "docker.io/d:1", "gone": nil}}},
		}, s)
	}
	with := map[string]string{"quay.io": "mirror.example.org", "docker.io": "mirror.example.org"}
	for _, idle := range []string{"ghcr.io", "quay.io/other", "registry.k8s.io", "quay.i"} {
		more := maps.Clone(with)
		more[idle] = "mirror.example.org"
		if of(more) != of(with) {
			t.Errorf("%s makes another revision", idle)
		}
	}
	for _, other := range []map[string]string{
		nil,
		{"quay.io": "mirror.example.org"},
		{"quay.io": "mirror.example.org", "docker.io": "other.example.org"},
		{"quay.io": "mirror.example.org", "docker.io": "mirror.example.org", "quay.io/a": "mirror.example.org/a"},
	} {
		if of(other) == of(with) {
			t.Errorf("%v makes no other revision than %v", other, with)
		}
	}
	plain := &unit.Release{Name: "a"}
	if idle := (&unit.Release{Name: "a", Registries: map[string]string{"ghcr.io": "mirror.example.org"}, OwnImages: []string{"own"}}); digestOfSpec(idle, s) != digestOfSpec(plain, s) || digestOfSpec(plain, s) != plain.Digest() {
		t.Error("a block of images that fits nothing makes another revision")
	}
}
