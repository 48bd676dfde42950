package openstack_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestBedTagsThatNoPathTakes: tags beyond ASCII, and with a slash where the service takes one, come and go, and those of
// others stay.
func TestBedTagsThatNoPathTakes(t *testing.T) {
	b := newBench(t)
	url, checksum := b.disk(t, 1<<20)
	image := target(t, "image", unique("image"), values{
		"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare"), "tags": set("größe", "a/b", "plain"),
	})
	flavor := smallFlavor(t)
	network := target(t, "network", unique("net"), values{"tags": set("größe", "a/b", "plain")})
	b.converge(t, &image)
	b.converge(t, &flavor)
	b.converge(t, &network)
	server := target(t, "instance", unique("vm"), values{
		"image": text(image.ID), "flavor": text(flavor.ID), "networks": cty.ListValEmpty(cty.String), "tags": set("plain"),
	})
	b.converge(t, &server)
	request(t, "network", http.MethodPut, "v2.0/networks/"+network.ID+"/tags/theirs", nil)
	request(t, "image", http.MethodPut, "v2/images/"+image.ID+"/tags/theirs", nil)
	for _, test := range []struct {
		of    unit.Target
		odd   []string
		stays []string
	}{
		{network, []string{"größe", "a/b"}, []string{"plain", "theirs"}},
		{image, []string{"größe", "a/b"}, []string{"plain", "theirs"}},
		{server, []string{"größe"}, []string{"plain"}},
	} {
		tg := with(t, test.of, values{"tags": set(append(test.odd, "plain")...)})
		st := b.converge(t, &tg)
		if got, want := namesOf(st, "tags"), slices.Sorted(slices.Values(slices.Concat(test.odd, test.stays))); !slices.Equal(got, want) {
			t.Errorf("%s has the tags %q, want %q", tg.Address, got, want)
		}
		tg = recorded(with(t, tg, values{"tags": set("plain")}), map[string][]string{"tags": append(test.odd, "plain")})
		if got := namesOf(b.converge(t, &tg), "tags"); !slices.Equal(got, test.stays) {
			t.Errorf("%s has the tags %q, want %q", tg.Address, got, test.stays)
		}
	}
}
