package openstack_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

const identity = "identity"

// canary is a password that nothing may show.
const canary = "canary-41c7"

// logsIn tells whether a user of the cloud gets a token with a password.
func logsIn(t *testing.T, id, password string) bool {
	t.Helper()
	body := map[string]any{"auth": map[string]any{"identity": map[string]any{
		"methods": []string{"password"}, "password": map[string]any{"user": map[string]any{"id": id, "password": password}},
	}}}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	cloud := sharedCloud(t)
	client := http.Client{Transport: cloud.Transport(), Timeout: time.Minute}
	address := strings.TrimSuffix(cloud.Endpoints[identity], "/") + "/auth/tokens"
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode == http.StatusCreated
}

// A password is written when it is another one than is on record, and only then; nothing shows it. Where nothing is
// on record of a user that is there, it is written as well.
func TestBedPasswords(t *testing.T) {
	b := newBench(t)
	k := newKeeper(t, b.Driver)
	secret := func(text string) values { return values{"password": cty.StringVal(text).Mark(model.Sensitive)} }
	user := target(t, "user", unique("user"), secret(canary+"-1"))
	writes := func(want int, tg unit.Target) {
		t.Helper()
		before := b.fleet.Counts()
		for _, u := range k.converge(t, tg) {
			if shown := fmt.Sprintf("%+v", u); strings.Contains(shown, canary) {
				t.Errorf("the password is shown: %s", shown)
			}
		}
		if n := b.fleet.Counts().Since(before).Of("PATCH", "/v3/users/{id}"); n != want {
			t.Errorf("%d changes of the user, want %d", n, want)
		}
	}
	writes(0, user)
	made := k.recorded(t, user)
	b.remove(t, made)
	if !logsIn(t, made.ID, canary+"-1") {
		t.Error("the user cannot log in with its first password")
	}
	writes(0, user)
	user = with(t, user, secret(canary+"-2"))
	writes(1, user)
	if !logsIn(t, made.ID, canary+"-2") || logsIn(t, made.ID, canary+"-1") {
		t.Error("the password was not changed")
	}
	writes(0, user)

	st, diff := b.compare(t, made)
	if diff.Action != unit.ActionNone {
		t.Errorf("nothing of it is to be renewed, but the diff is %+v", diff)
	}
	made.Spec, made.Sensitive, made.Renewed = user.Spec, map[string]string{"password": "digest"}, []string{"password"}
	diff = b.Compare(made, wantedOf(made), st)
	expectDiff(t, "a new password", diff, unit.ActionUpdate, []string{"password"})
	if shown := fmt.Sprintf("%+v", diff); strings.Contains(shown, canary) {
		t.Errorf("the password is shown: %s", shown)
	}
}

// Groups that others have put a user in stay, and those that are taken out go, though none are left.
func TestBedGroupsOfAUser(t *testing.T) {
	b := newBench(t)
	k := newKeeper(t, b.Driver)
	var groups []string
	for range 2 {
		group := target(t, "group", unique("group"), values{})
		b.converge(t, &group)
		groups = append(groups, group.ID)
	}
	theirs := foreign(t, identity, "groups", "group", map[string]any{"name": unique("theirs")})
	user := target(t, "user", unique("user"), values{"groups": set(groups...)})
	k.converge(t, user)
	made := k.recorded(t, user)
	b.remove(t, made)
	request(t, identity, http.MethodPut, "groups/"+theirs+"/users/"+made.ID, nil)
	in := func(want ...string) {
		t.Helper()
		var ids []string
		for _, group := range request(t, identity, http.MethodGet, "users/"+made.ID+"/groups", nil)["groups"].([]any) {
			ids = append(ids, group.(map[string]any)["id"].(string))
		}
		slices.Sort(ids)
		slices.Sort(want)
		if !slices.Equal(ids, want) {
			t.Errorf("the user is in %v, want %v", ids, want)
		}
	}
	k.converge(t, with(t, user, values{"groups": set(groups[0])}))
	in(groups[0], theirs)
	k.converge(t, with(t, user, values{"groups": cty.NullVal(cty.Set(cty.String))}))
	in(theirs)

	user = with(t, made, values{"groups": set(groups...)})
	fault := b.fleet.Add(faultproxy.Rule{
		Match: faultproxy.Match{Verb: "GET", Path: "/v3/users/{id}/groups"}, Action: faultproxy.AnswerOpenStack(500, "the database is away", 0),
	})
	states, err := b.Observe(t.Context(), []unit.Target{user})
	if diff := b.Compare(user, wantedOf(user), states[user.Address]); err == nil || diff.Action != unit.ActionUnknown {
		t.Errorf("the groups cannot be seen, but the diff is %+v, the error %v", diff, err)
	}
	fault.Remove()
}

// Keystone says of a role whether it lets go of it; what other tools made so is told.
func TestBedImmutableRoles(t *testing.T) {
	b := newBench(t)
	for _, immutable := range []bool{true, false} {
		name := unique("role")
		id := foreign(t, identity, "roles", "role", map[string]any{"name": name, "options": map[string]any{"immutable": immutable}})
		free := map[string]any{"role": map[string]any{"options": map[string]any{"immutable": nil}}}
		afterwards(t, func(ctx context.Context) error {
			_, err := ask(ctx, t, identity, http.MethodPatch, "roles/"+id, free)
			return err
		})
		role := target(t, "role", name, values{})
		if st := b.look(t, role); !st.Outputs.GetAttr("immutable").RawEquals(cty.BoolVal(immutable)) {
			t.Errorf("immutable is %#v, want %v", st.Outputs.GetAttr("immutable"), immutable)
		}
	}
}

// What Keystone would delete along with an object keeps it, unless it is ours and on its way.
func TestBedIdentitiesThatOthersNeedStay(t *testing.T) {
	b := newBench(t)
	role, group, domain := target(t, "role", unique("role"), values{}), target(t, "group", unique("group"), values{}), target(t, "domain", unique("domain"), values{})
	service, region := target(t, "identity_service", unique("service"), values{"type": text("backup")}), target(t, "region", unique("region"), values{})
	for _, tg := range []*unit.Target{&role, &group, &domain, &service, &region} {
		b.converge(t, tg)
	}
	refused := func(tg unit.Target, says string) {
		t.Helper()
		if err := b.destroy(t.Context(), t, tg); !unit.IsBlocked(err) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s was deleted, or for another reason not: %v", tg.Address, err)
		}
	}
	path := "domains/" + domain.ID + "/groups/" + group.ID + "/roles/" + role.ID
	request(t, identity, http.MethodPut, path, nil)
	refused(role, "group/"+group.ID+"/domain/"+domain.ID+"/role/"+role.ID)
	refused(group, role.ID)
	refused(domain, group.ID)
	request(t, identity, http.MethodDelete, path, nil)

	user := foreign(t, identity, "users", "user", map[string]any{"name": unique("user"), "domain_id": domain.ID})
	refused(domain, user)
	request(t, identity, http.MethodPut, "groups/"+group.ID+"/users/"+user, nil)
	refused(group, user)
	foreign(t, identity, "projects", "project", map[string]any{"name": unique("project"), "domain_id": domain.ID})
	refused(domain, "which is not ours")
	within := target(t, "group", unique("within"), values{"domain": text(domain.ID)})
	b.converge(t, &within)

	holder := target(t, "user", unique("holder"), values{})
	b.converge(t, &holder)
	path = "domains/" + domain.ID + "/users/" + holder.ID + "/roles/" + role.ID
	request(t, identity, http.MethodPut, path, nil)
	refused(holder, role.ID)
	request(t, identity, http.MethodDelete, path, nil)

	endpoint := foreign(t, identity, "endpoints", "endpoint", map[string]any{
		"service_id": service.ID, "region_id": region.ID, "interface": "public", "url": "http://example.org",
	})
	refused(service, endpoint)
	refused(region, endpoint)
	below := foreign(t, identity, "regions", "region", map[string]any{"id": unique("below"), "parent_region_id": region.ID})
	refused(region, below)
}
