package kube

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// noting answers each request about a Secret with that Secret, and notes as whom it came.
type noting struct {
	mu    sync.Mutex
	asked []string
}

func (n *noting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	line := r.Method + " " + r.URL.Path
	if r.URL.Query().Get("dryRun") != "" {
		line += " dry"
	}
	if as := r.Header.Get("Impersonate-User"); as != "" {
		line += " as " + as
	}
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/api/v1":
		_, _ = fmt.Fprint(w, `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"secrets","kind":"Secret","namespaced":true}]}`)
		return // asked for once
	case "/version":
		_, _ = fmt.Fprint(w, `{"major":"1","minor":"34"}`)
	default:
		_, _ = fmt.Fprint(w, `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","namespace":"n","uid":"u"}}`)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, line)
}

func (n *noting) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	asked := n.asked
	n.asked = nil
	return asked
}

// TestAs: what is written goes as the account that was named, and what is read as ourselves; the connection that it is
// of stays as it was.
func TestAs(t *testing.T) {
	server := &noting{}
	at := httptest.NewServer(server)
	defer at.Close()
	stopped := errors.New("not in charge")
	var refuse error
	c, err := New(Options{Access: NewAccess(&rest.Config{Host: at.URL}), Guard: func() error { return refuse }, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	as, err := c.As("system", "deployer")
	if err != nil {
		t.Fatal(err)
	}
	api, err := as.API(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	secret := &unstructured.Unstructured{Object: map[string]any{"kind": "Secret", "apiVersion": "v1", "metadata": map[string]any{"name": "s", "namespace": "n"}}}
	live := secret.DeepCopy()
	live.SetUID("u")
	ref := unit.RefOf(secret.Object)
	const path, deployer = "/api/v1/namespaces/n/secrets", " as system:serviceaccount:system:deployer"
	for _, test := range []struct {
		name string
		do   func(*Cluster) error
		want []string // of the one that is somebody else
	}{
		{"apply", func(c *Cluster) error { _, err := c.Apply(t.Context(), "m", secret); return err }, []string{"PATCH " + path + "/s" + deployer}},
		{"create", func(c *Cluster) error { _, err := c.Create(t.Context(), "m", secret); return err }, []string{"POST " + path + deployer}},
		{"dry run", func(c *Cluster) error {
			changed := secret.DeepCopy()
			changed.SetLabels(map[string]string{"of": fmt.Sprint(c == as)}) // an answer is remembered for both
			_, err := c.Unchanged(t.Context(), "m", changed, live)
			return err
		}, []string{"PATCH " + path + "/s dry" + deployer}},
		{"delete", func(c *Cluster) error { return c.Delete(t.Context(), ref, "u") }, []string{"DELETE " + path + "/s" + deployer, "GET " + path + "/s"}},
		{"confirm", func(c *Cluster) error { _, err := c.Confirm(t.Context(), ref); return err }, []string{"GET " + path + "/s"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.do(as); err != nil {
				t.Fatal(err)
			}
			if asked := server.take(); !slices.Equal(asked, test.want) {
				t.Errorf("as somebody else: %q, want %q", asked, test.want)
			}
			if err := test.do(c); err != nil {
				t.Fatal(err)
			}
			if asked := server.take(); strings.Contains(strings.Join(asked, "\n"), " as ") || len(asked) != len(test.want) {
				t.Errorf("as ourselves: %q", asked)
			}
		})
	}

	getter, err := api.Getter(t.Context(), "n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := getter.discovery.ServerVersion(); err != nil {
		t.Fatal(err)
	}
	if asked := server.take(); !slices.Equal(asked, []string{"GET /version" + deployer}) {
		t.Errorf("what Helm is given asks %q", asked)
	}
	if _, err := api.Secret(t.Context(), "n", "s"); err != nil {
		t.Fatal(err)
	}
	if asked := server.take(); !slices.Equal(asked, []string{"GET " + path + "/s"}) {
		t.Errorf("what is read beside Helm asks %q", asked)
	}

	refuse = stopped
	if _, err := as.Apply(t.Context(), "m", secret); !errors.Is(err, stopped) {
		t.Errorf("without the lease: %v", err)
	}
	if asked := server.take(); len(asked) > 0 {
		t.Errorf("without the lease %q was sent", asked)
	}
}
