package openstack

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// A process that has lost the right to read logs in nowhere, asks no service that needs no login, and downloads no image.
func TestNothingIsReadWithoutTheRight(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was sent", r.Method, r.URL)
	}))
	t.Cleanup(server.Close)
	sources, err := ParseSources([]string{server.URL})
	if err != nil {
		t.Fatal(err)
	}
	connect := func(context.Context) (Credentials, error) {
		return FromVariables(map[string]string{
			"OS_AUTH_URL": server.URL + "/v3", "OS_USERNAME": "u", "OS_PASSWORD": "p", "OS_USER_DOMAIN_NAME": "Default",
			"OS_PROJECT_NAME": "p", "OS_PROJECT_DOMAIN_NAME": "Default",
		}), nil
	}
	d := New(Options{
		Language: schema.New(), Connect: connect, Administrator: connect, Sources: sources,
		Inside: func(ctx context.Context) (Place, error) { at, err := connect(ctx); return at.Place, err },
		Reads:  func() error { return unit.ErrNotWriter },
	})
	t.Cleanup(d.Close)
	if _, err := d.Hosts(t.Context()); !errors.Is(err, unit.ErrNotWriter) {
		t.Errorf("a list: %v", err)
	}
	for _, service := range []string{"keystone", "glance", "nova"} {
		if answer := d.Ask(t.Context(), unit.API{Service: service}); answer.Reach == unit.ReachAnswers {
			t.Errorf("%s: %+v", service, answer)
		}
	}
	if err := d.uploads.run(t.Context(), &session{masker: redact.NewMasker()}, upload{image: "i", source: server.URL + "/image"}); !errors.Is(err, unit.ErrNotWriter) {
		t.Errorf("an image: %v", err)
	}
}
