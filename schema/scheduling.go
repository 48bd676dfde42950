package schema

import "github.com/zclconf/go-cty/cty"

// schedulingBlocks are what Nova's scheduler chooses hosts by.
func schedulingBlocks() []Block { return []Block{serverGroupBlock(), hostAggregateBlock()} }

func serverGroupBlock() Block {
	return Block{
		Kind: "server_group", Class: ClassResource, API: "nova", Labels: resourceLabel("web"),
		Quota:    &Taking{Counts: "server_groups"},
		Unmarked: true,
		Unique:   "it bears no mark, so that two of one name cannot be told apart",
		Doc:      "A group of instances that run on the same host, or each on another one. Instances join it when they are created. Nothing of it can be changed.",
		Rules:    []Rule{perHostRule()},
		Attributes: []Attribute{
			fullName(Replace),
			projectAttribute(),
			{
				Name: "policy", Type: cty.String, Presence: Required, Change: Replace, Example: cty.StringVal("anti-affinity"),
				Allowed: []string{"affinity", "anti-affinity", "soft-affinity", "soft-anti-affinity"},
				Doc:     "Whether its instances run on one host (affinity) or each on another one (anti-affinity). The soft ones are a wish, which the scheduler drops before it finds no host at all.",
			},
			{
				Name: "max_server_per_host", Type: cty.Number, Change: Replace, Bounds: &Bounds{1, 1 << 31}, Unit: "instances", Example: cty.NumberIntVal(2),
				Doc: "How many of its instances one host may run, for the policy anti-affinity. Nova says 1 unless written.",
			},
			idAttribute(FormatID),
			{Name: "members", Type: cty.Set(cty.String), Presence: Computed, Doc: "The ids of the instances in it."},
		},
	}
}

func perHostRule() Rule {
	return Rule{
		Doc: "max_server_per_host goes with the policy anti-affinity only.",
		breaches: func(v values) []Breach {
			policy, known := v.text("policy")
			if !known || policy == "anti-affinity" || v.missing("max_server_per_host") {
				return nil
			}
			return []Breach{{
				Attribute: "max_server_per_host", Says: "must not be written beside the policy " + policy + ": Nova takes it with anti-affinity only",
				Hint: "take it out, or write policy = \"anti-affinity\"",
			}}
		},
	}
}

func hostAggregateBlock() Block {
	return Block{
		Kind: "host_aggregate", Class: ClassResource, API: "nova", Labels: resourceLabel("gpu"), Rules: []Rule{aggregateRule(), selectorRule()},
		Unique: "Nova takes a name for one aggregate only", OneName: true,
		Doc: "A group of compute hosts with something in common, which the scheduler chooses by. With an availability zone, users can choose it as well.",
		Attributes: []Attribute{
			fullName(InPlace),
			{
				Name: "availability_zone", Type: cty.String, Format: FormatName, Example: cty.StringVal("rack-1"),
				Doc: "The availability zone that its hosts are in. A host can be in one only, and Nova changes none while instances run on the hosts.",
			},
			{
				Name: "hosts", Type: cty.Set(cty.String), Example: cty.SetVal([]cty.Value{cty.StringVal("node-1")}),
				Doc: "The compute hosts in it, by the names that Nova has for them. Those that are taken out leave it; hosts that others have added stay.",
			},
			{
				Name: NodeSelector, Type: cty.Map(cty.String), AtLoad: true, Format: FormatLabelValue, Conflicts: "hosts", Apart: true,
				Example: cty.MapVal(map[string]cty.Value{"gpu": cty.StringVal("a100")}),
				Doc:     "Labels by which nodes of Kubernetes are chosen, in place of hosts: the compute hosts on the nodes that have all of these are in it, and follow as labels change. A node that loses one, or leaves the cluster, leaves the aggregate as well; hosts that others have added stay. Nodes that Nova knows no host of yet are waited for, so each of them has to run nova-compute; those of the configuration that are disabled, or have not the role compute, are left out where it deploys nova. The output hosts has the hosts by the names of their nodes. As long as it is not known which nodes or hosts there are, nobody joins or leaves.",
			},
			{
				Name: "metadata", Type: cty.Map(cty.String), Example: cty.MapVal(map[string]cty.Value{"ssd": cty.StringVal("true")}),
				Doc: "What the scheduler compares with the extra specs of flavors. Those that are taken out are taken away; keys that others have added stay.",
			},
			idAttribute(FormatAny),
		},
	}
}

// NodeSelector is the attribute of a host aggregate with the labels of the nodes whose hosts are in it.
const NodeSelector = "node_selector"

func selectorRule() Rule {
	return labelsRule(NodeSelector, "node", "write a label that the nodes with nova-compute have")
}

// labelsRule is for an attribute that chooses things of Kubernetes by their labels.
func labelsRule(attribute, thing, hint string) Rule {
	return Rule{
		Doc: attribute + " has at least one label, and its keys are those of labels of Kubernetes.",
		breaches: func(v values) []Breach {
			plain := plainOf(v[attribute])
			if plain == cty.NilVal || !plain.CanIterateElements() {
				return nil
			}
			if plain.LengthInt() == 0 {
				return []Breach{{Attribute: attribute, Says: "must not be empty, as every " + thing + " has all of no labels", Hint: hint}}
			}
			var found []Breach
			for it := plain.ElementIterator(); it.Next(); {
				key, _ := it.Element()
				if err := FormatLabelKey.Check(key.AsString()); err != nil {
					found = append(found, Breach{Attribute: attribute, Path: cty.Path{}.Index(key), Says: "is no key of a label", Hint: "write one such as topology.kubernetes.io/zone"})
				}
			}
			return found
		},
	}
}

func aggregateRule() Rule {
	return keysRule("metadata", "No key of metadata begins with "+KeyPrefix+", as ours do, or is availability_zone.", func(key string) (says, hint string) {
		if key == "availability_zone" {
			return "must not be written: Nova keeps the availability zone of the aggregate there", "write availability_zone in the block itself, beside metadata"
		}
		return "", ""
	})
}
