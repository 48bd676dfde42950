//go:build beds

package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// spareFile is where the spares are described.
const spareFile = "spare.hcl"

// spares are objects that nothing else needs: Neutron and Keystone delete nothing that instances need, or take
// it along. What instances were made from is deleted in a chapter of its own.
const spares = `
project "spare" {
  name = "PREFIXspare"
}
network "spare" {
  name    = "PREFIXspare"
  project = project.dev
}
network "holds" {
  name    = "PREFIXholds"
  project = project.dev
}
subnet "spare" {
  name    = "PREFIXspare"
  project = project.dev
  network = network.holds
  cidr    = "192.0.2.0/24"
}
router "spare" {
  name    = "PREFIXspare"
  project = project.dev
}
security_group "spare" {
  name    = "PREFIXspare"
  project = project.dev
}
flavor "taken" {
  name  = "PREFIXtaken"
  vcpus = 1
  ram   = 64
}
keypair "spare" {
  name       = "PREFIXspare"
  public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v spare@example.org"
}
image "spare" {
  name        = "PREFIXspare"
  source      = "IMAGE"
  disk_format = "raw"
}
image "idle" {
  name        = "PREFIXidle"
  source      = "IMAGE"
  disk_format = "raw"
}
`

// addSpares describes them, and for a flavor more than its size, which Nova cannot change. They are made
// with the next push. There are not more than may be deleted at once.
func (s *story) addSpares(t *testing.T) {
	t.Helper()
	s.Files.Edit(t, "resources.hcl", "  ram   = 512\n", "  ram   = 512\n\n  extra_specs = { \"example:tier\" = \"web\" }\n")
	s.Files.Write(spareFile, strings.NewReplacer("PREFIX", s.Files.Prefix, "IMAGE", s.Image).Replace(spares))
}

// withoutSpares returns the names of all objects but the spares.
func withoutSpares(names []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, name, _ = strings.Cut(name, " "+prefix)
		return slices.Contains([]string{"spare", "holds", "taken", "idle"}, name)
	})
}

// takeFlavor puts a flavor of another size in the place of ours. Nova changes none, and what is somebody
// else's is not deleted: the report says so, until the other one goes.
func (s *story) takeFlavor(t *testing.T) repaired {
	s.known(t, "flavor", "taken")
	name := s.Files.Prefix + "taken"
	made := s.Replace(t, "flavor", name, "compute", "flavors", map[string]any{"flavor": map[string]any{
		"name": name, "vcpus": 3, "ram": 128, "disk": 0,
	}})
	foreign, _ := made["id"].(string)
	if foreign == "" {
		t.Fatalf("Nova answers with the flavor %v", made)
	}
	back := s.again("flavor", "taken", foreign)
	told := s.told("flavor.taken", "blocked", "is not ours, has this name, and differs in what cannot be changed", func() {
		s.Meddle(s.all, "compute", http.MethodDelete, "flavors/"+foreign, nil)
	})
	return func() (bool, string) {
		if done, seen := told(); !done {
			return false, seen
		}
		return back()
	}
}

// deactivateImage has Glance hand out an image no more. That is said, and left to whoever did it.
func (s *story) deactivateImage(t *testing.T) repaired {
	_, id := s.known(t, "image", "idle")
	s.Meddle(t, "image", http.MethodPost, "images/"+id+"/actions/deactivate", nil)
	told := s.told("image.idle", "failed", "deactivated", func() {
		if now := s.raw("image", "idle"); now["id"] != id || now["status"] != "deactivated" {
			s.all.Errorf("the image was to stay as somebody wanted it, and is %v", now)
		}
		s.Meddle(s.all, "image", http.MethodPost, "images/"+id+"/actions/reactivate", nil)
	})
	return func() (bool, string) {
		if done, seen := told(); !done {
			return false, seen
		}
		status, _ := s.ReadStatus(s.all)
		u := status.Unit("image.idle")
		return u != nil && u.Phase == "ready", fmt.Sprintf("%+v", u)
	}
}

// told waits until the report says of a unit that it is in a phase for a reason, and then does something,
// once.
func (s *story) told(address, phase, reason string, then func()) repaired {
	told := false
	return func() (bool, string) {
		if told {
			return true, ""
		}
		status, _ := s.ReadStatus(s.all)
		u := status.Unit(address)
		if u == nil || u.Phase != phase || !strings.Contains(u.Reason, reason) {
			return false, fmt.Sprintf("the report says: %+v", u)
		}
		told = true
		then()
		return true, ""
	}
}
