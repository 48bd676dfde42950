package schema

import "github.com/zclconf/go-cty/cty"

// The values of an instance's heal.
const (
	HealNone     = "none"
	HealRestart  = "restart"
	HealRebuild  = "rebuild"
	HealRecreate = "recreate"
)

func computeBlocks() []Block { return []Block{flavorBlock(), keypairBlock(), instanceBlock()} }

func flavorBlock() Block {
	return Block{
		Kind: "flavor", Class: ClassResource, API: "nova", ChosenID: true, Labels: resourceLabel("small"), Rules: []Rule{descriptionRule(), accessRule(), flavorSpecsRule()},
		Unique: "Nova takes a name for one flavor only", OneName: true,
		Doc: "A size of instances. Nova cannot change one: a changed size is a new flavor, and is refused while instances have the old one: write a second block with another name, which resizes the instances that refer to it, and take the first one out then.",
		Attributes: []Attribute{
			fullName(Replace),
			{
				Name: "vcpus", Type: cty.Number, Presence: Required, Change: Replace, Bounds: &Bounds{1, 1 << 16}, Unit: "processors", Example: cty.NumberIntVal(2),
				Doc: "How many virtual processors an instance has.",
			},
			{
				Name: "ram", Type: cty.Number, Presence: Required, Change: Replace, Bounds: &Bounds{1, 1 << 31}, Unit: "MiB", Example: cty.NumberIntVal(2048),
				Doc: "How much memory an instance has.",
			},
			{
				Name: "disk", Type: cty.Number, Change: Replace, Bounds: &Bounds{0, 1 << 31}, Unit: "GiB", Example: cty.NumberIntVal(20),
				Doc: "The size of the root disk; 0 takes the size of the image, and so does Nova when nothing is written.",
			},
			{
				Name: "ephemeral", Type: cty.Number, Change: Replace, Bounds: &Bounds{0, 1 << 31}, Unit: "GiB", Example: cty.NumberIntVal(10),
				Doc: "The size of a second disk, which is empty at first and deleted with the instance. None unless written.",
			},
			{
				Name: "swap", Type: cty.Number, Change: Replace, Bounds: &Bounds{0, 1 << 31}, Unit: "MiB", Example: cty.NumberIntVal(512),
				Doc: "The size of a disk to swap to. None unless written.",
			},
			{
				Name: "public", Type: cty.Bool, Change: Replace, Example: cty.False,
				Doc: "Whether every project can use it; Nova says yes unless written.",
			},
			accessAttribute(),
			{
				Name: "description", Type: cty.String, Example: cty.StringVal("Small web servers"),
				Doc: "A text for people, shown in lists and dashboards.",
			},
			{
				Name: "extra_specs", Type: cty.Map(cty.String), Example: cty.MapVal(map[string]cty.Value{"hw:cpu_policy": cty.StringVal("dedicated")}),
				Doc: "What the scheduler and the hypervisor should know, such as hw:cpu_policy for dedicated processors or traits that a host must have. Those that are taken out are taken away; keys that others have added stay.",
			},
			idAttribute(FormatAny),
		},
	}
}

func keypairBlock() Block {
	return Block{
		Kind: "keypair", Class: ClassResource, API: "nova", ChosenID: true, Labels: resourceLabel("ops"),
		Unmarked: true,
		Unique:   "Nova takes a name for one key pair of a user only", OneName: true,
		NeedsOne: [][]string{{"public_key", "secret"}}, Rules: []Rule{keypairRule()},
		Doc: "A public SSH key that instances start with: one that is given, or that of a pair which is generated into a Secret of the cluster. It belongs to our own user, and cannot be changed. " +
			"With the credentials of another user, one that was made is left as it is, and reported as unknown, until those of its user are back, or a removed block with destroy = false has it forgotten. " +
			"Nova keeps the pairs of users that are deleted: one that was made for such a user goes with its block, where our user is an administrator; while the block is there another one is made for our user, and the old one stays.",
		Attributes: []Attribute{
			fullName(Replace),
			{
				Name: "public_key", Type: cty.String, Change: Replace, Format: FormatPublicKey, Conflicts: "secret",
				Example: cty.StringVal("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v ops@example.org"),
				Doc:     "The public key in OpenSSH's format, as it stands in a .pub file.",
			},
			secretAttribute("ops-key", "a pair of the type ed25519 is generated into, in place of a public key that is given: of the type kubernetes.io/ssh-auth, with the private key in ssh-privatekey and the public one in ssh-publickey. "+
				"A pair that was generated is never replaced: no instance that started with it could be reached. As long as Nova has the pair and the Secret was lost, or holds another key, it waits for a person. The Secret goes with the pair."),
			idAttribute(FormatAny),
			{Name: "fingerprint", Type: cty.String, Presence: Computed, Doc: "The fingerprint of the key."},
		},
	}
}

func keypairRule() Rule {
	return Rule{Doc: "A public key is given, or a pair is generated into a Secret.", breaches: func(v values) []Breach {
		if !v.missing("public_key") || !v.missing("secret") {
			return nil
		}
		return []Breach{{Attribute: "public_key", Says: "is missing, and no secret says where a pair is to be kept", Hint: `write, for example, public_key = file("ops.pub"), or secret = "ops-key" to have a pair generated`}}
	}}
}

func instanceBlock() Block {
	return Block{
		Kind: "instance", Class: ClassResource, API: "nova", Labels: resourceLabel("web"), Rules: []Rule{serverMetadataRule(), tagsRule(), casedTagsRule(), serverTagsRule(), bootRule(), rebuildRule(), hintsRule()},
		NeedsOne: [][]string{{"image", "boot_volume"}},
		Loses:    &Loss{What: "what is on its disk, and the addresses that Nova chose", Off: "networks", There: "the addresses that it has there"},
		Quota: &Taking{
			Counts: "instances", Sizes: map[string]string{"cores": "vcpus", "ram": "ram"}, Of: "flavor",
			Largest: map[string]string{"metadata_items": "metadata"}, Shared: map[string]string{"server_group_members": "server_group"},
			Noted: map[string]string{"metadata_items": "config_drive"},
			Parts: map[string]string{"ports": "networks"},              // Nova makes one in each
			Lone:  map[string][]string{"ports": {"networks", "ports"}}, // and one in the only network of the project
		},
		Doc: "A virtual machine of Nova.",
		Attributes: []Attribute{
			fullName(InPlace),
			projectAttribute(),
			{
				Name: "image", Type: cty.String, Change: Replace, Conflicts: "boot_volume", Reference: &Reference{Kind: "image", Output: "id"}, Outlives: true,
				Doc: "The image that the root disk is a copy of. When somebody deletes it, it is made again, and the instance stays as it is.",
			},
			{
				Name: "boot_volume", Type: cty.String, Change: Replace, Reference: &Reference{Kind: "volume", Output: "id"},
				Sole: "one instance at a time runs from a volume", Unless: "its type lets several instances have it",
				Doc: "The volume that it starts from, in place of a disk of its own: one that is made from an image, or is bootable. It is as large as the volume says, and stays with all that is on it when the instance goes. Of an instance that runs from a volume an image that is written is not compared. An instance keeps what it has until the volume is free, so that two that are to have each other's wait for ever: write one of them with another volume, or take its block out, in a commit before.",
			},
			{
				Name: "flavor", Type: cty.String, Presence: Required, Reference: &Reference{Kind: "flavor", Output: "id"}, Outlives: true,
				Cost: "the instance is resized, which restarts it, mostly on another host",
				Doc: "The size. With another one the instance is resized: Nova stops it, moves it to a host that has room, starts it again where it ran, and what is on its disk and its addresses stay. The resize is confirmed at once, so that the old size comes back only by another one. " +
					"One that Nova gives up, as where no host has room or the new disk is smaller, is told with what Nova says and tried again 3 times, 1 and 5 minutes apart. A resize that somebody else has begun is theirs to confirm or to revert. When somebody deletes the flavor, it is made again, and the instance stays as it is.",
			},
			{
				Name: "networks", Type: cty.List(cty.String), Connects: true, Repeats: true, Reference: &Reference{Kind: "network", Output: "id"},
				Doc: "The networks it has a port in, in the order of its interfaces, which counts when the instance is made: another order later is no difference. Unless written, Nova takes the project's network, of which there must be one. " +
					"One that is added is attached while the instance runs, behind the interfaces that it has, and has the project's default group for the moment that Nova takes over that: name a port with its security groups where it may not. " +
					"One that is taken out is detached once what is added is there, and its address goes with it, which needs lifecycle { replace = true }; of one that is there twice the younger one goes. Interfaces that others attach besides, and ports with a name or a block of their own, stay. " +
					"Where none was written so far, and Nova chose one, another one replaces the instance.",
			},
			{
				Name: "ports", Type: cty.List(cty.String), Connects: true, Reference: &Reference{Kind: "port", Output: "id"},
				Sole: "a port stays with the old instance until that is deleted", Instead: "name networks in place of ports",
				Doc: "Ports of the configuration that it has besides those that Nova makes in its networks, in the order of its interfaces behind those, which counts when the instance is made: another order later is no difference. They keep their own security groups. " +
					"A port that is added is attached while the instance runs, behind the interfaces that it has, once whatever had it lets go of it. One that is taken out is detached, also when the whole attribute is taken out, and its block can go. Interfaces that others attach stay.",
			},
			{
				Name: "keypair", Type: cty.String, Change: Replace, Reference: &Reference{Kind: "keypair", Output: "name"},
				Doc: "The SSH key that it starts with; without one nobody can log in, unless the image or user_data lets them.",
			},
			{
				Name: "security_groups", Type: cty.List(cty.String), Unordered: true, Reference: &Reference{Kind: "security_group", Output: "id"},
				Doc: "The security groups of its ports; the project's default group unless written. Where networks or ports are written, interfaces that others attach keep theirs, as does a port that has a block of its own. Leave it out where interfaces have different ones.",
			},
			{
				Name: "availability_zone", Type: cty.String, Change: Replace, Example: cty.StringVal("nova"),
				Doc: "The group of hosts that the scheduler chooses from. Write it to keep instances apart, or near to their volumes.",
			},
			{
				Name: "server_group", Type: cty.String, Change: Replace, Reference: &Reference{Kind: "server_group", Output: "id"},
				Doc: "The server group that says which instances are to be on the same host as this one, or on other hosts. An instance joins one only when it is created.",
			},
			{
				Name: "same_host", Type: cty.Set(cty.String), Wish: true, Reference: &Reference{Kind: "instance", Output: "id"},
				Doc: "Instances on whose hosts it is to run. It counts when the instance is made; see scheduler_hints.",
			},
			{
				Name: "different_host", Type: cty.Set(cty.String), Wish: true, Reference: &Reference{Kind: "instance", Output: "id"},
				Doc: "Instances on whose hosts it is not to run. It counts when the instance is made; see scheduler_hints.",
			},
			{
				Name: "scheduler_hints", Type: cty.Map(cty.String), Wish: true, Example: cty.MapVal(map[string]cty.Value{"build_near_host_ip": cty.StringVal("192.0.2.10"), "cidr": cty.StringVal("/24")}),
				Doc: "What else Nova's scheduler is told when the instance is made, for the filters that are enabled there: query with a condition in JSON, build_near_host_ip and cidr, target_cell, or those of filters of your own. " +
					"Nova shows nobody what it was told, and a host once chosen stays: so a change of hints is no difference, moves nothing, and counts for the next instance that is made of the block. To have one made anew by other hints, write them in replace_triggered_by of lifecycle as well.",
			},
			{
				Name: "volumes", Type: cty.Set(cty.String), Reference: &Reference{Kind: "volume", Output: "id"},
				Sole: "a volume stays with the old instance until that is deleted", Unless: "its type lets several instances have it",
				Instead: "attach the volumes by blocks volume_attachment, which follow to the new instance",
				Doc:     "Volumes that it has as further disks from its first start on, in no order. Those that are added are attached while it runs, and those that are taken out detached; volumes that others have attached stay, and so does what is on the volumes when the instance goes. One that is in use elsewhere is waited for, unless its type lets several instances have it. A volume is written here or in a block volume_attachment, not in both.",
			},
			{
				Name: "user_data", Type: cty.String, Change: Replace, Sensitive: true, Example: cty.StringVal("#cloud-config\npackages: [nginx]\n"),
				Doc: "What cloud-init runs at the first start; it often holds secrets.",
			},
			{
				Name: "config_drive", Type: cty.Bool, Change: Replace, Example: cty.True,
				Doc: "Whether metadata is also given on a small disk, for images that cannot ask the metadata service. Where Nova gives one to each instance by its configuration, or to those of an image, an instance that is made with false has one as well, which is no difference.",
			},
			{
				Name: "metadata", Type: cty.Map(cty.String), Example: cty.MapVal(map[string]cty.Value{"tier": cty.StringVal("web")}),
				Doc: "Keys and values that the instance can read from the metadata service. Those that are taken out are taken away; keys that others have added stay.",
			},
			{
				Name: "tags", Type: cty.Set(cty.String), Example: cty.SetVal([]cty.Value{cty.StringVal("shop")}),
				Doc: "Words to find the instance by in lists of the API. Those that are taken out are taken away; tags that others have added stay.",
			},
			{
				Name: "running", Type: cty.Bool, Wish: true, Example: cty.True,
				Doc: "Whether it is to run: one that is stopped is started, and the other way round. Unless written, who stops it has it stopped, but for what heal says.",
			},
			{
				Name: "heal", Type: cty.String, Wish: true, Allowed: []string{HealNone, HealRestart, HealRebuild, HealRecreate}, Example: cty.StringVal(HealRebuild),
				Doc: "What to do when it fails by itself. In the state ERROR: restart resets it, rebuild writes its disk anew from the image and keeps its addresses, recreate deletes it and makes it again, which waits for a person as long as anything refers to it, unless create_before_destroy is set. " +
					"With any of these it is also started when it stopped, unless running = false. After 3 attempts that did not last, 1 and 5 minutes apart, it is left as it is until its block changes; what works for a day begins anew. Nothing unless written.",
			},
			idAttribute(FormatID),
			{Name: "access_ip", Type: cty.String, Presence: Computed, Doc: "Its first fixed address, of IPv4 where it has one."},
			{Name: "addresses", Type: cty.List(cty.String), Presence: Computed, Among: inSubnets(), Doc: "All its fixed addresses, in the order of its interfaces."},
			{Name: "host", Type: cty.String, Presence: Computed, Doc: "The compute host that runs it."},
		},
	}
}

func bootRule() Rule {
	return Rule{
		Doc: "An instance starts from an image or from a volume.",
		breaches: func(v values) []Breach {
			if !v.missing("image") || !v.missing("boot_volume") {
				return nil
			}
			return []Breach{{Attribute: "flavor", Says: "is all that is known of it: it starts from nothing", Hint: "write image or boot_volume beside it"}}
		},
	}
}

func rebuildRule() Rule {
	return Rule{
		Doc: "An instance that starts from a volume is not healed by a rebuild, which writes a disk anew from an image.",
		breaches: func(v values) []Breach {
			if heal, _ := v.text("heal"); heal != HealRebuild || v.missing("boot_volume") {
				return nil
			}
			return []Breach{{Attribute: "heal", Says: "must not be rebuild beside boot_volume: there is no image to write its disk from", Hint: "write restart or recreate, which leave the volume as it is"}}
		},
	}
}

func hintsRule() Rule {
	return keysRule("scheduler_hints", "Hints with attributes of their own, which are same_host, different_host and server_group, are none of scheduler_hints.", func(key string) (says, hint string) {
		attribute, own := map[string]string{"same_host": "same_host", "different_host": "different_host", "group": "server_group"}[key]
		if !own {
			return "", ""
		}
		return "must not be written: there is an attribute for it", "write " + attribute + " in the block itself, beside scheduler_hints"
	})
}
