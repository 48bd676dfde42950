//go:build beds

package faultproxy_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// startNetworks is a service that creates networks, whose ids are others each time, and answers whatever is asked about them.
func startNetworks(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body := map[string]map[string]string{"network": {}}
		if r.Method == http.MethodPost {
			_ = json.NewDecoder(r.Body).Decode(&body)
			body["network"]["id"] = fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
			w.WriteHeader(http.StatusCreated)
		}
		_ = json.NewEncoder(w).Encode(body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// drawn is which requests a seed fails of clients that create networks in an order of chance, all at once, and then change
// each of them and look at it, several times.
func drawn(t *testing.T, seed uint64, rule faultproxy.Rule) []string {
	t.Helper()
	prefix := fmt.Sprintf("p%d-", rand.Uint32())
	control := faultproxy.NewControl(seed)
	control.Alias(prefix, "")
	fleet := faultproxy.StartFleet(t, map[string]string{"network": startNetworks(t)}, faultproxy.Options{
		Control: control, Ahead: faultproxy.Creates,
	})
	var mu sync.Mutex
	var failed []string
	names := map[string]string{} // by the ends of paths
	rule.Action = faultproxy.Wrap("seen", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			said := string(faultproxy.Body(r))
			mu.Lock()
			for id, name := range names {
				if strings.HasSuffix(r.URL.Path, id) {
					said = name
				}
			}
			failed = append(failed, r.Method+" "+strings.ReplaceAll(said, prefix, ""))
			mu.Unlock()
			next.ServeHTTP(w, r)
		})
	})
	fleet.Add(rule)
	var all sync.WaitGroup
	for _, i := range rand.Perm(20) {
		client := newClient(t, nil)
		all.Go(func() {
			name := fmt.Sprint(prefix, i)
			status, text, _, err := do(t, client, "POST", fleet.URL("network")+"/v2.0/networks", strings.NewReader(`{"network":{"name":"`+name+`"}}`))
			var made struct{ Network struct{ ID string } }
			if err != nil || status != http.StatusCreated || json.Unmarshal([]byte(text), &made) != nil {
				t.Errorf("%d %s %v", status, text, err)
				return
			}
			mu.Lock()
			names[made.Network.ID] = name
			mu.Unlock()
			for range 3 {
				for _, method := range []string{"PUT", "GET"} {
					if _, _, _, err := do(t, client, method, fleet.URL("network")+"/v2.0/networks/"+made.Network.ID, nil); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	slices.Sort(failed)
	return failed
}

// One seed fails the same requests in each run, in whatever order they come, and whatever names and ids the run gives.
func TestChanceGoesByWhatARequestIsAbout(t *testing.T) {
	for name, rule := range map[string]faultproxy.Rule{
		"chance": {Probability: 0.3}, "chance for the first ones": {Probability: 0.3, First: 2},
	} {
		t.Run(name, func(t *testing.T) {
			want := drawn(t, 42, rule)
			if len(want) < 10 || len(want) > 80 {
				t.Errorf("of 140 requests these are drawn: %q", want)
			}
			for range 5 {
				if got := drawn(t, 42, rule); !slices.Equal(got, want) {
					t.Errorf("the same seed draws\n%q and then\n%q", want, got)
				}
			}
			if got := drawn(t, 43, rule); slices.Equal(got, want) {
				t.Error("another seed draws the same")
			}
		})
	}
}

func TestFirstAndLatest(t *testing.T) {
	server, client := startTarget(t), newClient(t, nil)
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	first := proxy.Add(faultproxy.Rule{First: 2})
	never := proxy.Add(faultproxy.Rule{Probability: 1e-9})
	latest := proxy.Add(faultproxy.Rule{Probability: 1e-9, Latest: 5, Limit: 1})
	get := func(path string) {
		t.Helper()
		if _, _, _, err := do(t, client, "GET", proxy.URL()+path, nil); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		get("/a")
		if got := first.Fired(); got != min(i+1, 2) {
			t.Errorf("after %d requests of a kind it has fired %d times", i+1, got)
		}
	}
	if got := latest.Fired(); got != 0 {
		t.Errorf("it has fired %d times before the latest", got)
	}
	for range 3 {
		get("/b")
	}
	if first.Fired() != 4 || latest.Fired() != 1 || never.Fired() != 0 {
		t.Errorf("they have fired %d, %d and %d times", first.Fired(), latest.Fired(), never.Fired())
	}
	since := proxy.Add(faultproxy.Rule{First: 1})
	get("/a")
	if since.Fired() != 1 {
		t.Error("requests from before the rule count")
	}
}

// Of what Kubernetes is to create the name is in the body, too.
func TestChanceGoesByTheNamesOfKubernetes(t *testing.T) {
	server, client := startTarget(t), newClient(t, nil)
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL, Classify: faultproxy.ClassifyKubernetes, Ahead: faultproxy.Creates})
	first := proxy.Add(faultproxy.Rule{First: 1})
	for _, name := range []string{"a", "b", "a"} {
		body := strings.NewReader(`{"kind":"Secret","metadata":{"name":"` + name + `"},"data":{}}`)
		if _, _, _, err := do(t, client, "POST", proxy.URL()+"/api/v1/namespaces/n/secrets", body); err != nil {
			t.Fatal(err)
		}
	}
	if first.Fired() != 2 {
		t.Errorf("of two things there were %d first requests", first.Fired())
	}
}
