package revision_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// What goes with a service is what its block names, and nothing when the whole cloud goes.
func TestCleanUpIsOfServicesThatGo(t *testing.T) {
	heat := addr.MustParseObject("service.heat")
	described := strings.Replace(deployed, "service \"memcached\" {", "service \"heat\" {\n    clean_up = [\"users\", \"database\"]", 1)
	for name, want := range map[string][]string{"": {"database", "users"}, "lab": nil} {
		tree := fstest.MapFS{"main.hcl": {Data: []byte(described)}, "charts/mariadb/Chart.yaml": {}}
		loaded, found := revision.Load("abc", tree, ".", revision.Options{Language: schema.New(), TearDown: name})
		if loaded == nil {
			t.Fatal(found.Text(false))
		}
		got, diags := loaded.Compose(compose.Facts{Nodes: []string{"node-1"}})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if !got.Removed[heat] || !slices.Equal(got.CleanUps[heat], want) {
			t.Errorf("with the tear-down of %q, %v goes with heat, want %v; removed are %v", name, got.CleanUps[heat], want, got.Removed)
		}
	}
}

// What a block names goes with the cloud, but whoever types what goes names the data as well.
func TestTypedTearDownTakesNoData(t *testing.T) {
	described := deployed + "\nremoved {\n  from        = cloud.lab\n  delete_data = [\"mariadb\", \"glance\"]\n}\n"
	for name, want := range map[string]string{"": "[glance mariadb]", "lab": "[]"} {
		tree := fstest.MapFS{"main.hcl": {Data: []byte(described)}, "charts/mariadb/Chart.yaml": {}}
		loaded, found := revision.Load("abc", tree, ".", revision.Options{Language: schema.New(), TearDown: name})
		if loaded == nil {
			t.Fatal(found.Text(false))
		}
		got, diags := loaded.Compose(compose.Facts{Nodes: []string{"node-1"}})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if len(got.Removals) != 1 || !got.Removals[0].Destroy || fmt.Sprint(got.Removals[0].DeleteData) != want {
			t.Errorf("with the tear-down of %q, what goes is %+v, want the data of %s", name, got.Removals, want)
		}
	}
}
