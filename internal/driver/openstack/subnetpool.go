package openstack

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// subnetPoolKind has ranges that Neutron joins where they lie side by side, and takes none of away.
type subnetPoolKind struct{ neutron }

const prefixesAttribute = "prefixes"

func neutronSubnetPools(language *schema.Definition) neutron {
	return neutron{
		schema: attributes(language, "subnet_pool"), one: "subnetpool", many: "subnetpools",
		fields: []field{
			{prefixesAttribute, "prefixes"},
			{"address_scope", "address_scope_id"},
			{"default_prefix_length", "default_prefixlen"},
			{"min_prefix_length", "min_prefixlen"},
			{"max_prefix_length", "max_prefixlen"},
			{"default_quota", "default_quota"},
			{"shared", "shared"},
			{"is_default", "is_default"},
		},
		replacing: "subnets that took their range from the pool stand in the way of deleting it",
	}
}

func (k subnetPoolKind) read(raw map[string]any) *object {
	o := k.neutron.read(raw)
	o.values.set("ip_version", fromJSON(raw["ip_version"], cty.Number))
	return o
}

func (k subnetPoolKind) list(ctx context.Context, s *session) ([]*object, error) {
	return k.listBy(ctx, s, k.read)
}

func (k subnetPoolKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

func (k subnetPoolKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	return readOne(k.read)(k.post(ctx, s, k.newBody(w)))
}

// update has the default follow min_prefix_length where only that is written and would lie above it, as Neutron has it when
// it makes a pool.
func (k subnetPoolKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := k.changedBody(o, w, attributes)
	least, usual := unmarked(w.written("min_prefix_length")), o.values.get("default_prefix_length")
	if _, changed := body["min_prefixlen"]; changed && w.written("default_prefix_length") == cty.NilVal && usual != cty.NilVal && !usual.IsNull() && usual.LessThan(least).True() {
		body["default_prefixlen"] = body["min_prefixlen"]
	}
	if err := k.put(ctx, s, o.id, body); err != nil {
		return err
	}
	return k.writeTags(ctx, s, o, w)
}

// compare compares ranges by the addresses in them.
func (k subnetPoolKind) compare(name string, want cty.Value, o *object) (same, handled bool) {
	have, ok := o.values.look(name)
	if name != prefixesAttribute || !ok {
		return false, false
	}
	return slices.Equal(joined(listOf(want)), joined(listOf(have))), true
}

// hindrance tells of ranges that are there and not wanted.
func (k subnetPoolKind) hindrance(want cty.Value, o *object, fields []unit.Field) (problem string, held []string) {
	if !slices.ContainsFunc(fields, func(f unit.Field) bool { return f.Path == prefixesAttribute }) {
		return "", nil
	}
	wanted := joined(listOf(unmarked(attribute(want, prefixesAttribute))))
	var missing []string
	for _, there := range joined(listOf(o.values.get(prefixesAttribute))) {
		if !slices.ContainsFunc(wanted, func(p netip.Prefix) bool { return p.Bits() <= there.Bits() && p.Contains(there.Addr()) }) {
			missing = append(missing, there.String())
		}
	}
	if missing == nil {
		return "", nil
	}
	return "Neutron takes no range out of a subnet pool, and this one has " + strings.Join(missing, ", ") +
		": write that among the prefixes, or make another subnet pool under another label", []string{prefixesAttribute}
}

// joined are ranges in the spelling that makes equal ones equal: sorted, without those that lie in others, and
// with one in place of two that are its halves.
func joined(texts []string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range texts {
		if p, err := netip.ParsePrefix(text); err == nil {
			all = append(all, p.Masked())
		}
	}
	slices.SortFunc(all, netip.Prefix.Compare)
	var kept []netip.Prefix
	for _, p := range all {
		for len(kept) > 0 {
			last := kept[len(kept)-1]
			if last.Bits() <= p.Bits() && last.Contains(p.Addr()) {
				p, kept = last, kept[:len(kept)-1]
				continue
			}
			both := netip.PrefixFrom(last.Addr(), last.Bits()-1).Masked()
			if last.Bits() != p.Bits() || last.Bits() == 0 || both.Addr() != last.Addr() || !both.Contains(p.Addr()) {
				break
			}
			p, kept = both, kept[:len(kept)-1]
		}
		kept = append(kept, p)
	}
	return kept
}
