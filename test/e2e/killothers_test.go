//go:build beds

package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/crash"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// TestDaemonKilledAtTheOtherKinds does what TestDaemonKilledAtEveryKindOfRequest does with clouds that have the kinds of
// OpenStack that the other one has not, and instances that are resized, stopped, attached to networks and healed. They come and
// go beside one another, so that they wait together: what has perhaps been created is waited for, half a minute each time. Unless
// there are to be more runs a daemon is killed at each named step once, in one of the clouds, before the request arrives or
// after it was answered, as the seed has it. Else daemons are killed before each kind of request that changes something in
// one cloud, after it in another one, and on both sides of what only asks in the last one.
func TestDaemonKilledAtTheOtherKinds(t *testing.T) {
	t.Parallel() // in worlds of their own
	type sweep struct {
		name   string
		choice choice
	}
	all := []sweep{
		{"before", choice{whole: true, sides: before}}, {"after", choice{whole: true, sides: after}}, {"asking", choice{whole: true, sides: both, asking: true}},
	}
	if os.Getenv(runsVariable) == "" || os.Getenv(crash.PointVariable) != "" {
		all = nil
		for part := range othersBeside {
			all = append(all, sweep{fmt.Sprintf("%d of %d", part+1, othersBeside), choice{named: true, part: part, parts: othersBeside}})
		}
	}
	if os.Getenv(crash.PointVariable) != "" {
		all = all[:1]
	}
	var sweeps sync.WaitGroup // as parallel tests they would begin when all others are done, and they take long
	for i, of := range all {
		of.choice.sweep = "others"
		sweeps.Go(func() { t.Run(of.name, func(t *testing.T) { sweepOthers(t, of.choice, i) }) })
	}
	sweeps.Wait()
}

// sweepOthers has one cloud come and go, whose instance's host is the one with a number.
func sweepOthers(t *testing.T, c choice, number int) {
	t.Helper()
	w := world.New(t)
	hosts := w.Cloud.Computes()
	if len(hosts) == 0 {
		t.Skip("needs the OpenStack of the test bed: which hosts run instances is not known of another one")
	}
	w.Vary(t, hosts[number%len(hosts)])
	s := sweeps(t, w, c)
	s.through(t, []chapter{
		{"install others", s.installOthers},
		{"change others", s.changeOthers},
		{"heal others", s.healOthers},
		{"removal of others", s.removeOthers},
	})
}

func (s *kinds) installOthers(t *testing.T) {
	s.commit = s.Push(t, "Describe the cloud")
	s.converge(t, "install others", always)
	s.othersOnce(t, 1)
}

// changeOthers changes whatever can be changed in place. Keystone changes no registered limit while there are limits by it.
func (s *kinds) changeOthers(t *testing.T) {
	s.editOthers(t, [][2]string{
		{`= "0"`, `= "1"`},
		{"example.org/v0", "example.org/v1"},
		{"resource_limit = 20", "resource_limit = 21"},
		{"max_kbps = 1000", "max_kbps = 2000"},
		{`total_iops_sec = "100"`, `total_iops_sec = "200"`},
		{"segmentation_id = 7", "segmentation_id = 8"},
		{"10.98.0.0/24", "10.99.0.0/24"},
		{"networks   = [network.web]", "networks   = [network.web, network.side]"},
		{"heal     = \"restart\"\n  flavor   = flavor.small", "heal     = \"restart\"\n  flavor   = flavor.large"},
		{"running  = true", "running  = false"},
		{`"step0"`, `"step1"`},
		{"scope0", "scope1"},
		{"fast0", "fast1"},
		{"volumes = 20, networks = 20", "volumes = 21, networks = 21"},
		{"dscp_mark   = 10", "dscp_mark   = 20"},
		{"access      = [project.dev]", "access      = [project.dev, project.guest]"},
		{`, more = "0 to go"`, ""},
	})
	s.changed = true
	s.commit = s.Push(t, "Change all of it")
	s.converge(t, "change others", always)
	s.othersOnce(t, 1)
}

// healOthers takes some of the changes back, and has the instances fail that say what is to be done then.
func (s *kinds) healOthers(t *testing.T) {
	s.editOthers(t, [][2]string{
		{"networks   = [network.web, network.side]", "networks   = [network.web]"},
		{"running  = false", "running  = true"},
		{"access      = [project.dev, project.guest]", "access      = [project.dev]"},
		{"groups          = [group.operators]", "groups          = []"},
	})
	s.commit = s.Push(t, "Change some of it back")
	var looked time.Time
	failed := 0 // of them. One after the other, as after a few attempts that were cut off an instance is left as it is
	s.converge(t, "heal others", func() bool {
		switch {
		case time.Since(looked) < time.Second: // it takes a request, and is asked for again at once
			return false
		case failed > 0 && s.raw("instance", healing()[failed-1])["status"] != "ACTIVE":
			looked = time.Now()
			return false
		case failed == len(healing()):
			return true
		}
		_, id := s.known(t, "instance", healing()[failed])
		s.Meddle(t, "compute", http.MethodPost, "servers/"+id+"/action", map[string]any{"os-resetState": map[string]any{"state": "error"}})
		failed, looked = failed+1, time.Now()
		return false
	})
	s.healed = true
	s.othersOnce(t, 1)
}

// editOthers replaces texts of the configuration, which must have them.
func (s *kinds) editOthers(t *testing.T, edits [][2]string) {
	t.Helper()
	text := s.Files.Content()["others.hcl"]
	for _, edit := range edits {
		if !strings.Contains(text, edit[0]) {
			t.Fatalf("nothing says %s", edit[0])
		}
		text = strings.ReplaceAll(text, edit[0], edit[1])
	}
	s.Files.Write("others.hcl", text)
}

func (s *kinds) removeOthers(t *testing.T) {
	s.Files.Write("away.hcl", "removed {\n  from = cloud.others\n}\n")
	s.commit = s.Push(t, "Take everything away")
	s.converge(t, "removal of others", always)
	s.othersOnce(t, 0)
	if left := s.Objects(t, nil); len(left) > 0 {
		t.Errorf("%s: these are left: %q", s.where(), left.Names())
	}
}

// otherKinds are where OpenStack lists kinds of [world.World.Vary]. Of limits Keystone has no two that are the same.
func otherKinds() map[string]struct{ api, path, key string } {
	return map[string]struct{ api, path, key string }{
		"domain": {"identity", "domains", "domains"}, "region": {"identity", "regions", "regions"}, "identity_service": {"identity", "services", "services"},
		"identity_endpoint": {"identity", "endpoints", "endpoints"}, "registered_limit": {"identity", "registered_limits", "registered_limits"},
		"user": {"identity", "users", "users"}, "group": {"identity", "groups", "groups"},
		"address_scope": {"network", "address-scopes", "address_scopes"}, "subnet_pool": {"network", "subnetpools", "subnetpools"},
		"qos_policy": {"network", "qos/policies", "policies"}, "rbac_policy": {"network", "rbac-policies", "rbac_policies"}, "trunk": {"network", "trunks", "trunks"},
		"router":         {"network", "routers", "routers"},
		"host_aggregate": {"compute", "os-aggregates", "aggregates"}, "server_group": {"compute", "os-server-groups?all_projects=True", "server_groups"},
		"volume_qos": {"volume", "qos-specs", "qos_specs"}, "volume_type": {"volume", "types?is_public=None", "volume_types"},
		"snapshot": {"volume", "snapshots/detail?all_tenants=True", "snapshots"},
	}
}

// othersOnce wants each object to be there so many times, and as it is wanted: the command finds nothing to do.
func (s *kinds) othersOnce(t *testing.T, want int) {
	t.Helper()
	known := []string{s.Files.Prefix}
	for _, object := range s.Objects(t, nil) {
		if slices.Contains([]string{"project", "network"}, object.Kind) {
			known = append(known, object.ID)
		}
		if object.Kind == "instance" && object.Name == s.Files.Prefix+"web" {
			attached, _ := s.Read(t, "compute", "servers/"+object.ID+"/os-volume_attachments")["volumeAttachments"].([]any)
			if len(attached) != want {
				t.Errorf("%s: the instance has %d volumes, want %d", s.where(), len(attached), want)
			}
		}
	}
	services, _ := s.Read(t, "identity", "services")["services"].([]any)
	for _, raw := range services {
		if service, _ := raw.(map[string]any); strings.HasPrefix(fmt.Sprint(service["type"]), s.Files.Prefix) {
			known = append(known, fmt.Sprint(service["id"]))
		}
	}
	for kind, at := range otherKinds() {
		list, _ := s.Read(t, at.api, at.path)[at.key].([]any)
		found := 0
		for _, raw := range list {
			text := fmt.Sprint(raw)
			if slices.ContainsFunc(known, func(known string) bool { return strings.Contains(text, known) }) {
				found++
			}
		}
		if found != want {
			t.Errorf("%s: of %s there are %d, want %d: %v", s.where(), kind, found, want, list)
		}
	}
	if want == 0 {
		return
	}
	for _, line := range s.othersDiffer(t) {
		t.Errorf("%s: %s", s.where(), line)
	}
	begin := s.requests()
	for range 2 { // the first may write what the last daemon had no time to show
		if r := s.proxies.Run(t, converges); r.Code != 0 {
			t.Fatalf("%s: a pass ended with %d:\n%s%s", s.where(), r.Code, r.Stdout, r.Stderr)
		}
	}
	for _, r := range s.proxies.Requests()[begin:] {
		changes := r.Method != http.MethodGet && r.Method != http.MethodHead && !strings.HasSuffix(r.URLPath, "/auth/tokens")
		if r.Proxy != "kubernetes" && r.Proxy != "git" && changes {
			t.Errorf("%s: a pass over what is as it is wanted sent %s %s to %s", s.where(), r.Method, r.URLPath, r.Proxy)
		}
	}
}
