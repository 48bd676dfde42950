package schema

import "github.com/zclconf/go-cty/cty"

// SmokeTestBlock is the block of the cloud that has it tested.
const SmokeTestBlock = "smoke_test"

func smokeTestBlock() Nested {
	uses := func(name, kind string, presence Presence, doc string) Attribute {
		return Attribute{Name: name, Type: cty.String, Presence: presence, Reference: &Reference{Kind: kind, Output: "id"}, Doc: doc}
	}
	return Nested{Max: 1, Block: Block{
		Kind: SmokeTestBlock, Class: ClassPart,
		Doc: "A test of the cloud as a whole, which runs once all services are ready, and again whenever a release of them has changed: an instance starts, a volume of 1 GiB is attached to it, detached, attached and detached again, and both are deleted. " +
			"A failure is in the report and holds back nothing else. Taking the block away takes away what a run may have left.",
		Attributes: []Attribute{
			uses("image", "image", Required, "The image that the instance starts from. A small one, such as that of CirrOS, will do."),
			uses("flavor", "flavor", Required, "The size of the instance."),
			uses("network", "network", Required, "The network that the instance has a port in. It has to have a subnet; those that the configuration makes in it come first."),
			uses("project", "project", Optional, "The project that instance and volume are made in, and whose quota counts them; that of our own user unless written."),
			{
				Name: "volume", Type: cty.Bool, AtLoad: true, Example: cty.False,
				Doc: "Whether a volume is attached. Unless written, it is where the cloud deploys cinder, or for a cloud that was deployed by somebody else, where its catalogue has a service for volumes.",
			},
			{
				Name: "retry", Type: cty.String, AtLoad: true, Example: cty.StringVal("after the switch was replaced"),
				Doc: "Any text. Another one has the test run once more, whether it passed or failed.",
			},
		},
	}}
}
