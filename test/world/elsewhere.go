package world

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	client "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/projects"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/roles"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
)

// Elsewhere makes a project that nothing of the world lies in, and returns its id and the variable
// that has a command work there under the same entry of clouds.yaml. A cloud that is not of the test
// bed skips the test: where its clouds.yaml lies is not known.
func (w *World) Elsewhere(t testing.TB) (id, variable string) {
	t.Helper()
	if w.Cloud.CloudsYAML == "" {
		t.Skip("needs the OpenStack of the test bed, but OS_CLOUD names another one")
	}
	identity := w.service(t, client.NewIdentityV3)
	project, err := projects.Create(t.Context(), identity, projects.CreateOpts{Name: w.Files.Prefix + "elsewhere"}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := projects.Delete(ctx, identity, project.ID).ExtractErr(); err != nil {
			t.Errorf("delete the project %s: %v", project.Name, err)
		}
	})
	token, ok := identity.GetAuthResult().(tokens.CreateResult)
	if !ok {
		t.Fatal("the client has no token")
	}
	user, err := token.ExtractUser()
	if err != nil {
		t.Fatal(err)
	}
	pages, err := roles.List(identity, roles.ListOpts{Name: "admin"}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	admin, err := roles.ExtractRoles(pages)
	if err != nil || len(admin) != 1 {
		t.Fatalf("there are %d roles admin, want 1; error %v", len(admin), err)
	}
	err = roles.Assign(t.Context(), identity, admin[0].ID, roles.AssignOpts{UserID: user.ID, ProjectID: project.ID}).ExtractErr()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(w.Cloud.CloudsYAML)
	if err != nil {
		t.Fatal(err)
	}
	const own = "project_name: admin"
	if !strings.Contains(string(text), own) {
		t.Fatalf("%s does not say %q", w.Cloud.CloudsYAML, own)
	}
	dir := filepath.Join(t.TempDir(), "elsewhere") // of its own, as the name is always the same
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "clouds.yaml")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), own, fmt.Sprintf("project_name: %q", project.Name))), 0o600); err != nil {
		t.Fatal(err)
	}
	return project.ID, "OS_CLIENT_CONFIG_FILE=" + path
}
