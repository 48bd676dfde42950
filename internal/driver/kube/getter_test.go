package kube

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A kind of which the cluster does not tell is not one that it does not have.
func TestKindsThatAreNotTold(t *testing.T) {
	const (
		version    = `{"metadata":{"name":"example.org"},"versions":[{"version":"v1","freshness":%q,"resources":[{"resource":"things","singularResource":"thing","scope":"Cluster","verbs":["get"],"responseKind":{"group":"example.org","version":"v1","kind":"Thing"}}]}]}`
		aggregated = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[%s]}`
		group      = `{"name":"example.org","versions":[{"groupVersion":"example.org/v1","version":"v1"}],"preferredVersion":{"groupVersion":"example.org/v1","version":"v1"}}`
		things     = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example.org/v1","resources":[{"name":"things","singularName":"thing","namespaced":false,"kind":"Thing","verbs":["get"]}]}`
	)
	all := func(items string) string { return fmt.Sprintf(aggregated, items) }
	groups := `{"kind":"APIGroupList","apiVersion":"v1","groups":[` + group + `]}`
	const there, absent, unknown = "there", "absent", "unknown"
	for _, test := range []struct {
		name         string
		apis, things string // what is said, "" for a failure
		fails        int    // so often at first
		kind, want   string
	}{
		{"all at once", all(fmt.Sprintf(version, "Current")), "", 0, "Thing", there},
		{"all at once, another kind", all(fmt.Sprintf(version, "Current")), "", 0, "Other", absent},
		{"all at once, another group", all(""), "", 0, "Thing", absent},
		{"all at once, from a server that is away", all(fmt.Sprintf(version, "Stale")), "", 0, "Thing", unknown},
		{"one by one", groups, things, 0, "Thing", there},
		{"one by one, another kind", groups, things, 0, "Other", absent},
		{"one by one, with a failure", groups, "", 0, "Thing", unknown},
		{"one by one, cut off", groups, things[:len(things)/2], 0, "Thing", unknown},
		{"one by one, with one failure", groups, things, 1, "Thing", there},
		{"one by one, with two failures", groups, things, 2, "Thing", unknown},
		{"no groups", "", "", 0, "Thing", unknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			failures := 0
			api := apiOver(t, transportFunc(func(r *http.Request) (*http.Response, error) {
				body, whole := test.things, test.apis != groups
				switch r.URL.Path {
				case "/api":
					body = `{"kind":"APIVersions","versions":[]}`
					if whole {
						body = all("")
					}
				case "/apis":
					body = test.apis
				}
				if body == "" || body == things && failures < test.fails {
					failures++
					return refusal(http.StatusServiceUnavailable, "ServiceUnavailable").RoundTrip(r)
				}
				answer := httptest.NewRecorder()
				answer.Header().Set("Content-Type", "application/json")
				if whole {
					answer.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
				}
				_, _ = answer.WriteString(body)
				return answer.Result(), nil
			}), nil)
			getter, err := api.Getter(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			mapper, err := getter.ToRESTMapper()
			if err != nil {
				t.Fatal(err)
			}
			mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "example.org", Kind: test.kind}, "v1")
			got := unknown
			switch {
			case err == nil && mapping.Scope.Name() == meta.RESTScopeNameRoot:
				got = there
			case meta.IsNoMatchError(err):
				got = absent
			}
			if got != test.want {
				t.Errorf("it is %s, want %s: %v", got, test.want, err)
			}
		})
	}
}
