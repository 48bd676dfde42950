package openstack_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
)

// asksCinder is a request about group types past the proxies, of the microversion that has them.
func (p *program) asksCinder(ctx context.Context, method, path string, body any) (answer map[string]any, err error) {
	cloud := sharedCloud(p.t)
	provider, err := cloud.Provider(ctx)
	if err != nil {
		return nil, err
	}
	options := &gophercloud.RequestOpts{JSONBody: body, MoreHeaders: map[string]string{"OpenStack-API-Version": "volume 3.11"}, OkCodes: []int{http.StatusOK, http.StatusAccepted, http.StatusNoContent}}
	if method == http.MethodGet || method == http.MethodPost {
		options.JSONResponse = &answer
	}
	response, err := provider.Request(ctx, method, strings.TrimSuffix(cloud.Endpoints["volumev3"], "/")+"/group_types"+path, options)
	if err == nil && options.JSONResponse == nil {
		err = response.Body.Close()
	}
	return answer, err
}

func (p *program) cinder(method, path string, body any) map[string]any {
	p.t.Helper()
	answer, err := p.asksCinder(p.t.Context(), method, path, body)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer
}

// groupTypes are those of its own, past the proxies.
func (p *program) groupTypes(ctx context.Context) ([]map[string]any, error) {
	answer, err := p.asksCinder(ctx, http.MethodGet, "?is_public=None", nil)
	var own []map[string]any
	all, _ := answer["group_types"].([]any)
	for _, raw := range all {
		if o, _ := raw.(map[string]any); strings.HasPrefix(fmt.Sprint(o["name"]), p.prefix) {
			own = append(own, o)
		}
	}
	return own, err
}

// groupType asserts what the only one of its own has, and returns its id.
func (p *program) groupType(name, description, specs string) string {
	p.t.Helper()
	own, err := p.groupTypes(p.t.Context())
	if err != nil || len(own) != 1 {
		p.t.Fatalf("there are %v, %v: want one", own, err)
	}
	o := own[0]
	text, mark, _ := strings.Cut(fmt.Sprint(o["description"]), "[kupenstack:")
	if o["name"] != p.prefix+name || strings.TrimSpace(text) != description || mark == "" || fmt.Sprint(o["group_specs"]) != specs {
		p.t.Errorf("the group type is %v", o)
	}
	return fmt.Sprint(o["id"])
}

// TestBedKindToComeOfCinder does the same with a kind of another service, which is in no project, and of which others may add
// a part that stays.
func TestBedKindToComeOfCinder(t *testing.T) {
	sharedCloud(t)
	p := newProgram(t)
	t.Cleanup(func() {
		own, err := p.groupTypes(context.Background())
		for _, o := range own {
			if _, failed := p.asksCinder(context.Background(), http.MethodDelete, "/"+fmt.Sprint(o["id"]), nil); failed != nil {
				err = failed
			}
		}
		if err != nil {
			t.Error(err)
		}
	})
	block := func(name, inner string) string {
		return twoProjects + "\ngroup_type \"one\" {\n  name = \"PREFIX" + name + "\"\n  " + strings.ReplaceAll(inner, "\n", "\n  ") + "\n}\n"
	}

	hcl := block("-one", "public = false\nspecs = {\n  tier = \"a\"\n  kind = \"x\"\n}")
	p.plans(hcl, "group_type.one create", "project.shop create", "project.stall create")
	p.applies(hcl)
	id := p.groupType("-one", "", "map[kind:x tier:a]")
	p.cinder(http.MethodPost, "/"+id+"/group_specs", map[string]any{"group_specs": map[string]any{"theirs": "y", "tier": "z"}})

	hcl = block("-one", "public = true\ndescription = \"All at once.\"\nspecs = {\n  tier = \"b\"\n}")
	p.plans(hcl, "group_type.one update description public specs")
	p.applies(hcl)
	if now := p.groupType("-one", "All at once.", "map[theirs:y tier:b]"); now != id {
		t.Errorf("%s was to be changed in place, and there is %s", id, now)
	}

	p.cinder(http.MethodPut, "/"+id, map[string]any{"group_type": map[string]any{"is_public": false}})
	p.plans(hcl, "group_type.one update public")
	p.applies(hcl)
	p.store = &records{shards: map[string]inventory.Shard{}}
	p.plans(hcl)
	p.applies(hcl)

	hcl = strings.Replace(hcl, "-one", "-two", 1)
	p.plans(hcl, "group_type.one replace name")
	p.applies(hcl)
	next := p.groupType("-two", "All at once.", "map[tier:b]")
	if next == id {
		t.Errorf("%s was to be replaced, and is there", id)
	}
	p.cinder(http.MethodDelete, "/"+next, nil)
	p.plans(hcl, "group_type.one create")
	p.applies(hcl)

	p.plans(twoProjects, "group_type.one delete")
	p.applies(twoProjects)
	if own, err := p.groupTypes(t.Context()); len(own) > 0 || err != nil {
		t.Errorf("there are %v, %v", own, err)
	}
	p.limits(t)
	p.exportsGroupTypes(t)
}

// limits has a project have a limit that Cinder keeps for what there is of such kinds.
func (p *program) limits(t *testing.T) {
	t.Helper()
	hcl := strings.Replace(twoProjects, "\"PREFIX-shop\"", "\"PREFIX-shop\"\n  quota = { groups = 3, volumes = 4 }", 1)
	path := "os-quota-sets/" + p.shop()
	p.plans(hcl, "project.shop update quota")
	for range 2 {
		p.applies(hcl)
		if set, _ := request(t, "volumev3", http.MethodGet, path, nil)["quota_set"].(map[string]any); fmt.Sprint(set["groups"]) != "3" || fmt.Sprint(set["volumes"]) != "4" {
			t.Errorf("the limits are %v", set)
		}
		request(t, "volumev3", http.MethodPut, path, map[string]any{"quota_set": map[string]any{"groups": 7}})
		p.plans(hcl, "project.shop update quota")
	}
	p.applies(hcl)
}

// exportsGroupTypes exports one that somebody has made, and takes it over.
func (p *program) exportsGroupTypes(t *testing.T) {
	t.Helper()
	p.cinder(http.MethodPost, "", map[string]any{"group_type": map[string]any{"name": p.prefix + "-theirs", "is_public": false, "group_specs": map[string]any{"a.b": "<is> True"}}})
	d := openstack.NewWithNext(p.options)
	defer d.Close()
	live, refused, err := d.Live(t.Context(), export.Needed(p.language, []string{"group_type"}))
	if err != nil || len(refused) > 0 {
		t.Fatal(refused, err)
	}
	result, err := export.Export(p.language, live, export.Selection{Kinds: []string{"group_type"}})
	if err != nil || result.Objects != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	written := twoProjects
	for _, f := range result.Files {
		written += string(f.Content)
	}
	_, to, _ := strings.Cut(written, "to = ")
	address, _, _ := strings.Cut(to, "\n")
	p.plans(written, address+" import")
	p.applies(written)
	p.groupType("-theirs", "", "map[a.b:<is> True]")
}
