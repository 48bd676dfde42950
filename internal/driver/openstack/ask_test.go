package openstack_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const requestOf = "req-01234567-89ab-cdef-0123-456789abcdef"

// asked is an OpenStack with all services, one of which answers as a test says.
type asked struct {
	answer  http.HandlerFunc // of what is asked
	login   int              // the status of logins; 0 for a token
	roles   []string
	without string // the service that the catalogue does not have

	url   string
	mutex sync.Mutex
	seen  []string // questions, with their queries
}

func (a *asked) driver(t *testing.T) *openstack.Driver {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	a.url = server.URL
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		a.mutex.Lock()
		a.seen = append(a.seen, r.URL.RequestURI())
		a.mutex.Unlock()
		a.answer(w, r)
	})
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		if a.login != 0 {
			w.WriteHeader(a.login)
			return
		}
		var catalog, roles []any
		for kind, path := range map[string]string{
			"identity": "/v3", "image": "/image", "placement": "/placement/", "network": "/network", "compute": "/v2.1", "block-storage": "/v3/p1",
			"sharev2": "/v2/p1", "orchestration": "/v1/p1", "dns": "/dns", "baremetal": "", "key-manager": "/key", "container-infra": "/v1", "load-balancer": "/balance",
		} {
			if kind != a.without {
				catalog = append(catalog, map[string]any{"type": kind, "endpoints": []any{
					map[string]any{"interface": "public", "region_id": "here", "region": "here", "url": server.URL + path},
				}})
			}
		}
		for _, role := range a.roles {
			roles = append(roles, map[string]any{"id": role, "name": role})
		}
		w.Header().Set("X-Subject-Token", "token")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{
			"user": map[string]any{"id": "u1", "name": "ops"}, "project": map[string]any{"id": "p1"}, "catalog": catalog, "roles": roles,
		}})
	})
	return a.at(t, server.URL)
}

func (a *asked) at(t *testing.T, url string) *openstack.Driver {
	t.Helper()
	d := openstack.New(openstack.Options{Language: language(), Connect: func(context.Context) (openstack.Credentials, error) {
		return credentialsAt(url), nil
	}})
	t.Cleanup(d.Close)
	return d
}

func credentialsAt(url string) openstack.Credentials {
	return openstack.FromVariables(map[string]string{
		"OS_AUTH_URL": url, "OS_REGION_NAME": "here", "OS_USERNAME": "ops", "OS_PASSWORD": "pretended", "OS_USER_DOMAIN_ID": "default", "OS_PROJECT_ID": "p1",
	})
}

// says answers with a status and a text.
func says(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Openstack-Request-Id", requestOf)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}
}

func TestServicesAreAskedWhatTheyNeedTheirDatabaseFor(t *testing.T) {
	for service, want := range map[string]string{
		"identity": "/v3/auth/projects", "image": "/image/v2/images?limit=1", "placement": "/placement/resource_providers?name=kupenstack",
		"sharev2": "/v2/p1/shares?limit=1", "orchestration": "/v1/p1/stacks?limit=1", "dns": "/dns/v2/zones?limit=1", "baremetal": "/v1/nodes?limit=1", "key-manager": "/key/v1/secrets?limit=1",
		"container-infra": "/v1/clusters?limit=1", "load-balancer": "/balance/v2/lbaas/loadbalancers?limit=1", "volumev3": "/v3/p1/os-services",
		"compute": "/v2.1/os-services?limit=1000",
		"network": "/network/v2.0/agents?fields=host&fields=agent_type&fields=binary&fields=alive&fields=admin_state_up&fields=heartbeat_timestamp&limit=1000",
	} {
		cloud := &asked{roles: []string{"admin"}, answer: says(http.StatusOK, `{"projects": [], "images": [], "resource_providers": [], "shares": [], "stacks": [],
			"zones": [], "nodes": [], "secrets": [], "clusters": [], "loadbalancers": [], "agents": [],
			"services": [{"binary": "nova-conductor", "host": "a", "state": "up", "status": "enabled"}, {"binary": "nova-scheduler", "host": "a", "state": "up", "status": "enabled"},
				{"binary": "cinder-scheduler", "host": "a", "state": "up", "status": "enabled"}, {"binary": "cinder-volume", "host": "a", "state": "up", "status": "enabled"}]}`)}
		answer := cloud.driver(t).Ask(t.Context(), unit.API{Service: service})
		if answer.Reach != unit.ReachAnswers || !slices.Equal(cloud.seen, []string{want}) {
			t.Errorf("%s was asked %q: %+v", service, cloud.seen, answer)
		}
	}
	cloud := &asked{answer: says(http.StatusOK, `{}`)}
	if answer := cloud.driver(t).Ask(t.Context(), unit.API{Service: "fortune"}); answer != (unit.Answer{}) || len(cloud.seen) > 0 {
		t.Errorf("nobody knows what to ask, but %+v, %q", answer, cloud.seen)
	}
}

func TestWhatServicesAnswer(t *testing.T) {
	const agents = `{"services": [
		{"binary": "nova-conductor", "host": "c-old", "state": "down", "status": "enabled"}, {"binary": "nova-conductor", "host": "c", "state": "up", "status": "enabled"},
		{"binary": "nova-scheduler", "host": "s", "state": "up", "status": "enabled"}, {"binary": "nova-compute", "host": "w1.example.org", "state": "%1", "status": "enabled"},
		{"binary": "nova-compute", "host": "w2", "state": "%2", "status": "%3"}, {"binary": "nova-compute", "host": "gone", "state": "down", "status": "enabled"}],
		"hypervisors": [{"service": {"host": "w1.example.org"}}, {"service": {"host": "w2"}}, {"service": {"host": "gone"}}]}`
	nova := func(first, second, status string) http.HandlerFunc {
		return says(http.StatusOK, strings.NewReplacer("%1", first, "%2", second, "%3", status).Replace(agents))
	}
	neutron := func(alive string) http.HandlerFunc {
		return says(http.StatusOK, `{"agents": [{"binary": "ovn-controller", "agent_type": "OVN Controller agent", "host": "w1", "alive": `+alive+`, "admin_state_up": true}]}`)
	}
	computes := unit.API{Service: "compute", Hosts: []string{"w1", "w2"}}
	networks := unit.API{Service: "network", Hosts: []string{"w1"}}
	// with has pods of nova-compute work on nodes, or nobody know that.
	with := func(err error, nodes ...string) unit.API {
		api := computes
		api.Programs = []unit.Program{{Name: "nova-compute", DaemonSet: "nova-compute", Hosts: []string{"w1", "w2", "w3"}}}
		api.Running = func(context.Context, unit.Program) ([]string, error) { return nodes, err }
		return api
	}
	// reports has programs of a service report to it, by rows of its list.
	reports := func(key string, rows ...string) http.HandlerFunc {
		return says(http.StatusOK, `{"`+key+`": [`+strings.Join(rows, ", ")+`]}`)
	}
	shares := unit.API{Service: "sharev2", Parts: []string{"manila-scheduler", "manila-share"}}
	metal := unit.API{Service: "baremetal", Parts: []string{"ironic-conductor"}}
	stacks := unit.API{Service: "orchestration", Parts: []string{"heat-engine"}}
	names := unit.API{Service: "dns", Parts: []string{"designate-central", "designate-worker"}}
	central := `{"service_name": "central", "hostname": "c", "status": "UP", "heartbeated_at": "2026-04-15T13:50:50.000000"}`
	worker := func(host, at string) string {
		return `{"service_name": "worker", "hostname": "` + host + `", "status": "UP", "heartbeated_at": "` + at + `"}`
	}
	clusters := unit.API{Service: "container-infra", Parts: []string{"magnum-conductor"}}
	const scheduler = `{"binary": "manila-scheduler", "host": "s", "state": "up", "status": "enabled"}`
	image, volumes := unit.API{Service: "image"}, unit.API{Service: "volumev3"}
	backends := unit.API{Service: "volumev3", Parts: []string{"cinder-volume@fast", "cinder-volume@slow", "cinder-backup"}}
	cinder := func(fast, slow, backup, status string) http.HandlerFunc {
		return says(http.StatusOK, strings.NewReplacer("%1", fast, "%2", slow, "%3", backup, "%4", status).Replace(`{"services": [
			{"binary": "cinder-scheduler", "host": "s", "state": "up", "status": "enabled"}, {"binary": "cinder-volume", "host": "old@fast", "state": "down", "status": "enabled"},
			{"binary": "cinder-volume", "host": "c@fast", "state": "%1", "status": "enabled"}, {"binary": "cinder-volume", "host": "c@slow", "state": "%2", "status": "%4"},
			{"binary": "cinder-volume", "host": "c@gone", "state": "down", "status": "enabled"}, {"binary": "cinder-backup", "host": "c", "state": "%3", "status": "enabled"}]}`))
	}
	for _, test := range []struct {
		name    string
		api     unit.API
		answer  http.HandlerFunc
		roles   []string
		without string
		want    unit.Reach
		message string // a part of it, URL standing for the address
		request string
	}{
		{name: "unavailable", api: image, answer: says(503, `{"message": "no database"}`), want: unit.ReachRefuses, message: "GET URL/image/v2/images: 503 Service Unavailable: no database", request: requestOf},
		{name: "no token is good", api: image, answer: says(401, `{}`), want: unit.ReachRefuses, message: "refuses a token that Keystone has just given"},
		{name: "no right", api: image, answer: says(403, `{}`), want: unit.ReachAnswers},
		{name: "no such path", api: image, answer: says(404, `{}`), want: unit.ReachRefuses, message: "404 Not Found", request: requestOf},
		{name: "a page", api: image, answer: says(200, "<html>Welcome to nginx!</html>"), want: unit.ReachRefuses, message: "GET URL/image/v2/images: the answer could not be read"},
		{name: "another answer", api: image, answer: says(200, `{"versions": []}`), want: unit.ReachRefuses, message: "the answer has no images"},
		{name: "not in the catalogue", api: image, without: "image", want: unit.ReachRefuses, message: "has no public endpoint of the image service"},
		{name: "all up", api: computes, answer: nova("up", "up", "enabled"), want: unit.ReachAnswers},
		{name: "one down", api: computes, answer: nova("up", "down", "enabled"), want: unit.ReachRefuses, message: "GET URL/v2.1/os-services: nova-compute on w2 is down"},
		{name: "one out of use", api: computes, answer: nova("up", "down", "disabled"), want: unit.ReachAnswers},
		{name: "all down", api: computes, answer: nova("down", "down", "enabled"), want: unit.ReachRefuses, message: "no nova-compute is up"},
		{name: "one of no node", api: unit.API{Service: "compute", Hosts: []string{"w1"}}, answer: nova("up", "down", "enabled"), want: unit.ReachAnswers},
		{name: "one never came", api: with(nil, "w1", "w2", "w3"), answer: nova("up", "up", "enabled"), want: unit.ReachRefuses, message: "GET URL/v2.1/os-services: nova-compute on w3 has never reported"},
		{name: "one down and one never came", api: with(nil, "w1", "w2", "w3"), answer: nova("up", "down", "enabled"), want: unit.ReachRefuses, message: "nova-compute on w2 is down"},
		{name: "one runs nowhere", api: with(nil, "w1", "w2"), answer: nova("up", "up", "enabled"), want: unit.ReachAnswers},
		{name: "nobody knows where it runs", api: with(errors.New("forbidden")), answer: nova("up", "up", "enabled"), want: unit.ReachUnknown, message: "on which nodes pods of nova-compute work is not known: forbidden"},
		{name: "our user sees none that never came", api: with(nil, "w1"), answer: says(403, `{}`), want: unit.ReachAnswers},
		{name: "nothing that works", api: computes, answer: says(200, `{"services": []}`), roles: []string{"admin"}, want: unit.ReachRefuses, message: "no nova-conductor is up"},
		{name: "a cell that is down", api: computes, answer: says(200, `{"services": [{"binary": "nova-compute", "host": "w1", "status": "UNKNOWN"}]}`), want: unit.ReachUnknown, message: "does not tell"},
		{name: "agents alive", api: networks, answer: neutron("true"), want: unit.ReachAnswers},
		{name: "an agent dead", api: networks, answer: neutron("false"), want: unit.ReachRefuses, message: "GET URL/network/v2.0/agents: ovn-controller on w1 is down"},
		{name: "no agents", api: networks, answer: says(200, `{"agents": []}`), roles: []string{"admin"}, want: unit.ReachRefuses, message: "no agent has reported yet"},
		{name: "no agents that our user sees", api: networks, answer: says(200, `{"agents": []}`), roles: []string{"member"}, want: unit.ReachAnswers},
		{name: "no volumes", api: volumes, answer: says(200, `{"services": [{"binary": "cinder-scheduler", "host": "a", "state": "up", "status": "enabled"}]}`), want: unit.ReachRefuses, message: "no cinder-volume is up"},
		{name: "all backends up", api: backends, answer: cinder("up", "up", "up", "enabled"), want: unit.ReachAnswers},
		{name: "a backend down", api: backends, answer: cinder("up", "down", "up", "enabled"), want: unit.ReachRefuses, message: "GET URL/v3/p1/os-services: no cinder-volume of the backend slow is up"},
		{name: "a backend out of use", api: backends, answer: cinder("up", "down", "up", "disabled"), want: unit.ReachAnswers},
		{name: "a backend and backups down", api: backends, answer: cinder("down", "up", "down", "enabled"), want: unit.ReachRefuses, message: "no cinder-volume of the backend fast and no cinder-backup is up"},
		{name: "a backend that never came", api: unit.API{Service: "volumev3", Parts: []string{"cinder-volume@other"}}, answer: cinder("up", "up", "up", "enabled"), want: unit.ReachRefuses, message: "no cinder-volume of the backend other is up"},
		{name: "shares", api: shares, answer: reports("services", scheduler, `{"binary": "manila-share", "host": "a@b", "state": "up", "status": "enabled"}`), want: unit.ReachAnswers},
		{name: "no shares", api: shares, answer: reports("services", scheduler, `{"binary": "manila-share", "host": "a@b", "state": "down", "status": "enabled"}`), want: unit.ReachRefuses, message: "GET URL/v2/p1/services: no manila-share is up"},
		{name: "bare metal", api: metal, answer: reports("conductors", `{"hostname": "old", "alive": false}`, `{"hostname": "c", "alive": true}`), want: unit.ReachAnswers},
		{name: "no bare metal", api: metal, answer: reports("conductors", `{"hostname": "c", "alive": false}`), want: unit.ReachRefuses, message: "GET URL/v1/conductors: no ironic-conductor is up"},
		{name: "stacks", api: stacks, answer: reports("services", `{"binary": "heat-engine", "host": "e", "status": "down"}`, `{"binary": "heat-engine", "host": "e", "status": "up"}`), want: unit.ReachAnswers},
		{name: "no stacks", api: stacks, answer: reports("services", `{"binary": "heat-engine", "host": "e", "status": "down"}`), want: unit.ReachRefuses, message: "GET URL/v1/p1/services: no heat-engine is up"},
		{name: "names", api: names, answer: reports("service_statuses", central, worker("old", "2026-04-14T13:50:50.000000"), worker("w", "2026-04-15T13:49:10.000000")), want: unit.ReachAnswers},
		{name: "names without a worker", api: names, answer: reports("service_statuses", central, worker("old", "2026-04-14T13:50:50.000000"), worker("w", "2026-04-15T13:48:00.000000")), want: unit.ReachRefuses, message: "GET URL/dns/v2/service_statuses: no designate-worker is up"},
		{name: "names, of a program without a name", api: names, answer: reports("service_statuses", `{"hostname": "c", "status": "UP"}`), want: unit.ReachUnknown, message: "does not tell"},
		{name: "clusters", api: clusters, answer: reports("mservices", `{"binary": "magnum-conductor", "host": "c", "state": "up", "disabled": false}`), want: unit.ReachAnswers},
		{name: "no clusters", api: clusters, answer: reports("mservices", `{"binary": "magnum-conductor", "host": "c", "state": "down"}`), want: unit.ReachRefuses, message: "GET URL/v1/mservices: no magnum-conductor is up"},
		{name: "a program that says nothing", api: clusters, answer: reports("mservices", `{"binary": "magnum-conductor", "host": "c"}`), want: unit.ReachUnknown, message: "does not tell"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // what a service fails at is asked again after a moment
			cloud := &asked{answer: test.answer, roles: test.roles, without: test.without}
			got := cloud.driver(t).Ask(t.Context(), test.api)
			if got.Reach != test.want || got.Request != test.request || !strings.Contains(got.Message, strings.ReplaceAll(test.message, "URL", cloud.url)) || (test.want == unit.ReachAnswers) != (got.Message == "") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// Keystone is asked before there is anybody who can log in: our own user comes after it.
func TestKeystoneIsAskedWithoutALogin(t *testing.T) {
	const version = `{"version": {"id": "v3.14", "status": "stable"}}`
	for _, test := range []struct {
		name    string
		login   int
		answer  http.HandlerFunc
		want    unit.Reach
		message string
	}{
		{"a token", 0, says(200, `{"projects": []}`), unit.ReachAnswers, ""},
		{"a token and no database", 0, says(500, `{}`), unit.ReachRefuses, "GET URL/v3/auth/projects: 500"},
		{"nobody that it knows", 401, says(200, version), unit.ReachAnswers, ""},
		{"nobody that it knows, and no version", 401, says(200, `{}`), unit.ReachRefuses, "GET URL/v3/: the answer is not one of Keystone"},
		{"no tokens", 503, says(200, version), unit.ReachRefuses, "POST auth/tokens: 503"},
		{"nothing", 503, says(502, ``), unit.ReachRefuses, "GET URL/v3/: 502 Bad Gateway"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cloud := &asked{login: test.login, answer: test.answer}
			d := cloud.driver(t)
			got := d.Ask(t.Context(), unit.API{Service: "identity", Address: cloud.url + "/"})
			if got.Reach != test.want || !strings.HasPrefix(got.Message, strings.ReplaceAll(test.message, "URL", cloud.url)) || (test.message == "") != (got.Message == "") {
				t.Errorf("got %+v", got)
			}
		})
	}
	for _, test := range []struct {
		name    string
		connect error
		login   int // the administrator's
		want    unit.Reach
		message string
	}{
		{"the administrator gets a token", nil, 0, unit.ReachAnswers, ""},
		{"nobody gets a token", nil, 500, unit.ReachRefuses, "POST auth/tokens: 500 Internal Server Error"},
		{"the administrator is refused", nil, 401, unit.ReachRefuses, "the administrator's login: "},
		{"the administrator is not known yet", errors.New("there is no Secret"), 500, unit.ReachAnswers, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cloud := &asked{login: 401, answer: says(200, version)}
			cloud.driver(t)
			above := &asked{login: test.login, answer: says(200, version)}
			above.driver(t)
			d := openstack.New(openstack.Options{
				Language: language(), Connect: func(context.Context) (openstack.Credentials, error) { return credentialsAt(cloud.url), nil },
				Administrator: func(context.Context) (openstack.Credentials, error) { return credentialsAt(above.url), test.connect },
			})
			t.Cleanup(d.Close)
			got := d.Ask(t.Context(), unit.API{Service: "identity", Address: cloud.url + "/"})
			if got.Reach != test.want || !strings.HasPrefix(got.Message, test.message) || (test.message == "") != (got.Message == "") || strings.Contains(got.Message, "pretended") {
				t.Errorf("got %+v", got)
			}
		})
	}
	t.Run("no credentials", func(t *testing.T) {
		cloud := &asked{answer: says(200, version)}
		cloud.driver(t)
		d := openstack.New(openstack.Options{
			Language: language(),
			Connect: func(context.Context) (openstack.Credentials, error) {
				return openstack.Credentials{}, errors.New("the Secret is not there yet")
			},
			Inside: func(context.Context) (openstack.Place, error) { return openstack.Place{}, nil },
		})
		t.Cleanup(d.Close)
		if got := d.Ask(t.Context(), unit.API{Service: "identity", Address: cloud.url + "/"}); got.Reach != unit.ReachAnswers {
			t.Errorf("keystone: %+v", got)
		}
		if got := d.Ask(t.Context(), unit.API{Service: "image"}); got.Reach != unit.ReachUnknown || !strings.Contains(got.Message, "nobody can log in to ask: the credentials for OpenStack: the Secret is not there yet") {
			t.Errorf("glance: %+v", got)
		}
	})
}

func TestWhatIsNotReachedIsUnknown(t *testing.T) {
	cloud := &asked{}
	const nobody = "http://127.0.0.1:1" // a port that was let go could be somebody else's by now
	for _, service := range []string{"identity", "image", unit.ServiceDashboard} {
		got := cloud.at(t, nobody).Ask(t.Context(), unit.API{Service: service, Address: nobody + "/"})
		if got.Reach != unit.ReachUnknown || !strings.Contains(got.Message, "connection refused") || !strings.Contains(got.Message, "--api-checks") {
			t.Errorf("%s: %+v", service, got)
		}
	}
}

func TestWhatIsSlowIsNotWaitedFor(t *testing.T) {
	for _, service := range []string{"image", unit.ServiceDashboard} {
		var slow atomic.Bool
		cloud := &asked{answer: func(_ http.ResponseWriter, r *http.Request) {
			if slow.Load() {
				<-r.Context().Done()
			}
		}}
		d := cloud.driver(t)
		d.Ask(t.Context(), unit.API{Service: service, Address: cloud.url + "/"}) // logs in, for which a busy machine may take longer
		slow.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		got := d.Ask(ctx, unit.API{Service: service, Address: cloud.url + "/"})
		if got.Reach != unit.ReachUnknown || !strings.HasPrefix(got.Message, "GET "+cloud.url+"/") || !strings.HasSuffix(got.Message, ": no answer in time") {
			t.Errorf("%s: %+v", service, got)
		}
	}
}

func TestPagesAreAskedFor(t *testing.T) {
	for _, test := range []struct {
		name    string
		answer  http.HandlerFunc
		want    unit.Reach
		message string
	}{
		{"a page", says(200, "<html>"), unit.ReachAnswers, ""},
		{"elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://login.invalid/", http.StatusFound)
		}, unit.ReachAnswers, ""},
		{"further on", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				http.Redirect(w, r, "/auth/login/", http.StatusFound)
				return
			}
			w.WriteHeader(http.StatusBadRequest)
		}, unit.ReachRefuses, "GET URL/: 400 Bad Request"},
	} {
		cloud := &asked{answer: test.answer}
		d := cloud.driver(t)
		got := d.Ask(t.Context(), unit.API{Service: unit.ServiceDashboard, Address: cloud.url + "/"})
		if got.Reach != test.want || got.Message != strings.ReplaceAll(test.message, "URL", cloud.url) {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

// TestPagesFromOutside: who is told where Keystone is may be outside of the cluster, where names of Services lead nowhere.
func TestPagesFromOutside(t *testing.T) {
	given := openstack.Place{AuthURL: "https://keystone.invalid/v3"}
	internal := given
	internal.Interface = "internal"
	for _, test := range []struct {
		name   string
		place  openstack.Place
		public string // a path
		want   unit.Reach
		asked  []string
	}{
		{"inside", openstack.Place{}, "/public/", unit.ReachAnswers, []string{"/inside/"}},
		{"outside", given, "/public/", unit.ReachAnswers, []string{"/public/"}},
		{"outside without a public name", given, "", unit.ReachNone, nil},
		{"inside by the internal interface", internal, "/public/", unit.ReachAnswers, []string{"/inside/"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cloud := &asked{answer: says(http.StatusOK, "<html>")}
			cloud.driver(t)
			d := openstack.New(openstack.Options{Language: language(), Inside: func(context.Context) (openstack.Place, error) { return test.place, nil }})
			t.Cleanup(d.Close)
			api := unit.API{Service: unit.ServiceDashboard, Address: cloud.url + "/inside/"}
			if test.public != "" {
				api.Public = cloud.url + test.public
			}
			if got := d.Ask(t.Context(), api); got != (unit.Answer{Reach: test.want}) || !slices.Equal(cloud.seen, test.asked) {
				t.Errorf("got %+v, asked %q", got, cloud.seen)
			}
		})
	}
}
