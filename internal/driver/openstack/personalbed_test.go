package openstack_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// anotherAdmin makes a user who is an administrator in the project of ours, and returns its id and how to log in as it.
func anotherAdmin(t *testing.T, ours openstack.Credentials) (string, openstack.Credentials) {
	t.Helper()
	login := openstack.Credentials{
		Place: ours.Place, Username: unique("other"), UserDomainID: ours.UserDomainID, UserDomainName: ours.UserDomainName, Password: redact.NewSecret(rand.Text()),
		ProjectID: ours.ProjectID, ProjectName: ours.ProjectName, ProjectDomainID: ours.ProjectDomainID, ProjectDomainName: ours.ProjectDomainName,
	}
	one := func(answer map[string]any, many string) string {
		t.Helper()
		list, _ := answer[many].([]any)
		if len(list) != 1 {
			t.Fatalf("there are %d %s", len(list), many)
		}
		id, _ := list[0].(map[string]any)["id"].(string)
		return id
	}
	made, _ := request(t, identity, http.MethodPost, "users", map[string]any{"user": map[string]any{
		"name": login.Username, "password": login.Password.Reveal(), "domain_id": "default",
	}})["user"].(map[string]any)
	user, _ := made["id"].(string)
	t.Cleanup(func() { _, _ = ask(context.Background(), t, identity, http.MethodDelete, "users/"+user, nil) })
	project := ours.ProjectID
	if project == "" {
		project = one(request(t, identity, http.MethodGet, "projects?name="+ours.ProjectName, nil), "projects")
	}
	role := one(request(t, identity, http.MethodGet, "roles?name=admin", nil), "roles")
	send(t, identity, http.MethodPut, "projects/"+project+"/users/"+user+"/roles/"+role, nil)
	return user, login
}

// pairsOf are the names of the key pairs that Nova has of a user.
func pairsOf(t *testing.T, user string) []string {
	t.Helper()
	cloud := sharedCloud(t)
	provider, err := cloud.Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Keypairs []struct {
			Keypair struct {
				Name string `json:"name"`
			} `json:"keypair"`
		} `json:"keypairs"`
	}
	_, err = provider.Request(t.Context(), http.MethodGet, strings.TrimSuffix(cloud.Endpoints["compute"], "/")+"/os-keypairs?user_id="+user, &gophercloud.RequestOpts{
		MoreHeaders: map[string]string{"X-OpenStack-Nova-API-Version": "2.10"}, JSONResponse: &answer, OkCodes: []int{http.StatusOK},
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range answer.Keypairs {
		names = append(names, k.Keypair.Name)
	}
	return names
}

// TestBedAnotherUser: what was made for a user is not made again, nor forgotten, when the credentials become those of another
// one who is an administrator as well; and it is once that user is gone. A key pair that nobody wants any more then goes, too.
func TestBedAnotherUser(t *testing.T) {
	t.Parallel()
	d := &drawer{secrets: map[unit.ObjectRef]*unit.Kept{}}
	x := newInstallation(t, "user")
	x.options.Keeper = d
	admin := x.options.Connect
	ours, err := admin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	user, login := anotherAdmin(t, ours)
	other := func(context.Context) (openstack.Credentials, error) { return login, nil }
	project := target(t, "project", x.prefix+"-project", values{})
	x.converge(t, &project)

	rest := target(t, "region", x.prefix+"-rest", values{})
	t.Cleanup(func() {
		_, _ = ask(context.Background(), t, identity, http.MethodDelete, "regions/"+x.prefix+"-rest", nil)
	})
	given := target(t, "keypair", x.prefix+"-given", values{"public_key": text(publicKey)})
	pair, pairRef := keptTarget(t, "keypair", x.prefix+"-pair", values{})
	credential, ref := keptTarget(t, "application_credential", x.prefix+"-credential", values{"project": text(project.ID), "roles": list(memberRole(t))})
	units := unitsOf([]unit.Target{rest, given, pair, credential})
	old := unitsOf([]unit.Target{target(t, "keypair", x.prefix+"-old", values{"public_key": text(publicKey)})})
	settle := func(what string, units []unit.Unit) {
		t.Helper()
		if err := x.settleUnits(t.Context(), units); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	made := func(c faultproxy.Counts) int {
		return c.Of("POST", credentialsPath) + c.Of("DELETE", credentialsPath+"/{id}") + c.Of("POST", "/v2.1/os-keypairs") + c.Of("DELETE", "/v2.1/os-keypairs/{id}")
	}
	x.options.Connect = other
	settle("made for the other user", append(slices.Clone(units), old...))
	kept, key := d.secrets[ref], d.secrets[pairRef]
	before := x.fleet.Counts()

	x.options.Connect = admin
	for what, units := range map[string][]unit.Unit{"wanted": append(slices.Clone(units), old...), "wanted no more": units[:1]} {
		if err := x.pass(t.Context(), x.store, units); err == nil || !strings.Contains(err.Error(), "made for the user "+user) {
			t.Errorf("%s, with the credentials of ours: %v", what, err)
		}
	}
	x.options.Connect = other
	settle("the credentials of the other user are back", append(slices.Clone(units), old...))
	if n := made(x.fleet.Counts().Since(before)); n != 0 || d.secrets[ref] != kept || d.secrets[pairRef] != key {
		t.Errorf("there were %d requests, and kept are %v", n, d.secrets)
	}
	if err := enters(t, kept); err != nil {
		t.Errorf("nobody can log in any more: %v", err)
	}

	send(t, identity, http.MethodDelete, "users/"+user, nil)
	x.options.Connect = admin
	settle("the other user is gone", units)
	left := pairsOf(t, user)
	if slices.Sort(left); !slices.Equal(left, []string{x.prefix + "-given", x.prefix + "-pair"}) {
		t.Errorf("Nova has %q of the other user", left)
	}
	if d.secrets[ref] == kept || enters(t, kept) == nil || d.secrets[pairRef] != key {
		t.Errorf("kept are %v", d.secrets)
	}
	if err := enters(t, d.secrets[ref]); err != nil {
		t.Errorf("nobody can log in with what was made in its place: %v", err)
	}
	settle("nobody wants it", units[:1])
	if len(d.secrets) > 0 {
		t.Errorf("left are %v", d.secrets)
	}
}
