package resolve_test

import (
	"slices"
	"testing"
)

// TestPartsOfObjects wants an expression to see what it refers to, however much of an object that is.
func TestPartsOfObjects(t *testing.T) {
	m, _ := mustResolve(t, reachOnly+`
network "n" {
  description = "first"
}
locals {
  whole = network.n
}
network "one" {
  description = network.n.description
}
network "label" {
  description = "${network.n.name} ${network.n.description}"
}
network "through" {
  description = local.whole.description
}
network "both" {
  description = "${network.n.description} ${length(keys(network.n)) > 5}"
}
subnet "s" {
  network = network.n
  cidr    = "10.0.0.0/24"
}
`, nil)
	want := map[string]string{"one": "first", "label": "n first", "through": "first", "both": "first true"}
	found := 0
	for i := range m.Resources {
		r := &m.Resources[i]
		name := r.Address.Name()
		if text, is := want[name]; is {
			found++
			if got := r.Desired.GetAttr("description").AsString(); got != text {
				t.Errorf("%s: %q, want %q", name, got, text)
			}
		}
		if to := edges(r); name != "n" && !slices.Equal(to, []string{"network.n"}) {
			t.Errorf("%s depends on %q", name, to)
		}
		if name == "s" && r.Desired.GetAttr("network").IsKnown() {
			t.Error("the id of a network is known that there is not yet")
		}
	}
	if found != len(want) {
		t.Errorf("%d of %d networks", found, len(want))
	}
}
