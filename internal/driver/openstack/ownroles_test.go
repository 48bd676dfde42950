package openstack

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestOwnRoles: a role that our user has given itself is taken back once nothing of ours is in the project, and no other.
func TestOwnRoles(t *testing.T) {
	for _, test := range []struct {
		name   string
		tags   []any
		worked bool
		wanted bool
		want   unit.Action
	}{
		{"ours is in it", []any{testMark, roleTag}, true, true, unit.ActionNone},
		{"nothing of ours is in it", []any{testMark, roleTag}, false, true, unit.ActionUpdate},
		{"our user has given itself nothing", []any{testMark}, false, true, unit.ActionNone},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := testDriver(t)
			k := d.kinds["project"].(projectKind)
			tg := testTarget(t, "project", wantValue("project", map[string]cty.Value{"name": cty.StringVal("web"), "tags": texts([]string{"shop"}, cty.Set(cty.String))}))
			tg.ID, tg.Complete, tg.Spec.(*unit.Resource).Worked = "x1", true, test.worked
			o := k.read(map[string]any{"id": "x1", "name": "web", "tags": append([]any{"shop"}, test.tags...), "enabled": true})
			if o.mark != testMark || !o.values["tags"].RawEquals(texts([]string{"shop"}, cty.Set(cty.String))) {
				t.Errorf("the mark is %q, the tags are %#v", o.mark, o.values["tags"])
			}
			m := match{object: o, owned: true, want: desiredOf(tg)}
			idle(foundOf([]unit.Target{tg}, map[addr.Object]match{tg.Address: m}))
			diff := d.Compare(tg, desiredOf(tg), state(tg, m))
			if diff.Action != test.want {
				t.Fatalf("the diff is %+v", diff)
			}
			if test.want != unit.ActionUpdate {
				return
			}
			r := newRecorder(t)
			r.user = "u1"
			if err := r.takesBack(t.Context(), "x1"); err == nil || !strings.Contains(err.Error(), "roles") {
				t.Errorf("the recorder has no list of roles: %v", err)
			}
			if len(r.asked) != 1 || slices.ContainsFunc(r.asked, func(asked string) bool { return strings.HasPrefix(asked, "DELETE") }) {
				t.Errorf("the roles are not known, and asked was %q", r.asked)
			}
		})
	}
}
