package export_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestLabelsWithoutIDs has role assignments called by the names of what they connect, and none by the name of another.
func TestLabelsWithoutIDs(t *testing.T) {
	t.Parallel()
	named := func(kind, id, title string) unit.Live {
		return unit.Live{Kind: kind, ID: uid(id), Title: title, Values: map[string]cty.Value{"id": cty.StringVal(uid(id)), "name": cty.StringVal(title)}}
	}
	assigned := func(user string) unit.Live {
		id := "user/" + uid(user) + "/project/" + uid("p") + "/role/" + uid("r")
		return unit.Live{Kind: "role_assignment", ID: id, Title: id, Values: map[string]cty.Value{
			"user": cty.StringVal(uid(user)), "project": cty.StringVal(uid("p")), "role": cty.StringVal(uid("r")),
		}}
	}
	live := []unit.Live{named("project", "p", "shop"), named("role", "r", "member"), named("user", "u", "ann"), named("user", "v", "ann"), assigned("u"), assigned("v")}
	result, err := export.Export(schema.New(), live, export.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	var hcl strings.Builder
	for _, f := range result.Files {
		hcl.Write(f.Content)
	}
	for _, want := range []string{`role_assignment "user_ann_project_shop_role_member" {`, `role_assignment "user_ann_project_shop_role_member_2" {`, `id = "` + assigned("v").ID + `"`} {
		if !strings.Contains(hcl.String(), want) {
			t.Errorf("no %s in\n%s", want, hcl.String())
		}
	}
}
