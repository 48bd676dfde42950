//go:build beds

package e2e_test

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// kindsBlocks are what the cloud has in the cluster beside its services.
const kindsBlocks = `manifest "space" {
  objects = { apiVersion = "v1", kind = "Namespace", metadata = { name = "notes" } }
}

manifest "notes" {
  depends_on = [manifest.space]
  objects = [
    { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "kept", namespace = "notes" }, data = { text = "0" } },
    { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "spare", namespace = "notes" }, data = { text = "0" } },
  ]
}
`

// always is what a daemon is at the end with as soon as the commit is in force.
func always() bool { return true }

func (s *kinds) install(t *testing.T) {
	// Beside the services: a release that is alone in its namespace is read by itself, and not with one list.
	s.Files.Write("apps.hcl", kindsBlocks+fmt.Sprintf(steppedBlock, namespace, "0"))
	s.commit = s.Push(t, "Describe the cloud")
	s.converge(t, "install", always)
	s.once(t)
}

// change has objects changed in place, others replaced, others taken out, and a release upgraded.
func (s *kinds) change(t *testing.T) {
	s.Files.Edit(t, "apps.hcl", `text = "0"`, `text = "1"`)
	s.Files.Edit(t, "apps.hcl", `    { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "spare", namespace = "notes" }, data = { text = "0" } },`+"\n", "")
	s.Files.Edit(t, "apps.hcl", `values     = { text = "0" }`, `values     = { text = "1" }`)
	for _, edit := range [][2]string{
		{"mtu     = 1400", "mtu     = 1300"},
		{"cidr    = \"10.20.4.0/24\"", "cidr    = \"10.20.4.0/24\"\n  description = \"changed\""},
		{"quota = { instances = 20 }", "quota = { instances = 21 }"},
		{"port_min  = 8080\n    port_max  = 8080", "port_min  = 8081\n    port_max  = 8081"},
		{"spare\"\n  vcpus = 1", "spare\"\n  vcpus = 2"},
		{"members     = [project.guest]", "members     = [project.dev]"},
		{"size    = 1", "size    = 2"},
		{"tier = \"web\"", "tier = \"db\""},
		{"vswitchd:0", "vswitchd:1"},
	} {
		s.Files.Edit(t, "small.hcl", edit[0], edit[1])
	}
	s.changed = true
	s.commit = s.Push(t, "Change some of it")
	s.converge(t, "change", always)
	s.once(t)
}

// heal has somebody else edit and delete objects while a daemon watches over them.
func (s *kinds) heal(t *testing.T) {
	var looked time.Time
	s.converge(t, "heal", func() bool {
		switch {
		case looked.IsZero():
			s.disturb(t)
		case time.Since(looked) < time.Second: // it takes many requests, and is asked for again at once
			return false
		case len(s.differs(t)) == 0:
			return true
		}
		looked = time.Now()
		return false
	})
	s.once(t)
}

func (s *kinds) disturb(t *testing.T) {
	t.Helper()
	client := s.Cluster.Client()
	if err := client.CoreV1().ConfigMaps(namespace).Delete(t.Context(), "settings", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	edit := []byte(`{"spec":{"template":{"metadata":{"annotations":{"text":"edited by hand"}}}}}`)
	if _, err := client.AppsV1().Deployments(namespace).Patch(t.Context(), "server", types.StrategicMergePatchType, edit, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	unlabel := []byte(`{"metadata":{"labels":{"openstack-control-plane":null}}}`)
	if _, err := client.CoreV1().Nodes().Patch(t.Context(), "node-1", types.StrategicMergePatchType, unlabel, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	_, flavor := s.known(t, "flavor", "spare")
	s.Meddle(t, "compute", http.MethodDelete, "flavors/"+flavor, nil)
	s.deleteRule(t)
	s.editQuota(t)
	for _, ip := range s.floatingIPs(t) {
		s.Meddle(t, "network", http.MethodPut, fmt.Sprint("floatingips/", ip["id"]), map[string]any{"floatingip": map[string]any{"port_id": nil}})
	}
	_, image := s.known(t, "image", "shared")
	_, member := s.known(t, "project", "dev")
	s.Meddle(t, "image", http.MethodDelete, "images/"+image+"/members/"+member, nil)
}

// rest looks on at passes of the command that have nothing to do. The first one may write what the last daemon had no
// time to show.
func (s *kinds) rest(t *testing.T) {
	if r := s.proxies.Run(t, converges); r.Code != 0 {
		t.Fatalf("the first pass ended with %d:\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	s.threePasses(t, variousLists(), "identity /v3/domains", "identity /v3/groups") // a domain without groups is asked by itself
}

// removal takes the cloud away: what is in OpenStack first, as it could not be reached any more, then the services, each
// before what it needs. The data of one of them goes as well.
func (s *kinds) removal(t *testing.T) {
	before := s.Objects(t, nil)
	begin := s.requests()
	claims := s.claims(t)
	letDeleteData(t, s.World, namespace)
	s.Files.Write("away.hcl", "removed {\n  from        = cloud.small\n  delete_data = [\"mariadb\"]\n}\n")
	s.commit = s.Push(t, "Take everything away")
	s.converge(t, "removal", always)
	if left := s.Objects(t, before); len(left) > 0 {
		t.Errorf("%s: of\n%q\nthese are left:\n%q", s.where(), before.Names(), left.Names())
	}
	if left := s.unlisted(t); len(left) > 0 {
		t.Errorf("%s: these are left: %v", s.where(), left)
	}
	// Without the keys nothing could be read any more that they encrypt.
	if left := s.Released(t, namespace); !slices.Equal(left, []string{"Secret keystone-credential-keys", "Secret keystone-fernet-keys"}) {
		t.Errorf("%s: objects of releases are left: %q", s.where(), left)
	}
	s.dataOnce(t, claims)
	at := map[string][]faultproxy.Request{}
	for _, r := range s.proxies.Requests()[begin:] {
		what := ""
		if r.Proxy == "kubernetes" {
			what = releaseOf(r)
		} else if r.Method == http.MethodDelete {
			_, last := path.Split(r.URLPath)
			if i := slices.IndexFunc(before, func(o world.Object) bool { return o.ID == last }); i >= 0 {
				what = before[i].Kind + " " + strings.TrimPrefix(before[i].Name, s.Files.Prefix)
			}
		}
		if what != "" && r.Forwarded {
			at[what] = append(at[what], r)
		}
	}
	order := [][2]string{{"project dev", "release keystone"}}
	for _, needed := range []string{"subnet web", "flavor small", "image cirros", "keypair ops", "security_group web"} {
		order = append(order, [2]string{"instance web", needed})
	}
	for _, needed := range []string{"subnet web", "subnet public", "network public"} {
		order = append(order, [2]string{"router edge", needed})
	}
	for _, inside := range []string{"subnet web", "network web", "router edge", "security_group web", "image shared"} {
		order = append(order, [2]string{inside, "project dev"})
	}
	for _, service := range []string{"mariadb", "rabbitmq", "memcached"} {
		order = append(order, [2]string{"release keystone", "release " + service})
	}
	eachBefore(t, at, order)
	s.reportsOnce(t)
}

// once asserts that everything is as it is wanted, that it is there once, and that it was done once.
func (s *kinds) once(t *testing.T) {
	t.Helper()
	for _, line := range s.differs(t) {
		t.Errorf("%s: %s", s.where(), line)
	}
	s.releasesOnce(t)
	s.hooksOnce(t)
	s.podsOnce(t)
}
