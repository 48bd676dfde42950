package compose_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestWrittenCredentialsAgree: what people write in all places of a credential is the same in each, as far as it can be compared,
// and something. No message has it.
func TestWrittenCredentialsAgree(t *testing.T) {
	const (
		agent   = "%s = { DEFAULT = { metadata_proxy_shared_secret = %s } }"
		differs = "a credential is written in different ways"
		isEmpty = "a credential that is empty"
	)
	metadata := func(nova, one, two, three string) map[string]string {
		return map[string]string{
			"nova":    "conf = { nova = { neutron = { metadata_proxy_shared_secret = " + nova + " } } }",
			"neutron": "conf = {\n" + fmt.Sprintf(agent, "metadata_agent", one) + "\n" + fmt.Sprintf(agent, "ovn_agent", two) + "\n" + fmt.Sprintf(agent, "ovn_metadata_agent", three) + "\n}",
		}
	}
	skyline := func(v string) map[string]string {
		return map[string]string{"skyline": "conf = { skyline = { default = { secret_key = " + v + " } } }"}
	}
	caches, differ := map[string]string{}, 0
	for _, service := range strings.Fields("barbican designate glance heat ironic magnum manila neutron nova octavia placement") {
		differ++
		caches[service] = fmt.Sprintf("values = { endpoints = { oslo_cache = { auth = { memcache_secret_key = \"canary%d\" } } } }", differ)
	}
	databases := func(more string) map[string]string {
		const endpoint = "oslo_db%s = { auth = { nova = { password = \"canary%d\"%s } } }"
		return map[string]string{
			"nova":      "values = { endpoints = { " + fmt.Sprintf(endpoint, "", 1, "") + ", " + fmt.Sprintf(endpoint, "_cell0", 2, more) + ", " + fmt.Sprintf(endpoint, "_cell1", 1, "") + " } } # a secret",
			"placement": `values = { endpoints = { oslo_db = { auth = { nova_api = { password = "canary1" } } } } }`,
		}
	}
	for name, test := range map[string]struct {
		written         map[string]string
		summary, detail string
	}{
		"keys of caches":      {caches, "", ""},
		"key of one cache":    {map[string]string{"glance": caches["glance"]}, "", ""},
		"of one user":         {databases(""), differs, "endpoints.oslo_db.auth.nova.password of nova must be the same as\nnova: endpoints.oslo_db_cell0.auth.nova.password"},
		"of another user":     {databases(`, username = "cell0"`), "", ""},
		"no password":         {map[string]string{"manila": `conf = { manila = { generic = { service_instance_password = null } } }`}, "", ""},
		"no passphrase":       {map[string]string{"octavia": `conf = { octavia = { certificates = { ca_private_key_passphrase = "" } } }`}, "", ""},
		"the same":            {metadata(`"canary1"`, `"canary1"`, `"canary1"`, `"canary1"`), "", ""},
		"a number":            {metadata(`"12"`, `12`, `12`, `"12"`), "", ""},
		"that of Nova":        {metadata(`"canary1"`, `"canary2"`, `"canary2"`, `"canary2"`), differs, "conf.metadata_agent.DEFAULT.metadata_proxy_shared_secret of neutron must be the same as\nnova: conf.nova.neutron.metadata_proxy_shared_secret"},
		"one other":           {metadata(`"canary1"`, `"canary1"`, `sensitive("canary2")`, `"canary1"`), differs, "conf.metadata_agent.DEFAULT.metadata_proxy_shared_secret of neutron must be the same as\nneutron: conf.ovn_agent.DEFAULT.metadata_proxy_shared_secret"},
		"hidden in one":       {metadata(`"canary1"`, `sensitive("canary1")`, `"canary1"`, `"canary1"`), "", ""},
		"of a Secret":         {metadata(`secret("a", "b")`, `"canary1"`, `"canary1"`, `"canary1"`), "", ""},
		"null":                {skyline("null"), isEmpty, "conf.skyline.default.secret_key of skyline is written and empty"},
		"empty":               {skyline(`""`), isEmpty, "conf.skyline.default.secret_key of skyline is written and empty"},
		"nothing of the kind": {map[string]string{"skyline": `conf = { skyline = { default = { debug = true } } }`}, "", ""},
	} {
		source := composed.Source("ovn", "")
		for service, written := range test.written {
			source = composed.Without(source, service)
			source = strings.Replace(source, "  release ", fmt.Sprintf("  service %q {\n    %s\n  }\n  release ", service, written), 1)
		}
		m, ev := composed.Text(t, source)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		summary, detail := "", ""
		for _, d := range diags {
			summary, detail = summary+d.Summary, detail+d.Detail
			if d.Severity != diag.Error || d.Hint == "" || d.Subject == nil || !strings.Contains(strings.Split(source, "\n")[d.Subject.Start.Line-1], "secret") {
				t.Errorf("%s: %v at %v", name, d, d.Subject)
			}
		}
		if summary != test.summary || !strings.HasPrefix(detail, test.detail) || strings.Contains(detail, "canary") {
			t.Errorf("%s: %q: %q", name, summary, detail)
		}
	}
}

// TestSecretOfAnotherCeph: volumes in a Ceph that is not the cloud's have another Secret in libvirt than it has.
func TestSecretOfAnotherCeph(t *testing.T) {
	const own, external = "457eb676-33da-42ec-9a8c-9293d545c337", "0edc6a86-c9b4-4c6c-a4d1-5d9c4a7f3b51"
	for more, want := range map[string]int{"": 1, fmt.Sprintf(", external_ceph = { enabled = true, secret_uuid = %q }", external): 0} {
		source := composed.Source("ovn", "ceph")
		for service, written := range map[string]string{
			"nova":    fmt.Sprintf("ceph = { cinder = { secret_uuid = %q } }, nova = { libvirt = { rbd_secret_uuid = %[1]q } }", own),
			"libvirt": fmt.Sprintf("ceph = { cinder = { secret_uuid = %q%s } }", own, more),
			"cinder":  fmt.Sprintf("backends = { rbd1 = { rbd_secret_uuid = %q } }", external),
		} {
			source = composed.Without(source, service)
			source = strings.Replace(source, "  release ", fmt.Sprintf("  service %q {\n    conf = { %s }\n  }\n  release ", service, written), 1)
		}
		m, ev := composed.Text(t, source)
		if _, diags := compose.Compose(m, ev, compose.Facts{}); len(diags) != want || want > 0 && !strings.Contains(diags[0].Detail, "rbd_secret_uuid") {
			t.Errorf("with %q: %v", more, diags)
		}
	}
}
