package openstack_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
)

// answering returns a driver for a cloud that answers GET requests by their paths, and others by their methods and paths,
// as in "PUT /v2.1/servers/s1"; what is not there is not found.
// The answers are given one at a time, however many are asked for at once, so that they may share what they remember; one
// that has to wait for others is an [outOfTurn]. The real services cannot be made to answer so in a test. Volumes are left out of its catalogue without an answer
// for the path /v3/p1. Our user is an administrator in its project p1, or has the roles that are told, in every project.
func answering(t testing.TB, answers map[string]func(*http.Request) any, roles ...string) *openstack.Driver {
	t.Helper()
	return answeringTo(t, "u1", answers, func(*openstack.Options) {}, roles...)
}

// answerAt is an answer by another clock.
type answerAt struct {
	at   time.Time
	body any
}

// outOfTurn is an answer that is found beside others.
type outOfTurn func() any

// inSystem stands in the place of a path for a login in the system as a whole, where that is refused.
const inSystem = "in the system"

// furtherServices are where those answer that a cloud has only where it has answers of them.
func furtherServices() map[string]string {
	return map[string]string{
		"sharev2": "/shares/v2", "dns": "/names/v2", "load-balancer": "/balancers/v2", "container-infra": "/containers/v1",
		"orchestration": "/stacks/v1", "key-manager": "/keys/v1", "object-store": "/objects/v1",
	}
}

// answeringTo is [answering] for a user with an id, and with other options.
func answeringTo(t testing.TB, user string, answers map[string]func(*http.Request) any, change func(*openstack.Options), roles ...string) *openstack.Driver {
	t.Helper()
	if roles == nil {
		roles = []string{"admin"}
	}
	var named []map[string]any
	for _, role := range roles {
		named = append(named, map[string]any{"name": role})
	}
	var turn sync.Mutex
	inTurn := func(answer func(*http.Request) any, r *http.Request) (any, []byte) {
		turn.Lock()
		defer turn.Unlock()
		body := answer(r)
		text, _ := json.Marshal(body) // an answer to come may change the same object
		return body, text
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	endpoint := func(service, path string) map[string]any {
		return map[string]any{"type": service, "endpoints": []any{
			map[string]any{"interface": "public", "region_id": "RegionOne", "region": "RegionOne", "url": server.URL + path},
		}}
	}
	catalog := []any{endpoint("identity", "/v3"), endpoint("compute", "/v2.1"), endpoint("network", "/v2.0"), endpoint("image", "/v2")}
	if answers["/v3/p1"] != nil {
		catalog = append(catalog, endpoint("block-storage", "/v3/p1"))
	}
	for service, path := range furtherServices() {
		if slices.ContainsFunc(slices.Collect(maps.Keys(answers)), func(asked string) bool { return strings.HasPrefix(asked, path+"/") }) {
			catalog = append(catalog, endpoint(service, path))
		}
	}
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, r *http.Request) {
		project := projectAsked(r)
		if answers[inSystem] != nil && project == "" {
			status, _ := inTurn(answers[inSystem], r)
			w.WriteHeader(status.(int))
			return
		}
		w.Header().Set("X-Subject-Token", tokenOf(project))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{
			"user": map[string]any{"id": user, "domain": map[string]any{"id": "default"}}, "project": map[string]any{"id": project}, "catalog": catalog,
			"roles": named,
		}})
	})
	mux.HandleFunc("GET /v3/auth/catalog", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"catalog": catalog})
	})
	if answers["/v3/auth/tokens"] == nil {
		mux.HandleFunc("GET /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{"roles": named}})
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		asked := r.URL.Path
		if r.Method != http.MethodGet {
			asked = r.Method + " " + asked
		}
		answer := answers[asked]
		if answer == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		body, text := inTurn(answer, r)
		if late, ok := body.(outOfTurn); ok {
			body = late()
			text, _ = json.Marshal(body)
		}
		if dated, ok := body.(answerAt); ok {
			w.Header().Set("Date", dated.at.UTC().Format(http.TimeFormat))
			text, _ = json.Marshal(dated.body)
		}
		switch body := body.(type) {
		case int:
			w.WriteHeader(body)
		case []byte: // as it is
			_, _ = w.Write(body)
		default:
			_, _ = w.Write(text)
		}
	})
	options := openstack.Options{Language: language(), Connect: func(context.Context) (openstack.Credentials, error) {
		return openstack.FromVariables(map[string]string{
			"OS_AUTH_URL": server.URL, "OS_REGION_NAME": "RegionOne", "OS_USERNAME": "ops", "OS_PASSWORD": "pretended", "OS_USER_DOMAIN_ID": "default",
			"OS_PROJECT_ID": "p1",
		}), nil
	}}
	change(&options)
	d := openstack.New(options)
	t.Cleanup(d.Close)
	return d
}

// projectAsked is the project that a login asks for.
func projectAsked(r *http.Request) string {
	var asked struct {
		Auth struct {
			Scope struct {
				Project struct {
					ID string `json:"id"`
				} `json:"project"`
			} `json:"scope"`
		} `json:"auth"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return ""
	}
	return asked.Auth.Scope.Project.ID
}

// tokenOf is the token that a login in a project gets.
func tokenOf(project string) string {
	if project == "p1" {
		return "token"
	}
	return "token of " + project
}

// listed is a list of an API that is the same whatever is asked.
func listed(key string, objects ...map[string]any) func(*http.Request) any {
	return func(*http.Request) any {
		if objects == nil {
			objects = []map[string]any{}
		}
		return map[string]any{key: objects}
	}
}
