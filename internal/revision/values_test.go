package revision_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestSeveralEnvironments loads two clouds from one repository, each with its own file of values.
func TestSeveralEnvironments(t *testing.T) {
	main := []byte(`
variable "site" {}
cloud "c" {
  openstack {
    cloud = var.site
  }
}
project "dev" {
  description = file("../../shared/about.txt")
}
`)
	tree := fstest.MapFS{
		"clouds/prod/main.hcl":     {Data: main},
		"clouds/prod/prod.hclvars": {Data: []byte(`site = "prod-site"`)},
		"clouds/lab/main.hcl":      {Data: main},
		"clouds/lab/lab.hclvars":   {Data: []byte(`site = "lab-site"`)},
		"shared/about.txt":         {Data: []byte("shared by all")},
	}
	for _, name := range []string{"prod", "lab"} {
		loaded, found := revision.Load("1", tree, "clouds/"+name, revision.Options{Language: schema.New(), Given: []config.Given{{File: name + ".hclvars", Origin: "--var-file"}}})
		if loaded == nil || len(found.Diagnostics) > 0 {
			t.Fatal(found.Text(false))
		}
		if got := loaded.Model.Cloud.OpenStack.Cloud; got != name+"-site" {
			t.Errorf("%s has the value %q", name, got)
		}
	}
	if loaded, found := revision.Load("1", tree, "clouds/prod", revision.Options{Language: schema.New()}); loaded != nil || !strings.Contains(found.Text(false), "variable without value") {
		t.Errorf("without values: %s", found.Text(false))
	}
}
