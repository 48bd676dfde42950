package compose_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// behindTLS is a cloud whose Keystone and Glance speak TLS, with lines for Keystone, at 10, and Glance, at 13.
func behindTLS(tls, keystone, glance string) string {
	return `cloud "c" {
  release = "2026.1"
  charts { repository = "charts" }
  profile = profile.base
  tls {
` + issued + tls + `
  }
  service "mariadb" {}
  service "keystone" {
` + keystone + `
  }
  service "glance" {
` + glance + `
  }
  service "rabbitmq" {}
  service "memcached" {}
}
profile "base" {
  service "keystone" {
    values = { pod = { extraVolumes = { keystone_api = append([{ name = "last", emptyDir = {} }]) } } }
  }
}
`
}

// TestTLSStays warns of what may have an API out of reach, where it is written, takes the rest, and refuses what would send
// passwords in the clear.
func TestTLSStays(t *testing.T) {
	endpoint := func(text string) string { return "values = { endpoints = { identity = { " + text + " } } }" }
	const line10, line13 = "main.hcl:10:", "main.hcl:13:"
	for name, test := range map[string]struct{ keystone, glance, at, want string }{
		"other containers":            {`values = { pod = { extraContainers = { keystone_api = [{ name = "mine" }] } } }`, "", line10, "values.pod.extraContainers.keystone_api of keystone takes the place"},
		"no containers":               {`values = { pod = { extraContainers = null } }`, "", line10, "values.pod.extraContainers.keystone_api of keystone takes the place"},
		"containers and volumes":      {`values = { pod = { extraContainers = null, extraVolumes = {} } }`, "", line10, "values.pod.extraContainers.keystone_api"},
		"containers of other pods":    {`values = { pod = { extraContainers = { other = [{ name = "mine" }] } } }`, "", "", ""},
		"more containers":             {`values = { pod = { extraContainers = { keystone_api = append([{ name = "mine" }]) } } }`, "", "", ""},
		"other volumes over more":     {`values = { pod = { extraVolumes = { keystone_api = [{ name = "mine" }] } } }`, "", line10, "values.pod.extraVolumes.keystone_api"},
		"past it":                     {`values = { network = { api = { target_port = 5000 } } }`, "", line10, "tls sets values.network.api.target_port of keystone to 8443"},
		"the same port":               {`values = { network = { api = { target_port = 8443, node_port = { enabled = true } } } }`, "", "", ""},
		"a plain address":             {endpoint(`scheme = { internal = "http" }`), "", line10, "tls sets values.endpoints.identity.scheme.internal of keystone to https"},
		"one scheme for all":          {endpoint(`scheme = "http"`), "", line10, "tls sets values.endpoints.identity.scheme.public of keystone to https"},
		"a plain admin address":       {endpoint(`scheme = { admin = "http" }`), "", line10, "values.endpoints.identity.scheme.admin of keystone"},
		"an admin address of TLS":     {endpoint(`scheme = { admin = "https" }`), "", "", ""},
		"no admin address of its own": {endpoint(`scheme = { admin = null }`), "", "", ""},
		"a client's admin address":    {"", endpoint(`scheme = { admin = "http" }`), line13, "values.endpoints.identity.scheme.admin of glance"},
		"a program that is plain":     {endpoint(`scheme = { service = "http" }`), "", "", ""},
		"a plain public address":      {endpoint(`scheme = { public = "http" }`), "", line10, "tls sets values.endpoints.identity.scheme.public"},
		"a public name of their own":  {endpoint(`scheme = { public = "http" }, host_fqdn_override = { public = { host = "k.example.org" } }, port = { api = { public = 80 } }`), "", "", ""},
		"a program elsewhere":         {endpoint(`port = { api = { service = 5001 } }`), "", line10, "tls has nginx hand on to port 5000 behind keystone-api, and with values.endpoints.identity.port.api.service of keystone the program is at another"},
		"the port of the program":     {`values = { network = { api = { port = 5001 } } }`, "", line10, "tls has nginx hand on to port 5000 behind keystone-api, and with values.network.api.port of keystone the program is at another"},
		"a program where it is":       {endpoint(`port = { api = { service = 5000, internal = 5000 } }`), "", "", ""},
		"another name":                {endpoint(`hosts = { internal = "keystone" }`), "", line10, "the certificate of keystone-api is for this name, and values.endpoints.identity.hosts.internal of keystone is another"},
		"another name of the chart":   {endpoint(`host_fqdn_override = { default = "keystone.example.org" }`), "", line10, "the certificate of keystone-api is for its names inside"},
		"a client that talks plain":   {"", endpoint(`scheme = { default = "http" }`), line13, "tls sets values.endpoints.identity.scheme.default of glance to https"},
		"another name for clients":    {"", endpoint(`hosts = { public = "keystone.example.org" }, scheme = { public = "http" }`), "", ""},
		"another authority":           {"", `values = { secrets = { tls = { ca = "mine" } } }`, line13, "tls sets values.secrets.tls.ca of glance to kupenstack-tls-trust"},
		"no authority":                {"", `conf = { glance = { keystone_authtoken = { cafile = "" } } }`, line13, "tls sets conf.glance.keystone_authtoken.cafile of glance to"},
		"no authority in values":      {"", `values = { conf = { glance = { keystone_authtoken = null } } }`, line13, "tls sets values.conf.glance.keystone_authtoken.cafile of glance to"},
		"a file with more of them":    {"", `conf = { glance = { keystone_authtoken = { cafile = "/etc/ssl/certs/all.crt" } } }`, "", ""},
		"nothing is checked":          {"", `conf = { glance = { keystone_authtoken = { insecure = true } } }`, line13, "with conf.glance.keystone_authtoken.insecure of glance certificates are not checked"},
		"as a word in values":         {"", `values = { conf = { glance = { keystone_authtoken = { insecure = "True" } } } }`, line13, "with values.conf.glance.keystone_authtoken.insecure of glance"},
		"everything is checked":       {"", `conf = { glance = { keystone_authtoken = { insecure = false }, swift = { insecure = true } } }`, "", ""},
		"a plain address in conf":     {"", `conf = { glance = { keystone_authtoken = { auth_url = "http://keystone-api.openstack.svc.cluster.local:5000/v3" } } }`, line13, "conf.glance.keystone_authtoken.auth_url of glance begins with http:// beside tls"},
		"one of a list in values":     {"", `values = { conf = { glance = { DEFAULT = { proxies = ["a", " HTTP://b"] } } } }`, line13, "values.conf.glance.DEFAULT.proxies of glance begins with http:// beside tls"},
		"addresses with TLS":          {"", `conf = { glance = { keystone_authtoken = { auth_url = "https://keystone-api:5000/v3" }, a = { b = "see http://a" } } }`, "", ""},
		"this host itself":            {"", `conf = { glance = { a = { b = "http://127.0.0.1:80", c = "http://localhost", d = "http://[::1]:8080/" } } }`, "", ""},
		"resources":                   {`resources = { tls = { limits = { memory = "64Mi" } } }`, "", "", ""},
	} {
		m, ev := composed.Text(t, behindTLS("", test.keystone, test.glance))
		_, diags := compose.Compose(m, ev, compose.Facts{})
		var told []string
		for _, d := range diags {
			told = append(told, d.Subject.String()+" "+string(d.Code)+" "+d.Detail)
			clear := strings.Contains(d.Detail, "in the clear") || strings.Contains(d.Detail, "not checked")
			if refused := d.Severity == diag.Error; refused != clear {
				t.Errorf("%s: is it refused? %t: %s", name, refused, d.Detail)
			}
		}
		got := strings.Join(told, "\n")
		if (test.want == "") != (got == "") || !strings.HasPrefix(got, test.at) || !strings.Contains(got, test.want) {
			t.Errorf("%s:\n%s\nwant %s %s", name, got, test.at, test.want)
		}
		if many := strings.Count(got, "\n"); many > 0 {
			t.Errorf("%s is told more than once:\n%s", name, got)
		}
	}
}

// TestPlainAddressesOfProfiles warns of what a profile says for its nodes, once, and of nothing where only broker and database
// have TLS.
func TestPlainAddressesOfProfiles(t *testing.T) {
	for tls, want := range map[string]int{"": 1, "services = []\n    backends = [\"mariadb\"]\n": 0} {
		source := composed.Secured("ovn", "ceph", issued+"\n"+tls) + `
profile "plain" {
  service "nova" { conf = { nova = { neutron = { endpoint_override = "http://neutron-server:9696" } } } }
  slot = 3
}
node "plain-1" {
  roles   = ["compute"]
  profile = profile.plain
}
node "plain-2" {
  roles   = ["compute"]
  profile = profile.plain
}
`
		m, ev := composed.Text(t, source)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		var told []string
		for _, d := range diags {
			if strings.Contains(d.Detail, "http://") {
				told = append(told, fmt.Sprint(d.Severity, d.Code, d.Subject, d.Detail))
			}
		}
		if len(told) != want || want > 0 && !strings.Contains(told[0], "conf.nova.neutron.endpoint_override of nova begins with http:// beside tls") {
			t.Errorf("with %s: told are %q, and all %v", tls, told, diags)
		}
	}
}

// TestBesideTLS keeps what people add to the lists that have what ends TLS.
func TestBesideTLS(t *testing.T) {
	m, ev := composed.Text(t, behindTLS("", `
    values = { pod = { extraContainers = { keystone_api = append([{ name = "mine" }]) }, extraVolumes = { keystone_api = append([{ name = "first" }]) } } }
    resources = { tls = { requests = { cpu = "50m" }, limits = { memory = "64Mi" } } }`, ""))
	values := composed.Release(t, composed.Compose(t, m, ev, compose.Facts{}), "keystone").Values
	for path, want := range map[string][]string{"extraContainers": {"tls", "mine"}, "extraVolumes": {"tls-certificates", "tls-tmp", "first", "last"}} {
		var got []string
		for _, element := range at(values, []string{"pod", path, "keystone_api"}).([]any) {
			got = append(got, element.(map[string]any)["name"].(string))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s are %v, want %v", path, got, want)
		}
	}
	front := at(values, []string{"pod", "extraContainers", "keystone_api"}).([]any)[0].(map[string]any)
	if got, want := compact(front["resources"]), `{"limits":{"memory":"64Mi"},"requests":{"cpu":"50m"}}`; got != want {
		t.Errorf("the nginx gets %s, want %s", got, want)
	}
	if got := at(values, []string{"pod", "resources"}); got != nil {
		t.Errorf("the chart is told of resources of nothing: %v", got)
	}
}

// TestNamesOfTLS tells of services that tls names in vain.
func TestNamesOfTLS(t *testing.T) {
	const some = "\n    services = [%s]"
	for name, test := range map[string]struct{ tls, glance, want string }{
		"there":        {fmt.Sprintf(some, `"keystone", "glance"`), "", ""},
		"not there":    {fmt.Sprintf(some, `"keystone", "heat"`), "", "error main.hcl:7:5 compose.missing-service: tls has the APIs of heat speak TLS, and the cloud has no such service"},
		"switched off": {fmt.Sprintf(some, `"keystone", "glance"`), "enabled = false", "warning main.hcl:7:5 compose.missing-service: tls has the APIs of glance speak TLS, and it has enabled = false"},
		"resources of what is plain": {
			fmt.Sprintf(some, `"keystone"`), `resources = { tls = { limits = { memory = "64Mi" } } }`,
			"error main.hcl:14:15 compose.invalid-value: resources has tls, and there is no nginx before the APIs of glance",
		},
	} {
		m, ev := composed.Text(t, behindTLS(test.tls, "", test.glance))
		_, diags := compose.Compose(m, ev, compose.Facts{})
		var told []string
		for _, d := range diags {
			told = append(told, fmt.Sprintf("%s %s %s: %s", d.Severity, d.Subject, d.Code, d.Detail))
		}
		if got := strings.Join(told, "\n"); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// TestTLSStaysOnNodes looks at what profiles of nodes write for them.
func TestTLSStaysOnNodes(t *testing.T) {
	for name, test := range map[string]struct{ conf, want string }{
		"nothing":      {`keystone = null`, "tls sets conf.nova.keystone.cafile of nova to"},
		"unchecked":    {`keystone = { insecure = true }`, "with conf.nova.keystone.insecure of nova certificates are not checked"},
		"another file": {`keystone = { cafile = "/all.crt" }`, ""},
	} {
		m, ev := composed.Text(t, composed.Secured("ovn", "ceph", issued)+"profile \"own\" {\n  slot = 1\n  service \"nova\" {\n    conf = { nova = { "+test.conf+" } }\n  }\n}\n"+
			"node \"n\" {\n  roles   = [\"compute\"]\n  profile = profile.own\n}\n"+composed.Network)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		if len(diags) == 0 && test.want == "" {
			continue
		}
		if len(diags) != 1 || test.want == "" || !strings.HasPrefix(diags[0].Detail, test.want) || diags[0].Address.String() != "profile.own" {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// TestWhereNothingIsChecked knows of every authority that tls sets how programs would do without.
func TestWhereNothingIsChecked(t *testing.T) {
	for _, of := range []struct{ service, file, section, option string }{
		{"horizon", "horizon", "local_settings.config", "ssl_no_verify"},
		{"cinder", "cinder", "DEFAULT", "glance_api_insecure"},
		{"glance", "glance", "swift", "swift_store_auth_insecure"},
		{"neutron", "metadata_agent", "DEFAULT", "nova_metadata_insecure"},
		{"neutron", "neutron", "nova", "insecure"},
		{"heat", "heat", "clients", "insecure"},
		{"manila", "manila", "glance", "insecure"},
		{"barbican", "barbican", "keystone_authtoken", "insecure"},
	} {
		source := composed.Storing(composed.Secured("ovn", "ceph", issued), "swift")
		const begins = "  service %q {"
		at := strings.Index(source, fmt.Sprintf(begins, of.service))
		if at < 0 {
			t.Fatalf("there is no %s", of.service)
		}
		at += len(fmt.Sprintf(begins, of.service))
		line, rest, _ := strings.Cut(source[at:], "\n")
		if open, single := strings.CutSuffix(line, "}"); single {
			line = open + "\n}"
		}
		path := strings.Split(of.file+"."+of.section+"."+of.option, ".")
		options := "values = { conf = { " + strings.Join(path, " = { ") + " = 1" + strings.Repeat(" }", len(path)+1)
		m, ev := composed.Text(t, source[:at]+"\n"+options+"\n"+line+"\n"+rest)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		if len(diags) != 1 || !strings.Contains(diags[0].Detail, "."+of.option+" of "+of.service+" certificates are not checked") {
			t.Errorf("%s of %s: %v", of.option, of.service, diags)
		}
	}
}

// TestJobsOfTLSStay refuses what would take the place of jobs and files that have services trust the authority.
func TestJobsOfTLSStay(t *testing.T) {
	for written, want := range map[string]string{
		`values = { extraObjects = { mine = { kind = "ConfigMap" } } }`:                            "",
		`values = { extraObjects = [{ kind = "ConfigMap" }] }`:                                     "values.extraObjects.tls_service of designate takes the place of jobs that tls puts there",
		`values = { extraObjects = { tls_user = "" } }`:                                            "values.extraObjects.tls_user of designate takes the place of jobs",
		`values = { manifests = { job_ks_user = true } }`:                                          "tls sets values.manifests.job_ks_user of designate to false",
		`values = { pod = { mounts = { designate_api = { designate_api = { volumes = [] } } } } }`: "values.pod.mounts.designate_api.designate_api.volumes of designate takes the place of what tls puts there",
		`conf = { designate = { "network_api:neutron" = { insecure = true } } }`:                   "with conf.designate[\"network_api:neutron\"].insecure of designate certificates are not checked",
		`conf = { designate = { keystone = { cafile = "" } } }`:                                    "tls sets conf.designate.keystone.cafile of designate to",
	} {
		m, ev := composed.Text(t, strings.Replace(behindTLS("", "", ""), `  service "memcached" {}`, "  service \"memcached\" {}\n  service \"designate\" {\n    "+written+"\n  }", 1))
		_, diags := compose.Compose(m, ev, compose.Facts{})
		var told []string
		for _, d := range diags {
			told = append(told, d.Detail)
		}
		if got := strings.Join(told, "\n"); want == "" && got != "" || !strings.HasPrefix(got, want) || len(told) > 1 {
			t.Errorf("%s: told is %q, want %q", written, got, want)
		}
	}
}
