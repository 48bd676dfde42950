package openstack_test

import (
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// of has a target made of a file with some content.
func of(target unit.Target, content string) unit.Target {
	spec := *target.Spec.(*unit.Resource)
	spec.Content = unit.NewContent(fstest.MapFS{"site/boot.img": {Data: []byte(content)}}, "site", "boot.img")
	target.Spec = &spec
	return target
}

// TestBedImageOfAFile makes an image of a file, and anew when the file is another one.
func TestBedImageOfAFile(t *testing.T) {
	b := newBench(t)
	image := of(target(t, "image", unique("image"), values{"file": text("boot.img"), "disk_format": text("raw"), "container_format": text("bare")}), "boot")
	b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "POST", Path: imagesPath}, Action: faultproxy.ResetAfter(), Limit: 1})
	if _, err := b.Apply(t.Context(), image, wantedOf(image), unit.State{Existence: unit.Absent}); err == nil {
		t.Error("the answer was lost, but there is no error")
	}
	image.Fresh = false
	st := b.converge(t, &image)
	if size, _ := st.Outputs.GetAttr("size").AsBigFloat().Int64(); size != 4 {
		t.Errorf("the image has %d bytes", size)
	}
	if n := b.fleet.Counts().Of("POST", imagesPath); n != 1 {
		t.Errorf("%d images were made, want 1", n)
	}
	b.settled(t, image, imagesPath)
	if _, diff := b.compare(t, of(image, "other")); diff.Action != unit.ActionReplace || len(diff.Fields) != 1 || diff.Fields[0].Before == diff.Fields[0].After {
		t.Errorf("another file: %+v", diff)
	}
	if _, diff := b.compare(t, of(image, "boot")); diff.Action != unit.ActionNone {
		t.Errorf("the same file of another revision: %+v", diff)
	}
	spec := *image.Spec.(*unit.Resource)
	spec.Content = unit.NewContent(fstest.MapFS{}, ".", "boot.img")
	gone := image
	gone.Spec = &spec
	if _, diff := b.compare(t, gone); diff.Action != unit.ActionBlocked || diff.Reason == "" {
		t.Errorf("a file that is not there: %+v", diff)
	}
}
