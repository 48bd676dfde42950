package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// ownRole tells what there is in a project of a role of our own user, asked for past the proxies: the record, and the role.
func ownRole(t *testing.T, project string) (recorded, given bool) {
	t.Helper()
	raw, _ := request(t, identity, http.MethodGet, "projects/"+project, nil)["project"].(map[string]any)
	tags, _ := raw["tags"].([]any)
	given = slices.ContainsFunc(request(t, identity, http.MethodGet, "role_assignments?include_names=true&scope.project.id="+project, nil)["role_assignments"].([]any), func(a any) bool {
		role, _ := a.(map[string]any)["role"].(map[string]any)
		user, _ := a.(map[string]any)["user"].(map[string]any)
		return role["name"] == "member" && user["name"] != nil
	})
	return slices.Contains(tags, any("kupenstack:role")), given
}

// TestBedRolesOfOurOwn: wherever a process is killed, a role that our user has given itself is on record, and is taken back
// once nothing of ours is in the project.
func TestBedRolesOfOurOwn(t *testing.T) {
	x := newInstallation(t, "role")
	for _, when := range []string{"before the record", "after the record", "before the role", "after the role"} {
		prefix := x.prefix + "-" + strings.ReplaceAll(when, " ", "-")
		project := target(t, "project", prefix, values{})
		x.converge(t, &project)
		project.Spec.(*unit.Resource).Worked = true
		group := target(t, "server_group", prefix, values{"project": text(project.ID), "policy": text("affinity")})
		match := faultproxy.Match{Verb: "PUT", Path: "/v3/projects/{id}/tags/{id}"}
		if strings.HasSuffix(when, "role") {
			match.Path = "/v3/projects/{id}/users/{id}/roles/{id}"
		}
		action := faultproxy.ResetBefore()
		if strings.HasPrefix(when, "after") {
			action = faultproxy.ResetAfter()
		}
		came := x.fleet.Add(faultproxy.Rule{Match: match, Action: action, Limit: 1})
		if _, err := x.Apply(t.Context(), group, wantedOf(group), unit.State{Existence: unit.Absent}); err == nil {
			t.Errorf("cut off %s: there is no error", when)
		}
		came.Remove()
		recorded, given := ownRole(t, project.ID)
		if given && !recorded {
			t.Errorf("cut off %s: the role is on no record", when)
		}
		group.Fresh = false
		x.converge(t, &group)
		if recorded, given := ownRole(t, project.ID); !recorded || !given {
			t.Errorf("cut off %s: in the end the record is %t, the role %t", when, recorded, given)
		}
		if _, diff := x.compare(t, project); diff.Action != unit.ActionNone {
			t.Errorf("something of ours is in it, and the diff is %+v", diff)
		}
		if err := x.destroy(t.Context(), t, group); err != nil {
			t.Fatal(err)
		}
		project.Spec.(*unit.Resource).Worked = false
		if _, diff := x.compare(t, project); diff.Action != unit.ActionUpdate || !strings.Contains(diff.Reason, "taken back") {
			t.Errorf("nothing of ours is in it, and the diff is %+v", diff)
		}
		x.converge(t, &project)
		if recorded, given := ownRole(t, project.ID); recorded || given {
			t.Errorf("taken back: the record is %t, the role %t", recorded, given)
		}
	}
}
