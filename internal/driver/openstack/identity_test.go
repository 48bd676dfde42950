package openstack_test

import (
	"net/http"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

const identity = "identity"

// patched returns a function that changes an object of Keystone as somebody else would.
func patched(path, key string, body map[string]any) func(*testing.T, string) {
	return func(t *testing.T, id string) {
		t.Helper()
		request(t, identity, http.MethodPatch, path+"/"+id, map[string]any{key: body})
	}
}

// deleted returns a function that deletes an object of Keystone as somebody else would.
func deleted(path string) func(*testing.T, string) {
	return func(t *testing.T, id string) {
		t.Helper()
		request(t, identity, http.MethodDelete, path+"/"+id, nil)
	}
}

func TestBedLifeOfIdentities(t *testing.T) {
	for _, l := range []life{
		{
			kind: "project", lists: []string{"/v3/projects"}, search: []string{"name"},
			first:   values{"description": text("Shop"), "enabled": cty.True, "tags": set("shop")},
			changed: values{"description": text("Store"), "tags": set("shop", "store")},
			meddle:  patched("projects", "project", map[string]any{"description": "theirs", "enabled": false}), meddled: []string{"description", "enabled"},
			vanish: deleted("projects"),
		},
	} {
		t.Run(l.kind, l.walk)
	}
}
