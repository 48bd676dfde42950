package helm

import (
	"slices"
	"testing"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// fieldwise has the shelf compare the fields of the specification one by one.
func (c *shelf) fieldwise() *shelf {
	c.compare = func(desired, live *unstructured.Unstructured) []unit.Field {
		want, _, _ := unstructured.NestedMap(desired.Object, "spec")
		have, _, _ := unstructured.NestedMap(live.Object, "spec")
		var fields []unit.Field
		for _, name := range []string{"size", "image", "hash"} {
			if value, ok := want[name]; ok && value != have[name] {
				fields = append(fields, unit.Field{Path: "spec." + name})
			}
		}
		return fields
	}
	return c
}

// with is an object of the release with some fields.
func with(kind, name string, size int64, image, hash string) *unstructured.Unstructured {
	object := simple("apps/v1", kind, name, size)
	_ = unstructured.SetNestedField(object.Object, image, "spec", "image")
	_ = unstructured.SetNestedField(object.Object, hash, "spec", "hash")
	return object
}

// halted looks at a release whose upgrades did not succeed, on whatever the shelf has.
func (c *shelf) halted(t *testing.T, status release.Status, deployed []*unstructured.Unstructured, tried ...[]*unstructured.Unstructured) (*Driver, *view) {
	t.Helper()
	d, v := installed(t, c, tried[0]...)
	v.want.labels[labelSpec] = "2"
	v.newest.version, v.newest.status, v.newest.inForce = 2, status, inForce(deployed, tried...)
	v.newest.labels[labelSpec] = "2"
	d.rendered["o/keystone"] = rendered{key: hashOf("3 false", "2", "", ""), objects: tried[0]}
	v.stops = nil
	if err := d.inspect(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	return d, v
}

// After an upgrade that did not succeed everything is put back as Helm left it: as it is in force, or as the
// upgrade made it already. Where nobody can tell which of them it was, the next upgrade decides.
func TestWhatIsInForceComesBackAfterAFailedUpgrade(t *testing.T) {
	old, next := with("Deployment", "api", 1, "1", "a"), with("Deployment", "api", 1, "2", "b")
	database, newer := with("StatefulSet", "db", 1, "1", "a"), with("StatefulSet", "db", 1, "2", "b")
	agent, after := with(kindDaemonSet, "agent", 1, "1", "a"), with(kindDaemonSet, "agent", 1, "2", "b")
	service, dropped := simple("v1", "Service", "api", 1), simple("v1", "Service", "old", 1)
	all := []*unstructured.Unstructured{old, database, agent, service, dropped, simple("batch/v1", kindJob, "once", 1)}
	upgrade := []*unstructured.Unstructured{next, newer, after, service, simple("batch/v1", kindJob, "once", 2)}
	for _, test := range []struct {
		name    string
		live    []*unstructured.Unstructured // in place of those in force
		gone    []*unstructured.Unstructured
		written []*unstructured.Unstructured
	}{
		{name: "nothing was changed"},
		{name: "the upgrade came to some", live: []*unstructured.Unstructured{next, newer}},
		{
			name: "edited, not reached", live: []*unstructured.Unstructured{with("Deployment", "api", 7, "1", "a"), simple("v1", "Service", "api", 7)},
			written: []*unstructured.Unstructured{old, service},
		},
		{
			name: "edited, reached", live: []*unstructured.Unstructured{with("Deployment", "api", 7, "2", "b"), with("StatefulSet", "db", 7, "2", "b")},
			written: []*unstructured.Unstructured{next, newer},
		},
		{
			name: "edited where the upgrade changes it", live: []*unstructured.Unstructured{with("Deployment", "api", 1, "3", "a")},
			written: []*unstructured.Unstructured{old},
		},
		{name: "as none of them", live: []*unstructured.Unstructured{with("Deployment", "api", 1, "3", "c"), with("StatefulSet", "db", 1, "2", "a")}},
		{
			name: "deleted", gone: []*unstructured.Unstructured{old, service},
			written: []*unstructured.Unstructured{old, service},
		},
		{name: "deleted, and maybe by the upgrade", gone: []*unstructured.Unstructured{dropped}},
		{name: "deleted, with data that may be the newer one's", gone: []*unstructured.Unstructured{database, agent}},
		{
			name: "a DaemonSet", live: []*unstructured.Unstructured{with(kindDaemonSet, "agent", 7, "1", "a")},
			written: []*unstructured.Unstructured{agent},
		},
	} {
		for _, status := range []release.Status{release.StatusFailed, release.StatusPendingUpgrade} {
			t.Run(test.name+", "+status.String(), func(t *testing.T) {
				c := newShelf(all...).fieldwise()
				for _, object := range test.live {
					c.objects[refOf(object)] = object.DeepCopy()
				}
				for _, object := range test.gone {
					delete(c.objects, refOf(object))
				}
				d, v := c.halted(t, status, all, upgrade)
				if diff := v.diff(); diff.Action != unit.ActionUpdate || (len(diff.Mends) > 0) != (len(test.written) > 0) {
					t.Errorf("%+v", diff)
				}
				if err := d.repair(t.Context(), v, v.mendable()); err != nil {
					t.Fatal(err)
				}
				var want []string
				for _, object := range test.written {
					want = append(want, "apply "+refOf(object).String())
					if got := c.objects[refOf(object)]; len(c.Compare(object, got)) > 0 {
						t.Errorf("%s is %v", refOf(object), got.Object["spec"])
					}
				}
				if !slices.Equal(c.written, want) {
					t.Errorf("wrote %q, not %q", c.written, want)
				}
				if _, v := c.halted(t, status, all, upgrade); len(v.diff().Mends) > 0 {
					t.Errorf("afterwards: %+v", v.diff())
				}
			})
		}
	}
}

// Several upgrades may have failed, each with another configuration: an object may be as any of them left it.
func TestWhatIsInForceAfterSeveralFailedUpgrades(t *testing.T) {
	first, second, third := with("StatefulSet", "db", 1, "1", "a"), with("StatefulSet", "db", 1, "2", "b"), with("StatefulSet", "db", 1, "1", "c")
	c := newShelf(with("StatefulSet", "db", 7, "2", "b")).fieldwise()
	one := func(o *unstructured.Unstructured) []*unstructured.Unstructured {
		return []*unstructured.Unstructured{o}
	}
	d, v := c.halted(t, release.StatusFailed, one(first), one(third), one(second))
	if err := d.repair(t.Context(), v, v.mendable()); err != nil || len(c.written) != 1 || len(c.Compare(second, c.objects[refOf(second)])) > 0 {
		t.Errorf("wrote %q: %v, %v", c.written, c.objects[refOf(second)], err)
	}
	// One that was changed once more after the look is left to the next look.
	c.objects[refOf(second)] = with("StatefulSet", "db", 7, "1", "a")
	_, v = c.halted(t, release.StatusFailed, one(first), one(third), one(second))
	c.objects[refOf(second)], c.written = with("StatefulSet", "db", 7, "1", "c"), nil
	if err := d.repair(t.Context(), v, v.mendable()); err != nil || len(c.written) > 0 || len(v.mendable()) != 1 {
		t.Errorf("wrote %q, %v", c.written, err)
	}
}
