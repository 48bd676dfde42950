package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// networkTypes are how Neutron carries networks.
func networkTypes() []string { return []string{"flat", "vlan", "vxlan", "gre", "geneve", "local"} }

// segmentsAttribute are the segments of a network that has several.
func segmentsAttribute() Attribute {
	segment := cty.ObjectWithOptionalAttrs(map[string]cty.Type{
		"network_type": cty.String, "physical_network": cty.String, "segmentation_id": cty.Number,
	}, []string{"physical_network", "segmentation_id"})
	example := func(physical string, id int64) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{
			"network_type": cty.StringVal("vlan"), "physical_network": cty.StringVal(physical), "segmentation_id": cty.NumberIntVal(id),
		})
	}
	return Attribute{
		Name: "segments", Type: cty.List(segment), Change: Replace, Unordered: true, Apart: true, Conflicts: "provider_network_type", Bounds: &Bounds{1, 1<<24 - 1},
		Example: cty.ListVal([]cty.Value{example("physnet1", 100), example("physnet2", 200)}),
		Doc:     "How a network is carried that consists of several segments, in place of the three above: all of them, each with its network_type and, as that needs them, its physical_network and segmentation_id, the number of the VLAN or tunnel, which Neutron chooses unless written. Something outside of Neutron has to join them, such as a router. Needs an administrator.",
	}
}

// segmentRules say what a network with segments cannot have beside them.
func segmentRules() []Rule {
	return []Rule{
		{
			Doc: "Beside segments no provider attribute is written, and there is at least one segment.",
			breaches: func(v values) []Breach {
				if plain := plainOf(v["segments"]); plain != cty.NilVal && plain.CanIterateElements() && plain.LengthInt() == 0 {
					return []Breach{{Attribute: "segments", Says: "must have a segment", Hint: "write one, or take it out"}}
				}
				var found []Breach
				for _, name := range []string{"provider_physical_network", "provider_segmentation_id"} {
					if !v.missing("segments") && !v.missing(name) {
						found = append(found, Breach{Attribute: name, Says: "must not be written beside segments", Hint: "write it in the segment that it is of"})
					}
				}
				return found
			},
		},
		{
			Doc: "The network_type of a segment is one that provider_network_type takes.",
			breaches: func(v values) []Breach {
				var found []Breach
				for i, segment := range v.list("segments") {
					if kind, known := segment.text("network_type"); known && !slices.Contains(networkTypes(), kind) {
						found = append(found, Breach{
							Attribute: "segments", Path: cty.Path{}.IndexInt(i).GetAttr("network_type"),
							Says: "must be one of " + strings.Join(networkTypes(), ", "), Hint: "correct the network_type",
						})
					}
				}
				return found
			},
		},
		{
			// Since Yoga: uniq_networksegment0network_id0network_type0physical_network. Neutron's API takes it, and tries
			// for so long that no answer comes.
			Doc: "No two segments have one network_type on one physical_network.",
			breaches: func(v values) []Breach {
				seen := map[[2]string]int{}
				var found []Breach
				for i, segment := range v.list("segments") {
					kind, _ := segment.text("network_type")
					physical, _ := segment.text("physical_network")
					if before, twice := seen[[2]string{kind, physical}]; twice && kind != "" && physical != "" {
						found = append(found, Breach{
							Attribute: "segments", Path: cty.Path{}.IndexInt(i).GetAttr("physical_network"),
							Says: fmt.Sprintf("must not be that of segments[%d], which has the same network_type", before), Hint: "correct it, or make a second network",
						})
					}
					seen[[2]string{kind, physical}] = i
				}
				return found
			},
		},
	}
}
