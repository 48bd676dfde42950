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
