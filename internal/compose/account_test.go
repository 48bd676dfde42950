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

// identity is a cloud with Keystone, what that needs, and what is added: to the cloud, to Keystone, and beside it.
func identity(block, keystone, beside string) string {
	return `cloud "edge" {
  release = "2026.1"
  region  = "North"
  charts { repository = "charts" }
` + block + `
  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" { ` + keystone + ` }
}
` + beside
}

func composedText(t *testing.T, text string, facts compose.Facts) map[string]unit.Unit {
	t.Helper()
	m, ev := composed.Text(t, text)
	return composed.Compose(t, m, ev, facts)
}

// Our user is made where Keystone is ours and nobody says who logs in; all that lies in OpenStack waits for it.
func TestOurUser(t *testing.T) {
	const project = "project \"p\" {}\n"
	for _, test := range []struct {
		name, block string
		facts       compose.Facts
		ours        bool
	}{
		{"nothing is said", "", compose.Facts{}, true},
		{"another address", `openstack { auth_url = "https://keystone.example.org/v3" }`, compose.Facts{}, true},
		{"a Secret", `openstack { secret = "mine" }`, compose.Facts{}, false},
		{"an entry of clouds.yaml", `openstack { cloud = "mine" }`, compose.Facts{}, false},
		{"a flag", "", compose.Facts{OpenStackGiven: true}, false},
	} {
		units := composedText(t, identity(test.block, "", project), test.facts)
		account, ours := units["system.account"]
		if ours != test.ours {
			t.Errorf("%s: our user is made: %t", test.name, ours)
		}
		waits := slices.ContainsFunc(units["project.p"].Edges, func(e unit.Edge) bool {
			return e.To == account.Address && e.Until == unit.Ready && e.Gate == unit.GateStart
		})
		keys := units["system.credentials"].Spec.(*unit.Credentials).Keys
		generated := slices.IndexFunc(keys, func(c unit.Credential) bool { return c.Key == compose.AccountPassword })
		if waits != ours || (generated >= 0) != ours {
			t.Errorf("%s: the project waits for our user: %t; its password is generated: %t", test.name, waits, generated >= 0)
		}
		if !slices.IsSortedFunc(keys, func(a, b unit.Credential) int { return strings.Compare(a.Key, b.Key) }) {
			t.Errorf("%s: the keys are not sorted", test.name)
		}
		if !ours {
			continue
		}
		if len(keys[generated].Uses) > 0 {
			t.Errorf("%s: releases hold the password: %+v", test.name, keys[generated])
		}
		if got := fmt.Sprint(account.Edges); got != "[{service.keystone ready start  false} {system.credentials installed start  false}]" {
			t.Errorf("%s: it waits for %s", test.name, got)
		}
	}
	m, _ := composed.Text(t, "cloud \"c\" {\n  openstack { auth_url = \"https://keystone.example.org/v3\" }\n}\n")
	if compose.OwnAccount(m) {
		t.Error("we make a user in somebody else's Keystone")
	}
}

// People find the address that they can reach, and the administrator's password wherever it is.
func TestCloudsForPeople(t *testing.T) {
	const outside = "  exposure {\n    domain        = \"cloud.example.org\"\n    ingress_class = \"nginx\"\n    tls           = %s\n  }\n"
	const secret = "variable \"admin\" {\n  type      = string\n  default   = \"root\"\n  sensitive = true\n}\n"
	auth := func(fields string) string {
		return "values = { endpoints = { identity = { auth = { admin = { " + fields + " } } } } }"
	}
	for _, test := range []struct {
		name, block, keystone, beside string
		want                          []string // in the text
		source                        string   // "" for no Secret at all
		authority                     string   // the Secret with it
	}{
		{
			name: "inside", source: "kupenstack-credentials keystone-admin", want: []string{
				"clouds:\n  \"edge\":\n    auth:\n", `auth_url: "http://keystone-api.openstack.svc:5000/v3"`, `username: "admin"`, `user_domain_name: "default"`,
				`project_name: "admin"`, `project_domain_name: "default"`, `region_name: "North"`, `interface: "internal"`,
			},
		},
		{
			name: "inside, with TLS", block: "tls {\n issuer = { name = \"authority\" }\n}\n", source: "kupenstack-credentials keystone-admin",
			want: []string{`auth_url: "https://keystone-api.openstack.svc:5000/v3"`, `interface: "internal"`}, authority: "kupenstack-tls-trust",
		},
		{
			name: "with names outside, and certificates of an issuer", block: fmt.Sprintf(outside, "true\n    issuer = { name = \"mine\" }"), source: "kupenstack-credentials keystone-admin",
			want: []string{`auth_url: "https://keystone.cloud.example.org/v3"`}, authority: "keystone-api-public-tls",
		},
		{
			name: "with names outside", block: fmt.Sprintf(outside, "true"), source: "kupenstack-credentials keystone-admin",
			want: []string{`auth_url: "https://keystone.cloud.example.org/v3"`, `interface: "public"`},
		},
		{
			name: "without TLS", block: fmt.Sprintf(outside, "false"), source: "kupenstack-credentials keystone-admin",
			want: []string{`auth_url: "http://keystone.cloud.example.org/v3"`},
		},
		{
			name: "another name", keystone: auth(`username = "root"`), source: "kupenstack-credentials keystone-admin", want: []string{`username: "root"`},
		},
		{name: "a name that nobody may see", keystone: auth(`username = var.admin`), beside: secret},
	} {
		units := composedText(t, identity(test.block, test.keystone, test.beside), compose.Facts{})
		u, there := units["system.clouds"]
		if there != (test.source != "") {
			t.Errorf("%s: there is a Secret: %t", test.name, there)
		}
		if !there {
			continue
		}
		spec := u.Spec.(*unit.Filled)
		text := spec.Before + `"the password"` + spec.After
		for _, part := range test.want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %s in\n%s", test.name, part, text)
			}
		}
		var copies []unit.Copy
		if test.authority != "" {
			copies = []unit.Copy{{Key: "ca.crt", Source: test.authority, SourceKey: "ca.crt"}}
		}
		if !slices.Equal(spec.Copies, copies) {
			t.Errorf("%s: beside it there is %v", test.name, spec.Copies)
		}
		if waits := strings.Contains(fmt.Sprint(u.Edges), "system.trust ready"); waits != (test.authority == "kupenstack-tls-trust") {
			t.Errorf("%s: it waits for the authority: %t", test.name, waits)
		}
		if got := spec.Source + " " + spec.SourceKey; got != test.source {
			t.Errorf("%s: the password is from %s", test.name, got)
		}
		if strings.Count(text, `password: "the password"`) != 1 {
			t.Errorf("%s: the password is not in its place:\n%s", test.name, text)
		}
	}
}

// A password that somebody writes, in all charts that have it, is generated by nobody.
func TestCloudsForPeopleWithAPasswordOfTheirs(t *testing.T) {
	const written = "values = { endpoints = { identity = { auth = { admin = { password = \"written\" } } } } }"
	text := strings.NewReplacer(`service "mariadb" {}`, `service "mariadb" { `+written+` }`).Replace(identity("", written, ""))
	u := composedText(t, text, compose.Facts{})["system.clouds"]
	spec := u.Spec.(*unit.Filled)
	if spec.Source != compose.AdministratorSecret || spec.SourceKey != "OS_PASSWORD" {
		t.Errorf("the password is from %s %s", spec.Source, spec.SourceKey)
	}
	if strings.Contains(spec.Before+spec.After, "written") {
		t.Error("the password is told")
	}
	if got := fmt.Sprint(u.Edges); got != "[{service.keystone installed start  false} {system.namespace installed start  false}]" {
		t.Errorf("it waits for %s", got)
	}
}
