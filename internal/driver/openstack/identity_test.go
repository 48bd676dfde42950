package openstack_test

import (
	"bytes"
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

// patched returns a function that changes an object of Keystone as somebody else would.
func patched(path, key string, body map[string]any) func(*testing.T, string) {
	return func(t *testing.T, id string) {
		t.Helper()
		request(t, identity, http.MethodPatch, path+"/"+id, map[string]any{key: body})
	}
}

// deleted returns a function that deletes an object of Keystone as somebody else would.
func deleted(path string) func(*testing.T, string) {
	return func(t *testing.T, id string) {
		t.Helper()
		request(t, identity, http.MethodDelete, path+"/"+id, nil)
	}
}

func TestBedLifeOfIdentities(t *testing.T) {
	for _, l := range []life{
		{
			kind: "project", lists: []string{"/v3/projects"}, search: []string{"name"},
			first:   values{"description": text("Shop"), "enabled": cty.True, "tags": set("shop")},
			changed: values{"description": text("Store"), "tags": set("shop", "store")},
			meddle:  patched("projects", "project", map[string]any{"description": "theirs", "enabled": false}), meddled: []string{"description", "enabled"},
			vanish: deleted("projects"),
		},
		{
			kind: "domain", lists: []string{"/v3/domains"}, search: []string{"name"},
			first:   values{"description": text("Customers"), "enabled": cty.True},
			changed: values{"description": text("Clients")},
			meddle:  patched("domains", "domain", map[string]any{"enabled": false}), meddled: []string{"enabled"},
			vanish: func(t *testing.T, id string) {
				t.Helper()
				patched("domains", "domain", map[string]any{"enabled": false})(t, id)
				deleted("domains")(t, id)
			},
		},
		{
			kind: "role", lists: []string{"/v3/roles"}, search: []string{"name"},
			first:   values{"description": text("Reads")},
			changed: values{"description": text("Reads all"), "name": text(unique("renamed"))},
			meddle:  patched("roles", "role", map[string]any{"description": "theirs"}), meddled: []string{"description"},
			vanish: deleted("roles"),
		},
		{
			kind: "group", lists: []string{"/v3/groups", "/v3/domains"}, search: []string{"name"},
			first:   values{"description": text("Developers")},
			changed: values{"description": text("All of them")},
			meddle:  patched("groups", "group", map[string]any{"description": "theirs"}), meddled: []string{"description"},
			vanish: deleted("groups"),
		},
		{
			kind: "region", lists: []string{"/v3/regions"}, search: []string{"name", "parent"},
			needs: func(t *testing.T, b *bench) values {
				parent := target(t, "region", unique("parent"), values{})
				b.converge(t, &parent)
				return values{"parent": text(parent.ID)}
			},
			first:   values{"description": text("North")},
			changed: values{"description": text("Far north")},
			meddle:  patched("regions", "region", map[string]any{"description": "theirs", "parent_region_id": nil}), meddled: []string{"description", "parent"},
			replaced: values{"name": text(unique("renamed"))},
			vanish:   deleted("regions"),
		},
		{
			kind: "identity_service", lists: []string{"/v3/services"}, search: []string{"name", "type"},
			first:   values{"description": text("Backups"), "type": text("backup")},
			changed: values{"description": text("Backups of all"), "type": text("archive"), "enabled": cty.False},
			meddle:  patched("services", "service", map[string]any{"enabled": true}), meddled: []string{"enabled"},
			vanish: deleted("services"),
		},
		{
			kind: "identity_endpoint", lists: []string{"/v3/endpoints"}, search: []string{"service", "interface"},
			needs: func(t *testing.T, b *bench) values {
				service, region := target(t, "identity_service", unique("service"), values{"type": text("backup")}), target(t, "region", unique("region"), values{})
				b.converge(t, &service)
				b.converge(t, &region)
				return values{"service": text(service.ID), "region": text(region.ID)}
			},
			first:   values{"interface": text("internal"), "url": text("https://backup.example.org/v1")},
			changed: values{"url": text("https://backup.example.org/v2/$(project_id)s")},
			meddle:  patched("endpoints", "endpoint", map[string]any{"enabled": false, "url": "http://example.org"}), meddled: []string{"url"},
			replaced: values{"interface": text("admin")},
			vanish:   deleted("endpoints"),
		},
		{
			kind: "registered_limit", lists: []string{"/v3/registered_limits"}, search: []string{"service", "resource_name"},
			needs: func(t *testing.T, b *bench) values {
				service := target(t, "identity_service", unique("service"), values{"type": text("backup")})
				b.converge(t, &service)
				return values{"service": text(service.ID), "resource_name": text("backups")}
			},
			first:   values{"default_limit": cty.NumberIntVal(10), "description": text("Backups of each")},
			changed: values{"default_limit": cty.NumberIntVal(20)},
			meddle:  patched("registered_limits", "registered_limit", map[string]any{"default_limit": 5}), meddled: []string{"default_limit"},
			replaced: values{"resource_name": text("archives")},
			vanish:   deleted("registered_limits"),
		},
		{
			kind: "limit", lists: []string{"/v3/limits"}, search: []string{"service", "resource_name", "project"},
			needs: func(t *testing.T, b *bench) values {
				service, project := target(t, "identity_service", unique("service"), values{"type": text("backup")}), target(t, "project", unique("project"), values{})
				b.converge(t, &service)
				b.converge(t, &project)
				registered := target(t, "registered_limit", unique("registered"), values{"service": text(service.ID), "resource_name": text("backups"), "default_limit": cty.NumberIntVal(10)})
				b.converge(t, &registered)
				return values{"service": text(service.ID), "resource_name": text("backups"), "project": text(project.ID)}
			},
			first:   values{"resource_limit": cty.NumberIntVal(20), "description": text("Backups of one")},
			changed: values{"resource_limit": cty.NumberIntVal(30)},
		},
		{
			kind: "user", lists: []string{"/v3/users", "/v3/domains"}, search: []string{"name"},
			needs: func(t *testing.T, b *bench) values {
				group, project := target(t, "group", unique("group"), values{}), target(t, "project", unique("project"), values{})
				b.converge(t, &group)
				b.converge(t, &project)
				return values{"groups": set(group.ID), "default_project": text(project.ID)}
			},
			first:   values{"description": text("Alice"), "password": text(canary), "email": text("alice@example.org")},
			changed: values{"email": text("alice@example.net"), "enabled": cty.False},
			meddle:  meddledUser, meddled: []string{"enabled", "groups"},
			vanish: deleted("users"),
		},
		assigned("project", values{}, values{"inherited": cty.True}),
		assigned("project", values{"inherited": cty.True}, nil),
		assigned("domain", values{}, nil),
		assigned("system", values{"system": cty.True}, nil),
	} {
		t.Run(l.kind, l.walk)
	}
}

// canary is a password that nothing may show.
const canary = "canary-41c7"

// meddledUser enables a user and takes it out of all its groups.
func meddledUser(t *testing.T, id string) {
	t.Helper()
	patched("users", "user", map[string]any{"enabled": true})(t, id)
	for _, group := range request(t, identity, http.MethodGet, "users/"+id+"/groups", nil)["groups"].([]any) {
		request(t, identity, http.MethodDelete, "groups/"+group.(map[string]any)["id"].(string)+"/users/"+id, nil)
	}
}

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

// assigned is the life of a role that a group has in a place.
func assigned(place string, first, replaced values) life {
	return life{
		kind: "role_assignment", lists: []string{"/v3/role_assignments"}, unmarked: true, first: first, replaced: replaced, search: []string{"group"},
		needs: func(t *testing.T, b *bench) values {
			role, group := target(t, "role", unique("role"), values{}), target(t, "group", unique("group"), values{})
			b.converge(t, &role)
			b.converge(t, &group)
			written := values{"role": text(role.ID), "group": text(group.ID)}
			if place != "system" {
				within := target(t, place, unique(place), values{})
				b.converge(t, &within)
				written[place] = text(within.ID)
			}
			return written
		},
		vanish: func(t *testing.T, id string) {
			t.Helper()
			words := strings.Split(strings.TrimSuffix(id, "/inherited"), "/")
			path := words[2] + "s/" + words[3] + "/groups/" + words[1] + "/roles/" + words[len(words)-1]
			switch {
			case words[2] == "system":
				path = "system/groups/" + words[1] + "/roles/" + words[len(words)-1]
			case strings.HasSuffix(id, "/inherited"):
				path = "OS-INHERIT/" + path + "/inherited_to_projects"
			}
			request(t, identity, http.MethodDelete, path, nil)
		},
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
