package unit_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What Kubernetes takes stays as it is; all else gets a name that it takes, and that is nobody else's.
func TestShownRef(t *testing.T) {
	taken := map[string]string{}
	for _, name := range []string{
		"prod", "prod-1", "node.example.org", "Prod", "PROD", "prod_1", "_prod", "prod-", "-", "größe", "日本", strings.Repeat("a", 300), strings.Repeat("a", 301), strings.Repeat("_", 300),
	} {
		ref := unit.ShownRef(unit.KindShownProfile, name)
		if problems := validation.IsDNS1123Subdomain(ref.Name); len(problems) > 0 {
			t.Errorf("%q is shown as %q: %v", name, ref.Name, problems)
		}
		if valid := len(validation.IsDNS1123Subdomain(name)) == 0; valid != (ref.Name == name) {
			t.Errorf("%q is shown as %q", name, ref.Name)
		}
		if other, is := taken[ref.Name]; is {
			t.Errorf("%q and %q are both shown as %q", name, other, ref.Name)
		}
		taken[ref.Name] = name
		if !ref.IsShown() || ref != unit.ShownRef(unit.KindShownProfile, name) {
			t.Errorf("%+v", ref)
		}
	}
	if (unit.ObjectRef{APIVersion: "apps/v1", Kind: "Deployment", Name: "prod"}).IsShown() {
		t.Error("a Deployment shows how things stand")
	}
}

// A name of an object can be the value of a label.
func TestObjectName(t *testing.T) {
	taken := map[string]string{}
	for _, name := range []string{"net-public", "net-Public", "net-public.eth0.7", "net-public.eth0_7", "net-" + strings.Repeat("a", 59), "net-" + strings.Repeat("a", 60), "net-" + strings.Repeat("a", 61)} {
		got := unit.ObjectName(name)
		if problems := append(validation.IsDNS1123Subdomain(got), validation.IsValidLabelValue(got)...); len(problems) > 0 {
			t.Errorf("%q becomes %q: %v", name, got, problems)
		}
		if other, is := taken[got]; is {
			t.Errorf("%q and %q both become %q", name, other, got)
		}
		taken[got] = name
	}
	if got := unit.ObjectName("net-public.eth0.7"); got != "net-public.eth0.7" {
		t.Errorf("a name that can stay becomes %q", got)
	}
}
