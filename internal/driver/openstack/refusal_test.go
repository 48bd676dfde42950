package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// refuser is a cloud whose Keystone and Neutron can be told to answer 401, or not at all.
type refuser struct {
	*httptest.Server
	*Driver
	logins, lists                 atomic.Int32
	noLogin, noToken              atomic.Bool
	silentKeystone, silentNeutron atomic.Bool
	another                       atomic.Bool // cloud has the address, which knows nothing of the tokens and objects of this one
	regions                       []string    // of Neutron

	mu          sync.Mutex
	now         time.Time
	credentials Credentials
}

func newRefuser(t *testing.T, options Options, regions ...string) *refuser {
	t.Helper()
	r := &refuser{regions: regions, now: time.Now()}
	silence := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		r.logins.Add(1)
		switch {
		case r.silentKeystone.Load():
			<-silence
		case r.noLogin.Load():
			w.WriteHeader(http.StatusUnauthorized)
		default:
			w.Header().Set("X-Subject-Token", fmt.Sprintf("token-%s-%d", r.project(), r.logins.Load()))
			w.WriteHeader(http.StatusCreated)
			_ = json.NewEncoder(w).Encode(r.token())
		}
	})
	mux.HandleFunc("GET /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(r.token())
	})
	mux.HandleFunc("GET /{region}/v2.0/networks", func(w http.ResponseWriter, request *http.Request) {
		r.lists.Add(1)
		switch {
		case r.silentNeutron.Load():
			<-silence
		case r.noToken.Load(), !strings.HasPrefix(request.Header.Get("X-Auth-Token"), "token-"+r.project()+"-"):
			w.WriteHeader(http.StatusUnauthorized)
		default:
			_, _ = w.Write([]byte(`{"networks": []}`))
		}
	})
	mux.HandleFunc("GET /{region}/v2.0/networks/{id}", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("{}"))
	})
	r.Server = httptest.NewServer(mux)
	t.Cleanup(r.Server.Close)
	t.Cleanup(func() { close(silence) })
	r.credentials = FromVariables(map[string]string{
		"OS_AUTH_URL": r.URL, "OS_USERNAME": "ops", "OS_PASSWORD": "first-password", "OS_USER_DOMAIN_ID": "default", "OS_PROJECT_ID": "p1",
	})
	options.Language = schema.New()
	options.Connect = func(context.Context) (Credentials, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.credentials, nil
	}
	r.Driver = New(options)
	t.Cleanup(r.Driver.Close)
	r.connector.refusals.now = func() time.Time {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.now
	}
	return r
}

func (r *refuser) token() any {
	var endpoints, keystone []any
	for _, region := range r.regions {
		keystone = append(keystone, map[string]any{"interface": "public", "region": region, "region_id": region, "url": r.URL + "/v3"})
		endpoints = append(endpoints, map[string]any{"interface": "public", "region": region, "region_id": region, "url": r.URL + "/" + region + "/v2.0"})
	}
	return map[string]any{"token": map[string]any{
		"user": map[string]any{"id": "u1", "domain": map[string]any{"id": "default"}}, "project": map[string]any{"id": r.project()},
		"catalog": []any{
			map[string]any{"type": "network", "endpoints": endpoints},
			map[string]any{"type": "identity", "endpoints": keystone},
		},
		"roles": []any{map[string]any{"name": "admin"}},
	}}
}

// project is our user's, which is called the same in any cloud and has another id in each.
func (r *refuser) project() string {
	if r.another.Load() {
		return "p2"
	}
	return "p1"
}

func (r *refuser) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

func (r *refuser) give(change func(*Credentials)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.credentials)
}

// some are networks that nothing is known of, in a region.
func some(t *testing.T, region string, labels ...string) []unit.Target {
	t.Helper()
	var targets []unit.Target
	for _, label := range labels {
		address, err := addr.NewObject(addr.Module{}, addr.Managed, "network", label, addr.Key{})
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, unit.Target{Address: address, Locator: unit.Locator{Kind: "network", Region: region}, Mark: "kupenstack:" + label})
	}
	return targets
}

// storm has many callers call for a while, as units do that are tried again.
func (r *refuser) storm(t *testing.T, targets []unit.Target) {
	t.Helper()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 10 {
				states, err := r.Observe(t.Context(), slices.Clone(targets))
				if !unit.IsBlocked(err) || states[targets[0].Address].Message != err.Error() || !strings.Contains(err.Error(), "refused the credentials of the user ops") {
					t.Errorf("got %+v, %v", states, err)
				}
				if _, err := r.Delete(t.Context(), targets[0], unit.State{Existence: unit.Present, ID: "n1", Owned: true}); !unit.IsBlocked(err) {
					t.Errorf("delete: %v", err)
				}
			}
		})
	}
	group.Wait()
}

func TestRefusedCredentialsAreNotTriedAgain(t *testing.T) {
	r := newRefuser(t, Options{}, "here")
	r.noLogin.Store(true)
	targets := some(t, "", "a", "b")
	logins := func(when string, want int32) {
		t.Helper()
		if n := r.logins.Load(); n != want {
			t.Errorf("%s: %d logins, want %d", when, n, want)
		}
	}
	r.storm(t, targets)
	logins("at first", 1)
	for i, wait := range []time.Duration{5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute, 30 * time.Minute} {
		r.pass(wait - time.Second)
		r.storm(t, targets)
		logins(fmt.Sprint("just before ", wait), int32(i+1))
		r.pass(wait/10 + time.Second)
		r.storm(t, targets)
		logins(fmt.Sprint("after ", wait), int32(i+2))
	}
	r.give(func(c *Credentials) { c.Password = redact.NewSecret("second-password") })
	r.pass(rereadPause)
	r.storm(t, targets)
	logins("with other credentials", 7)
	r.noLogin.Store(false)
	r.give(func(c *Credentials) { c.Password = redact.NewSecret("third-password") })
	r.pass(rereadPause)
	if _, err := r.Observe(t.Context(), targets); err != nil {
		t.Error(err)
	}
	logins("with good ones", 8)
}

func TestCredentialsThatAreRefusedLater(t *testing.T) {
	r := newRefuser(t, Options{}, "here")
	targets := some(t, "", "a")
	if _, err := r.Observe(t.Context(), targets); err != nil {
		t.Fatal(err)
	}
	r.noLogin.Store(true)
	r.noToken.Store(true)
	r.storm(t, targets)
	if logins := r.logins.Load(); logins != 2 { // the good one, and the attempt to renew its token
		t.Errorf("%d logins", logins)
	}
	before := r.lists.Load()
	r.storm(t, targets)
	if n := r.lists.Load() - before; n != 0 {
		t.Errorf("%d requests with a dead token", n)
	}
}

func TestNewTokensThatAServiceRefuses(t *testing.T) {
	r := newRefuser(t, Options{}, "here")
	r.noToken.Store(true)
	for range 20 {
		if _, err := r.Observe(t.Context(), some(t, "", "a")); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "network service refuses a token") {
			t.Errorf("got %v", err)
		}
	}
	if n := r.logins.Load(); n != 2 {
		t.Errorf("%d logins", n)
	}
	r.noToken.Store(false)
	if _, err := r.Observe(t.Context(), some(t, "", "a")); err != nil {
		t.Error(err)
	}
}

func TestProjectsWithoutARole(t *testing.T) {
	r := newRefuser(t, Options{}, "here")
	if _, err := r.connector.session(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.noLogin.Store(true)
	for range 5 {
		if _, err := r.connector.in(t.Context(), "p2"); !errors.Is(err, errNoRole) {
			t.Errorf("got %v", err)
		}
		r.connector.refusals.again(login{r.credentials.digest(), "p2"})
	}
	if n := r.logins.Load(); n != 3 { // our own, the first one, and one with the role
		t.Errorf("%d logins", n)
	}
	r.noLogin.Store(false)
	r.pass(noRolePause)
	if _, err := r.connector.in(t.Context(), "p2"); err != nil {
		t.Error(err)
	}
}

func TestDigestOfCredentialsHasAllParts(t *testing.T) {
	var plain Credentials
	seen := map[[32]byte]int{plain.digest(): -1}
	for i, change := range []func(*Credentials){
		func(c *Credentials) { c.AuthURL = "x" }, func(c *Credentials) { c.Region = "x" }, func(c *Credentials) { c.Interface = "x" },
		func(c *Credentials) { c.CA = "x" }, func(c *Credentials) { c.UserID = "x" }, func(c *Credentials) { c.Username = "x" },
		func(c *Credentials) { c.UserDomainID = "x" }, func(c *Credentials) { c.UserDomainName = "x" },
		func(c *Credentials) { c.Password = redact.NewSecret("x") }, func(c *Credentials) { c.ProjectID = "x" },
		func(c *Credentials) { c.ProjectName = "x" }, func(c *Credentials) { c.ProjectDomainID = "x" },
		func(c *Credentials) { c.ProjectDomainName = "x" }, func(c *Credentials) { c.ApplicationCredentialID = "x" },
		func(c *Credentials) { c.ApplicationCredentialName = "x" },
		func(c *Credentials) { c.ApplicationCredentialSecret = redact.NewSecret("x") },
	} {
		var c Credentials
		change(&c)
		if other, double := seen[c.digest()]; double {
			t.Errorf("the changes %d and %d give the same digest", other, i)
		}
		seen[c.digest()] = i
	}
}
