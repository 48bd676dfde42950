package compose_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestIdleRegistries: what stands in for nothing is told where it was written, once each, and what is of use is not.
func TestIdleRegistries(t *testing.T) {
	images := []string{"docker.io/library/mariadb:11", "quay.io/airshipit/nova:2026.1", "registry.k8s.io/pause:3"}
	const tls = "  tls {\n    issuer = { name = \"ca\" }\n  }\n"
	for name, c := range map[string]struct {
		written, more string
		images        []string
		want          map[string]int // the entries that are told, and their lines within the block
	}{
		"used":            {`"quay.io" = "m.example.org", "docker.io" = "m.example.org/d"`, "", images, nil},
		"misspelt":        {`"quay.io" = "m.example.org"` + "\n" + `"docker.oi" = "m.example.org/d"`, "", images, map[string]int{"docker.oi": 2}},
		"both":            {`"key.io" = "m.example.org"` + "\n" + `"docker.oi" = "m.example.org/d"`, "", images, map[string]int{"key.io": 1, "docker.oi": 2}},
		"a repository":    {`"quay.io/airshipit/nova" = "m.example.org/nova"`, "", images, nil},
		"a part":          {`"quay.io/airship" = "m.example.org"`, "", images, map[string]int{"quay.io/airship": 1}},
		"all in a longer": {`"quay.io" = "m.example.org"` + "\n" + `"quay.io/airshipit" = "m.example.org/a"`, "", images, map[string]int{"quay.io": 1}},
		"the nginx":       {`"docker.io/library" = "m.example.org"`, tls, images[1:], nil},
		"no nginx":        {`"docker.io/library" = "m.example.org"`, "", images[1:], map[string]int{"docker.io/library": 1}},
		"another nginx":   {`"docker.io/library" = "m.example.org"`, strings.Replace(tls, "  }\n", "    image = \"quay.io/nginx:2\"\n  }\n", 1), images[1:], map[string]int{"docker.io/library": 1}},
		"nothing":         {`"docker.io/library" = "m.example.org"`, "", nil, nil},
	} {
		source := composed.Source("ovs", "", "  images {\n    registries = {\n"+c.written+"\n}\n  }\n"+c.more)
		m, _ := composed.Text(t, source)
		first := strings.Count(source[:strings.Index(source, "    registries")], "\n") + 1
		got := map[string]int{}
		for _, d := range compose.IdleRegistries(m, c.images) {
			registry, _, _ := strings.Cut(strings.TrimPrefix(d.Detail, "no image of a service is of "), ",")
			got[registry] = d.Subject.Start.Line - first
			if d.Severity != diag.Warning || d.Code != "compose.idle-registry" || !strings.HasPrefix(d.Hint, "there are images of ") {
				t.Errorf("%s: %+v", name, d)
			}
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: told are %v, want %v", name, got, c.want)
		}
	}
}
