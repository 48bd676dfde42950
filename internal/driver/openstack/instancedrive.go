package openstack

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

const (
	driveAttribute = "config_drive"
	// driveKey is in the metadata of an instance that was asked for without a drive.
	driveKey = schema.KeyPrefix + "config_drive"
)

// forcedDrive tells whether an instance that was made without a config drive, as is wanted, has got one all the same: Nova
// gives it one by force_config_drive of a host, or for a property of the image, and tells that it has one (update_instance in
// nova/virt/configdrive.py). Another instance would get one as well.
func forcedDrive(want cty.Value, o *object) bool {
	metadata, _ := o.raw["metadata"].(map[string]any)
	has := o.values.get(driveAttribute)
	return !want.IsNull() && want.False() && has != cty.NilVal && has.RawEquals(cty.True) && textAt(metadata, driveKey) != ""
}
