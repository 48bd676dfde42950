package openstack

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestServices: what there is to know of a service is found by each of its types, and a kind brings what is not known of its own.
func TestServices(t *testing.T) {
	l := containerLife()
	language := schema.New(l.block)
	c := newNextCloud(t, map[string]string{"volumev3": "/cinder", "shared-file-system": "/manila"})
	d := c.driver(t, language, containerKind{language.Resource("container")})
	for called, want := range map[string]string{
		serviceIdentity: "v3/", serviceNetwork: "v2.0/", serviceCompute: "v2.1/", serviceImage: "v2/", servicePlacement: "", "volumev3": "v3/", "block-storage": "v3/",
		"dns": "v2/", "load-balancer": "v2/", "sharev2": "v2/", "shared-file-system": "v2/", "key-manager": "v1/", "container-infra": "v1/", "orchestration": "v1/",
		"baremetal": "v1/", serviceObjects: "v1/", "unheard-of": "v3/",
	} {
		if got := d.connector.version(called); got != want {
			t.Errorf("%s has the version %q, want %q", called, got, want)
		}
	}
	s, err := d.connector.session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[string]string{
		"block-storage": "volumev3", "volumev3": "volumev3", "sharev2": "shared-file-system", "dns": "dns", "unheard-of": "unheard-of",
	} {
		if got := s.called(asked); got != want {
			t.Errorf("%s is called %q here, want %q", asked, got, want)
		}
	}
	if d := New(Options{Language: schema.New()}); d.connector.version(serviceObjects) != "v3/" {
		t.Error("a service is known whose kind is not there")
	}
	if got := d.Ask(t.Context(), unit.API{Service: serviceObjects}); got != (unit.Answer{}) {
		t.Errorf("nobody says what to ask, and the answer is %+v", got)
	}
}
