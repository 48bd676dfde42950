package openstack_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

const credentialsPath = "/v3/users/{id}/application_credentials"

// memberRole is the id of the role that everybody has who works in a project.
func memberRole(t *testing.T) string {
	t.Helper()
	roles, _ := request(t, identity, http.MethodGet, "roles?name=member", nil)["roles"].([]any)
	if len(roles) == 0 {
		t.Fatal("there is no role member")
	}
	id, _ := roles[0].(map[string]any)["id"].(string)
	return id
}

// requests are those of one method to Keystone.
func requests(method string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"service": text("identity"), "method": text(method), "path": text("/**")})
}

// enters logs in with the clouds.yaml of a Secret.
func enters(t *testing.T, kept *unit.Kept) error {
	t.Helper()
	credentials, err := openstack.FromClouds([]byte(kept.Value("clouds.yaml").Reveal()), "openstack")
	if err != nil {
		t.Fatal(err)
	}
	d := openstack.New(openstack.Options{Language: language(), Connect: func(context.Context) (openstack.Credentials, error) { return credentials, nil }})
	defer d.Close()
	_, _, err = d.Live(t.Context(), []string{"region"})
	return err
}

// ofAdmin is the path of the application credentials of our user.
func ofAdmin(t *testing.T) string {
	t.Helper()
	user, _ := request(t, identity, http.MethodGet, "users?name=admin", nil)["users"].([]any)
	return "users/" + user[0].(map[string]any)["id"].(string) + "/application_credentials"
}

// revoke deletes the application credentials for a project.
func revoke(t *testing.T, project string) {
	t.Helper()
	path := ofAdmin(t)
	all, _ := request(t, identity, http.MethodGet, path, nil)["application_credentials"].([]any)
	for _, one := range all {
		if one := one.(map[string]any); one["project_id"] == project {
			send(t, identity, http.MethodDelete, path+"/"+one["id"].(string), nil)
		}
	}
}

// TestBedApplicationCredential: wherever a process is killed, there is one in the end, whose secret is in its Secret, and
// nothing is left of one that nobody wants any more.
func TestBedApplicationCredential(t *testing.T) {
	t.Parallel()
	d := &drawer{secrets: map[unit.ObjectRef]*unit.Kept{}}
	x := newInstallation(t, "credential")
	x.options.Keeper = d
	project := target(t, "project", x.prefix+"-project", values{})
	x.converge(t, &project)
	rest := target(t, "keypair", x.prefix+"-rest", values{"public_key": text(publicKey)})
	t.Cleanup(func() {
		_, _ = ask(context.Background(), t, "compute", http.MethodDelete, "os-keypairs/"+x.prefix+"-rest", nil)
	})
	written := func() values {
		return values{
			"project": text(project.ID), "roles": list(memberRole(t)), "description": text("Backups"), "expires_at": text("2099-01-01T01:00:00+01:00"),
			"access_rule": cty.ListVal([]cty.Value{requests("GET")}),
		}
	}
	settle := func(what string, units []unit.Unit) {
		t.Helper()
		if err := x.settleUnits(t.Context(), units); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		for _, shard := range x.store.shards {
			for _, kept := range d.secrets {
				if strings.Contains(string(shard.Data), kept.Value("OS_APPLICATION_CREDENTIAL_SECRET").Reveal()) {
					t.Errorf("%s: the inventory has the secret", what)
				}
			}
		}
	}
	var units []unit.Unit
	var ref unit.ObjectRef
	for _, when := range []string{"before making", "after making", "request before", "request after"} {
		var tg unit.Target
		tg, ref = keptTarget(t, "application_credential", x.prefix+"-"+strings.ReplaceAll(when, " ", "-"), written())
		units = unitsOf([]unit.Target{rest, tg})
		x.killed(t, d, units, when, faultproxy.Match{Verb: "POST", Path: credentialsPath})
		first := d.secrets[ref]
		settle("killed "+when, units)
		if kept := d.secrets[ref]; kept == nil || first != nil && kept != first {
			t.Fatalf("killed %s: the Secret was %v and is %v", when, first, kept)
		}
		if err := enters(t, d.secrets[ref]); err != nil {
			t.Errorf("killed %s: nobody can log in with it: %v", when, err)
		}
	}
	before := x.fleet.Counts()
	settle("nothing changed", units)
	if n := x.fleet.Counts().Since(before).Of("POST", credentialsPath); n != 0 {
		t.Errorf("%d were made", n)
	}

	kept := d.secrets[ref]
	delete(d.secrets, ref)
	if err := x.pass(t.Context(), x.store, units); err == nil || !strings.Contains(err.Error(), "Keystone does not tell it") {
		t.Errorf("somebody deleted the Secret: %v", err)
	}
	d.secrets[ref] = kept
	settle("the Secret is back", units)

	revoke(t, project.ID)
	settle("somebody took it back", units)
	if d.secrets[ref] == kept || enters(t, kept) == nil {
		t.Error("what was taken back still opens the door")
	}
	if err := enters(t, d.secrets[ref]); err != nil {
		t.Errorf("nobody can log in with what was made in its place: %v", err)
	}
	kept = d.secrets[ref]

	changed := written()
	changed["unrestricted"] = cty.False
	changed["access_rule"] = cty.ListVal([]cty.Value{requests("GET"), requests("HEAD")})
	changed["name"] = units[1].Spec.(*unit.Resource).Desired.GetAttr("name")
	other, _ := keptTarget(t, "application_credential", ref.Name, changed)
	units = unitsOf([]unit.Target{rest, other})
	settle("another rule", units)
	if d.secrets[ref] == kept || enters(t, kept) == nil {
		t.Error("what was replaced still opens the door")
	}
	if err := enters(t, d.secrets[ref]); err != nil {
		t.Errorf("nobody can log in with what replaced it: %v", err)
	}
	x.killed(t, d, units[:1], "request after", faultproxy.Match{Verb: "DELETE", Path: credentialsPath + "/{id}"})
	settle("nobody wants it", units[:1])
	if len(d.secrets) > 0 {
		t.Errorf("left are %v", d.secrets)
	}
}
