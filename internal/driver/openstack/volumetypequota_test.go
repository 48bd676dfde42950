package openstack_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestBedQuotaOfAVolumeType limits how much of a volume type projects may have, and leaves the limits alone that others
// have set.
func TestBedQuotaOfAVolumeType(t *testing.T) {
	b := newBench(t)
	one, two := target(t, "project", unique("one"), values{}), target(t, "project", unique("two"), values{})
	b.converge(t, &one)
	b.converge(t, &two)
	quota := func(project string, limits map[string]int64) cty.Value {
		of := map[string]cty.Value{"project": text(project)}
		for name, n := range limits {
			of[name] = number(n)
		}
		for _, name := range []string{"volumes", "gigabytes", "snapshots"} {
			if of[name] == cty.NilVal {
				of[name] = cty.NullVal(cty.Number)
			}
		}
		return cty.ObjectVal(of)
	}
	tg := target(t, "volume_type", unique("type"), values{"quota": cty.ListVal([]cty.Value{quota(one.ID, map[string]int64{"volumes": 2, "gigabytes": 10})})})
	b.converge(t, &tg)
	name := wantedOf(tg).GetAttr("name").AsString()
	expect := func(project string, volumes, gigabytes, snapshots int) {
		t.Helper()
		set, _ := request(t, "volumev3", http.MethodGet, "os-quota-sets/"+project, nil)["quota_set"].(map[string]any)
		have := fmt.Sprintf("%v %v %v", set["volumes_"+name], set["gigabytes_"+name], set["snapshots_"+name])
		if want := fmt.Sprint(volumes, gigabytes, snapshots); have != want {
			t.Errorf("the limits are %s, want %s", have, want)
		}
	}
	set := func(project string, limits map[string]any) {
		t.Helper()
		request(t, "volumev3", http.MethodPut, "os-quota-sets/"+project, map[string]any{"quota_set": limits})
	}
	expect(one.ID, 2, 10, -1)
	b.settled(t, tg, "/v3/{id}/types")

	set(two.ID, map[string]any{"volumes_" + name: 7})
	set(one.ID, map[string]any{"gigabytes_" + name: 99, "snapshots_" + name: 4})
	_, diff := b.compare(t, tg)
	expectDiff(t, "somebody changed a limit", diff, unit.ActionUpdate, []string{"quota"})
	b.converge(t, &tg)
	expect(one.ID, 2, 10, 4)

	tg.Set = map[string][]string{"quota": {one.ID}}
	tg = with(t, tg, values{"quota": cty.ListVal([]cty.Value{quota(one.ID, map[string]int64{"volumes": 3, "gigabytes": 10}), quota(two.ID, map[string]int64{"snapshots": 1})})})
	_, diff = b.compare(t, tg)
	expectDiff(t, "other limits", diff, unit.ActionUpdate, []string{"quota"})
	b.converge(t, &tg)
	expect(one.ID, 3, 10, 4)
	expect(two.ID, 7, -1, 1)

	lost := tg
	lost.ID, lost.Set = "", nil
	if st, diff := b.compare(t, lost); diff.Action != unit.ActionNone || st.ID != tg.ID {
		t.Errorf("nothing is on record: the diff is %+v", diff)
	}
	tg.Set = map[string][]string{"quota": {one.ID, two.ID}}
	tg = with(t, tg, values{"quota": cty.ListVal([]cty.Value{quota(one.ID, map[string]int64{"volumes": 3})})})
	b.converge(t, &tg)
	expect(one.ID, 3, 10, 4)
	expect(two.ID, -1, -1, -1)
	tg.Set = map[string][]string{"quota": {one.ID}}
	b.settled(t, tg, "/v3/{id}/types")
}

// TestQuotaOfAVolumeTypeUnseen: limits that cannot be read are unknown, and no difference.
func TestQuotaOfAVolumeTypeUnseen(t *testing.T) {
	answers := map[string]func(*http.Request) any{
		"/v3/p1":                            listed("nothing"),
		"/v3/p1/types":                      listed("volume_types", map[string]any{"id": idOf("1"), "name": "fast", "is_public": true, "extra_specs": map[string]any{}}),
		"/v3/p1/os-quota-sets/" + idOf("2"): func(*http.Request) any { return http.StatusForbidden },
	}
	d := answering(t, answers)
	tg := target(t, "volume_type", "fast", values{"quota": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{
		"project": text(idOf("2")), "volumes": number(1), "gigabytes": cty.NullVal(cty.Number), "snapshots": cty.NullVal(cty.Number),
	})})})
	tg.ID = idOf("1")
	tg.Mark = ""
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err == nil {
		t.Error("a list failed, but there is no error")
	}
	if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != unit.ActionUnknown {
		t.Errorf("the diff is %+v", diff)
	}
}
