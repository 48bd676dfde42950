//go:build beds

package charts_test

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOpenStackHelm renders the charts of OpenStack-Helm itself with what compose makes of a cloud with
// all services, on every backend.
func TestOpenStackHelm(t *testing.T) {
	dir := checkoutOfCharts(t)
	composed.Variants(t, func(t *testing.T, units map[string]unit.Unit) {
		for _, r := range releases(units) {
			wantSound(t, dir, r)
		}
	})
}

// wantSound renders one of OpenStack-Helm's charts and returns its objects.
func wantSound(t *testing.T, dir string, r *unit.Release) []string {
	t.Helper()
	upstream := theirs(t, dir, r.Name)
	values := withSecrets(r)
	for _, path := range leaves(values, "") {
		if !takes(upstream.Values, strings.Split(path, ".")) {
			t.Errorf("%s is set, which %s does not know", path, r.Name)
		}
	}
	once := renderedBy(t, upstream, r)
	for _, object := range once {
		if at := strings.Index(object, "%!"); at >= 0 {
			t.Errorf("%s makes nonsense of a value: %.100q", r.Name, object[max(0, at-40):])
		}
		for _, found := range defaultSecrets().FindAllString(object, -1) {
			t.Errorf("an object of %s has a secret that everybody knows: %q", r.Name, found)
		}
		for _, section := range regexp.MustCompile(`(?m)^(\S+: )?\[`).Split(object, -1) {
			if strings.Contains(section, "\nmemcached_servers = ") && !strings.Contains(section, "\nmemcache_security_strategy = ENCRYPT\n") {
				t.Errorf("%s keeps tokens in memcached in the clear: %.80q", r.Name, section)
			}
		}
		if strings.Contains(t.Name(), "ceph") && strings.Contains(object, cephSecret) {
			t.Errorf("an object of %s has the id by which all libvirt of the charts have Ceph's key", r.Name)
		}
	}
	everybodyKnows := map[string]bool{}
	for _, s := range r.Secrets {
		if text, _ := at(upstream.Values, strings.Join(s.Path, ".")).(string); text != "" {
			everybodyKnows[text] = true
		}
	}
	for _, document := range documents(t, upstream, r) {
		for key, value := range secretData(t, document) {
			// A user may be called as the password of another is.
			if everybodyKnows[string(value)] && !strings.HasSuffix(key, "USERNAME") {
				t.Errorf("a Secret of %s has what its chart comes with as %s", r.Name, key)
			}
		}
	}
	if again := renderedBy(t, theirs(t, dir, r.Name), r); !slices.Equal(once, again) {
		t.Errorf("%s is rendered in two ways", r.Name)
	}
	size := stored(t, upstream, values, strings.Join(once, "\n---\n"))
	t.Logf("%s: %d KiB", r.Name, size>>10)
	if size > charts.LargestRelease {
		t.Errorf("Helm cannot keep %s: it has %d bytes", r.Name, size)
	}
	return once
}

// TestOpenStackHelmNamesStay changes a value of a chart that draws names by lot: its objects stay what they are.
func TestOpenStackHelmNamesStay(t *testing.T) {
	dir := checkoutOfCharts(t)
	rendered := func(r *unit.Release) (names []string, selected int) {
		rendered := documents(t, theirs(t, dir, r.Name), r)
		for _, object := range objectsOf(t, rendered) {
			names = append(names, unit.RefOf(object.Object).String())
		}
		return names, strings.Count(strings.Join(rendered, "\n"), "a-role: ")
	}
	r := *composed.Release(t, composed.Everything(t, "ovs", "ceph", ""), schema.RookAdapter)
	before, _ := rendered(&r)
	r.Values = clone(r.Values)
	r.Values["labels"] = map[string]any{"job": map[string]any{"node_selector_key": "a-role"}}
	if after, selected := rendered(&r); selected == 0 || !slices.Equal(before, after) {
		t.Errorf("%d pods have the other label, and the objects become %q, and were %q", selected, after, before)
	}
}

// TestOpenStackHelmOfManyNodes wants what differs by node to stay within what Helm can keep.
func TestOpenStackHelmOfManyNodes(t *testing.T) {
	dir := checkoutOfCharts(t)
	for _, c := range []struct {
		network, roles string
		profiles       int // as many as there may be, each with a slot
		services       []string
	}{
		{"ovs", `["compute"]`, schema.MaxSlot, []string{"nova", "neutron"}},
		{"ovn", `["compute"]`, schema.MaxSlot, []string{"neutron"}},
		{"ovs", `["network"]`, 5, []string{"neutron"}},
		{"ovs", `["compute"]`, 4, []string{"libvirt"}},
	} {
		units := composed.Everything(t, c.network, "ceph", composed.Nodes(500, c.profiles, c.roles, c.services...))
		for _, name := range c.services {
			r := composed.Release(t, units, name)
			upstream := theirs(t, dir, name)
			objects := renderedBy(t, upstream, r)
			if daemons := strings.Count(strings.Join(objects, "\n"), "\nkind: DaemonSet\n"); daemons <= c.profiles {
				t.Errorf("%s with %s has %d DaemonSets for %d slots", name, c.network, daemons, c.profiles)
			}
			size := stored(t, upstream, withSecrets(r), strings.Join(objects, "\n---\n"))
			t.Logf("%s with %s on 500 nodes with %s and %d profiles: %d KiB, %d objects", name, c.network, c.roles, c.profiles, size>>10, len(objects))
			if size > charts.LargestRelease {
				t.Errorf("Helm cannot keep %s with %s: it has %d bytes", name, c.network, size)
			}
		}
	}
}

// takes tells whether a chart has a place for a value: a key among its defaults. What is below conf goes to
// programs as it is, and an empty map takes any key; interfaces of endpoints may have one default for all.
func takes(defaults map[string]any, path []string) bool {
	if path[0] == "conf" {
		return defaults["conf"] != nil
	}
	if path[0] == "overrides" { // groups of nodes: helm-toolkit reads them, no values have them, and TestNamesOfDaemonSets looks for each
		return true
	}
	if strings.Join(path, ".") == "endpoints.oslo_messaging.port.https.default" { // helm-toolkit reads it with TLS, and not all values have it
		return true
	}
	if strings.HasPrefix(strings.Join(path, "."), "endpoints.oslo_cache.statefulset.") { // helm-toolkit reads it for every endpoint, and values have it for the broker alone
		return true
	}
	if path[len(path)-1] == "cacert" { // helm-toolkit reads it, and no values have it
		path = path[:len(path)-1]
	}
	for i, key := range path {
		v, known := defaults[key]
		_, forAll := defaults["default"]
		switch below, isMap := v.(map[string]any); {
		case len(defaults) == 0:
			return i > 0
		case !known && (!forAll || i < len(path)-1):
			return false
		case !isMap:
			return true
		default:
			defaults = below
		}
	}
	return true
}

// defaultSecrets finds the passwords and keys that OpenStack-Helm's values come with.
func defaultSecrets() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`.*:password@.*`, `(?mi)^.*(?:pass|password|secret|key)"?'? *[:=] *["']?password["']?$`,
		`openstack-cookie`, `supersecret`, `chiave_segreta`, `not-secure-passphrase`, `(?m)^heartbeat_key = insecure$`, `(?m)^service_instance_password = manila$`, `9aee62c0-5253-4a86-b189-e0fb71fa503c`,
		base64.StdEncoding.EncodeToString([]byte(oldKey)), // as in a Secret

	}, "|"))
}

// cephSecret is the id that OpenStack-Helm's charts give to the secret with Ceph's key. It is of no use without Ceph.
const cephSecret = "457eb676-33da-42ec-9a8c-9293d545c337"

// oldKey is what Barbican encrypts with unless it is told otherwise.
const oldKey = "dGhpcnR5X3R3b19ieXRlX2tleWJsYWhibGFoYmxhaGg="

// stored is the size of a release as Helm keeps it.
func stored(t *testing.T, c *chart.Chart, values map[string]any, manifest string) int {
	t.Helper()
	size, err := charts.Stored(c, values, manifest)
	if err != nil {
		t.Fatal(err)
	}
	return size
}
