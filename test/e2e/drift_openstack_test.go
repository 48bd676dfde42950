//go:build beds

package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// openStackDrifts are those of each kind of objects inside OpenStack: a field that is changed, and an
// object that is deleted.
func (s *story) openStackDrifts() []drift {
	return []drift{
		{"a flavor is replaced by another one of its name", s.takeFlavor, "flavor.taken", ""},
		{"an image is deactivated", s.deactivateImage, "image.idle", ""},
		{"a project's quota is changed", s.editQuota, "project.dev", "quota"},
		{"a project is deleted", s.deleted("project", "identity", "projects"), "project.spare", "name"},
		{"a network's description is edited", s.editNetwork, "network.web", "description"},
		{"a network is deleted", s.deleted("network", "network", "networks"), "network.spare", "name"},
		{"a subnet is deleted", s.deleted("subnet", "network", "subnets"), "subnet.spare", "cidr"},
		{"a subnet's name server is changed", s.editSubnet, "subnet.web", "dns_nameservers"},
		{"an interface of a router is removed", s.cutRouter, "router.edge", "subnets"},
		{"a router is deleted", s.deleted("router", "network", "routers"), "router.spare", "name"},
		{"a rule of a security group is deleted", s.deleteRule, "security_group.web", "rule"},
		{"a security group is deleted", s.deleted("security_group", "network", "security-groups"), "security_group.spare", "name"},
		{"an extra spec of a flavor is changed", s.editFlavor, "flavor.small", "extra_specs"},
		{"a key pair is replaced by one with another key", s.swapKey, "keypair.spare", "public_key"},
		{"a key pair that instances use is deleted", s.deleteKey, "keypair.ops", "public_key"},
		{"an image's smallest disk is changed", s.editImage, "image.cirros", "min_disk"},
		{"an image is deleted", s.deleted("image", "image", "images"), "image.spare", "name"},
		{"a server's metadata is changed", s.editServer, `instance.web["a"]`, "metadata"},
		{"a server is deleted", s.deleteServer, `instance.web["b"]`, "name"},
		{"the security groups of a server's port are taken away", s.openPort, `instance.web["c"]`, "security_groups"},
	}
}

// raw returns an object of this world as OpenStack shows it, nil without one. The name lacks the prefix.
func (s *story) raw(kind, name string) map[string]any {
	return s.Raw(s.all, kind, s.Files.Prefix+name)
}

// known is raw for what must be there, with its id.
func (s *story) known(t *testing.T, kind, name string) (object map[string]any, id string) {
	t.Helper()
	object = s.raw(kind, name)
	id, _ = object["id"].(string)
	if id == "" {
		t.Fatalf("there is no %s %s", kind, name)
	}
	return object, id
}

// again tells whether there is another object in the place of one, and that it is in use where its kind
// says so.
func (s *story) again(kind, name, id string) repaired {
	return func() (bool, string) {
		now := s.raw(kind, name)
		status, has := now["status"].(string)
		ready := !has || slices.Contains([]string{"active", "ACTIVE"}, status)
		return now != nil && now["id"] != id && ready, fmt.Sprint(now)
	}
}

// deleted deletes the spare object of a kind.
func (s *story) deleted(kind, api, collection string) func(*testing.T) repaired {
	return func(t *testing.T) repaired {
		_, id := s.known(t, kind, "spare")
		s.Meddle(t, api, http.MethodDelete, collection+"/"+id, nil)
		return s.again(kind, "spare", id)
	}
}

func (s *story) editQuota(t *testing.T) repaired {
	_, id := s.known(t, "project", "dev")
	path := "os-quota-sets/" + id
	instances := func(t testing.TB) any {
		quota, _ := s.Read(t, "compute", path)["quota_set"].(map[string]any)
		return quota["instances"]
	}
	was := instances(t)
	s.Meddle(t, "compute", http.MethodPut, path, map[string]any{"quota_set": map[string]any{"instances": 7}})
	return func() (bool, string) {
		now := instances(s.all)
		return fmt.Sprint(now) == fmt.Sprint(was), fmt.Sprint(now)
	}
}

// editNetwork takes the product's mark away with the description that it is a part of.
func (s *story) editNetwork(t *testing.T) repaired {
	was := s.Network(t, s.Files.Prefix+"web")
	if !strings.Contains(was.Description, "Web servers") {
		t.Fatalf("the network is described as %q", was.Description)
	}
	s.Meddle(t, "network", http.MethodPut, "networks/"+was.ID, map[string]any{"network": map[string]any{"description": "edited by hand"}})
	return func() (bool, string) {
		now := s.Network(s.all, was.Name)
		return now.ID == was.ID && now.Description == was.Description, now.Description
	}
}

func (s *story) editSubnet(t *testing.T) repaired {
	was, id := s.known(t, "subnet", "web")
	s.Meddle(t, "network", http.MethodPut, "subnets/"+id, map[string]any{"subnet": map[string]any{"dns_nameservers": []string{"10.20.4.99"}}})
	return func() (bool, string) {
		now := s.raw("subnet", "web")
		return now["id"] == id && fmt.Sprint(now["dns_nameservers"]) == fmt.Sprint(was["dns_nameservers"]), fmt.Sprint(now)
	}
}

func (s *story) cutRouter(t *testing.T) repaired {
	_, id := s.known(t, "router", "edge")
	_, subnet := s.known(t, "subnet", "web")
	interfaces := func(t testing.TB) int {
		ports, _ := s.Read(t, "network", "ports?device_owner=network:router_interface&device_id="+id)["ports"].([]any)
		return len(ports)
	}
	was := interfaces(t)
	s.Meddle(t, "network", http.MethodPut, "routers/"+id+"/remove_router_interface", map[string]any{"subnet_id": subnet})
	if now := interfaces(t); was != 1 || now > was {
		t.Fatalf("the router had %d interfaces and has %d", was, now)
	}
	return func() (bool, string) {
		router := s.raw("router", "edge")
		now := interfaces(s.all)
		return router["id"] == id && now == was, fmt.Sprint(now)
	}
}

// rules returns the rules of the security group of the web servers, by all that can be written of them.
func (s *story) rules() map[string]string {
	rules := map[string]string{}
	list, _ := s.raw("security_group", "web")["security_group_rules"].([]any)
	for _, element := range list {
		rule, _ := element.(map[string]any)
		id, _ := rule["id"].(string)
		what := fmt.Sprint(rule["direction"], rule["ethertype"], rule["protocol"], rule["port_range_min"], rule["port_range_max"], rule["remote_ip_prefix"])
		rules[what] = id
	}
	return rules
}

func (s *story) deleteRule(t *testing.T) repaired {
	was := s.rules()
	ssh := ""
	for what, id := range was {
		if strings.Contains(what, "tcp22") {
			ssh = id
		}
	}
	if ssh == "" {
		t.Fatalf("there is no rule about port 22: %v", was)
	}
	s.Meddle(t, "network", http.MethodDelete, "security-group-rules/"+ssh, nil)
	return func() (bool, string) {
		now := s.rules()
		for what := range was {
			if now[what] == "" || now[what] == ssh {
				return false, fmt.Sprint(now)
			}
		}
		return len(now) == len(was), fmt.Sprint(now)
	}
}

func (s *story) editFlavor(t *testing.T) repaired {
	_, id := s.known(t, "flavor", "small")
	path := "flavors/" + id + "/os-extra_specs"
	const spec = "example:tier"
	s.Meddle(t, "compute", http.MethodPut, path+"/"+spec, map[string]any{spec: "edited by hand"})
	return func() (bool, string) {
		specs, _ := s.Read(s.all, "compute", path)["extra_specs"].(map[string]any)
		now := s.raw("flavor", "small")
		return now["id"] == id && specs[spec] == "web", fmt.Sprint(specs)
	}
}

// swapKey gives the name of a key pair to another key. The pair has no place for a mark: what has its
// name is it.
func (s *story) swapKey(t *testing.T) repaired {
	was, id := s.known(t, "keypair", "spare")
	const other = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g other@example.org"
	body := map[string]any{"keypair": map[string]any{"name": id, "public_key": other}}
	if now := s.Replace(t, "keypair", id, "compute", "os-keypairs", body); now["fingerprint"] == was["fingerprint"] {
		t.Fatalf("the pair has its key yet: %v", now)
	}
	return func() (bool, string) {
		now := s.raw("keypair", "spare")
		return now["fingerprint"] == was["fingerprint"], fmt.Sprint(now)
	}
}

// deleteKey deletes the key pair of the servers, which go on with it and stay.
func (s *story) deleteKey(t *testing.T) repaired {
	was, id := s.known(t, "keypair", "ops")
	kept := s.server(t, "web-a")
	s.Meddle(t, "compute", http.MethodDelete, "os-keypairs/"+id, nil)
	return func() (bool, string) {
		if now := s.server(s.all, "web-a"); now.ID != kept.ID {
			s.all.Errorf("the server web-a is %s, was %s", now.ID, kept.ID)
		}
		now := s.raw("keypair", "ops")
		return now != nil && now["fingerprint"] == was["fingerprint"], fmt.Sprint(now)
	}
}

func (s *story) editImage(t *testing.T) repaired {
	was, id := s.known(t, "image", "cirros")
	s.Meddle(t, "image", http.MethodPatch, "images/"+id, []map[string]any{{"op": "replace", "path": "/min_disk", "value": 9}})
	return func() (bool, string) {
		now := s.raw("image", "cirros")
		return now["id"] == id && now["min_disk"] == was["min_disk"], fmt.Sprint(now)
	}
}

func (s *story) editServer(t *testing.T) repaired {
	was := s.server(t, "web-a")
	s.Meddle(t, "compute", http.MethodPut, "servers/"+was.ID+"/metadata/tier", map[string]any{"meta": map[string]any{"tier": "edited by hand"}})
	return func() (bool, string) {
		now := s.server(s.all, "web-a")
		return now.ID == was.ID && now.Metadata["tier"] == was.Metadata["tier"], fmt.Sprint(now.Metadata)
	}
}

// openPort leaves the port of a server without what filters its packets.
func (s *story) openPort(t *testing.T) repaired {
	server := s.server(t, "web-c")
	port := func(t testing.TB) map[string]any {
		ports, _ := s.Read(t, "network", "ports?device_id="+server.ID)["ports"].([]any)
		if len(ports) != 1 {
			t.Fatalf("the server has the ports %v", ports)
		}
		port, _ := ports[0].(map[string]any)
		return port
	}
	was := port(t)
	s.Meddle(t, "network", http.MethodPut, fmt.Sprintf("ports/%v", was["id"]), map[string]any{"port": map[string]any{"security_groups": []string{}}})
	return func() (bool, string) {
		now := port(s.all)
		return now["id"] == was["id"] && fmt.Sprint(now["security_groups"]) == fmt.Sprint(was["security_groups"]), fmt.Sprint(now)
	}
}

func (s *story) deleteServer(t *testing.T) repaired {
	deleted := s.server(t, "web-b")
	s.DeleteServer(t, deleted.ID)
	return func() (bool, string) {
		now := s.server(s.all, "web-b") // Nova shows the deleted one as ACTIVE for a moment yet
		if now.ID == deleted.ID || now.Status != "ACTIVE" {
			return false, now.ID + " " + now.Status
		}
		status, _ := s.ReadStatus(s.all) // the verdict alone may be of before
		u := status.Unit(`instance.web["b"]`)
		return u != nil && u.ID == now.ID && u.Phase == "ready", fmt.Sprintf("%+v", u)
	}
}
