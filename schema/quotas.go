package schema

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// Quota is the part of a project's quota that one service keeps.
type Quota struct {
	Service string
	Limits  []string
}

// Quotas returns the limits of a project by the service that keeps them. No limit is in two of them. Nobody changes them.
func (d *Definition) Quotas() []Quota { return d.quotas }

// commonQuotas are those of the services that every cloud has, and of that for volumes.
func commonQuotas() []Quota {
	return []Quota{
		{Service: "nova", Limits: []string{
			"instances", "cores", "ram", "key_pairs", "metadata_items", "server_groups", "server_group_members",
		}},
		{Service: "neutron", Limits: []string{
			"networks", "subnets", "routers", "ports", "floating_ips", "security_groups", "security_group_rules",
			"subnet_pools", "rbac_policies", "trunks",
		}},
		{Service: "cinder", Limits: []string{
			"volumes", "snapshots", "gigabytes", "per_volume_gigabytes", "backups", "backup_gigabytes",
		}},
	}
}

// limit gives every attribute that has the limits of a project those which there are, with those that kinds bring along.
func (d *Definition) limit() {
	d.quotas = commonQuotas()
	for _, b := range d.blocks {
		if len(b.Keeps) == 0 {
			continue
		}
		i := slices.IndexFunc(d.quotas, func(q Quota) bool { return q.Service == b.API })
		if i < 0 {
			i, d.quotas = len(d.quotas), append(d.quotas, Quota{Service: b.API})
		}
		d.quotas[i].Limits = append(d.quotas[i].Limits, b.Keeps...)
	}
	fields := map[string]cty.Type{}
	var optional []string
	for _, q := range d.quotas {
		for _, name := range q.Limits {
			fields[name] = cty.Number
			optional = append(optional, name)
		}
	}
	t := cty.ObjectWithOptionalAttrs(fields, optional)
	for _, b := range d.blocks {
		b.limit(t)
	}
}

func (b *Block) limit(t cty.Type) {
	for i := range b.Attributes {
		if b.Attributes[i].Limits {
			b.Attributes[i].Type = t
		}
	}
	for i := range b.Blocks {
		b.Blocks[i].limit(t)
	}
}

// TakesElsewhere tells whether an object of a kind takes of limits that another service keeps than that of its API.
func (d *Definition) TakesElsewhere(kind string) bool {
	b := d.Resource(kind)
	return b != nil && b.Quota != nil && slices.ContainsFunc(d.quotas, func(q Quota) bool {
		return q.Service != b.API && slices.ContainsFunc(q.Limits, b.Quota.takes)
	})
}
