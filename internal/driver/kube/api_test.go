package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// apiOver returns the API of a cluster whose requests go to a transport and by a guard.
func apiOver(t *testing.T, transport http.RoundTripper, guard func() error) *API {
	t.Helper()
	c, err := New(Options{
		Access: NewAccess(&rest.Config{Host: "http://cluster.test", Transport: transport}), Guard: guard, UserAgent: "tester", Log: zerolog.Nop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	api, err := c.API(5 * time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// paged answers each list with two pages of one object, and notes what it was asked.
type paged struct {
	mutex sync.Mutex
	asked []string
}

func (p *paged) RoundTrip(r *http.Request) (*http.Response, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	query := r.URL.Query()
	p.asked = append(p.asked, fmt.Sprintf("%s %s limit=%s selector=%s timeout=%s by %s",
		r.Method, r.URL.Path, query.Get("limit"), query.Get("labelSelector"), query.Get("timeout"), r.UserAgent()))
	kind, version := "Pod", "v1"
	switch {
	case strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata"):
		kind, version = "PartialObjectMetadata", "meta.k8s.io/v1"
	case strings.HasSuffix(r.URL.Path, "/secrets"):
		kind = "Secret"
	}
	name, next := "a", `,"continue":"more"`
	if query.Get("continue") == "more" {
		name, next = "b", ""
	}
	answer := httptest.NewRecorder()
	answer.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(answer, `{"kind":"%sList","apiVersion":%q,"metadata":{"resourceVersion":"1"%s},"items":[{"kind":%q,"apiVersion":%q,"metadata":{"name":%q}}]}`, kind, version, next, kind, version, name)
	return answer.Result(), nil
}

// TestAPIReadsAllPages: a list is read to its end, in pieces that fit what is in it.
func TestAPIReadsAllPages(t *testing.T) {
	for name, test := range map[string]struct {
		list func(context.Context, *API) ([]string, error)
		want string
	}{
		"metadata": {func(ctx context.Context, a *API) ([]string, error) {
			items, err := a.Metadata(ctx, schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, "o", "")
			return namesOf(items, func(o metav1.PartialObjectMetadata) string { return o.Name }), err
		}, "GET /apis/apps/v1/namespaces/o/deployments limit=500 selector= timeout=5m0s by tester"},
		"Secrets": {func(ctx context.Context, a *API) ([]string, error) {
			var names []string
			err := a.EachSecret(ctx, "", "owner=helm", func(secret *corev1.Secret) error {
				names = append(names, secret.Name)
				return nil
			})
			return names, err
		}, "GET /api/v1/secrets limit=20 selector=owner=helm timeout= by tester"},
		"pods": {func(ctx context.Context, a *API) ([]string, error) {
			items, err := a.Pods(ctx, "o", "app=x")
			return namesOf(items, func(o corev1.Pod) string { return o.Name }), err
		}, "GET /api/v1/namespaces/o/pods limit=500 selector=app=x timeout= by tester"},
		"pods, one after the other": {func(ctx context.Context, a *API) ([]string, error) {
			var names []string
			err := a.EachPod(ctx, "o", "", func(pod *corev1.Pod) error {
				names = append(names, pod.Name)
				return nil
			})
			return names, err
		}, "GET /api/v1/namespaces/o/pods limit=500 selector= timeout= by tester"},
	} {
		t.Run(name, func(t *testing.T) {
			server := &paged{}
			names, err := test.list(t.Context(), apiOver(t, server, nil))
			if err != nil || !slices.Equal(names, []string{"a", "b"}) {
				t.Errorf("it found %q, error %v", names, err)
			}
			if !slices.Equal(server.asked, []string{test.want, test.want}) {
				t.Errorf("it asked\n%s\nwant twice\n%s", strings.Join(server.asked, "\n"), test.want)
			}
		})
	}
}

func namesOf[T any](items []T, name func(T) string) []string {
	var names []string
	for _, item := range items {
		names = append(names, name(item))
	}
	return names
}

// transportFunc answers requests.
type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// refusal answers with a status of the API server.
func refusal(code int, reason string) transportFunc {
	return func(*http.Request) (*http.Response, error) {
		answer := httptest.NewRecorder()
		answer.Header().Set("Content-Type", "application/json")
		answer.WriteHeader(code)
		_, _ = fmt.Fprintf(answer, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d}`, reason, code)
		return answer.Result(), nil
	}
}

// TestAPISecret: only what is certainly not there is absent.
func TestAPISecret(t *testing.T) {
	if secret, err := apiOver(t, refusal(http.StatusNotFound, "NotFound"), nil).Secret(t.Context(), "o", "s"); err != nil || secret != nil {
		t.Errorf("absent: %v, error %v", secret, err)
	}
	if secret, err := apiOver(t, refusal(http.StatusForbidden, "Forbidden"), nil).Secret(t.Context(), "o", "s"); err == nil || secret != nil {
		t.Errorf("forbidden: %v, error %v", secret, err)
	}
}

// TestGetter: what a tool sends goes by the guard, and ends when the call has to end.
func TestGetter(t *testing.T) {
	errOver := errors.New("the call took too long")
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		silent := transportFunc(func(r *http.Request) (*http.Response, error) {
			sent++
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		api := apiOver(t, silent, func() error { return unit.ErrNotWriter })
		began := time.Now()
		ask := func(ctx context.Context) error {
			getter, err := api.Getter(ctx, "o")
			if err != nil {
				t.Fatal(err)
			}
			client, err := getter.ToDiscoveryClient()
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.ServerVersion()
			return err
		}
		bound, cancel := context.WithDeadlineCause(t.Context(), began.Add(3*time.Second), errOver)
		defer cancel()
		if err := ask(bound); err == nil || time.Since(began) != 3*time.Second || sent != 1 {
			t.Errorf("error %v after %v and %d requests", err, time.Since(began), sent)
		}
		<-bound.Done()
		if err := ask(bound); !errors.Is(err, errOver) || sent != 1 {
			t.Errorf("when its time is over: error %v, %d requests", err, sent)
		}
		began = time.Now()
		if err := ask(t.Context()); err == nil || time.Since(began) != requestTimeout {
			t.Errorf("without a deadline: error %v after %v", err, time.Since(began))
		}

		getter, err := api.Getter(t.Context(), "o")
		if err != nil {
			t.Fatal(err)
		}
		if namespace, _, err := getter.ToRawKubeConfigLoader().Namespace(); err != nil || namespace != "o" {
			t.Errorf("its namespace is %q, error %v", namespace, err)
		}
		config, err := getter.ToRESTConfig()
		if err != nil {
			t.Fatal(err)
		}
		client, err := rest.HTTPClientFor(config)
		if err != nil {
			t.Fatal(err)
		}
		before := sent
		response, err := client.Post("http://cluster.test/api/v1/namespaces/o/secrets", "application/json", strings.NewReader("{}"))
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
		if !errors.Is(err, unit.ErrNotWriter) || sent != before {
			t.Errorf("a change without the right to: error %v, %d requests", err, sent-before)
		}
	})
}
