package revision_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestMistakesOfAllKindsInOneRun has mistakes that are found when files are read or evaluated beside such
// as are found when that becomes units, and wants those of both kinds that do not come of each other.
func TestMistakesOfAllKindsInOneRun(t *testing.T) {
	const whole = `cloud "test" {
  release = "2026.1"
  charts {
    repository = "oci://charts.example.org/openstack-helm"
  }
  openstack {
    cloud = "test"
  }
  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" {
    # here
  }
}
`
	in := func(line string) string { return strings.Replace(whole, "# here", line, 1) }
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"syntax in a resource, a version in a service": {
			in(`version = "3"`) + "project \"p\" {\n  description = = 1\n}\n",
			[]string{"main.hcl:13 model.service", "main.hcl:17 config.syntax"},
		},
		"syntax in a resource, a value of a chart": {
			in(`conf = { keystone = { n = 99999999999999999999 } }`) + "project \"p\" {\n  description = = 1\n}\n",
			[]string{"main.hcl:13 compose.invalid-value", "main.hcl:17 config.syntax"},
		},
		"an attribute of a resource, a service that is missing": {
			strings.Replace(whole, "  service \"memcached\" {}\n", "", 1) + "project \"p\" {\n  nonsense = 1\n}\n",
			[]string{"main.hcl:11 compose.missing-service", "main.hcl:16 config.unknown-attribute"},
		},
		"a value of a resource, a disabled service that another waits for": {
			in("enabled = false") + "project \"p\" {\n  description = nothing()\n}\nproject \"q\" {\n  depends_on = [service.keystone]\n}\n",
			[]string{"main.hcl:17 resolve.expression", "main.hcl:20 compose.missing-service"},
		},
		"a service that is misspelt is not missing, too": {
			strings.Replace(whole, `"memcached"`, `"memcache"`, 1),
			[]string{"main.hcl:11 config.label"},
		},
		"a release that is no text is not unknown, too": {
			strings.Replace(whole, `"2026.1"`, `[]`, 1) + "project \"p\" {\n  nonsense = 1\n}\n",
			[]string{"main.hcl:17 config.unknown-attribute", "main.hcl:2 resolve.value"},
		},
		"a value that is not known for its own mistake": {
			in(`conf = { keystone = { n = local.a } }`) + "locals {\n  a = nothing()\n}\n",
			[]string{"main.hcl:17 resolve.expression"},
		},
		"replicas of one service, a configuration of another one that is the same on every node": {
			in("replicas = []") + "profile \"own\" {\n  service \"keystone\" {\n    conf = { keystone = { n = 1 } }\n  }\n}\n" +
				"node \"n\" {\n  roles = [\"compute\"]\n  profile = profile.own\n}\n",
			[]string{"main.hcl:13 resolve.value", "main.hcl:18 compose.node-configuration"},
		},
		"a configuration that has a mistake may be the one that nodes seem to have": {
			in("conf = []") + "profile \"own\" {\n  service \"keystone\" {\n    conf = { keystone = { n = 1 } }\n  }\n}\n" +
				"node \"n\" {\n  roles = [\"compute\"]\n  profile = profile.own\n}\n",
			[]string{"main.hcl:13 resolve.value"},
		},
		"replicas of a service, and a service that is missing": {
			strings.Replace(in("replicas = []"), "  service \"memcached\" {}\n", "", 1),
			[]string{"main.hcl:11 compose.missing-service", "main.hcl:12 resolve.value"},
		},
		"what could switch a service on has a mistake": {
			strings.Replace(in("enabled = []"), "  service \"memcached\" {}\n", "", 1),
			[]string{"main.hcl:12 resolve.value"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			loaded, found := revision.Load("", fstest.MapFS{"main.hcl": {Data: []byte(c.text)}}, ".", revision.Options{Language: schema.New()})
			var got []string
			for _, d := range found.Diagnostics {
				line := ""
				if d.Subject != nil {
					line = strings.TrimSuffix(d.Subject.String(), ":"+strings.Split(d.Subject.String(), ":")[2])
				}
				got = append(got, line+" "+string(d.Code))
			}
			if slices.Sort(got); loaded != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q\n%s", got, c.want, found.Text(false))
			}
		})
	}
}
