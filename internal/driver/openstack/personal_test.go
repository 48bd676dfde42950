package openstack_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// usersCloud is a pretended cloud in which every user has at most one application credential, ac1, and one key pair, web.
type usersCloud struct {
	mutex       sync.Mutex
	credentials map[string]map[string]any // by user
	pairs       map[string]map[string]any
	gone        []string // users that Keystone has no more
	blank       bool     // what stands before Keystone finds no users at all
	wrote       []string // requests that change something
}

func newUsersCloud() *usersCloud {
	return &usersCloud{credentials: map[string]map[string]any{}, pairs: map[string]map[string]any{}}
}

// as is a driver whose credentials are those of a user.
func (c *usersCloud) as(t *testing.T, user string, keeper openstack.Keeper, roles ...string) *openstack.Driver {
	t.Helper()
	answers := map[string]func(*http.Request) any{}
	answer := func(path string, call func(r *http.Request) any) {
		answers[path] = func(r *http.Request) any {
			c.mutex.Lock()
			defer c.mutex.Unlock()
			if r.Method != http.MethodGet {
				c.wrote = append(c.wrote, user+" "+r.Method+" "+r.URL.Path)
			}
			return call(r)
		}
	}
	whose := func(r *http.Request) string {
		if named := r.URL.Query().Get("user_id"); named != "" {
			return named
		}
		return user
	}
	one := func(all map[string]map[string]any, key string) func(*http.Request) any {
		return func(r *http.Request) any {
			if all[whose(r)] == nil {
				return http.StatusNotFound
			}
			return map[string]any{key: all[whose(r)]}
		}
	}
	deleted := func(all map[string]map[string]any) func(*http.Request) any {
		return func(r *http.Request) any {
			delete(all, whose(r))
			return http.StatusNoContent
		}
	}
	for _, id := range []string{"u1", "u2"} {
		answer("/v3/users/"+id, func(*http.Request) any {
			switch {
			case c.blank || slices.Contains(c.gone, id):
				return http.StatusNotFound
			case id != user && len(roles) > 0:
				return http.StatusForbidden
			}
			return map[string]any{"user": map[string]any{"id": id}}
		})
	}
	credentials, pairs := "/v3/users/"+user+"/application_credentials", "/v2.1/os-keypairs"
	answer(credentials, func(*http.Request) any {
		all := []any{}
		if o := c.credentials[user]; o != nil {
			all = append(all, o)
		}
		return map[string]any{"application_credentials": all}
	})
	answer(credentials+"/ac1", one(c.credentials, "application_credential"))
	answer("DELETE "+credentials+"/ac1", deleted(c.credentials))
	answer("POST "+credentials, func(r *http.Request) any {
		o, _ := bodyOf(r)["application_credential"].(map[string]any)
		delete(o, "secret")
		o["id"], o["project_id"] = "ac1", "p1"
		c.credentials[user] = o
		return map[string]any{"application_credential": o}
	})
	answer(pairs, func(*http.Request) any {
		all := []any{}
		if o := c.pairs[user]; o != nil {
			all = append(all, map[string]any{"keypair": o})
		}
		return map[string]any{"keypairs": all}
	})
	answer(pairs+"/web", one(c.pairs, "keypair"))
	answer("DELETE "+pairs+"/web", deleted(c.pairs))
	answer("POST "+pairs, func(r *http.Request) any {
		c.pairs[user], _ = bodyOf(r)["keypair"].(map[string]any)
		return map[string]any{"keypair": c.pairs[user]}
	})
	answer("/v2.1/os-server-groups", listed("server_groups", map[string]any{"id": "g1", "name": "rest", "project_id": "p1"}))
	return answeringTo(t, user, answers, func(o *openstack.Options) { o.Keeper = keeper }, roles...)
}

// bodyOf is what is sent.
func bodyOf(r *http.Request) map[string]any {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body) // what cannot be read is nothing
	return body
}

// personalTargets are a key pair that is given, one that is generated, and an application credential, all named web.
func personalTargets(t *testing.T) map[string]unit.Target {
	t.Helper()
	generated, _ := keptTarget(t, "keypair", "web", values{})
	credential, _ := keptTarget(t, "application_credential", "web", values{})
	return map[string]unit.Target{
		"a key pair": target(t, "keypair", "web", values{"public_key": text(publicKey)}), "a generated key pair": generated, "an application credential": credential,
	}
}

// TestAnotherUsersAreUnknown: whatever was made for another user is not absent for not being shown, and nothing is done about it.
func TestAnotherUsersAreUnknown(t *testing.T) {
	recorded := func(user string) func(*unit.Target) {
		return func(tg *unit.Target) {
			tg.Fresh, tg.Complete, tg.Locator.User = false, true, user
			if tg.ID = "web"; tg.Locator.Kind == "application_credential" {
				tg.ID = "ac1"
			}
		}
	}
	intent := func(user string, attempted bool) func(*unit.Target) {
		return func(tg *unit.Target) { tg.Fresh, tg.Attempted, tg.Locator.User = false, attempted, user }
	}
	for _, test := range []struct {
		name   string
		record func(*unit.Target)
		change func(*usersCloud)
		roles  []string
		says   string // "" where it is absent
	}{
		{name: "on record for another", record: recorded("u1"), says: "made for the user u1, and the user ops is not shown"},
		{name: "on record for another, to a member", record: recorded("u1"), roles: []string{"member"}, says: "removed block with destroy = false"},
		{name: "an attempt for another", record: intent("u1", true), says: "put the credentials of that user back"},
		{name: "no attempt was made for another", record: intent("u1", false)},
		{name: "on record for ours", record: recorded("u2")},
		{name: "on record by an older program", record: recorded("")},
		{name: "the other is gone", record: recorded("u1"), change: func(c *usersCloud) { c.gone = []string{"u1"} }},
		{name: "no user is shown", record: recorded("u1"), change: func(c *usersCloud) { c.blank = true }, says: "made for the user u1"},
		{name: "nobody may tell whether the other is gone", record: recorded("u1"), roles: []string{"member"}, change: func(c *usersCloud) { c.gone = []string{"u1"} }, says: "made for the user u1"},
	} {
		for what, tg := range personalTargets(t) {
			t.Run(test.name+"/"+what, func(t *testing.T) {
				cloud, secrets := newUsersCloud(), &drawer{secrets: map[unit.ObjectRef]*unit.Kept{}}
				if test.change != nil {
					test.change(cloud)
				}
				d := cloud.as(t, "u2", secrets, test.roles...)
				test.record(&tg)
				states, err := d.Observe(t.Context(), []unit.Target{tg})
				st := states[tg.Address]
				if test.says == "" {
					if err != nil || !st.Gone() || st.User != "u2" {
						t.Errorf("it is %+v, %v", st, err)
					}
					return
				}
				if err == nil || st.Existence != unit.Unknown || !strings.Contains(st.Message, test.says) || strings.HasSuffix(st.Message, "…") {
					t.Errorf("it is %+v, %v", st, err)
				}
				if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != unit.ActionUnknown {
					t.Errorf("compared it is %+v", diff)
				}
				out := tg
				out.Spec = nil
				if states, err := d.Observe(t.Context(), []unit.Target{out}); err == nil || states[out.Address].Existence != unit.Unknown {
					t.Errorf("taken out it is %+v, %v", states[out.Address], err)
				}
				// What a look by the credentials of before said does not count any more.
				for _, before := range []unit.State{{Existence: unit.Absent, User: "u1"}, {Existence: unit.Absent}} {
					if _, err := d.Apply(t.Context(), tg, wantedOf(tg), before); err == nil || unit.IsBlocked(err) {
						t.Errorf("applied: %v", err)
					}
					for _, gone := range []unit.Target{tg, out} {
						if st, err := d.Delete(t.Context(), gone, before); err == nil || unit.IsBlocked(err) {
							t.Errorf("deleted it is %+v, %v", st, err)
						}
					}
				}
				if len(cloud.wrote) > 0 || len(secrets.secrets) > 0 {
					t.Errorf("there were %v, and kept are %v", cloud.wrote, secrets.secrets)
				}
			})
		}
	}
}

// TestWhatOthersHadIsNotTakenForTheirs: what our user has under the name of a key pair whose user is gone stays.
func TestWhatOthersHadIsNotTakenForTheirs(t *testing.T) {
	cloud := newUsersCloud()
	cloud.gone, cloud.pairs["u2"] = []string{"u1"}, map[string]any{"name": "web", "public_key": "ssh-ed25519 another"}
	d := cloud.as(t, "u2", nil)
	tg := target(t, "keypair", "web", values{"public_key": text(publicKey)})
	tg.Fresh, tg.ID, tg.Locator.User = false, "web", "u1"
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); err != nil || states[tg.Address].Owned || diff.Action != unit.ActionBlocked {
		t.Errorf("it is %+v, %+v, %v", states[tg.Address], diff, err)
	}
	tg.Spec = nil
	if states, err := d.Observe(t.Context(), []unit.Target{tg}); err != nil || !states[tg.Address].Gone() {
		t.Errorf("taken out it is %+v, %v", states[tg.Address], err)
	}
	if st, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Present, ID: "web", Owned: true}); err != nil || !st.Gone() || cloud.pairs["u2"] == nil {
		t.Errorf("deleted it is %+v, %v, after %v", st, err, cloud.wrote)
	}
}

// TestPairOfAUserWhoIsGone: Nova keeps it, and it goes with its block; that of our own user, of the same name, stays.
func TestPairOfAUserWhoIsGone(t *testing.T) {
	cloud := newUsersCloud()
	cloud.gone = []string{"u1"}
	cloud.pairs["u1"], cloud.pairs["u2"] = map[string]any{"name": "web", "public_key": publicKey}, map[string]any{"name": "web", "public_key": "ssh-ed25519 another"}
	d := cloud.as(t, "u2", nil)
	tg := target(t, "keypair", "web", values{"public_key": text(publicKey)})
	tg.Fresh, tg.ID, tg.Locator.User, tg.Spec = false, "web", "u1", nil
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	st := states[tg.Address]
	if err != nil || st.Existence != unit.Present || !st.Owned || !strings.Contains(st.Message, "a user that is deleted") {
		t.Errorf("taken out it is %+v, %v", st, err)
	}
	if st, err = d.Delete(t.Context(), tg, st); err != nil || !st.Gone() || cloud.pairs["u1"] != nil || cloud.pairs["u2"] == nil {
		t.Errorf("deleted it is %+v, %v, after %v", st, err, cloud.wrote)
	}
	if states, err := d.Observe(t.Context(), []unit.Target{tg}); err != nil || !states[tg.Address].Gone() {
		t.Errorf("then it is %+v, %v", states[tg.Address], err)
	}
}

// TestTheUserChangesBetweenLookAndCreation: nothing was made by that, and it is made for the new one at once.
func TestTheUserChangesBetweenLookAndCreation(t *testing.T) {
	for what, tg := range personalTargets(t) {
		cloud, secrets := newUsersCloud(), &drawer{secrets: map[unit.ObjectRef]*unit.Kept{}}
		d := cloud.as(t, "u2", secrets)
		tg.Fresh, tg.Locator.User = false, "u1" // as the engine records it before
		if _, err := d.Apply(t.Context(), tg, wantedOf(tg), unit.State{Existence: unit.Absent, User: "u1"}); err == nil || len(cloud.wrote) > 0 {
			t.Errorf("%s: %v, after %v", what, err, cloud.wrote)
		}
		tg.Attempted = true
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if st := states[tg.Address]; err != nil || !st.Gone() || st.User != "u2" {
			t.Fatalf("%s: it is %+v, %v", what, st, err)
		}
		tg.Locator.User = "u2"
		if st, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address]); err != nil || !st.Owned || st.User != "u2" || len(cloud.wrote) != 1 {
			t.Errorf("%s: made for the new one it is %+v, %v, after %v", what, st, err, cloud.wrote)
		}
	}
}

// TestSecretsTellForWhomTheyWereMade where no record does, or an older program made it.
func TestSecretsTellForWhomTheyWereMade(t *testing.T) {
	for name, record := range map[string]func(*unit.Target){
		"without a record": func(*unit.Target) {},
		"an older record":  func(tg *unit.Target) { tg.Fresh, tg.ID = false, "ac1" },
		"the block is out": func(tg *unit.Target) {
			tg.Fresh, tg.ID, tg.Locator.Objects, tg.Spec = false, "ac1", []unit.ObjectRef{tg.Spec.(*unit.Resource).Keeps}, nil
		},
	} {
		tg, ref := keptTarget(t, "application_credential", "web", values{})
		record(&tg)
		kept := &unit.Kept{Mark: tg.Mark, Values: map[string]redact.Secret{"OS_USER_ID": redact.NewSecret("u1"), "OS_APPLICATION_CREDENTIAL_NAME": redact.NewSecret("web")}}
		cloud, secrets := newUsersCloud(), &drawer{secrets: map[unit.ObjectRef]*unit.Kept{ref: kept}}
		d := cloud.as(t, "u2", secrets)
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if st := states[tg.Address]; err == nil || st.Existence != unit.Unknown || !strings.Contains(st.Message, "delete the Secret lab/web") || strings.HasSuffix(st.Message, "…") {
			t.Errorf("%s: it is %+v, %v", name, st, err)
		}
		if tg.Spec != nil {
			if _, err := d.Apply(t.Context(), tg, wantedOf(tg), unit.State{Existence: unit.Absent}); err == nil {
				t.Errorf("%s: it was applied", name)
			}
		}
		if tg.ID != "" {
			if _, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Absent}); err == nil {
				t.Errorf("%s: it was deleted", name)
			}
		}
		if len(cloud.wrote) > 0 || secrets.secrets[ref] != kept {
			t.Errorf("%s: there were %v, and kept are %v", name, cloud.wrote, secrets.secrets)
		}
		for _, change := range []func(){func() { kept.Mark = "kupenstack:another" }, func() { kept.Mark = tg.Mark; cloud.gone = []string{"u1"} }} {
			change()
			if _, err := d.Observe(t.Context(), []unit.Target{tg}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestPersonalKindsAreFoundAsBefore: what our own user has is looked up and imported, and tells whose it is.
func TestPersonalKindsAreFoundAsBefore(t *testing.T) {
	cloud := newUsersCloud()
	cloud.pairs["u2"] = map[string]any{"name": "web", "public_key": publicKey}
	cloud.credentials["u2"] = map[string]any{"id": "ac1", "name": "web", "project_id": "p1"}
	d := cloud.as(t, "u2", nil)
	for kind, id := range map[string]string{"keypair": "web", "application_credential": "ac1"} {
		looked := target(t, kind, "looked", values{"name": text("web")})
		looked.Spec.(*unit.Resource).Lookup = true
		imported := target(t, kind, "imported", values{"name": text("web")})
		imported.Import = id
		states, err := d.Observe(t.Context(), []unit.Target{looked, imported})
		for _, tg := range []unit.Target{looked, imported} {
			if st := states[tg.Address]; err != nil || st.ID != id || st.User != "u2" || st.Owned {
				t.Errorf("%s: it is %+v, %v", tg.Address, st, err)
			}
		}
	}
}
