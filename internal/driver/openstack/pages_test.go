package openstack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// pretend serves tokens and what networks gives for lists of them, and for one that is asked for by its
// id under the key "network", and returns a driver for it. The real
// services cannot be made to have thousands of objects in a test.
func pretend(t testing.TB, networks func(r *http.Request) any) *openstack.Driver {
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
			"user": map[string]any{"id": "u1", "name": "ops", "domain": map[string]any{"id": "default"}}, "project": map[string]any{"id": "p1"},
			"catalog": []any{map[string]any{"type": "network", "endpoints": []any{
				map[string]any{"interface": "public", "region_id": "here", "region": "here", "url": server.URL},
			}}, map[string]any{"type": "image", "endpoints": []any{
				map[string]any{"interface": "public", "region_id": "here", "region": "here", "url": server.URL},
			}}, map[string]any{"type": "compute", "endpoints": []any{
				map[string]any{"interface": "public", "region_id": "here", "region": "here", "url": server.URL},
			}}},
		}})
	})
	mux.HandleFunc("GET /v2.1/os-server-groups", func(w http.ResponseWriter, r *http.Request) { answer(w, http.StatusOK, networks(r)) })
	mux.HandleFunc("GET /v2.1/os-server-groups/{id}", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusNotFound, map[string]any{}) })
	for _, path := range []string{"GET /v2.1/os-aggregates", "GET /v2.1/os-aggregates/{id}", "PUT /v2.1/os-aggregates/{id}", "POST /v2.1/os-aggregates/{id}/action", "GET /v2.1/os-services"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			body := networks(r)
			if body == nil {
				answer(w, http.StatusForbidden, map[string]any{})
				return
			}
			answer(w, http.StatusOK, body)
		})
	}
	mux.HandleFunc("GET /v2/images", func(w http.ResponseWriter, r *http.Request) { answer(w, http.StatusOK, networks(r)) })
	mux.HandleFunc("GET /v2.0/networks", func(w http.ResponseWriter, r *http.Request) {
		body := networks(r)
		if body == nil { // as of a marker that is not there
			answer(w, http.StatusNotFound, map[string]any{})
			return
		}
		answer(w, http.StatusOK, body)
	})
	mux.HandleFunc("GET /v2.0/networks/{id}", func(w http.ResponseWriter, r *http.Request) {
		body, _ := networks(r).(map[string]any)
		if body["network"] == nil {
			answer(w, http.StatusNotFound, map[string]any{})
			return
		}
		answer(w, http.StatusOK, body)
	})
	d := openstack.New(openstack.Options{Language: language(), Connect: func(context.Context) (openstack.Credentials, error) {
		return openstack.FromVariables(map[string]string{
			"OS_AUTH_URL": server.URL, "OS_REGION_NAME": "here", "OS_USERNAME": "ops", "OS_PASSWORD": "pretended", "OS_USER_DOMAIN_ID": "default",
			"OS_PROJECT_ID": "p1",
		}), nil
	}})
	t.Cleanup(d.Close)
	return d
}

// page is one page of a list, with a link to the next one at an address that nobody can reach.
func page(next string, ids ...string) map[string]any {
	list := []any{}
	for _, id := range ids {
		list = append(list, map[string]any{"id": id, "name": "name-" + id, "project_id": "p1", "description": "[kupenstack:" + id + "]"})
	}
	body := map[string]any{"networks": list}
	if next != "" {
		body["networks_links"] = []any{map[string]any{"rel": "next", "href": "http://inside.invalid:9696/v2.0/networks?limit=1000&marker=" + next}}
	}
	return body
}

func TestEveryPageIsRead(t *testing.T) {
	d := pretend(t, func(r *http.Request) any {
		return map[string]any{"": page("b", "a", "b"), "b": page("c", "c"), "c": page("", "d")}[r.URL.Query().Get("marker")]
	})
	last := target(t, "network", "last", values{})
	last.Mark = "kupenstack:d"
	states, err := d.Observe(t.Context(), []unit.Target{last})
	if st := states[last.Address]; err != nil || st.ID != "d" || !st.Owned {
		t.Errorf("got %+v, %v", st, err)
	}
}

// TestDeletedMarkers has objects deleted between two pages.
func TestDeletedMarkers(t *testing.T) {
	many := func(n int) (ids []string) {
		for i := range n {
			ids = append(ids, fmt.Sprintf("m%03d", i))
		}
		return ids
	}
	for name, test := range map[string]struct {
		answers map[string]any
		ends    string
	}{
		"the last of a page":               {answers: map[string]any{"": page("b", "a", "b"), "a": page("c", "c"), "c": page("", "d")}},
		"a page but for its first":         {answers: map[string]any{"": page("b", "a", "b"), "b": page("f", "c", "e", "f"), "c": page("", "d")}},
		"a whole page":                     {answers: map[string]any{"": page("b", "a", "b"), "b": page("e", "c", "e"), "e": nil}},
		"one, and the first page again":    {answers: map[string]any{"": page("b", "a", "b"), "b": page("e", "c", "e"), "e": page("g", "a", "f", "g"), "c": page("", "d")}},
		"all that a long page's end tells": {answers: map[string]any{"": page("m099", many(100)...)}, ends: "404"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			d := pretend(t, func(r *http.Request) any {
				marker := r.URL.Query().Get("marker")
				again := slices.Contains(asked, marker)
				asked = append(asked, marker)
				if again && name == "a whole page" {
					return page("", "d")
				}
				return test.answers[marker]
			})
			last := target(t, "network", "last", values{})
			last.Mark = "kupenstack:d"
			states, err := d.Observe(t.Context(), []unit.Target{last})
			st := states[last.Address]
			if test.ends != "" {
				if err == nil || !strings.Contains(err.Error(), test.ends) || st.Existence != unit.Unknown || len(asked) > 40 {
					t.Errorf("got %+v, %v after %d requests", st, err, len(asked))
				}
				return
			}
			if err != nil || st.ID != "d" || !st.Owned {
				t.Errorf("got %+v, %v after %q", st, err, asked)
			}
		})
	}
}

// TestDeletedBetweenPagesByNumber has a server group deleted after the first page, so that all others move up.
func TestDeletedBetweenPagesByNumber(t *testing.T) {
	var groups []any
	for i := range 120 {
		id := fmt.Sprintf("g%03d", i)
		groups = append(groups, map[string]any{"id": id, "name": id, "project_id": "p1", "policy": "affinity", "rules": map[string]any{}, "members": []any{}})
	}
	asked := 0
	d := pretend(t, func(r *http.Request) any {
		offset, err := strconv.Atoi(r.URL.Query().Get("offset"))
		if err != nil {
			t.Error(err)
		}
		if asked++; asked == 2 {
			groups = slices.Delete(groups, 10, 11)
		}
		return map[string]any{"server_groups": groups[min(offset, len(groups)):min(offset+60, len(groups))]}
	})
	var all []unit.Target
	for i := range 120 {
		id := fmt.Sprintf("g%03d", i)
		tg := target(t, "server_group", id, values{"policy": text("affinity")})
		tg.ID, tg.Fresh = id, false
		all = append(all, tg)
	}
	states, err := d.Observe(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for _, tg := range all {
		if there := states[tg.Address].Existence == unit.Present; there == (tg.ID == "g010") {
			t.Errorf("%s is there: %v", tg.ID, there)
		}
	}
}

func TestListsThatNeverEndAreErrors(t *testing.T) {
	count := 0
	for name, networks := range map[string]func(*http.Request) any{
		"in a circle": func(*http.Request) any { return page("a", "a") },
		"without end": func(*http.Request) any { count++; return page(fmt.Sprint(count), "a") },
	} {
		t.Run(name, func(t *testing.T) {
			d := pretend(t, networks)
			tg := target(t, "network", "x", values{})
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if st := states[tg.Address]; err == nil || st.Existence != unit.Unknown || st.Message != strings.ReplaceAll(err.Error(), "\n", " ") {
				t.Errorf("got %+v, %v", st, err)
			}
		})
	}
}

func TestServicesThatAreNotThere(t *testing.T) {
	d := pretend(t, func(*http.Request) any { return page("") })
	network, volume := target(t, "network", "x", values{}), target(t, "volume", "x", values{})
	states, err := d.Observe(t.Context(), []unit.Target{network, volume})
	if err == nil || !strings.Contains(err.Error(), `no public endpoint of the block-storage service in the region "here"`) {
		t.Errorf("got %v", err)
	}
	if st := states[volume.Address]; !states[network.Address].Gone() || st.Existence != unit.Unknown || !strings.Contains(st.Message, "block-storage service") {
		t.Errorf("the states are %+v", states)
	}
}

func TestTwoWithOneMark(t *testing.T) {
	d := pretend(t, func(*http.Request) any {
		body := page("", "a", "b")
		for _, n := range body["networks"].([]any) {
			n.(map[string]any)["description"] = "[kupenstack:same]"
		}
		return body
	})
	tg := target(t, "network", "x", values{})
	tg.Mark = "kupenstack:same"
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	st := states[tg.Address]
	if diff := d.Compare(tg, wantedOf(tg), st); err != nil || diff.Action != unit.ActionBlocked || len(st.Candidates) != 2 {
		t.Errorf("got %+v, %+v, %v", diff, st, err)
	}
}
