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
