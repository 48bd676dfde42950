package schema

import "github.com/zclconf/go-cty/cty"

func imageBlocks() []Block {
	return []Block{{
		Kind: "image", Class: ClassResource, API: "glance", Labels: resourceLabel("debian"), Rules: []Rule{propertiesRule(), tagsRule(), casedTagsRule(), membersRule(), fileRule()},
		Doc: "An image of Glance, with its bytes.",
		Attributes: []Attribute{
			nameAttribute(InPlace),
			projectAttribute(),
			{
				Name: "source", Type: cty.String, Change: Replace, Format: FormatURL,
				Example: cty.StringVal("https://images.example.org/debian-13.qcow2"),
				Doc:     "Where KupenStack fetches the bytes from, once, when the image is made: below one of its --image-sources. Only an image that is there already needs none, and one with web_download.",
			},
			{
				Name: "web_download", Type: cty.String, Change: Replace, Format: FormatURL, Conflicts: "source",
				Example: cty.StringVal("https://images.example.org/debian-13.qcow2"),
				Doc:     "Where Glance fetches the bytes from by itself, once, when the image is made. What it takes is for enabled_import_methods and import_filtering_opts of Glance to say; the server has to tell how many bytes they are.",
			},
			{
				Name: "file", Type: cty.String, Change: Replace, Format: FormatName, Conflicts: "source", Content: true, Example: cty.StringVal("images/boot.img"),
				Doc: "A file of the repository that the bytes are, of at most 16 MiB, by its path from the directory of the configuration. When the file changes, so that Glance has others, the image is replaced. It must be known before anything is made.",
			},
			{
				Name: "checksum", Type: cty.String, Change: Replace, Format: FormatChecksum, Conflicts: "web_download",
				Example: cty.StringVal("sha256:7d6355852aeb6dbcd191bcda7cd74f1536cfe5cbf8a10495a7283a8396e4b75b"),
				Doc:     "The digest that the bytes must have. Write it, so that nobody else can decide what your instances run. Glance checks none of what it fetches itself.",
			},
			{
				Name: "disk_format", Type: cty.String, Change: Replace, Allowed: []string{"raw", "qcow2", "vmdk", "vhd", "vhdx", "vdi", "iso", "ploop", "ami", "aki", "ari"},
				Example: cty.StringVal("qcow2"),
				Doc:     "The format of the bytes, which has to be the one that they really have. An image is made with qcow2 unless it is written.",
			},
			{
				Name: "container_format", Type: cty.String, Change: Replace, Allowed: []string{"bare", "ovf", "ova", "docker", "compressed", "ami", "aki", "ari"},
				Example: cty.StringVal("bare"),
				Doc:     "The format around the disk; bare is none, as images mostly have it. An image is made with that unless it is written.",
			},
			{
				Name: "visibility", Type: cty.String, Lookup: true, Allowed: []string{"public", "private", "shared", "community"},
				Example: cty.StringVal("shared"),
				Doc:     "Who can use it: every project (public), its own (private), those that it is shared with (shared), or every project that knows its id (community). An instance in a project that may not use it by what is written here is warned of.",
			},
			{
				Name: "members", Type: cty.Set(cty.String), Reference: &Reference{Kind: "project", Output: "id"},
				Doc: "The projects that it is shared with, beside its own, with visibility = \"shared\". Each of them can use it, and has it in its lists once somebody there accepts it. Those that are taken out are taken away; projects that others share it with stay.",
			},
			{
				Name: "hidden", Type: cty.Bool, Lookup: true, Example: cty.True,
				Doc: "Whether lists leave it out, as of an image that another one has replaced. Who knows its id can use it still. A hidden image is found by its name only where this is written.",
			},
			{
				Name: "min_disk", Type: cty.Number, Bounds: &Bounds{0, 1 << 31}, Unit: "GiB", Example: cty.NumberIntVal(1),
				Doc: "The smallest root disk that it fits.",
			},
			{
				Name: "min_ram", Type: cty.Number, Bounds: &Bounds{0, 1 << 31}, Unit: "MiB", Example: cty.NumberIntVal(64),
				Doc: "The least memory that it runs with.",
			},
			{
				Name: "protected", Type: cty.Bool, Example: cty.False,
				Doc: "Whether Glance refuses to delete it, whoever asks.",
			},
			{
				Name: "properties", Type: cty.Map(cty.String), Example: cty.MapVal(map[string]cty.Value{"hw_disk_bus": cty.StringVal("scsi")}),
				Doc: "What the hypervisor should know about the image, such as the bus of its disks. Those that are taken out are taken away; keys that others have added stay.",
			},
			tagsAttribute(),
			idAttribute(FormatID),
			{Name: "size", Type: cty.Number, Presence: Computed, Unit: "bytes", Doc: "The size of its bytes."},
		},
	}}
}

func membersRule() Rule {
	return Rule{
		Doc: "members go with visibility = \"shared\".",
		breaches: func(v values) []Breach {
			if visibility, known := v.text("visibility"); v.missing("members") || visibility == "shared" || !known && !v.missing("visibility") {
				return nil
			}
			return []Breach{{
				Attribute: "members", Says: "must not be written of an image that is not shared",
				Hint: "write visibility = \"shared\", or take members out",
			}}
		},
	}
}

func fileRule() Rule {
	return Rule{
		Doc: "file goes without web_download and checksum.",
		breaches: func(v values) []Breach {
			if v.missing("file") {
				return nil
			}
			for _, other := range []string{"web_download", "checksum"} {
				if !v.missing(other) {
					return []Breach{{
						Attribute: "file", Says: "must not be written beside " + other + ": the file is what is in the image",
						Hint: "take one of the two out",
					}}
				}
			}
			return nil
		},
	}
}
