package openstack

import (
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// Each kind is of a service that is known, or that it brings along; of what is no kind none is named.
func TestEachKindHasAService(t *testing.T) {
	language := schema.New()
	api := APIOf(language)
	var known []string
	for _, s := range services() {
		known = append(known, s.types...)
	}
	seen := map[string]bool{}
	for _, k := range kinds(language, nil, nil) {
		if is := api(k.name()); !slices.Contains(known, is) {
			t.Errorf("%s is of the service %q", k.name(), is)
		} else {
			seen[is] = true
		}
	}
	if len(seen) != 5 { // identity, network, compute, image, volumes
		t.Errorf("the kinds are of %v", seen)
	}
	for kind, want := range map[string]string{"subnet": "network", "instance": "compute", "volume_attachment": "compute", "volume": "block-storage", "image": "image", "user": "identity", "smoke_test": ""} {
		if got := api(kind); got != want {
			t.Errorf("%s is of %q, want %q", kind, got, want)
		}
	}
	if got, brought := apiOf(containerKind{}), (containerKind{}).service().types; !slices.Contains(brought, got) {
		t.Errorf("a kind that brings its service along is of %q", got)
	}
}
