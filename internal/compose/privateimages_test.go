package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestImagesOfOtherProjects: an instance whose project certainly may not use its image is warned of, and no other one.
func TestImagesOfOtherProjects(t *testing.T) {
	const rest = `
project "a" {}
project "b" {}
data "project" "c" { name = "c" }
flavor "f" {
  vcpus = 1
  ram   = 64
}
network "n" { project = project.b }
project "old" {}
import {
  to = project.old
  id = "00000000000000000000000000000002"
}
project "admin" {}
`
	for name, c := range map[string]struct {
		image, project string
		warns          bool
	}{
		"private":                       {"project = project.a\nvisibility = \"private\"", "project.b", true},
		"private, of our own project":   {`visibility = "private"`, "project.b", true},
		"private, of the same":          {"project = project.b\nvisibility = \"private\"", "project.b", false},
		"private, of one looked up":     {"project = data.project.c\nvisibility = \"private\"", "project.b", false},
		"private, of an id":             {"project = \"00000000000000000000000000000001\"\nvisibility = \"private\"", "project.b", false},
		"private, in one looked up":     {"project = project.a\nvisibility = \"private\"", "data.project.c", false},
		"public":                        {"project = project.a\nvisibility = \"public\"", "project.b", false},
		"community":                     {"project = project.a\nvisibility = \"community\"", "project.b", false},
		"as Glance has it":              {"project = project.a", "project.b", false},
		"shared with nobody":            {"project = project.a\nvisibility = \"shared\"", "project.b", true},
		"shared with it":                {"project = project.a\nvisibility = \"shared\"\nmembers = [project.b]", "project.b", false},
		"shared with another":           {"project = project.a\nvisibility = \"shared\"\nmembers = [project.a]", "project.b", true},
		"shared with an id":             {"project = project.a\nvisibility = \"shared\"\nmembers = [project.a, \"00000000000000000000000000000001\"]", "project.b", false},
		"private, in one taken over":    {"project = project.a\nvisibility = \"private\"", "project.old", true},
		"ours may be the one":           {`visibility = "private"`, "project.old", false},
		"ours is often this one":        {`visibility = "private"`, "project.admin", false},
		"private, and none for the VM ": {"project = project.a\nvisibility = \"private\"", "null", false},
	} {
		t.Run(name, func(t *testing.T) {
			m, ev := composed.Text(t, composed.Source("ovs", "")+rest+"image \"i\" {\nsource = \"https://example.org/i.img\"\nchecksum = \"sha256:"+strings.Repeat("0", 64)+"\"\n"+c.image+"\n}\n"+
				"instance \"vm\" {\nproject = "+c.project+"\nimage = image.i\nflavor = flavor.f\nnetworks = [network.n]\n}\n")
			_, diags := compose.Compose(m, ev, compose.Facts{OpenStackGiven: true})
			warned := false
			for _, d := range diags {
				if d.Code != "compose.private-image" {
					continue
				}
				warned = true
				if d.Severity != diag.Warning || d.Address.String() != "instance.vm" || !strings.Contains(d.Hint, "members = ["+c.project+"] for image.i") || d.Subject == nil {
					t.Errorf("it is %+v", d)
				}
			}
			if warned != c.warns {
				t.Errorf("warned: %v, want %v: %v", warned, c.warns, diags)
			}
		})
	}
}

// TestImageTakenOver: an image that was there before is in whatever project it is in, where its block does not say which.
func TestImageTakenOver(t *testing.T) {
	for written, warns := range map[string]bool{"": false, "project = project.a\n": true} {
		m, ev := composed.Text(t, composed.Source("ovs", "")+`
project "a" {}
project "b" {}
import {
  to = image.i
  id = "00000000-0000-0000-0000-000000000003"
}
image "i" {
  source     = "https://example.org/i.img"
  checksum   = "sha256:`+strings.Repeat("0", 64)+`"
  visibility = "private"
  `+written+`
}
instance "vm" {
  project  = project.b
  image    = image.i
  flavor   = "m1.small"
  networks = []
}
`)
		_, diags := compose.Compose(m, ev, compose.Facts{OpenStackGiven: true})
		warned := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == "compose.private-image" })
		if warned != warns {
			t.Errorf("with %q it is warned: %v, want %v: %v", written, warned, warns, diags)
		}
	}
}
