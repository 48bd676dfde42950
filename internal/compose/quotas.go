package compose

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// quotas warns of projects that the configuration has more in than their quota allows: OpenStack would refuse the rest in
// the middle of it. What others have there counts as well, and is not known here.
func (c *composer) quotas() {
	limits, used := map[addr.Object]map[string]*big.Float{}, map[addr.Object]map[string]*big.Float{}
	for i := range c.m.Resources {
		if r := &c.m.Resources[i]; len(limitsOf(r)) > 0 {
			limits[r.Address], used[r.Address] = limitsOf(r), map[string]*big.Float{}
		}
	}
	if len(limits) == 0 {
		return
	}
	members := map[addr.Object]float64{}
	for i := range c.m.Resources {
		r := &c.m.Resources[i]
		if in := used[refersTo(r, "project")]; in != nil && r.Address.Mode() != addr.Data {
			c.use(r, in)
			if group := refersTo(r, "server_group"); r.Kind == "instance" && group != noAddress() {
				members[group]++
				atLeast(in, "server_group_members", big.NewFloat(members[group]))
			}
		}
	}
	for address, written := range limits {
		var over []string
		for name, limit := range written {
			if n := used[address][name]; n != nil && n.Cmp(limit) > 0 {
				over = append(over, fmt.Sprintf("%s %s, and the quota allows %s", n.Text('f', 0), strings.ReplaceAll(name, "_", " "), limit.Text('f', 0)))
			}
		}
		if len(over) == 0 {
			continue
		}
		slices.Sort(over)
		c.diags.Append(diag.Diagnostic{
			Severity: diag.Warning, Code: codeQuota, Subject: &c.m.Resource(address).Range, Address: address, Summary: "more than a quota allows",
			Detail: fmt.Sprintf("the configuration has in %s %s", address, strings.Join(over, "; ")),
			Hint:   "write a higher quota, or take something out: OpenStack refuses what is beyond it",
		})
	}
}

// limitsOf are the limits that the quota of a project writes, but for those without an end.
func limitsOf(r *model.Resource) map[string]*big.Float {
	quota := attributeOf(r, "quota")
	if r.Kind != "project" || r.Address.Mode() == addr.Data || quota == cty.NilVal {
		return nil
	}
	limits := map[string]*big.Float{}
	for name := range quota.Type().AttributeTypes() {
		if limit := number(quota.GetAttr(name)); limit != nil && limit.Sign() >= 0 {
			limits[name] = limit
		}
	}
	return limits
}

// use adds what a resource takes of the quota of its project, as far as that is known.
func (c *composer) use(r *model.Resource, used map[string]*big.Float) {
	add := func(limit string, n *big.Float) {
		if n == nil {
			return
		}
		if used[limit] == nil {
			used[limit] = new(big.Float)
		}
		used[limit].Add(used[limit], n)
	}
	add(r.Kind+"s", big.NewFloat(1)) // as their limits are called: networks, volumes
	switch r.Kind {
	case "instance":
		if flavor := c.m.Resource(refersTo(r, "flavor")); flavor != nil && flavor.Address.Mode() != addr.Data {
			add("cores", number(attributeOf(flavor, "vcpus")))
			add("ram", number(attributeOf(flavor, "ram")))
		}
		add("ports", elements(attributeOf(r, "networks"))) // Nova makes one in each
		if leavesOut(r, "networks") && leavesOut(r, "ports") {
			add("ports", big.NewFloat(1)) // and one in the only network of the project
		}
		if metadata := elements(attributeOf(r, "metadata")); metadata != nil {
			atLeast(used, "metadata_items", metadata.Add(metadata, big.NewFloat(1))) // our mark is one, too
		}
	case "router":
		add("ports", c.interfaces(r))
	case "security_group":
		add("security_group_rules", big.NewFloat(float64(rulesOf(r))))
	case "volume":
		size := number(attributeOf(r, "size"))
		add("gigabytes", size)
		atLeast(used, "per_volume_gigabytes", size)
	case "snapshot":
		if volume := c.m.Resource(refersTo(r, "volume")); volume != nil && volume.Address.Mode() != addr.Data {
			add("gigabytes", number(attributeOf(volume, "size"))) // it takes as much as that
		}
	}
}

// atLeast raises what is used of a limit of single objects, of which the largest counts.
func atLeast(used map[string]*big.Float, limit string, n *big.Float) {
	if largest := used[limit]; n != nil && (largest == nil || n.Cmp(largest) > 0) {
		used[limit] = n
	}
}

// interfaces is how many ports a router comes to have in subnets: one in each, but Neutron gives those of IPv6 in one network
// a port together. Where it is not known which subnets they are, nil.
func (c *composer) interfaces(r *model.Resource) *big.Float {
	n := elements(attributeOf(r, "subnets"))
	if n == nil {
		return nil
	}
	networks := map[addr.Object]int{}
	for _, e := range r.Edges {
		subnet := c.m.Resource(e.To)
		if e.Attribute != "subnets" || subnet == nil || subnet.Kind != "subnet" {
			continue
		}
		if network := refersTo(subnet, "network"); network != noAddress() && isIPv6(subnet) {
			networks[network]++
		}
	}
	for _, subnets := range networks {
		n.Sub(n, big.NewFloat(float64(subnets-1)))
	}
	return n
}

func isIPv6(subnet *model.Resource) bool {
	if cidr := attributeOf(subnet, "cidr"); cidr != cty.NilVal && cidr.Type() == cty.String {
		return strings.Contains(cidr.AsString(), ":")
	}
	version := number(attributeOf(subnet, "ip_version"))
	return version != nil && version.Cmp(big.NewFloat(6)) == 0
}

// leavesOut tells whether nothing is written of an attribute, which is not so while that is not known.
func leavesOut(r *model.Resource, name string) bool {
	if r.Desired == cty.NilVal || !r.Desired.Type().IsObjectType() || !r.Desired.Type().HasAttribute(name) {
		return false
	}
	desired, _ := r.Desired.Unmark()
	v, _ := desired.GetAttr(name).Unmark()
	return v.IsNull()
}

// elements is how many elements a list has, else nil.
func elements(list cty.Value) *big.Float {
	if list == cty.NilVal || !list.CanIterateElements() {
		return nil
	}
	return big.NewFloat(float64(list.LengthInt()))
}

// rulesOf is how many rules a security group comes to have: those that are written, each once, beside those that Neutron gives
// a new one.
func rulesOf(r *model.Resource) int {
	keys, open := schema.FirstGroupRules(), 0
	rules := attributeOf(r, "rule")
	if rules == cty.NilVal || !rules.CanIterateElements() {
		return len(keys)
	}
	for _, rule := range rules.AsValueSlice() {
		switch {
		case !rule.IsWhollyKnown() || rule.ContainsMarked():
			open++
		case !slices.Contains(keys, schema.GroupRuleOf(rule).Key()):
			keys = append(keys, schema.GroupRuleOf(rule).Key())
		}
	}
	return len(keys) + open
}

// refersTo is what an attribute refers to, the zero address for nothing or several things.
func refersTo(r *model.Resource, attribute string) addr.Object {
	var to addr.Object
	for _, e := range r.Edges {
		switch {
		case e.Attribute != attribute:
		case to != addr.Object{} && to != e.To:
			return addr.Object{}
		default:
			to = e.To
		}
	}
	return to
}

// attributeOf is an attribute of a resource that is written and known, else cty.NilVal.
func attributeOf(r *model.Resource, name string) cty.Value {
	if r.Desired == cty.NilVal || !r.Desired.Type().IsObjectType() || !r.Desired.Type().HasAttribute(name) {
		return cty.NilVal
	}
	desired, _ := r.Desired.Unmark()
	v, _ := desired.GetAttr(name).Unmark()
	if v.IsNull() || !v.IsKnown() {
		return cty.NilVal
	}
	return v
}

// number is a number that is written and known, else nil.
func number(v cty.Value) *big.Float {
	if v == cty.NilVal {
		return nil
	}
	v, _ = v.Unmark()
	if v.IsNull() || !v.IsKnown() || v.Type() != cty.Number {
		return nil
	}
	return v.AsBigFloat()
}
