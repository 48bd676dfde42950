package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// roleKeeper is a Keystone that knows the roles of our user in a project, and a record of those that it gave itself. What
// changes either is in asked, in order.
type roleKeeper struct {
	roles, credentials []map[string]any
	record             error
	away               bool
	hidden             bool // the credentials, by what stands before Keystone
	refuses            bool
	lost               bool // so is the answer to a request that is refused when it is repeated
	asked              []string
}

func (k *roleKeeper) AddGrant(context.Context, unit.Grant) error {
	k.asked = append(k.asked, "record")
	return k.record
}

func (k *roleKeeper) DropGrant(context.Context, unit.Grant) error {
	k.asked = append(k.asked, "forget")
	return nil
}

func (k *roleKeeper) Grants() []unit.Grant {
	return []unit.Grant{own(), {User: "us", Project: "home", Role: "r"}, {User: "left", Project: "p", Role: "r"}}
}

func (k *roleKeeper) driver(t *testing.T) *Driver {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	answer := func(w http.ResponseWriter, status int, body any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Subject-Token", "token")
		answer(w, http.StatusCreated, map[string]any{"token": map[string]any{
			"user": map[string]any{"id": "us", "domain": map[string]any{"id": "default"}}, "project": map[string]any{"id": "home"},
			"roles": []any{map[string]any{"name": "admin"}},
			"catalog": []any{map[string]any{"type": "identity", "endpoints": []any{
				map[string]any{"interface": "public", "region_id": "RegionOne", "region": "RegionOne", "url": server.URL + "/v3"},
			}}},
		}})
	})
	mux.HandleFunc("GET /v3/projects/p/users/us/roles", func(w http.ResponseWriter, _ *http.Request) {
		if k.away { // what stands before Keystone says so
			w.WriteHeader(http.StatusNotFound)
			return
		}
		answer(w, http.StatusOK, map[string]any{"roles": append([]map[string]any{}, k.roles...)})
	})
	for path, one := range map[string]string{"users/us": "user", "projects/p": "project"} {
		mux.HandleFunc("GET /v3/"+path, func(w http.ResponseWriter, _ *http.Request) {
			if k.away {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			answer(w, http.StatusOK, map[string]any{one: map[string]any{}})
		})
	}
	for _, path := range []string{"users/left/", "projects/p/users/left/roles"} {
		mux.HandleFunc("GET /v3/"+path, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusNotFound, map[string]any{}) })
	}
	mux.HandleFunc("GET /v3/users/us/application_credentials", func(w http.ResponseWriter, _ *http.Request) {
		if k.hidden {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		answer(w, http.StatusOK, map[string]any{"application_credentials": append([]map[string]any{}, k.credentials...)})
	})
	mux.HandleFunc("/v3/projects/{project}/users/us/roles/r", func(w http.ResponseWriter, r *http.Request) {
		k.asked = append(k.asked, r.Method)
		switch {
		case k.refuses:
			if k.lost {
				k.roles = []map[string]any{{"id": "r"}}
			}
			w.WriteHeader(http.StatusForbidden)
		case k.away:
			w.WriteHeader(http.StatusNotFound)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
	d := New(Options{Language: schema.New(), Grants: k, Connect: func(context.Context) (Credentials, error) {
		return FromVariables(map[string]string{
			"OS_AUTH_URL": server.URL, "OS_REGION_NAME": "RegionOne", "OS_USERNAME": "ops", "OS_PASSWORD": "pretended", "OS_USER_DOMAIN_ID": "default", "OS_PROJECT_ID": "home",
		}), nil
	}})
	t.Cleanup(d.Close)
	return d
}

// own is the role that the tests are about.
func own() unit.Grant { return unit.Grant{User: "us", Project: "p", Role: "r"} }

// TestRolesGoOnRecordFirst: without a record there is no role, and a role that is there is not ours.
func TestRolesGoOnRecordFirst(t *testing.T) {
	broken := errors.New("the store does not answer")
	for _, test := range []struct {
		name  string
		roles []map[string]any
		fails error
		want  []string
	}{
		{"there is none", nil, nil, []string{"record", http.MethodPut}},
		{"the record cannot be written", nil, broken, []string{"record"}},
		{"somebody else gave it", []map[string]any{{"id": "r"}}, nil, nil},
		{"somebody else gave another one", []map[string]any{{"id": "other"}}, nil, []string{"record", http.MethodPut}},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := &roleKeeper{roles: test.roles, record: test.fails}
			s, err := k.driver(t).connector.session(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := s.grant(t.Context(), own()); !errors.Is(err, test.fails) || !slices.Equal(k.asked, test.want) {
				t.Errorf("%v, and done was %v", err, k.asked)
			}
		})
	}
}

// TestRolesThatAreNotGiven: what Keystone refuses is not on record, as whoever gives it later is somebody else. What
// it gave before the request was repeated is.
func TestRolesThatAreNotGiven(t *testing.T) {
	for lost, want := range map[bool][]string{false: {"record", http.MethodPut, "forget"}, true: {"record", http.MethodPut}} {
		k := &roleKeeper{refuses: true, lost: lost}
		s, err := k.driver(t).connector.session(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.grant(t.Context(), own()); err == nil || !slices.Equal(k.asked, want) {
			t.Errorf("an answer was lost: %t: %v, and done was %v", lost, err, k.asked)
		}
	}
}

// TestRolesOfAKeystoneThatIsAway: that nothing is found there is no reason to forget a role.
func TestRolesOfAKeystoneThatIsAway(t *testing.T) {
	k := &roleKeeper{away: true}
	if err := k.driver(t).TakeBack(t.Context(), own(), func() bool { return true }); err == nil || slices.Contains(k.asked, "forget") {
		t.Errorf("%v, and done was %v", err, k.asked)
	}
}

// TestRolesWhileCredentialsCannotBeSeen: they would go with the role, and that there are none is not known.
func TestRolesWhileCredentialsCannotBeSeen(t *testing.T) {
	k := &roleKeeper{hidden: true, roles: []map[string]any{{"id": "r"}}}
	if err := k.driver(t).TakeBack(t.Context(), own(), func() bool { return true }); err == nil || len(k.asked) > 0 {
		t.Errorf("%v, and done was %v", err, k.asked)
	}
}

// TestRolesGoWithTheirProject: none of a project that was deleted stays on record.
func TestRolesGoWithTheirProject(t *testing.T) {
	k := &roleKeeper{}
	s, err := k.driver(t).connector.session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ungrant(t.Context(), "q"); err != nil || len(k.asked) > 0 {
		t.Errorf("another project: %v, and done was %v", err, k.asked)
	}
	if err := s.ungrant(t.Context(), "p"); err != nil || !slices.Equal(k.asked, []string{"forget", "forget"}) {
		t.Errorf("%v, and done was %v", err, k.asked)
	}
}

// TestRolesAreTakenBack: first in Keystone, then from the record, and never with what others need.
func TestRolesAreTakenBack(t *testing.T) {
	in := func(project, user string) unit.Grant { return unit.Grant{User: user, Project: project, Role: "r"} }
	for _, test := range []struct {
		name        string
		grant       unit.Grant
		credentials []map[string]any
		needed      bool
		want        []string
		why         string
	}{
		{"nothing needs it", own(), nil, false, []string{http.MethodDelete, "forget"}, ""},
		{"something needs it by now", own(), nil, true, nil, ""},
		{"a credential in another project", own(), []map[string]any{{"name": "ci", "project_id": "q"}}, false, []string{http.MethodDelete, "forget"}, ""},
		{"a credential that would go with it", own(), []map[string]any{{"name": "ci", "project_id": "p"}}, false, nil, `"ci" of our user would go with it`},
		{"our own project", in("home", "us"), nil, false, nil, "our user's own project"},
		{"of a user that is gone", in("p", "left"), nil, false, []string{"forget"}, ""},
		{"not on record", in("q", "us"), nil, false, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := &roleKeeper{credentials: test.credentials}
			err := k.driver(t).TakeBack(t.Context(), test.grant, func() bool { return !test.needed })
			if (err == nil) != (test.why == "") || err != nil && !strings.Contains(err.Error(), test.why) || !slices.Equal(k.asked, test.want) {
				t.Errorf("%v, and done was %v", err, k.asked)
			}
		})
	}
}

// TestWhatNeedsARole are the kinds that a session in their project makes, an assignment that is the same, and the project as it goes.
func TestWhatNeedsARole(t *testing.T) {
	d := (&roleKeeper{}).driver(t)
	for _, test := range []struct {
		kind, project, id string
		want              bool
	}{
		{"instance", "p", "i1", true},
		{"instance", "q", "i1", false},
		{"instance", "", "", true}, // nobody knows where
		{"volume", "p", "v1", true},
		{"snapshot", "p", "s1", true},
		{"server_group", "p", "g1", true},
		{"application_credential", "p", "c1", true},
		{unit.KindSmokeTest, "p", "", true},
		{unit.KindSmokeTest, "q", "", false},
		{"network", "p", "n1", false},
		{"project", "", "p", false},
		{"project, which is to go", "", "p", true},
		{"project, which is to go", "", "q", false},
		{"network, which is to go", "p", "n1", false},
		{"role_assignment", "", "user/us/project/p/role/r", true},
		{"role_assignment", "", "user/us/project/p/role/other", false},
		{"role_assignment", "", "", true}, // not known yet
	} {
		kind, _, goes := strings.Cut(test.kind, ", which is to go")
		if got := d.Needs(own(), unit.Locator{Driver: unit.OpenStack, Kind: kind, Project: test.project}, test.id, goes); got != test.want {
			t.Errorf("%s %q in %q: %t", test.kind, test.id, test.project, got)
		}
	}
}
