package resolve_test

import "testing"

// TestBindingProfile takes lists beside texts, as the text of their JSON.
func TestBindingProfile(t *testing.T) {
	m, _ := mustResolve(t, reachOnly+`
network "web" {}
port "web" {
  network         = network.web
  binding_profile = { capabilities = ["switchdev"], physical_network = "physnet1", trusted = true, deep = { a = [1] } }
}
`, nil)
	for _, r := range m.Resources {
		if r.Kind != "port" {
			continue
		}
		for key, want := range map[string]string{"capabilities": `["switchdev"]`, "physical_network": "physnet1", "trusted": "true", "deep": `{"a":[1]}`} {
			if got := r.Desired.GetAttr("binding_profile").AsValueMap()[key].AsString(); got != want {
				t.Errorf("%s is %q, want %q", key, got, want)
			}
		}
	}
}
