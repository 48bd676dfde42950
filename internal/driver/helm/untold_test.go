package helm

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	discoverycache "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// kinds is what a server tells of a group, as it tells of all at once.
func kinds(group string, resources ...string) string {
	return fmt.Sprintf(`{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{"name":%q},"versions":[{"version":"v1","freshness":"Current","resources":[%s]}]}]}`,
		group, strings.Join(resources, ","))
}

func kindOf(group, kind, scope string) string {
	resource := strings.ToLower(kind) + "s"
	return fmt.Sprintf(`{"resource":%q,"singularResource":%q,"scope":%q,"verbs":["get"],"responseKind":{"group":%q,"version":"v1","kind":%q}}`, resource, strings.ToLower(kind), scope, group, kind)
}

// teller is a server that tells of its kinds so often as it is to, and breaks off in that then.
type teller struct {
	API
	config *rest.Config
	whole  atomic.Int32
	resets bool // breaks the connection, and does not only end too soon
}

func newTeller(t *testing.T) *teller {
	const rbac = "rbac.authorization.k8s.io"
	told := &teller{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body string
		switch r.URL.Path {
		case "/version":
			_, _ = fmt.Fprint(w, `{"major":"1","minor":"34","gitVersion":"v1.34.0"}`)
			return
		case "/api":
			body = kinds("", kindOf("", "ConfigMap", "Namespaced"), kindOf("", "Secret", "Namespaced"))
		case "/apis":
			body = kinds(rbac, kindOf(rbac, "ClusterRole", "Cluster"))
		default:
			t.Errorf("%s was asked for", r.URL)
		}
		w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		if told.whole.Add(-1) >= 0 {
			_, _ = fmt.Fprint(w, body)
			return
		}
		if told.resets {
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		}
		_, _ = fmt.Fprint(w, body[:len(body)/2])
	}))
	t.Cleanup(server.Close)
	told.whole.Store(math.MaxInt32)
	told.config = &rest.Config{Host: server.URL}
	return told
}

type tellersKinds struct {
	Getter
	cached discovery.CachedDiscoveryInterface
}

func (k tellersKinds) ToRESTMapper() (meta.RESTMapper, error) {
	return restmapper.NewDeferredDiscoveryRESTMapper(k.cached), nil
}

func (k tellersKinds) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	return k.cached, nil
}

func (k tellersKinds) Untold() (map[schema.GroupVersion]error, error) {
	_, _, err := k.cached.ServerGroupsAndResources()
	if untold, partly := discovery.GroupDiscoveryFailedErrorGroups(err); partly {
		return untold, nil
	}
	return nil, err
}

func (s *teller) Getter(context.Context, string) (Getter, error) {
	client, err := discovery.NewDiscoveryClientForConfig(s.config)
	if err != nil {
		return nil, err
	}
	return tellersKinds{cached: discoverycache.NewMemCacheClient(client)}, nil
}

// An answer about the kinds of a cluster that breaks off says nothing of what has objects of them: it is no chart that a person
// has to change, and the next try goes on.
func TestKindsThatWereNotToldBlockNothing(t *testing.T) {
	const (
		role   = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: nova}\n"
		secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: keys, annotations: {helm.sh/resource-policy: keep}}\n"
	)
	chart := func(file, text string) *source {
		return &source{files: []*loader.BufferedFile{
			{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: nova\nversion: 1.0.0\n")}, {Name: file, Data: []byte(text)},
		}}
	}
	hooks := []*release.Hook{{Path: "keys.yaml", Kind: kindSecret, Manifest: secret, Events: []release.HookEvent{release.HookPreInstall}}}
	pods, err := (&Driver{scopes: newScopes(newTeller(t))}).parse([]string{"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: nova}\nspec: {template: {spec: {volumes: [{secret: {secretName: keys}}]}}}\n"}, "o", nil)
	if err != nil {
		t.Fatal(err)
	}
	spec := &unit.Release{Namespace: "o", Name: "nova"}
	for _, test := range []struct {
		name   string
		whole  int32 // answers before one that breaks off: the versions that a chart may ask for are told before
		look   func(*Driver) error
		blocks bool // whatever the cluster tells
	}{
		{"a chart", 2, func(d *Driver) error {
			made, err := d.render(t.Context(), &wanted{spec: spec, source: chart("templates/role.yaml", role)}, 1, true, nil)
			if err == nil && (len(made.objects) != 1 || made.objects[0].GetNamespace() != "") {
				t.Errorf("rendered %v", made.objects)
			}
			return err
		}, false},
		{"definitions of a chart", 2, func(d *Driver) error {
			_, err := d.render(t.Context(), &wanted{spec: spec, source: chart("crds/a.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n")}, 1, true, nil)
			return err
		}, false},
		{"hooks", 0, func(d *Driver) error {
			_, err := d.hooksOf(hooks, release.HookPreInstall, "o", "nova")
			return err
		}, false},
		{"a hook that is wrong", 0, func(d *Driver) error {
			_, err := d.hooksOf([]*release.Hook{{Path: "keys.yaml", Manifest: "kind: [", Events: []release.HookEvent{release.HookPreInstall}}}, release.HookPreInstall, "o", "nova")
			return err
		}, true},
		{"what a release consists of", 0, func(d *Driver) error {
			_, err := d.consistsOf(&revision{hooks: hooks}, "o")
			return err
		}, false},
		{"what hooks made for good", 0, func(d *Driver) error {
			keeps, err := d.keepsOf(&release.Release{Hooks: hooks}, pods, "o")
			if err == nil && len(keeps) != 1 {
				t.Errorf("they made %v", keeps)
			}
			return err
		}, false},
	} {
		for _, resets := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, reset %t", test.name, resets), func(t *testing.T) {
				server := newTeller(t)
				server.resets = resets
				d := &Driver{api: server, scopes: newScopes(server), options: Options{Timeout: time.Minute}, rendered: map[string]rendered{}}
				server.whole.Store(test.whole)
				if err := test.look(d); err == nil || unit.IsBlocked(err) != test.blocks {
					t.Errorf("while it breaks off: %v", err)
				}
				server.whole.Store(math.MaxInt32)
				if err := test.look(d); unit.IsBlocked(err) != test.blocks || err != nil != test.blocks {
					t.Errorf("afterwards: %v", err)
				}
			})
		}
	}
}
