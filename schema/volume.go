package schema

import "github.com/zclconf/go-cty/cty"

func volumeBlocks() []Block {
	return []Block{volumeTypeBlock(), volumeQoSBlock(), volumeBlock(), snapshotBlock(), attachmentBlock()}
}

func volumeTypeBlock() Block {
	return Block{
		Kind: "volume_type", Class: ClassResource, API: "cinder", Labels: resourceLabel("fast"), Rules: []Rule{descriptionRule(), accessRule(), typeSpecsRule()},
		Unique: "Cinder takes a name for one volume type only", OneName: true,
		Doc: "A kind of volumes: which storage they lie on, and what that does for them.",
		Attributes: []Attribute{
			fullName(Refused), // volumes name their type by it, and with another one they would be made anew
			{
				Name: "description", Type: cty.String, Format: FormatText, Example: cty.StringVal("On solid state disks"),
				Doc: "A text for people, shown in lists and dashboards.",
			},
			{
				Name: "public", Type: cty.Bool, Example: cty.False,
				Doc: "Whether every project can use it; Cinder says yes unless written.",
			},
			accessAttribute(),
			{
				Name: "extra_specs", Type: cty.Map(cty.String), Example: cty.MapVal(map[string]cty.Value{"volume_backend_name": cty.StringVal("ssd")}),
				Doc: "What the scheduler and the driver of the storage should know, such as volume_backend_name for where the volumes lie. Those that are taken out are taken away; keys that others have added stay.",
			},
			{
				Name: "qos", Type: cty.String, Connects: true, Reference: &Reference{Kind: "volume_qos", Output: "id", None: true},
				Doc: "The volume QoS that its volumes have. It counts for a volume when an instance gets it, or when it is made. Taken out of the block, the one that we have set goes; write \"\" to have none, whoever set it.",
			},
			idAttribute(FormatID),
		},
		Blocks: []Nested{{Keys: []string{"project"}, Block: typeQuotaBlock()}},
	}
}

// typeQuotaBlock is how much of a volume type one project may have. It lies with the type, which refers to projects
// anyway, and not with the project, so that the two do not refer to each other.
func typeQuotaBlock() Block {
	limit := &Bounds{-1, 1<<31 - 1}
	limits := []string{"volumes", "gigabytes", "snapshots"}
	return Block{
		Kind: "quota", Class: ClassPart,
		Doc: "How much of the type one project may have, besides the limits that the project has in all; -1 is without limit. What is not written stays as it is. One that is taken out leaves the project without any limit of the type, also those that others have set.",
		Attributes: []Attribute{
			{
				Name: "project", Type: cty.String, Presence: Required, Reference: &Reference{Kind: "project", Output: "id"},
				Doc: "The project that the limits hold in.",
			},
			{
				Name: limits[0], Type: cty.Number, Bounds: limit, Unit: "volumes", Example: cty.NumberIntVal(20),
				Doc: "How many volumes.",
			},
			{
				Name: limits[1], Type: cty.Number, Bounds: limit, Unit: "GiB", Example: cty.NumberIntVal(500),
				Doc: "How large its volumes may be together.",
			},
			{
				Name: limits[2], Type: cty.Number, Bounds: limit, Unit: "snapshots", Example: cty.NumberIntVal(40),
				Doc: "How many snapshots of its volumes.",
			},
		},
		Rules: []Rule{{
			Doc: "At least one of volumes, gigabytes and snapshots is written.",
			breaches: func(v values) []Breach {
				for _, name := range limits {
					if !v.missing(name) {
						return nil
					}
				}
				return []Breach{{Attribute: limits[0], Says: "or gigabytes or snapshots must be written", Hint: "write one of them, or take the block away"}}
			},
		}},
	}
}

// volumeQoSConsumer is the key of Cinder that is an attribute of its own.
const volumeQoSConsumer = "consumer"

func volumeQoSBlock() Block {
	return Block{
		Kind: "volume_qos", Class: ClassResource, API: "cinder", Labels: resourceLabel("gold"), Rules: []Rule{qosSpecsRule()},
		Unmarked: true,
		Unique:   "Cinder takes a name for one QoS only", OneName: true,
		Doc: "Limits of what volumes may do, for volume types to refer to. It bears no mark: one that has the name is taken over. It stays while volume types have it. Needs an administrator.",
		Attributes: []Attribute{
			fullName(Replace),
			{
				Name: volumeQoSConsumer, Type: cty.String, Allowed: []string{"front-end", "back-end", "both"}, Example: cty.StringVal("front-end"),
				Doc: "Who keeps the limits: the hypervisor (front-end), the storage (back-end), or both; Cinder says back-end unless written.",
			},
			{
				Name: "specs", Type: cty.Map(cty.String), Example: cty.MapVal(map[string]cty.Value{"total_iops_sec": cty.StringVal("2000")}),
				Doc: "The limits, by the names that the consumer has for them, such as total_iops_sec, read_bytes_sec or total_iops_sec_per_gb for the hypervisor. Those that are taken out are taken away; keys that others have added stay.",
			},
			idAttribute(FormatID),
		},
	}
}

func qosSpecsRule() Rule {
	return keysRule("specs", "No key of specs is name or consumer, or begins with "+KeyPrefix+".", func(key string) (says, hint string) {
		if key != "name" && key != volumeQoSConsumer {
			return "", ""
		}
		return "must not be written: Cinder keeps it beside the specs", "write it in the block itself, beside specs"
	})
}

// accessAttribute are the projects that may use what is not public.
func accessAttribute() Attribute {
	return Attribute{
		Name: "access", Type: cty.Set(cty.String), Reference: &Reference{Kind: "project", Output: "id"},
		Doc: "The projects that can use it, with public = false. Those that are taken out cannot use it any more; projects that others have let in stay.",
	}
}

func accessRule() Rule {
	return Rule{
		Doc: "access goes with public = false.",
		breaches: func(v values) []Breach {
			public := plainOf(v["public"])
			if v.missing("access") || public != cty.NilVal && public.False() || !v.missing("public") && public == cty.NilVal {
				return nil
			}
			return []Breach{{
				Attribute: "access", Says: "must not be written of what every project can use",
				Hint: "write public = false, or take access out",
			}}
		},
	}
}

// The values of a volume's migration_policy.
const (
	MigrationNever    = "never"
	MigrationOnDemand = "on-demand"
)

func volumeBlock() Block {
	return Block{
		Kind: "volume", Class: ClassResource, API: "cinder", Labels: resourceLabel("data"), Rules: []Rule{metadataRule()},
		Loses: &Loss{What: "the data on it"},
		Quota: &Taking{Counts: "volumes", Sizes: map[string]string{"gigabytes": "size"}, Largest: map[string]string{"per_volume_gigabytes": "size"}},
		Doc:   "A disk of Cinder, which outlives the instances that it is attached to.",
		Attributes: []Attribute{
			nameAttribute(InPlace),
			projectAttribute(),
			{
				Name: "size", Type: cty.Number, Presence: Required, Bounds: &Bounds{1, 1 << 31}, Unit: "GiB", Example: cty.NumberIntVal(20),
				Doc: "The size. A volume grows as it is; no volume shrinks, so that a smaller size makes another one, and the data is lost.",
			},
			{
				Name: "type", Type: cty.String, Reference: &Reference{Kind: "volume_type", Output: "name"},
				Doc: "The volume type, by its name; Cinder's default type unless written. The volume gets another one as it is, also while an instance has it, as far as its storage and migration_policy allow.",
			},
			{
				Name: "migration_policy", Type: cty.String, Wish: true, Allowed: []string{MigrationNever, MigrationOnDemand}, Example: cty.StringVal(MigrationOnDemand),
				Doc: "Whether another type may move the data to other storage. With never, which holds unless written, the type changes only where the storage of the volume can do that in place; with on-demand Cinder copies the data when it cannot, which takes long, and which snapshots of the volume stand in the way of. A move that failed is not tried again until somebody resets the migration status of the volume.",
			},
			{
				Name: "image", Type: cty.String, Change: Replace, Conflicts: "snapshot", Reference: &Reference{Kind: "image", Output: "id"}, Outlives: true,
				Doc: "The image that it starts as a copy of. When somebody deletes the image, the volume stays as it is.",
			},
			{
				Name: "snapshot", Type: cty.String, Change: Replace, Conflicts: "source_volume", Reference: &Reference{Kind: "snapshot", Output: "id"}, Outlives: true,
				Doc: "The snapshot that it starts as a copy of. When somebody deletes the snapshot, the volume stays as it is.",
			},
			{
				Name: "source_volume", Type: cty.String, Change: Replace, Conflicts: "image", Reference: &Reference{Kind: "volume", Output: "id"}, Outlives: true,
				Doc: "The volume that it starts as a copy of. When somebody deletes that one, this one stays as it is.",
			},
			{
				Name: "availability_zone", Type: cty.String, Change: Replace, Example: cty.StringVal("nova"),
				Doc: "The group of storage hosts that the scheduler chooses from. Write it to have the volume near the instances that use it.",
			},
			{
				Name: "bootable", Type: cty.Bool, Example: cty.True,
				Doc: "Whether instances can start from it. Cinder says yes of a copy of an image, and no of an empty volume.",
			},
			descriptionAttribute(),
			{
				Name: "metadata", Type: cty.Map(cty.String), Example: cty.MapVal(map[string]cty.Value{"tier": cty.StringVal("db")}),
				Doc: "Keys and values for people and programs. Those that are taken out are taken away; keys that others have added stay.",
			},
			idAttribute(FormatID),
		},
	}
}

func snapshotBlock() Block {
	return Block{
		Kind: "snapshot", Class: ClassResource, API: "cinder", Labels: resourceLabel("before"), Rules: []Rule{metadataRule()},
		Loses: &Loss{What: "what the volume had on it then"},
		Quota: &Taking{Counts: "snapshots", Sizes: map[string]string{"gigabytes": "size"}, Of: "volume"}, // as much as its volume
		Doc:   "What a volume had on it at one moment. A volume that is in use is taken as it is then, as after a power failure.",
		Attributes: []Attribute{
			nameAttribute(InPlace),
			projectAttribute(),
			{
				Name: "volume", Type: cty.String, Presence: Required, Change: Replace, Lookup: true, Reference: &Reference{Kind: "volume", Output: "id"},
				Doc: "The volume, which has to be in the same project, and stays as long as it has snapshots.",
			},
			descriptionAttribute(),
			{
				Name: "metadata", Type: cty.Map(cty.String), Example: cty.MapVal(map[string]cty.Value{"reason": cty.StringVal("upgrade")}),
				Doc: "Keys and values for people and programs. Those that are taken out are taken away; keys that others have added stay.",
			},
			idAttribute(FormatID),
			{Name: "size", Type: cty.Number, Presence: Computed, Unit: "GiB", Doc: "The size of the volume when it was taken."},
		},
	}
}

func attachmentBlock() Block {
	return Block{
		Kind: "volume_attachment", Class: ClassResource, API: "nova", Labels: resourceLabel("data"),
		Unmarked: true,
		Unique:   "a volume is attached to an instance once",
		Doc:      "That an instance has a volume as a disk. It is detached before either of them goes; while the instance is in the state ERROR, SUSPENDED or RESCUE Nova detaches nothing, and it goes with the instance.",
		Attributes: []Attribute{
			{
				Name: "instance", Type: cty.String, Presence: Required, Change: Replace, Lookup: true, Reference: &Reference{Kind: "instance", Output: "id"},
				Doc: "The instance that has the volume as a disk.",
			},
			{
				Name: "volume", Type: cty.String, Presence: Required, Change: Replace, Lookup: true, Reference: &Reference{Kind: "volume", Output: "id"},
				Doc: "The volume that the instance has.",
			},
			idAttribute(FormatAny),
			{Name: "device", Type: cty.String, Presence: Computed, Doc: "The name that Nova has for the disk, such as /dev/vdb. Inside of the instance it may be another one."},
		},
	}
}
