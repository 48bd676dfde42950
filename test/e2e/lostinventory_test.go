//go:build beds

package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// further are the kinds that the cloud of [world.World.Vary] has not.
const further = `
network "public" {
  name     = "PREFIXpublic"
  external = true
}

subnet "public" {
  name    = "PREFIXpublic"
  network = network.public
  cidr    = "203.0.113.0/24"
}

floating_ip "spare" {
  project          = project.dev
  floating_network = network.public
  description      = "spare"
  depends_on       = [subnet.public]
}

keypair "given" {
  name       = "PREFIXgiven"
  public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v ops@example.org"
}

keypair "generated" {
  name   = "PREFIXgenerated"
  secret = "PREFIXgenerated"
}
`

// TestLostInventory has all that is on record of objects of every kind be lost. The next pass finds each of them again: it
// makes none, takes none away, and changes nothing of them; only the password of the user is written once more, as nobody
// can see whether it is the one that was written before. What is found is on record as it was: in the end all of it goes.
func TestLostInventory(t *testing.T) {
	t.Parallel() // in a world of its own
	w := world.New(t)
	hosts := w.Cloud.Computes()
	if len(hosts) == 0 {
		t.Skip("needs the OpenStack of the test bed: which hosts run instances is not known of another one")
	}
	w.Vary(t, hosts[0])
	w.Files.Write("further.hcl", strings.ReplaceAll(further, "PREFIX", w.Files.Prefix))
	proxies := w.Proxies(t)
	pass := func() []world.Unit {
		t.Helper()
		if r := proxies.Run(t, converges); r.Code != 0 {
			t.Fatalf("a pass ended with %d:\n%s%s", r.Code, r.Stdout, r.Stderr)
		}
		status, _ := w.ReadStatus(t)
		return status.Units
	}
	w.Push(t, "Describe objects of every kind")
	before := pass()
	for _, kind := range schema.New().Kinds(schema.ClassResource) {
		if !schema.New().Resource(kind).Cluster && !slices.ContainsFunc(before, func(u world.Unit) bool { return strings.HasPrefix(u.Address, kind+".") && u.ID != "" }) {
			t.Errorf("there is no %s", kind)
		}
	}

	secrets := w.Cluster.Client().CoreV1().Secrets("kupenstack-system")
	list, err := secrets.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for _, secret := range list.Items {
		if strings.HasPrefix(secret.Name, "kupenstack-inventory-") {
			lost++
			if err := secrets.Delete(t.Context(), secret.Name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if lost == 0 {
		t.Fatal("nothing is on record")
	}
	begin := len(proxies.Requests())
	after := pass()
	var wrote, want []string
	for _, r := range proxies.Requests()[begin:] {
		changes := r.Method != http.MethodGet && r.Method != http.MethodHead && !strings.HasSuffix(r.URLPath, "/auth/tokens")
		if r.Proxy != "kubernetes" && r.Proxy != "git" && changes {
			wrote = append(wrote, r.Method+" "+r.URLPath)
		}
	}
	for _, u := range before {
		if u.Address == "user.alice" {
			want = append(want, http.MethodPatch+" /v3/users/"+u.ID)
		}
	}
	if !slices.Equal(wrote, want) {
		t.Errorf("a pass without an inventory sent %q, want %q", wrote, want)
	}
	for _, was := range before {
		i := slices.IndexFunc(after, func(u world.Unit) bool { return u.Address == was.Address })
		if i < 0 || after[i].ID != was.ID || after[i].Phase != was.Phase {
			t.Errorf("it was %+v, of %+v", was, after)
		}
	}

	w.Files.Write("away.hcl", "removed {\n  from = cloud.others\n}\n")
	w.Push(t, "Take everything away")
	pass()
	if left := w.Objects(t, nil); len(left) > 0 {
		t.Errorf("these are left: %q", left.Names())
	}
}
