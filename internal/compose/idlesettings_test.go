package compose_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestIdleSize: the size of a volume that Glance does not have is told where it is written, and can be taken away: nothing is
// fixed by it.
func TestIdleSize(t *testing.T) {
	const size = "storage_size = \"9Gi\"\n"
	fixed := map[string]string{"storage": "pvc", "storage_size": "9Gi", "tls": ""}
	unsized := map[string]string{"storage": "pvc", "tls": ""}
	ceph := map[string]string{"storage": "ceph", "tls": "", "ceph.images.pool": "glance.images"}
	swift := map[string]string{"storage": "swift", "tls": ""}
	for name, test := range map[string]struct {
		backend, glance, want string
		fixed                 map[string]string
	}{
		"a volume":                   {"", size, "", fixed},
		"a volume beside Ceph":       {"ceph", size + "storage = \"pvc\"", "", fixed},
		"a volume by values":         {"ceph", size + "values = { storage = \"pvc\" }", "", fixed},
		"Ceph":                       {"ceph", size, "images are kept in ceph, so that none has it", ceph},
		"Ceph, and no size":          {"ceph", "", "", ceph},
		"Swift":                      {"lvm", size + "storage = \"swift\"", "images are kept in swift,", swift},
		"Swift by values":            {"lvm", size + "values = { storage = \"swift\" }", "images are kept in swift,", swift},
		"what only the chart knows":  {"lvm", size + "values = { storage = \"radosgw\" }", "images are kept in radosgw,", map[string]string{"storage": "radosgw", "tls": ""}},
		"a volume of somebody else":  {"", size + "values = { manifests = { pvc_images = false } }", "values.manifests.pvc_images, at main.hcl:", unsized},
		"one that is taken away":     {"", size + "values = { manifests = { pvc_images = null } }", "is null: images are kept on a claim that is there already", unsized},
		"a volume, in so many words": {"", size + "values = { manifests = { pvc_images = true } }", "", fixed},
		"nobody may see where":       {"ceph", size + "values = { storage = sensitive(\"rbd\") }", "", map[string]string{"storage": "(sensitive)", "storage_size": "9Gi", "tls": ""}},
	} {
		text := strings.NewReplacer(`service "glance" { storage_size = "9Gi" }`, "service \"glance\" {\n"+test.glance+"\n}", `service "glance" {}`, "service \"glance\" {\n"+test.glance+"\n}").
			Replace(composed.Source("ovs", test.backend))
		m, ev := composed.Text(t, text)
		units, told := composed.Warned(t, m, ev, compose.Facts{})
		if got := units["service.glance"].Fixed; !maps.Equal(got, test.fixed) {
			t.Errorf("%s: fixed is %v, want %v", name, got, test.fixed)
		}
		if test.want == "" {
			if len(told) > 0 {
				t.Errorf("%s: %+v", name, told)
			}
			continue
		}
		if len(told) != 1 || told[0].Severity != diag.Warning || told[0].Code != "compose.idle-setting" || !strings.Contains(told[0].Detail, test.want) || !strings.Contains(told[0].Hint, "take it away") ||
			!strings.HasPrefix(strings.Split(text, "\n")[told[0].Subject.Start.Line-1], "storage_size") {
			t.Errorf("%s: %+v, want %q", name, told, test.want)
		}
	}
}

// TestHostsOfNothing: a name outside for a service that nobody deploys is told, with that service.
func TestHostsOfNothing(t *testing.T) {
	for name, test := range map[string]struct {
		hosts, services string
		want            []string
	}{
		"all there":       {`heat = "h.example", cloudformation = "c.example", keystone = "k.example"`, `service "heat" {}`, nil},
		"not there":       {`horizon = "h.example", keystone = "k.example"`, "", []string{"hosts has horizon, of horizon, which the cloud does not deploy: nothing leads there from outside"}},
		"two of one":      {`heat = "h.example", cloudformation = "c.example"`, "", []string{"hosts has cloudformation and heat, of heat, which the cloud does not deploy"}},
		"two services":    {`heat = "h.example", designate = "d.example"`, "", []string{"hosts has designate, of designate, which", "hosts has heat, of heat, which"}},
		"switched off":    {`heat = "h.example"`, `service "heat" { enabled = false }`, []string{"hosts has heat, of heat, which has enabled = false: nothing"}},
		"names by domain": {``, "", nil},
	} {
		text := "cloud \"c\" {\n  release = \"2026.1\"\n  charts { repository = \"charts\" }\n  service \"mariadb\" {}\n  service \"rabbitmq\" {}\n  service \"memcached\" {}\n  service \"keystone\" {}\n" +
			"  exposure {\n    domain = \"d.example\"\n    ingress_class = \"nginx\"\n    hosts = { " + test.hosts + " }\n  }\n" + test.services + "\n}\n"
		m, ev := composed.Text(t, text)
		_, told := composed.Warned(t, m, ev, compose.Facts{})
		var got []string
		for _, d := range told {
			got = append(got, d.Detail)
			if d.Severity != diag.Warning || d.Code != "compose.idle-setting" || d.Subject.Start.Line != 11 || !strings.Contains(d.Hint, "take it out") {
				t.Errorf("%s: %+v", name, d)
			}
		}
		if len(got) != len(test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
			continue
		}
		for i, want := range test.want {
			if !strings.HasPrefix(got[i], want) {
				t.Errorf("%s: %q, want %q", name, got[i], want)
			}
		}
	}
}

// TestVersionBesideAnImage: of a version and an image of another one it is told which one counts, where the tag says what it is.
func TestVersionBesideAnImage(t *testing.T) {
	const rabbit, maria = "docker.io/rabbitmq:", "registry.example.org:5000/mariadb:"
	for _, test := range []struct {
		service, version, image string
		told                    bool
	}{
		{"rabbitmq", "4.2", rabbit + "4.1-management", true},
		{"rabbitmq", "4.2", rabbit + "4.2.1", false},
		{"rabbitmq", "4.2.1", rabbit + "4.2", false},
		{"rabbitmq", "4.2.1", rabbit + "4.2.3", true},
		{"rabbitmq", "4", rabbit + "4.1", false},
		{"rabbitmq", "4.1-alpine", rabbit + "4.1.2-alpine", false},
		{"rabbitmq", "4.1-alpine", rabbit + "4.2-alpine", true},
		{"rabbitmq", "4.2", rabbit + "v3.13@sha256:" + strings.Repeat("0", 64), true},
		{"rabbitmq", "4.2", "docker.io/rabbitmq@sha256:" + strings.Repeat("0", 64), false},
		{"rabbitmq", "4.2", rabbit + "latest", false},
		{"rabbitmq", "4.2", rabbit + "3", true},
		{"rabbitmq", "4.2", rabbit + "4-management", false},
		{"rabbitmq", "4.2", rabbit + "2026.1-ubuntu_noble", false},
		{"rabbitmq", "4.2", rabbit + "40deadbeef", false},
		{"mariadb", "11.4", maria + "11.8-k8s", true},
		{"mariadb", "11.8", maria + "11.8-k8s", false},
		{"mariadb", "11.8", maria + "3-hardened", false},
		{"mariadb", "11.8", maria + "10.11-hardened", true},
		{"mariadb", "11.4", "registry.example.org:5000/mariadb@sha256:" + strings.Repeat("1", 64), false},
		{"mariadb", "11.4", "", false},
		{"memcached", "1.6.32", "quay.io/airshipit/memcached:1.5", true},
	} {
		for _, written := range []string{"images = { %s = %q }", "values = { images = { tags = { %s = %q } } }"} {
			line := "retry = \"x\""
			if test.image != "" {
				line = fmt.Sprintf(written, test.service, test.image)
			}
			m, ev := composed.Text(t, fmt.Sprintf("cloud \"c\" {\n  release = \"2026.1\"\n  charts { repository = \"charts\" }\n  service %q {\n    version = %q\n    %s\n  }\n}\n", test.service, test.version, line))
			_, told := composed.Warned(t, m, ev, compose.Facts{})
			if len(told) > 0 != test.told {
				t.Errorf("%s %s beside %s: %+v", test.service, test.version, line, told)
				continue
			}
			for _, d := range told {
				if len(told) != 1 || d.Severity != diag.Warning || d.Subject.Start.Line != 5 || !strings.Contains(d.Detail, fmt.Sprintf("at main.hcl:6, is %s: the image runs, and version has no effect", test.image)) || !strings.Contains(d.Hint, "write version = ") {
					t.Errorf("%s %s beside %s: %+v", test.service, test.version, line, d)
				}
			}
		}
	}
}
