//go:build beds

package openstack_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestBedForcedConfigDrive: an instance that is to have no config drive, and gets one for its image, comes to rest; one that was
// made with a drive is still another one.
func TestBedForcedConfigDrive(t *testing.T) {
	b := newBench(t)
	image := bootable(t, b)
	image["properties"] = texted("img_config_drive", "mandatory")
	driven := func(drive cty.Value) unit.Target {
		t.Helper()
		return target(t, "instance", unique("drive"), values{
			"image": text(made(t, b, "image", image)), "flavor": text(made(t, b, "flavor", values{"vcpus": number(1), "ram": number(64), "disk": number(1)})),
			"networks": cty.ListValEmpty(cty.String), "config_drive": drive,
		})
	}
	without := driven(cty.False)
	st := b.converge(t, &without)
	if drive := st.Outputs.GetAttr("config_drive"); !drive.RawEquals(cty.True) {
		t.Fatalf("Nova forces none: %#v", drive)
	}
	if _, diff := b.compare(t, without); diff.Action != unit.ActionNone {
		t.Errorf("%+v", diff)
	}
	having := driven(cty.NullVal(cty.Bool))
	b.converge(t, &having)
	if _, diff := b.compare(t, with(t, having, values{"config_drive": cty.False})); diff.Action != unit.ActionReplace {
		t.Errorf("%+v", diff)
	}
}
