package openstack_test

import (
	"net/http"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// plainImage is an image of a few bytes.
func (b *bench) plainImage(t *testing.T, label string, more values) unit.Target {
	t.Helper()
	url, checksum := b.disk(t, 1<<10)
	return with(t, target(t, "image", label, values{
		"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare"),
	}), more)
}

// TestBedImageMembers shares an image, and leaves alone with whom others share it.
func TestBedImageMembers(t *testing.T) {
	b := newBench(t)
	one, two := target(t, "project", unique("one"), values{}), target(t, "project", unique("two"), values{})
	b.converge(t, &one)
	b.converge(t, &two)
	image := b.plainImage(t, unique("image"), values{"visibility": text("shared"), "members": set(one.ID)})
	b.converge(t, &image)
	b.settled(t, image, imagesPath)
	request(t, "image", http.MethodPost, "v2/images/"+image.ID+"/members", map[string]any{"member": two.ID})
	if st, diff := b.compare(t, image); diff.Action != unit.ActionNone || st.Outputs.GetAttr("members").LengthInt() != 2 {
		t.Errorf("beside one of others: the diff is %+v, the state %+v", diff, st)
	}
	image.Set = map[string][]string{"members": {one.ID}}
	image = with(t, image, values{"members": cty.SetValEmpty(cty.String)})
	if st := b.converge(t, &image); !st.Outputs.GetAttr("members").RawEquals(set(two.ID)) {
		t.Errorf("the projects are %#v", st.Outputs.GetAttr("members"))
	}
	open := with(t, image, values{"visibility": text("private"), "members": cty.NullVal(cty.Set(cty.String))})
	b.converge(t, &open)
	b.settled(t, open, imagesPath)
}

// TestBedImageMembersOfAnImageThatIsSharedNoMore has Glance forget them, so that they have no access once it is shared
// again.
func TestBedImageMembersOfAnImageThatIsSharedNoMore(t *testing.T) {
	b := newBench(t)
	one := target(t, "project", unique("one"), values{})
	b.converge(t, &one)
	image := b.plainImage(t, unique("image"), values{"visibility": text("shared"), "members": set(one.ID)})
	b.converge(t, &image)
	none := cty.NullVal(cty.Set(cty.String))
	image.Set = map[string][]string{"members": {one.ID}}
	image = with(t, image, values{"visibility": text("private"), "members": none})
	if st := b.converge(t, &image); st.Outputs.GetAttr("visibility").AsString() != "private" {
		t.Errorf("the image is %#v", st.Outputs)
	}
	image.Set = nil
	image = with(t, image, values{"visibility": text("shared"), "members": cty.SetValEmpty(cty.String)})
	if st := b.converge(t, &image); st.Outputs.GetAttr("members").LengthInt() != 0 {
		t.Errorf("shared again it is shared with %#v", st.Outputs.GetAttr("members"))
	}
}

// TestBedHiddenImage has lists leave an image out, and finds it still.
func TestBedHiddenImage(t *testing.T) {
	b := newBench(t)
	name := unique("image")
	old := b.plainImage(t, "old", values{"name": text(name), "hidden": cty.True})
	b.converge(t, &old)
	b.settled(t, old, imagesPath)
	lost := old
	lost.ID, lost.Fresh = "", true
	if st := b.see(t, lost); st.ID != old.ID || !st.Owned {
		t.Errorf("nothing but its mark is known: %+v", st)
	}
	current := b.plainImage(t, "current", values{"name": text(name)})
	b.converge(t, &current)
	strangers := target(t, "image", "theirs", values{"name": text(name)})
	strangers.Spec.(*unit.Resource).Lookup = true
	for _, c := range []struct {
		written values
		want    string
	}{
		{values{}, current.ID},
		{values{"hidden": cty.True}, old.ID},
	} {
		if st := b.see(t, with(t, strangers, c.written)); st.ID != c.want {
			t.Errorf("%v finds %q, want %q: %s", c.written, st.ID, c.want, st.Message)
		}
	}
	old = with(t, old, values{"hidden": cty.False})
	if st := b.converge(t, &old); st.Outputs.GetAttr("hidden").True() {
		t.Error("it is still hidden")
	}
}
