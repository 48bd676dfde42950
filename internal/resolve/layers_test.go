package resolve_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// cloudWith is a cloud with nova, and profiles that each append their name to one list.
func cloudWith(profile string, profiles map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cloud \"test\" {\n  release = \"2026.1\"\n  profile = %s\n  charts {\n    repository = \"charts\"\n  }\n  service \"nova\" {\n    conf = { all = [\"cloud\"], last = \"cloud\" }\n  }\n}\n", profile)
	for name, from := range profiles {
		if from != "" {
			from = "from = " + from
		}
		fmt.Fprintf(&b, "profile %q {\n  %s\n  service \"nova\" {\n    conf = { all = append([%q]), last = %q }\n  }\n}\n", name, from, name, name)
	}
	return b.String()
}

func order(t *testing.T, conf any) string {
	t.Helper()
	all := conf.(map[string]any)["all"].([]any)
	if last := conf.(map[string]any)["last"]; last != all[len(all)-1] {
		t.Errorf("the last layer is %v, and the value is that of %v", all[len(all)-1], last)
	}
	return strings.Trim(fmt.Sprint(all), "[]")
}

func TestOrderOfLayers(t *testing.T) {
	for name, c := range map[string]struct {
		profiles map[string]string
		want     string
	}{
		"one":                     {map[string]string{"a": ""}, "cloud a"},
		"chain":                   {map[string]string{"a": "profile.b", "b": "profile.c", "c": ""}, "cloud c b a"},
		"list":                    {map[string]string{"a": "[profile.b, profile.c]", "b": "", "c": ""}, "cloud b c a"},
		"by name":                 {map[string]string{"a": `["c", "b"]`, "b": "", "c": ""}, "cloud c b a"},
		"diamond":                 {map[string]string{"a": "[profile.b, profile.c]", "b": "profile.d", "c": "profile.d", "d": ""}, "cloud d b c a"},
		"what it builds on first": {map[string]string{"a": "[profile.b, profile.c]", "b": "profile.c", "c": ""}, "cloud c b a"},
		"twice in a list":         {map[string]string{"a": "[profile.b, profile.c, profile.b]", "b": "", "c": ""}, "cloud b c a"},
		"orders that contradict":  {map[string]string{"a": "[profile.b, profile.c]", "b": "[profile.d, profile.e]", "c": "[profile.e, profile.d]", "d": "", "e": ""}, "cloud d e b c a"},
		"no profile in a list":    {map[string]string{"a": "[]"}, "cloud a"},
	} {
		m, _ := mustResolve(t, cloudWith("profile.a", c.profiles), nil)
		plain, err := model.Plain(m.Service("nova").Conf)
		if err != nil {
			t.Fatal(err)
		}
		if got := order(t, plain); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestNodesAddToTheDefault is for profiles that the default profile and a node's own have in common:
// they count once, below both.
func TestNodesAddToTheDefault(t *testing.T) {
	m, _ := mustResolve(t, cloudWith("profile.site", map[string]string{
		"base": "", "site": "profile.base", "gpu": "[profile.base, profile.big]", "big": "",
	})+"node \"a\" {\n  profile = profile.gpu\n}\nnode \"b\" {\n  profile = profile.site\n}\nnode \"c\" {\n  profile = profile.gpu\n}\n", nil)
	for i, want := range []string{"cloud base site big gpu", "", "cloud base site big gpu"} {
		services := m.Nodes[i].Services
		if want == "" {
			if len(services) > 0 {
				t.Errorf("%s has the default profile, and settings of its own", m.Nodes[i].Name)
			}
			continue
		}
		plain, err := model.Plain(services[0].Conf)
		if err != nil {
			t.Fatal(err)
		}
		if got := order(t, plain); got != want {
			t.Errorf("%s: %s, want %s", m.Nodes[i].Name, got, want)
		}
	}
}

func TestSensitiveSettingsStayMarked(t *testing.T) {
	m, _ := mustResolve(t, `
variable "secret" {
  sensitive = true
  default   = "s3"
}
cloud "test" {
  release = "2026.1"
  profile = profile.a
  charts {
    repository = "charts"
  }
  service "nova" {
    conf = { list = ["x"], map = { a = var.secret, b = 1 } }
  }
}
profile "a" {
  service "nova" {
    conf = { list = append([var.secret]), map = { c = 2 } }
  }
}
`, nil)
	conf := m.Service("nova").Conf
	for _, path := range [][]string{{"list"}, {"map", "a"}} {
		if v, ok := model.Part(conf, path...); !ok || !v.HasMark(model.Sensitive) {
			t.Errorf("%v: %#v is not marked", path, v)
		}
	}
	if v, _ := model.Part(conf, "map", "c"); v.IsMarked() {
		t.Error("what is beside a secret is marked")
	}
	settings := m.Service("nova").Settings
	if i := slices.IndexFunc(settings, func(s model.Setting) bool { return s.Layer == "profile.a" }); !settings[i].Value.ContainsMarked() {
		t.Error("an addition hides that it is sensitive")
	}
}

func TestOriginsOfSettings(t *testing.T) {
	m, _ := mustResolve(t, `cloud "test" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  service "nova" {
    conf = {
      nova = {
        DEFAULT = { a = 1,
          "b.c" = 2 }
      }
      (var.key) = 3
      computed = merge({
        x = 1
      }, {})
    }
    replicas = {
      osapi = 2
    }
  }
}
variable "key" {
  default = "k"
}
`, nil)
	settings := m.Service("nova").Settings
	for _, c := range []struct {
		setting int
		path    string
		line    int
	}{{0, "", 7}, {0, "nova", 8}, {0, "nova DEFAULT a", 9}, {0, "nova DEFAULT b.c", 10}, {0, "k", 7}, {0, "computed x", 13}, {1, "osapi", 18}} {
		var path []string
		if c.path != "" {
			path = strings.Split(c.path, " ")
		}
		if got := settings[c.setting].At(path...).Start.Line; got != c.line {
			t.Errorf("%s %q: line %d, want %d", settings[c.setting].Name, c.path, got, c.line)
		}
	}
}
