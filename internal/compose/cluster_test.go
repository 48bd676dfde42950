package compose_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// bareCloud deploys nothing of its own.
const bareCloud = "cloud \"c\" {\n  namespace = \"cloud\"\n}\n"

// definition is a manifest that defines a kind.
func definition(scope string) string {
	return fmt.Sprintf(`{ apiVersion = "apiextensions.k8s.io/v1", kind = "CustomResourceDefinition", metadata = { name = "issuers.example.org" }, spec = { group = "example.org", scope = %q, names = { kind = "Issuer", plural = "issuers" } } }`, scope)
}

func manifestOf(label, objects string) string {
	return fmt.Sprintf("manifest %q {\n  objects = [%s]\n}\n", label, objects)
}

// edgesOf says what a unit waits for.
func edgesOf(u unit.Unit) string {
	var all []string
	for _, e := range u.Edges {
		all = append(all, fmt.Sprintf("%s %s", e.To, e.Until))
	}
	return strings.Join(all, ", ")
}

func TestObjectsOfManifests(t *testing.T) {
	const configMap = `{ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "a" } }`
	for name, c := range map[string]struct{ objects, more, want, edges string }{
		"in the cloud's namespace": {configMap, "", "ConfigMap cloud/a", "system.namespace installed"},
		"in its own": {
			`{ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "a", namespace = "web" } }`, "", "ConfigMap web/a", `system.namespaces["web"] installed`,
		},
		"in one that is there":        {`{ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "a", namespace = "kube-system" } }`, "", "ConfigMap kube-system/a", ""},
		"without namespaces":          {`{ apiVersion = "storage.k8s.io/v1", kind = "StorageClass", metadata = { name = "fast" } }`, "", "StorageClass fast", ""},
		"with one that means nothing": {`{ apiVersion = "rbac.authorization.k8s.io/v1", kind = "ClusterRole", metadata = { name = "r", namespace = "x" } }`, "", "ClusterRole r", ""},
		"of a kind that nobody knows": {`{ apiVersion = "cert-manager.io/v1", kind = "Issuer", metadata = { name = "i" } }`, "", "Issuer i", ""},
		"of a kind beside it, in a namespace": {
			definition("Namespaced") + `, { apiVersion = "example.org/v1", kind = "Issuer", metadata = { name = "i" } }`, "",
			"CustomResourceDefinition issuers.example.org, Issuer cloud/i", "system.namespace installed",
		},
		"of a kind beside it, without": {
			definition("Cluster") + `, { apiVersion = "example.org/v1", kind = "Issuer", metadata = { name = "i" } }`, "",
			"CustomResourceDefinition issuers.example.org, Issuer i", "",
		},
		"of a kind of another block": {
			`{ apiVersion = "example.org/v1", kind = "Issuer", metadata = { name = "i", namespace = "web" } }`, manifestOf("kinds", definition("Namespaced")),
			"Issuer web/i", `manifest.kinds ready, system.namespaces["web"] installed`,
		},
		"in a namespace of another block": {
			`{ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "a", namespace = "web" } }`,
			manifestOf("space", `{ apiVersion = "v1", kind = "Namespace", metadata = { name = "web" } }`), "ConfigMap web/a", "manifest.space installed",
		},
		"in a namespace of its own block": {
			`{ apiVersion = "v1", kind = "Namespace", metadata = { name = "web" } }, { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "a", namespace = "web" } }`, "",
			"ConfigMap web/a, Namespace web", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, ev := composed.Text(t, bareCloud+manifestOf("m", c.objects)+c.more)
			units := composed.Compose(t, m, ev, compose.Facts{})
			u := units["manifest.m"]
			var refs []string
			for _, ref := range u.Spec.Locator().Objects {
				refs = append(refs, ref.String())
			}
			if got := strings.Join(refs, ", "); got != c.want {
				t.Errorf("objects: %s, want %s", got, c.want)
			}
			if got := edgesOf(u); got != c.edges {
				t.Errorf("it waits for %s, want %s", got, c.edges)
			}
			if u.Class != unit.ClassWorkload || u.Spec.(*unit.Objects).Keep {
				t.Errorf("%+v", u)
			}
			for _, e := range u.Edges {
				if _, ok := units[e.To.String()]; !ok {
					t.Errorf("it waits for %s, which is no unit", e.To)
				}
			}
		})
	}
}

func TestChartBlocks(t *testing.T) {
	const deployed = "cloud \"c\" {\n  release = \"2026.1\"\n  charts {\n    repository = \"osh\"\n    version    = \"~> 2026.1\"\n  }\n  service \"memcached\" {}\n}\n"
	m, ev := composed.Text(t, deployed+`
variable "password" {
  default   = "hunter2"
  sensitive = true
}
chart "cert-manager" {
  repository = "more/charts"
  version    = "1.15.0"
  namespace  = "cert-manager"
  values     = { crds = { enabled = true }, replicas = 3, login = { password = var.password }, list = [var.password, "b"] }
  lifecycle {
    drift           = "report"
    prevent_destroy = true
  }
}
chart "octavia" {
  name       = "lb"
  chart      = "octavia"
  depends_on = [chart.cert-manager, service.memcached]
}
`)
	units := composed.Compose(t, m, ev, compose.Facts{})
	u := units["chart.cert-manager"]
	r := u.Spec.(*unit.Release)
	if r.Name != "cert-manager" || r.Namespace != "cert-manager" || r.Chart.Repository != "more/charts" || r.Chart.Version != "1.15.0" || r.Chart.Name != "cert-manager" {
		t.Errorf("%+v", r)
	}
	if got := compact(r.Values); got != `{"crds":{"enabled":true},"list":[null,"b"],"login":{},"replicas":3}` {
		t.Errorf("values %s", got)
	}
	if len(r.Secrets) != 2 || strings.Join(r.Secrets[0].Path, ".") != "list.0" || strings.Join(r.Secrets[1].Path, ".") != "login.password" {
		t.Errorf("secrets %v", r.Secrets)
	}
	if text := fmt.Sprintf("%+v %s", r, compact(r)); strings.Contains(text, "hunter2") {
		t.Errorf("a secret is shown: %s", text)
	}
	if u.Drift != unit.DriftReport || !u.PreventDestroy || u.Class != unit.ClassWorkload || u.Fixed["name"] != "cert-manager" || u.Fixed["namespace"] != "cert-manager" {
		t.Errorf("%+v", u)
	}
	if got := edgesOf(u); got != `system.namespaces["cert-manager"] installed` {
		t.Errorf("it waits for %s", got)
	}
	space := units[`system.namespaces["cert-manager"]`].Spec.(*unit.Objects)
	if !space.Keep || space.Locator().Objects[0].String() != "Namespace cert-manager" {
		t.Errorf("%+v", space)
	}
	other := units["chart.octavia"].Spec.(*unit.Release)
	if other.Name != "lb" || other.Namespace != "openstack" || other.Chart.Name != "octavia" || other.Chart.Repository != "osh" || other.Chart.Version != "~> 2026.1" || len(other.Values) != 0 {
		t.Errorf("%+v", other)
	}
	if got := edgesOf(units["chart.octavia"]); got != "chart.cert-manager ready, service.memcached ready, system.namespace installed" {
		t.Errorf("it waits for %s", got)
	}
}

func TestServicesWait(t *testing.T) {
	config := func(first, more string) string {
		return "cloud \"c\" {\n  release = \"2026.1\"\n  charts {\n    repository = \"osh\"\n  }\n  openstack {\n    cloud = \"c\"\n  }\n  service \"memcached\" {\n    depends_on = [" + first + "]\n  }\n}\n" +
			"chart \"rook\" {\n" + more + "}\n" +
			"manifest \"each\" {\n  for_each = toset([\"a\", \"b\"])\n  objects  = { apiVersion = \"v1\", kind = \"ConfigMap\", metadata = { name = each.key } }\n}\n" +
			"network \"lb\" {}\nnode \"n\" {\n  roles = [\"control-plane\"]\n}\n"
	}
	m, ev := composed.Text(t, config(`chart.rook, manifest.each, network.lb, node.n`, ""))
	units := composed.Compose(t, m, ev, compose.Facts{})
	want := `chart.rook ready, manifest.each["a"] ready, manifest.each["b"] ready, network.lb ready, node.n installed, node.n ready, system.namespace installed`
	if got := edgesOf(units["service.memcached"]); got != want {
		t.Errorf("it waits for %s, want %s", got, want)
	}
	// Nova is not ready before Glance is, which would wait for it; nor before the instance's project has its limits.
	all := composed.Source("ovs", "")
	for name, text := range map[string]string{
		"a service that needs it for being ready": strings.Replace(all, `service "glance" { storage_size = "9Gi" }`, `service "glance" { depends_on = [service.nova] }`, 1),
		"one that is needed at last":              strings.Replace(all, `service "libvirt" {}`, `service "libvirt" { depends_on = [service.nova] }`, 1),
		"a project with limits":                   strings.Replace(all, `service "libvirt" {}`, `service "libvirt" { depends_on = [project.p] }`, 1) + "project \"p\" {\n  quota = { instances = 5 }\n}\n",
	} {
		m, ev := composed.Text(t, text)
		if _, diags := compose.Compose(m, ev, compose.Facts{OpenStackGiven: true}); len(diags) == 0 || diags[0].Code != "compose.cycle" {
			t.Errorf("%s: %v", name, diags)
		}
	}
	m, ev = composed.Text(t, config("chart.rook", "  depends_on = [service.memcached]\n"))
	if _, diags := compose.Compose(m, ev, compose.Facts{}); len(diags) != 1 || diags[0].Code != "compose.cycle" || !strings.Contains(diags[0].Detail, "service.memcached") {
		t.Errorf("a circle: %v", diags)
	}
}

func TestSensitiveValuesOfManifests(t *testing.T) {
	m, ev := composed.Text(t, bareCloud+"variable \"pw\" {\n  default   = \"hunter2\"\n  sensitive = true\n}\n"+manifestOf("m",
		`{ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "a" } }, { apiVersion = "v1", kind = "Secret", metadata = { name = "b" }, stringData = { pw = var.pw, user = "u" } }`))
	spec := composed.Compose(t, m, ev, compose.Facts{})["manifest.m"].Spec.(*unit.Objects)
	if len(spec.Secrets) != 1 || spec.Secrets[0].Item != 1 || strings.Join(spec.Secrets[0].Path, ".") != "stringData.pw" || spec.Secrets[0].Given.Reveal() != "hunter2" {
		t.Errorf("%+v", spec.Secrets)
	}
	if text := fmt.Sprintf("%+v %s %s", spec, compact(spec), spec.Digest()); strings.Contains(text, "hunter2") || !strings.Contains(text, `"user":"u"`) {
		t.Errorf("shown: %s", text)
	}
}

// TestOnlyWhatIsNeededOfTheCluster has no kinds of ours where there are neither services nor nodes.
func TestOnlyWhatIsNeededOfTheCluster(t *testing.T) {
	m, ev := composed.Text(t, bareCloud+"chart \"a\" {\n  repository = \"charts\"\n}\n")
	units := composed.Compose(t, m, ev, compose.Facts{Nodes: []string{"worker-1"}})
	var all []string
	for address := range units {
		all = append(all, address)
	}
	slices.Sort(all)
	if got := strings.Join(all, " "); got != "chart.a system.namespace" {
		t.Errorf("units: %s", got)
	}
}

func TestDiagnosticsOfTheCluster(t *testing.T) {
	const configMap = `{ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "a" } }`
	keys := func(of, more string) string {
		return fmt.Sprintf(`{ apiVersion = "v1", kind = "Secret", metadata = { name = "keystone-%s-keys"%s } }`, of, more)
	}
	keystone := func(settings string) string {
		return "cloud \"c\" {\n  release = \"2026.1\"\n  charts { repository = \"charts\" }\n" +
			"  service \"mariadb\" {}\n  service \"rabbitmq\" {}\n  service \"memcached\" {}\n  service \"keystone\" { " + settings + " }\n}\n"
	}
	chart := func(label, more string) string { return fmt.Sprintf("chart %q {\n%s}\n", label, more) }
	for name, c := range map[string]struct {
		config string
		want   []string
	}{
		"one object twice":            {bareCloud + manifestOf("m", configMap+", "+configMap), []string{"main.hcl:5:13 compose.duplicate"}},
		"in two blocks":               {bareCloud + manifestOf("m", configMap) + manifestOf("n", configMap), []string{"main.hcl:8:13 compose.duplicate"}},
		"of another version":          {bareCloud + manifestOf("m", `{ apiVersion = "batch/v1", kind = "Job", metadata = { name = "a" } }, { apiVersion = "batch/v1beta1", kind = "Job", metadata = { name = "a" } }`), []string{"main.hcl:5:13 compose.duplicate"}},
		"in two namespaces":           {bareCloud + manifestOf("m", configMap+`, { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "a", namespace = "b" } }`), nil},
		"a node":                      {bareCloud + manifestOf("m", `{ apiVersion = "v1", kind = "Node", metadata = { name = "worker-1" } }`), []string{"main.hcl:5:13 compose.duplicate"}},
		"our own key":                 {bareCloud + manifestOf("m", `{ apiVersion = "v1", kind = "Secret", metadata = { name = "kupenstack-installation", namespace = "kupenstack-system" } }`), []string{"main.hcl:5:13 compose.duplicate"}},
		"a record of Helm":            {bareCloud + manifestOf("m", `{ apiVersion = "v1", kind = "Secret", metadata = { name = "sh.helm.release.v1.a.v1" } }`), []string{"main.hcl:5:13 compose.duplicate"}},
		"our own lease":               {bareCloud + manifestOf("m", `{ apiVersion = "coordination.k8s.io/v1", kind = "Lease", metadata = { name = "kupenstack-writer", namespace = "x" } }`), []string{"main.hcl:5:13 compose.duplicate"}},
		"the namespace of the cloud":  {bareCloud + manifestOf("m", `{ apiVersion = "v1", kind = "Namespace", metadata = { name = "cloud" } }`), []string{"main.hcl:5:13 compose.duplicate"}},
		"two releases":                {bareCloud + chart("a", "  repository = \"charts\"\n") + chart("b", "  name       = \"a\"\n  repository = \"charts\"\n"), []string{"main.hcl:8:3 compose.duplicate"}},
		"two releases in two places":  {bareCloud + chart("a", "  repository = \"charts\"\n") + chart("b", "  name       = \"a\"\n  namespace  = \"b\"\n  repository = \"charts\"\n"), nil},
		"the release of a service":    {composed.Source("ovs", "") + chart("nova", "  repository = \"charts\"\n"), []string{"main.hcl:49:1 compose.duplicate"}},
		"no repository":               {bareCloud + chart("a", ""), []string{"main.hcl:4:1 compose.no-charts"}},
		"no lock":                     {bareCloud + chart("a", "  repository = \"oci://example.org/charts\"\n"), []string{"main.hcl:4:1 compose.unlocked-chart"}},
		"a name in capitals":          {bareCloud + chart("Release_A", "  repository = \"charts\"\n"), []string{"main.hcl:4:1 compose.release-name"}},
		"a name that is too long":     {bareCloud + chart("a", "  name       = \""+strings.Repeat("a", 54)+"\"\n  repository = \"charts\"\n"), []string{"main.hcl:5:3 compose.release-name"}},
		"a namespace of two projects": {strings.Replace(bareCloud, "{\n", "{\n  openstack { cloud = \"c\" }\n", 1) + "project \"p\" { namespace = \"shop\" }\nproject \"q\" { namespace = \"shop\" }\n", []string{"main.hcl:6:15 compose.duplicate"}},
		"beside objects of OpenStack": {bareCloud + manifestOf("m", configMap) + "project \"p\" {}\n", []string{"main.hcl:7:1 compose.no-openstack"}},
		"keys of Keystone":            {keystone("") + manifestOf("m", keys("fernet", "")), []string{"main.hcl:10:13 compose.duplicate"}},
		"its other keys":              {keystone("") + manifestOf("m", configMap+", "+keys("credential", `, namespace = "openstack"`)), []string{"main.hcl:10:13 compose.duplicate"}},
		"keys, while it is disabled":  {keystone("enabled = false") + manifestOf("m", keys("fernet", "")), []string{"main.hcl:10:13 compose.duplicate"}},
		"keys of another Keystone":    {keystone("") + manifestOf("m", keys("fernet", `, namespace = "elsewhere"`)), nil},
		"keys without Keystone":       {bareCloud + manifestOf("m", keys("fernet", "")), nil},
		"keys that are not made":      {keystone("values = { manifests = { secret_fernet_keys = false } }") + manifestOf("m", keys("fernet", "")), nil},
		"the others are made":         {keystone("values = { manifests = { secret_fernet_keys = false } }") + manifestOf("m", keys("credential", "")), []string{"main.hcl:10:13 compose.duplicate"}},
	} {
		t.Run(name, func(t *testing.T) {
			m, ev := composed.Text(t, c.config)
			units, diags := compose.Compose(m, ev, compose.Facts{})
			var got []string
			for _, d := range diags {
				got = append(got, fmt.Sprintf("%s:%d:%d %s", d.Subject.File, d.Subject.Start.Line, d.Subject.Start.Column, d.Code))
				if d.Hint == "" || d.Address == nil && d.Code != "compose.unlocked-chart" {
					t.Errorf("%+v", d)
				}
			}
			if !slices.Equal(got, c.want) || (units == nil) != (len(c.want) > 0) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
