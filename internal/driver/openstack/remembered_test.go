package openstack_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// single is a kind of which a service tells something of one object alone.
type single struct {
	kind    string
	rows    string // the path and the key of their list
	key     string
	row     map[string]any
	asks    string // the path of what is told of one, with ID in it
	told    any
	written values
	other   values // another wish
}

func singles() map[string]single {
	type object = map[string]any
	quota := func(limits ...string) values {
		all := map[string]cty.Value{}
		for _, limit := range limits {
			all[limit] = cty.NumberIntVal(5)
		}
		return values{"quota": cty.ObjectVal(all)}
	}
	typeQuota := func(volumes int64) values {
		return values{"quota": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{
			"project": text("ID"), "volumes": number(volumes), "gigabytes": cty.NullVal(cty.Number), "snapshots": cty.NullVal(cty.Number),
		})})}
	}
	return map[string]single{
		"groups of users": {
			"user", "/v3/users", "users",
			object{"domain_id": "default", "enabled": true},
			"/v3/users/ID/groups",
			object{"groups": []any{object{"id": "g-ID"}, object{"id": "theirs"}}},
			values{"groups": set("g-ID")},
			values{"groups": set("g-ID", "h-ID")},
		},
		"limits of Nova": {
			"project", "/v3/projects", "projects",
			object{"domain_id": "default", "enabled": true},
			"/v2.1/os-quota-sets/ID",
			object{"quota_set": object{"instances": 5, "cores": 7}},
			quota("instances"), quota("cores"),
		},
		"limits of Cinder": {
			"project", "/v3/projects", "projects",
			object{"domain_id": "default", "enabled": true},
			"/v3/p1/os-quota-sets/ID",
			object{"quota_set": object{"volumes": 5, "backups": 7}},
			quota("volumes"), quota("backups"),
		},
		"who uses flavors": {
			"flavor", "/v2.1/flavors/detail", "flavors",
			object{"vcpus": 1, "ram": 64, "disk": 0, "os-flavor-access:is_public": false},
			"/v2.1/flavors/ID/os-flavor-access",
			object{"flavor_access": []any{object{"tenant_id": "q1"}}},
			values{"vcpus": number(1), "ram": number(64), "public": cty.False, "access": set("q1")},
			values{"access": set("q2")},
		},
		"who uses volume types": {
			"volume_type", "/v3/p1/types", "volume_types",
			object{"is_public": false, "extra_specs": object{}},
			"/v3/p1/types/ID/os-volume-type-access",
			object{"volume_type_access": []any{object{"project_id": "q1"}}},
			values{"public": cty.False, "access": set("q1")},
			values{"access": set("q2")},
		},
		"limits of volume types": {
			"volume_type", "/v3/p1/types", "volume_types",
			object{"is_public": true, "extra_specs": object{}},
			"/v3/p1/os-quota-sets/ID",
			object{"quota_set": object{"volumes_ID": 5}},
			typeQuota(5), typeQuota(6),
		},
		"who images are shared with": {
			"image", "/v2/images", "images",
			object{"status": "active", "visibility": "shared", "owner": "p1", "disk_format": "raw", "container_format": "bare"},
			"/v2/images/ID/members",
			object{"members": []any{object{"member_id": "q1"}}},
			values{"visibility": text("shared"), "members": set("q1")},
			values{"members": set("q2")},
		},
	}
}

// named puts an id in place of ID in a body.
func named(body any, id string) any {
	switch body := body.(type) {
	case string:
		return strings.ReplaceAll(body, "ID", id)
	case []any:
		all := []any{}
		for _, one := range body {
			all = append(all, named(one, id))
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for key, one := range body {
			all[strings.ReplaceAll(key, "ID", id)] = named(one, id)
		}
		return all
	}
	return body
}

// namedValues does so in what is written.
func namedValues(t *testing.T, written values, id string) values {
	t.Helper()
	all := values{}
	for name, v := range written {
		v, err := cty.Transform(v, func(_ cty.Path, inner cty.Value) (cty.Value, error) {
			if inner.Type() == cty.String && !inner.IsNull() {
				return text(strings.ReplaceAll(inner.AsString(), "ID", id)), nil
			}
			return inner, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		all[name] = v
	}
	return all
}

// singleCloud has objects of one kind, and notes what it is asked of single ones.
type singleCloud struct {
	*openstack.Driver
	answers map[string]func(*http.Request) any
	mutex   sync.Mutex
	rows    map[string]map[string]any
	told    map[string]any
	asked   []string
}

func (c single) cloud(t *testing.T, ids ...string) (*singleCloud, []unit.Target) {
	t.Helper()
	l := &singleCloud{rows: map[string]map[string]any{}, told: map[string]any{}}
	answers := map[string]func(*http.Request) any{"/v3/p1": listed("nothing"), "/v3/domains": listed("domains")}
	var targets []unit.Target
	for _, id := range ids {
		row := maps.Clone(c.row)
		row["id"], row["name"] = id, id
		switch mark := "kupenstack:" + id; c.kind {
		case "project":
			row["tags"] = []any{mark}
		case "image":
			row["kupenstack_mark"] = mark
		default:
			row["description"] = "[" + mark + "]"
		}
		l.rows[id], l.told[id] = row, named(c.told, id)
		answers[strings.ReplaceAll(c.asks, "ID", id)] = func(*http.Request) any {
			l.mutex.Lock()
			defer l.mutex.Unlock()
			l.asked = append(l.asked, id)
			return l.told[id]
		}
		targets = append(targets, known(t, c.kind, id, namedValues(t, c.written, id)))
	}
	answers[c.rows] = func(r *http.Request) any {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		all := []any{}
		for _, id := range slices.Sorted(maps.Keys(l.rows)) {
			if r.FormValue("os_hidden") != "true" {
				all = append(all, maps.Clone(l.rows[id]))
			}
		}
		return map[string]any{c.key: all}
	}
	l.answers, l.Driver = answers, answering(t, answers)
	return l, targets
}

// look returns of which objects the service is asked by a look at targets, and which differ.
func (l *singleCloud) look(t *testing.T, targets ...unit.Target) (asked string, differ []string) {
	t.Helper()
	l.asked = nil
	states, err := l.Observe(t.Context(), slices.Clone(targets))
	for _, tg := range targets {
		if diff := l.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != unit.ActionNone {
			differ = append(differ, tg.ID+" "+string(diff.Action))
		}
	}
	if unknown := slices.ContainsFunc(differ, func(d string) bool { return strings.HasSuffix(d, "unknown") }); (err != nil) != unknown {
		t.Errorf("the error is %v, and not as wanted are %v", err, differ)
	}
	slices.Sort(l.asked)
	return strings.Join(l.asked, " "), differ
}

// TestWhatNoListSaysIsAskedForWhatChanged: an unchanged world costs its lists, and no request for single objects.
func TestWhatNoListSaysIsAskedForWhatChanged(t *testing.T) {
	t.Parallel()
	for name, c := range singles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, targets := c.cloud(t, "a", "b", "c")
			expect := func(what, want, differing string) {
				t.Helper()
				asked, differ := l.look(t, targets...)
				if asked != want || strings.Join(differ, " ") != differing {
					t.Errorf("%s: asked for %q, want %q; %q differ, want %q", what, asked, want, differ, differing)
				}
			}
			expect("at first", "a b c", "")
			expect("unchanged", "", "")
			expect("still unchanged", "", "")
			l.rows["b"]["updated_at"] = "2026-01-02T03:04:05Z"
			expect("another row", "b", "")
			expect("the same row", "", "")
			written := targets[2]
			targets[2] = with(t, written, namedValues(t, c.other, "c"))
			expect("another wish", "c", "c update")
			expect("the same wish", "", "c update")
			targets[2] = written
			expect("the first wish again", "c", "")

			// What others did leaves no trace in the list: it is found when all is looked at.
			was := l.told["a"]
			l.told["a"] = none(was)
			expect("drift", "", "")
			for i := range targets {
				targets[i].Anew = true
			}
			expect("a look at all", "a b c", "a update")
			for i := range targets {
				targets[i].Anew = false
			}
			expect("the same drift", "", "a update")
			l.told["a"] = was
			l.rows["a"]["updated_at"] = "2026-01-02T03:04:05Z"
			expect("it is repaired", "a", "")

			l.told["a"], l.rows["a"]["updated_at"] = http.StatusForbidden, "2026-01-03T03:04:05Z"
			expect("a failure", "a", "a unknown")
			l.told["a"] = was
			expect("after it", "a", "")
			expect("after that", "", "")
		})
	}
}

// TestNothingIsWrittenByWhatWasSo: a difference that was seen in an earlier answer is looked at again before anything is done
// about it, and what was written is asked for anew.
func TestNothingIsWrittenByWhatWasSo(t *testing.T) {
	t.Parallel()
	access := func(projects ...string) any {
		all := []any{}
		for _, project := range projects {
			all = append(all, map[string]any{"tenant_id": project})
		}
		return map[string]any{"flavor_access": all}
	}
	for name, c := range map[string]struct {
		was, meanwhile any
		answer         any // to a writing request, after which all is as wanted
		asked          string
		sent           int
		fails, after   string
	}{
		"it is so still":              {was: access(), answer: map[string]any{}, asked: "a a", sent: 1},
		"somebody has put it right":   {was: access(), meanwhile: access("q1"), asked: "a"},
		"ours is there still":         {was: access("q1", "q2"), answer: map[string]any{}, asked: "a a", sent: 1},
		"somebody has taken it away":  {was: access("q1", "q2"), meanwhile: access("q1"), asked: "a"},
		"now something else is wrong": {was: access("q1", "q2"), meanwhile: access("q2"), asked: "a", after: "a update"},
		"it is refused":               {was: access(), answer: http.StatusForbidden, asked: "a", sent: 1, fails: "403", after: "a update"},
		"it cannot be seen any more":  {was: access(), meanwhile: http.StatusForbidden, asked: "a", after: "a unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, targets := singles()["who uses flavors"].cloud(t, "a")
			sent := 0
			l.answers["/v2.1/flavors/a"] = func(*http.Request) any { return map[string]any{"flavor": l.rows["a"]} }
			l.answers["POST /v2.1/flavors/a/action"] = func(*http.Request) any {
				sent++
				if _, refused := c.answer.(int); !refused {
					l.told["a"] = access("q1")
				}
				return c.answer
			}
			tg := targets[0]
			tg.Set = map[string][]string{"access": {"q1", "q2"}}
			l.told["a"] = c.was
			if asked, differ := l.look(t, tg); asked != "a" || len(differ) != 1 {
				t.Fatalf("asked for %q, not as wanted are %q", asked, differ)
			}
			states, err := l.Observe(t.Context(), []unit.Target{tg})
			if err != nil || len(l.asked) != 1 {
				t.Fatalf("asked for %q, the error is %v", l.asked, err)
			}
			if c.meanwhile != nil {
				l.told["a"] = c.meanwhile
			}
			l.asked = nil
			st, err := l.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address])
			if failed := err != nil; failed != (c.fails != "") || failed && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("it fails with %v", err)
			}
			if asked := strings.Join(l.asked, " "); asked != c.asked || sent != c.sent {
				t.Errorf("asked for %q, want %q; %d were sent, want %d", asked, c.asked, sent, c.sent)
			}
			if diff := l.Compare(tg, wantedOf(tg), st); (diff.Action == unit.ActionNone) != (c.after == "") {
				t.Errorf("then the diff is %+v", diff)
			}
			again := ""
			if c.after == "a unknown" || c.fails != "" {
				again = "a"
			}
			if asked, differ := l.look(t, tg); asked != again || strings.Join(differ, " ") != c.after {
				t.Errorf("the next look asks for %q, want %q; not as wanted are %q", asked, again, differ)
			}
		})
	}
}

// TestWhatIsDeletedIsForgotten: what comes after it under the same address is seen for itself.
func TestWhatIsDeletedIsForgotten(t *testing.T) {
	t.Parallel()
	l, targets := singles()["who uses flavors"].cloud(t, "a", "b")
	l.answers["/v2.1/flavors/a"] = func(*http.Request) any { return map[string]any{"flavor": l.rows["a"]} }
	l.answers["DELETE /v2.1/flavors/a"] = func(*http.Request) any { return http.StatusServiceUnavailable }
	l.look(t, targets...)
	if _, err := l.Delete(t.Context(), targets[0], unit.State{Existence: unit.Present}); err == nil {
		t.Fatal("it is gone")
	}
	if asked, _ := l.look(t, targets...); asked != "a" {
		t.Errorf("asked for %q, want a", asked)
	}
}

// none is an answer that tells of nothing.
func none(told any) any {
	all := maps.Clone(told.(map[string]any))
	for key, v := range all {
		if _, ok := v.([]any); ok {
			all[key] = []any{}
		} else {
			all[key] = map[string]any{"instances": 1, "volumes": 1, "volumes_a": 1}
		}
	}
	return all
}
