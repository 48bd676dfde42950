package openstack_test

import (
	"net/http"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func TestBedLifeOfAFlavor(t *testing.T) {
	life{
		kind: "flavor", lists: []string{"/v2.1/flavors/detail"}, search: []string{"name"},
		first:    values{"vcpus": cty.NumberIntVal(1), "ram": cty.NumberIntVal(64), "description": text("Small")},
		changed:  values{"description": text("Tiny")},
		replaced: values{"ram": cty.NumberIntVal(128)},
		vanish: func(t *testing.T, id string) {
			t.Helper()
			request(t, "compute", http.MethodDelete, "flavors/"+id, nil)
		},
	}.walk(t)
}

func TestBedLifeOfAKeypair(t *testing.T) {
	life{
		kind: "keypair", lists: []string{"/v2.1/os-keypairs"}, search: []string{"name"}, unmarked: true,
		first: values{"public_key": text(publicKey)},
		vanish: func(t *testing.T, id string) {
			t.Helper()
			request(t, "compute", http.MethodDelete, "os-keypairs/"+id, nil)
		},
	}.walk(t)
}
