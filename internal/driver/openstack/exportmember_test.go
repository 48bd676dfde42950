package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// member is a cloud as a member of a project sees it: what Keystone, Nova and Cinder refuse by their usual policies is refused.
func member() map[string]func(*http.Request) any {
	answers := whole()
	for _, path := range []string{
		"/v3/domains", "/v3/users", "/v3/groups", "/v3/roles", "/v3/role_assignments", "/v3/services", "/v3/endpoints", "/v3/projects",
		"/v2.1/os-aggregates", "/v3/p1/qos-specs",
	} {
		answers[path] = func(*http.Request) any { return http.StatusForbidden }
	}
	answers[inSystem] = func(*http.Request) any { return http.StatusUnauthorized }
	answers["/v3/auth/projects"] = listed("projects", map[string]any{"id": "p1", "name": "shop", "domain_id": "default", "enabled": true})
	answers["/v2.1/servers/detail"] = listed("servers")
	answers["/v2.0/routers"] = listed("routers")
	return answers
}

// TestExportAsAMember leaves out what our user may not list, and has all else.
func TestExportAsAMember(t *testing.T) {
	t.Parallel()
	answers := member()
	answers["/v3/auth/projects"] = listed("projects", map[string]any{"id": "p1", "name": "shop", "domain_id": "default"}, map[string]any{"id": idOf("a1"), "name": "lab", "domain_id": "default"})
	d := answering(t, answers, "member")
	live, refused, err := d.Live(t.Context(), export.Kinds(language()))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(refused)
	want := "domain group host_aggregate identity_endpoint identity_service limit role role_assignment user volume_qos"
	if got := strings.Join(refused, " "); got != want {
		t.Errorf("refused are %s, want %s", got, want)
	}
	for _, kind := range []string{"project", "network", "image", "volume", "security_group"} {
		if !slices.ContainsFunc(live, func(o unit.Live) bool { return o.Kind == kind }) {
			t.Errorf("there is no %s", kind)
		}
	}
	for _, o := range live {
		if slices.Contains([]string{"project", "flavor", "volume_type", "region", "registered_limit"}, o.Kind) != o.Unfit {
			t.Errorf("%s %s is left out: %t", o.Kind, o.Title, o.Unfit)
		}
	}
	live = append(live, unit.Live{Kind: "network", ID: idOf("77"), Title: "shop", Project: "p1", Values: map[string]cty.Value{"project": text("p1")}})
	result, err := export.Export(language(), live, export.Selection{Project: "shop"})
	if err != nil || result.Objects != 1 || result.LookedUp == 0 {
		t.Fatalf("of its project: %d objects, %d looked up, %v", result.Objects, result.LookedUp, err)
	}
	if hcl := string(result.Files[0].Content); !strings.Contains(hcl, "project = data.project.shop") {
		t.Errorf("its project is not looked up:\n%s", hcl)
	}
}

// TestExportOfNothingButWhatIsRefused fails, as does a list that is not there for other reasons.
func TestExportOfNothingButWhatIsRefused(t *testing.T) {
	t.Parallel()
	d := answering(t, member(), "member")
	if live, refused, err := d.Live(t.Context(), []string{"user", "group"}); err == nil || !strings.Contains(err.Error(), "list group") || live != nil || refused != nil {
		t.Errorf("got %+v, %v, %v", live, refused, err)
	}
	answers := member()
	answers["/v2.0/networks"] = func(*http.Request) any { return map[string]any{"networks": "none"} }
	if live, _, err := answering(t, answers, "member").Live(t.Context(), []string{"network", "user"}); err == nil || live != nil {
		t.Errorf("with a list that cannot be read: %+v, %v", live, err)
	}
	delete(answers, "/v2.0/networks") // hidden from some
	if _, refused, err := answering(t, answers, "member").Live(t.Context(), []string{"network", "image"}); err != nil || !slices.Equal(refused, []string{"network"}) {
		t.Errorf("as a member: refused are %v, %v", refused, err)
	}
	if _, _, err := answering(t, answers, "admin").Live(t.Context(), []string{"network", "image"}); err == nil {
		t.Error("an administrator is shown nothing, and nobody says so")
	}
}

// TestExportAsAMemberOfWhatIsShared leaves out what others have shared or made public: who has no role in a project finds nothing
// there, and takes nothing over. An administrator does, wherever it is.
func TestExportAsAMemberOfWhatIsShared(t *testing.T) {
	t.Parallel()
	answers := member()
	answers["/v3/auth/projects"] = listed("projects", map[string]any{"id": "p1", "name": "shop"}, map[string]any{"id": "p2", "name": "lab"})
	answers["/v2.0/networks"] = listed("networks",
		map[string]any{"id": idOf("1"), "name": "own", "project_id": "p1"}, map[string]any{"id": idOf("2"), "name": "lab", "project_id": "p2", "shared": true},
		map[string]any{"id": idOf("3"), "name": "outside", "project_id": "p3", "router:external": true}, map[string]any{"id": idOf("4"), "name": "nobody's", "project_id": ""})
	for role, want := range map[string]string{"member": "outside", "admin": ""} {
		live, _, err := answering(t, answers, role).Live(t.Context(), []string{"network"})
		var outside []string
		for _, o := range live {
			if o.Unfit {
				outside = append(outside, o.Title)
			}
		}
		if err != nil || len(live) != 4 || strings.Join(outside, " ") != want {
			t.Errorf("as %s: %q of %d are left out, want %q: %v", role, outside, len(live), want, err)
		}
	}
	answers["/v3/auth/projects"] = func(*http.Request) any { return http.StatusBadGateway }
	if live, _, err := answering(t, answers, "member").Live(t.Context(), []string{"network"}); err == nil || live != nil {
		t.Errorf("where it is not known which projects are its own: %+v, %v", live, err)
	}
}
