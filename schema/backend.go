package schema

import "github.com/zclconf/go-cty/cty"

// The types of backends.
const (
	BackendRBD = "rbd"
	BackendLVM = "lvm"
	BackendNFS = "nfs"
)

// backendBlock has the name that Cinder's own word for it has.
func backendBlock() Nested {
	return Nested{Service: "cinder", Block: Block{
		Kind: "backend", Class: ClassPart,
		Doc:      "A place that Cinder keeps volumes in, for cinder only. Each is a volume type of the same name as well. With any such block, these are all that there are; without, storage_backend of the cloud decides. Cinder looks for a volume by the name of its backend. So once cinder is deployed, a backend stays with its name and with what its volumes are in: to take it away, to rename it or to move it is refused, as its volumes would be lost to Cinder. More can be added at any time, and default, iscsi and options can change. A cloud that began without such blocks has the backend rbd1, in the pool of volumes, or lvm1, in the volume group cinder-volumes: these are written beside the first other one.",
		Labels:   []Label{{Name: "name", Doc: "The name of the backend, and of the volume type.", Format: FormatDNSLabel, Example: "fast"}},
		NeedsOne: [][]string{{"type", "driver"}},
		Attributes: []Attribute{
			{
				Name: "type", Type: cty.String, AtLoad: true, Allowed: []string{BackendRBD, BackendLVM, BackendNFS}, Conflicts: "driver", Change: Refused, Example: cty.StringVal(BackendRBD),
				Doc: "What it is: rbd is a pool of Ceph, and needs storage_backend ceph; lvm is a volume group of the nodes that run cinder-volume; nfs is a share of an NFS server. Backups are kept in Ceph, where that is the storage_backend, whatever the volumes are in.",
			},
			{
				Name: "driver", Type: cty.String, AtLoad: true, Format: FormatDriver, Conflicts: "type", Change: Refused, Example: cty.StringVal("cinder.volume.drivers.san.san.SanISCSIDriver"),
				Doc: "The class of Cinder's driver, for anything else. What it takes is written in options.",
			},
			{
				Name: "default", Type: cty.Bool, AtLoad: true, Default: cty.False, Example: cty.True,
				Doc: "Whether volumes are kept there of which nobody says where. Exactly one of several backends has true.",
			},
			{
				Name: "pool", Type: cty.String, AtLoad: true, Change: Refused, Format: FormatCephName, Example: cty.StringVal("volumes-ssd"),
				Doc: "The pool of Ceph, for the type rbd. That of volumes in the block ceph unless written, or else cinder.volumes. Where the charts make pools, they make that of the first backend of this type by name; the others have to be there.",
			},
			{
				Name: "volume_group", Type: cty.String, AtLoad: true, Change: Refused, Format: FormatVolumeGroup, Conflicts: "pool", Example: cty.StringVal("cinder-volumes"),
				Doc: "The volume group, for the type lvm: cinder-volumes unless written. It has to be there on each node that runs cinder-volume, with the kernel's iSCSI target, the modules target_core_mod and iscsi_target_mod, which serves the volumes and keeps in /etc/target what it serves; compute nodes need iscsiadm and iscsid. Another target_helper can be written in options. Volumes stay with that node. Where there are several of the control plane, labels.volume in values has to say which one that is; or, where all backends are volume groups, as many volume in replicas as there are nodes, and anti_affinity required, have each serve its own.",
			},
			{
				Name: "share", Type: cty.String, AtLoad: true, Change: Refused, Format: FormatShare, Conflicts: "pool", Example: cty.StringVal("nfs.example.org:/volumes"),
				Doc: "The share, for the type nfs, which it is required for. Several shares are several backends.",
			},
			{
				Name: "iscsi", Type: cty.Bool, AtLoad: true, Conflicts: "type", Example: cty.True,
				Doc: "Whether a driver has instances reach volumes by iSCSI, which takes parts of the hosts that other ways do not. False unless written; with the type lvm they always do.",
			},
			{
				Name: "options", Type: cty.DynamicPseudoType, Mapping: true, AtLoad: true,
				Example: cty.ObjectVal(map[string]cty.Value{"image_volume_cache_max_size_gb": cty.NumberIntVal(500)}),
				Doc:     "More options of the backend, as Cinder has them, over those that the other attributes lead to; null leaves one of these away. A password is written as secret(\"san\", \"password\"), which is read from that key of a Secret.",
			},
		},
	}}
}
