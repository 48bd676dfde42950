package openstack

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What else bears the mark of something on record is told, whatever was seen of it, and holds back nothing.
func TestTwins(t *testing.T) {
	d := testDriver(t)
	k := d.kinds["network"]
	want := wantValue("network", map[string]cty.Value{"name": cty.StringVal("web")})
	network := func(id, mark string) *object {
		return k.(interface{ read(map[string]any) *object }).read(map[string]any{"id": id, "name": "web", "description": joinMark("", mark)})
	}
	going := network("n4", testMark)
	going.going = true
	for _, test := range []struct {
		name   string
		others []*object
		told   []string
	}{
		{"alone", nil, nil},
		{"another's, and nobody's", []*object{network("n2", "kupenstack:other.0123"), network("n3", "")}, nil},
		{"one that goes", []*object{going}, nil},
		{"a second and a third", []*object{network("n3", testMark), network("n2", testMark)}, []string{"web (n2)", "web (n3)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tg := testTarget(t, "network", want)
			tg.ID, tg.Mark, tg.Fresh = "n1", testMark, false
			m, done := find(k, &session{}, tg, want, indexed(append(test.others, network("n1", testMark))))
			st := state(tg, m)
			if !done || st.ID != "n1" || !st.Owned || !st.Ready() || len(st.Candidates) > 0 || !slices.Equal(m.twins, test.told) || (st.Notice != "") != (test.told != nil) {
				t.Fatalf("got %+v of %+v", st, m)
			}
			for _, one := range test.told {
				if !strings.Contains(st.Notice, one) || !strings.Contains(st.Notice[:100], "delete it unless it was made from this one") || !strings.Contains(st.Notice, "take the mark off") {
					t.Errorf("the notice is %q", st.Notice)
				}
			}
			if diff := d.Compare(tg, want, st); diff.Action != unit.ActionNone {
				t.Errorf("the diff is %+v", diff)
			}
		})
	}
}

// Nova gives a snapshot of an instance the properties of the image that it runs from.
func TestImagesOfInstancesAreNoTwins(t *testing.T) {
	d := testDriver(t)
	k := d.kinds["image"]
	image := func(id, name string) *object {
		return k.(imageKind).read(map[string]any{"id": id, "name": name, "status": "active", markKey: testMark})
	}
	late, copied := image("i4", "debian 12"), image("i5", "debian")
	late.raw[keySelf], copied.raw[keySelf] = "i4", "i1"
	listed := indexed([]*object{image("i1", "debian"), image("i2", "backup of web"), image("i3", "debian"), late, copied})
	found := twins(k, testMark, listed.byID["i1"], listed)
	if len(found) != 2 || found[0].id != "i3" || found[1].id != "i4" {
		t.Errorf("got %v", describe(found))
	}
}
