package openstack_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestBedSharedWithOurProjectAlone: Neutron shows as shared what is shared with the project of who asks, though no other
// one can use it. Of a block, shared is whether every project can.
func TestBedSharedWithOurProjectAlone(t *testing.T) {
	b := newBench(t)
	own := ownProject(t)
	other := made(t, b, "project", values{})
	for _, kind := range []struct {
		name, called string
		written      values
	}{
		{"network", "network", values{}},
		{"qos_policy", "qos_policy", values{}},
		{"address_scope", "address_scope", values{"ip_version": cty.NumberIntVal(4)}},
		{"subnet_pool", "subnetpool", values{"prefixes": list("10.77.0.0/16"), "default_prefix_length": cty.NumberIntVal(24)}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			kind.written["project"], kind.written["shared"] = text(other), cty.False
			tg := target(t, kind.name, unique("shared"), kind.written)
			b.converge(t, &tg)
			right := target(t, "rbac_policy", unique("right"), values{
				"object_type": text(kind.called), "object": text(tg.ID), "action": text("access_as_shared"), "target": text(own),
			})
			b.converge(t, &right)
			if _, diff := b.compare(t, tg); diff.Action.Changes() || len(diff.Fields) > 0 {
				t.Errorf("with a right of our own project: %+v", diff)
			}
			live, _, err := b.Live(t.Context(), []string{kind.name})
			if err != nil {
				t.Fatal(err)
			}
			if i := slices.IndexFunc(live, func(o unit.Live) bool { return o.ID == tg.ID }); i < 0 || live[i].Values["shared"].True() {
				t.Errorf("an export has it as shared: %+v", live)
			}
			all := with(t, tg, values{"shared": cty.True})
			_, diff := b.compare(t, all)
			switch kind.name {
			case "address_scope":
				if diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, "take the right away") {
					t.Errorf("Neutron takes it for shared: %+v", diff)
				}
			case "subnet_pool":
				if diff.Action != unit.ActionReplace {
					t.Errorf("it passes for shared with all: %+v", diff)
				}
			default:
				b.converge(t, &all)
				rights := request(t, "network", http.MethodGet, "v2.0/rbac-policies?target_tenant=*&object_id="+tg.ID, nil)["rbac_policies"]
				if len(objectsOf(rights)) != 1 {
					t.Errorf("for all there are the rights %v", rights)
				}
			}
		})
	}
}

// TestBedExternalForOneProject: an export of a network that one project alone may use as an external one does not say what
// opens it to all where it is made anew.
func TestBedExternalForOneProject(t *testing.T) {
	b := newBench(t)
	one, all := target(t, "network", unique("one"), values{}), target(t, "network", unique("all"), values{"external": cty.True})
	b.converge(t, &one)
	b.converge(t, &all)
	right := target(t, "rbac_policy", unique("right"), values{
		"object_type": text("network"), "object": text(one.ID), "action": text("access_as_external"), "target": text(made(t, b, "project", values{})),
	})
	b.converge(t, &right)
	live, _, err := b.Live(t.Context(), []string{"network", "rbac_policy"})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	for _, o := range live {
		_, said[o.ID] = o.Values["external"]
	}
	if said[one.ID] || !said[all.ID] {
		t.Errorf("external is said of that of one project: %v, of that of all: %v", said[one.ID], said[all.ID])
	}
	if _, there := said[right.ID]; !there {
		t.Error("the right is not told")
	}
}

// ownProject is the project that we reach the cloud by.
func ownProject(t *testing.T) string {
	t.Helper()
	const name = "admin"
	for _, raw := range objectsOf(request(t, "identity", http.MethodGet, "projects?name="+name, nil)["projects"]) {
		return fmt.Sprint(raw["id"])
	}
	t.Fatalf("there is no project %s", name)
	return ""
}
