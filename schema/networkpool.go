package schema

import "github.com/zclconf/go-cty/cty"

func addressScopeBlock() Block {
	return Block{
		Kind: "address_scope", Class: ClassResource, API: "neutron", Labels: resourceLabel("inner"), Rules: ipVersionRules(),
		Unmarked: true,
		Unique:   "it bears no mark, so that two of one name cannot be told apart",
		Doc:      "What subnet pools share when their addresses never overlap, so that routers pass between them without hiding addresses.",
		Attributes: []Attribute{
			nameAttribute(InPlace),
			projectAttribute(),
			{
				Name: ipVersion, Type: cty.Number, Presence: Required, Change: Replace, Bounds: &Bounds{4, 6}, Lookup: true, Example: cty.NumberIntVal(4),
				Doc: "The version of IP, 4 or 6.",
			},
			{
				Name: "shared", Type: cty.Bool, Example: cty.True, Lookup: true,
				Doc: "Whether every project can use it, which Neutron does not take back. Needs an administrator.",
			},
			idAttribute(FormatID),
		},
	}
}

const ipVersion = "ip_version"

func ipVersionRules() []Rule {
	return []Rule{{
		Doc: "ip_version is 4 or 6.",
		breaches: func(v values) []Breach {
			if n, ok := v.number(ipVersion); ok && n == 5 {
				return []Breach{{Attribute: ipVersion, Says: "must be 4 or 6", Hint: "write one of them"}}
			}
			return nil
		},
	}}
}

func subnetPoolBlock() Block {
	length := &Bounds{0, 128}
	return Block{
		Kind: "subnet_pool", Class: ClassResource, API: "neutron", Labels: resourceLabel("inner"), Rules: append(subnetPoolRules(), markedRules()...),
		Quota: &Taking{Counts: "subnet_pools"},
		Doc:   "Ranges of addresses that subnets take theirs from, without overlapping.",
		Attributes: []Attribute{
			fullName(InPlace),
			{
				Name: "prefixes", Type: cty.List(cty.String), Presence: Required, Unordered: true, Format: FormatCIDR,
				Example: cty.ListVal([]cty.Value{cty.StringVal("10.64.0.0/12")}),
				Doc:     "The ranges, all of one version of IP. More can be added; Neutron takes none away.",
			},
			projectAttribute(),
			describedAttribute(),
			{
				Name: "address_scope", Type: cty.String, Connects: true, Lookup: true, Reference: &Reference{Kind: "address_scope", Output: "id"},
				Doc: "The address scope, in which no two pools overlap. Taken out of the block, the one that we have set goes; another one, which others have set since, stays.",
			},
			{
				Name: "default_prefix_length", Type: cty.Number, Bounds: length, Unit: "bits", Example: cty.NumberIntVal(24),
				Doc: "The size of a subnet that says none; min_prefix_length unless written.",
			},
			{
				Name: "min_prefix_length", Type: cty.Number, Bounds: length, Unit: "bits", Example: cty.NumberIntVal(20),
				Doc: "The largest subnet, by the length of its prefix; 8 for IPv4 and 64 for IPv6 unless written.",
			},
			{
				Name: "max_prefix_length", Type: cty.Number, Bounds: length, Unit: "bits", Example: cty.NumberIntVal(28),
				Doc: "The smallest subnet, by the length of its prefix; 32 for IPv4 and 128 for IPv6 unless written.",
			},
			{
				Name: "default_quota", Type: cty.Number, Bounds: &Bounds{0, 1<<31 - 1}, Example: cty.NumberIntVal(256),
				Doc: "How much of the pool a project may use: addresses of IPv4, or networks of 64 bits of IPv6. Without limit unless written.",
			},
			{
				Name: "shared", Type: cty.Bool, Change: Replace, Example: cty.True, Lookup: true,
				Doc: "Whether every project can use it. Needs an administrator.",
			},
			{
				Name: "is_default", Type: cty.Bool, Example: cty.True, Lookup: true,
				Doc: "Whether subnets that name no pool take it, one for each version of IP. Needs an administrator.",
			},
			tagsAttribute(),
			idAttribute(FormatID),
			{Name: ipVersion, Type: cty.Number, Presence: Computed, Doc: "4 or 6, by the prefixes."},
		},
	}
}

func subnetPoolRules() []Rule {
	return []Rule{
		{
			Doc: "There is at least one prefix, and all are of one version of IP.",
			breaches: func(v values) []Breach {
				plain := plainOf(v["prefixes"])
				if plain == cty.NilVal {
					return nil
				}
				if plain.LengthInt() == 0 {
					return []Breach{{Attribute: "prefixes", Says: "must have at least one range", Hint: "write one, such as 10.64.0.0/12"}}
				}
				var first string
				for it := plain.ElementIterator(); it.Next(); {
					at, element := it.Element()
					prefix, ok := rangeOf(values{"": element}, "")
					if !ok {
						continue
					}
					if first == "" {
						first = version(prefix.Addr())
					}
					if version(prefix.Addr()) != first {
						return []Breach{{
							Attribute: "prefixes", Path: cty.Path{}.Index(at), Says: "must be of " + first + ", as the first one is",
							Hint: "make another subnet pool of the other version",
						}}
					}
				}
				return nil
			},
		},
		{
			Doc: "min_prefix_length is not above max_prefix_length, and default_prefix_length lies between the two.",
			breaches: func(v values) []Breach {
				low, hasLow := v.number("min_prefix_length")
				high, hasHigh := v.number("max_prefix_length")
				usual, has := v.number("default_prefix_length")
				switch {
				case hasLow && hasHigh && low > high:
					return []Breach{{Attribute: "max_prefix_length", Says: "must be min_prefix_length or more, as a longer prefix is a smaller subnet", Hint: "exchange the two, or correct one of them"}}
				case has && hasLow && usual < low:
					return []Breach{{Attribute: "default_prefix_length", Says: "must be min_prefix_length or more", Hint: "correct one of the two"}}
				case has && hasHigh && usual > high:
					return []Breach{{Attribute: "default_prefix_length", Says: "must be max_prefix_length or less", Hint: "correct one of the two"}}
				}
				return nil
			},
		},
	}
}
