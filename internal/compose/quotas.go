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
// the middle of it. What others have there counts as well, and is not known here. What is sensitive counts as not known either:
// the sums are told.
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
	t := taker{composer: c, sharing: map[shared]float64{}, defaults: map[kindIn]bool{}}
	for i := range c.m.Resources {
		r := &c.m.Resources[i]
		project := refersOpenlyTo(r, "project")
		if in := used[project]; in != nil && r.Address.Mode() != addr.Data {
			t.use(r, in)
			t.defaults[kindIn{r.Kind, project}] = t.defaults[kindIn{r.Kind, project}] || isDefault(r)
		}
	}
	for address, written := range limits {
		along := t.comesAlong(address, used[address])
		var over []string
		for name, limit := range written {
			if n := used[address][name]; n != nil && n.Cmp(limit) > 0 {
				with := ""
				if along[name] > 0 {
					with = fmt.Sprintf(" (with %d that OpenStack makes in each project)", along[name])
				}
				over = append(over, fmt.Sprintf("%s %s%s, and the quota allows %s", n.Text('f', 0), strings.ReplaceAll(name, "_", " "), with, limit.Text('f', 0)))
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
	quota := openOf(r, "quota")
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

// taker adds up what resources take of quotas.
type taker struct {
	*composer
	sharing  map[shared]float64 // how many refer to one thing
	defaults map[kindIn]bool    // where the configuration has what OpenStack makes by itself, which it takes over then
}

// kindIn is a kind in a project.
type kindIn struct {
	kind    string
	project addr.Object
}

// shared is a thing that several objects refer to, and a limit of how many may.
type shared struct {
	thing addr.Object
	limit string
}

// use adds what a resource takes of the quota of its project, as far as that is known.
func (t taker) use(r *model.Resource, used map[string]*big.Float) {
	takes := t.definition.Resource(r.Kind).Quota
	if takes == nil {
		return
	}
	add(used, takes.Counts, big.NewFloat(1))
	for limit, name := range takes.Sizes {
		add(used, limit, t.sized(r, takes, name))
	}
	for limit, name := range takes.Parts {
		add(used, limit, t.parts(r, takes, name))
	}
	for limit, names := range takes.Lone {
		if !slices.ContainsFunc(names, func(name string) bool { return !unwritten(r, name) }) {
			add(used, limit, big.NewFloat(1))
		}
	}
	for limit := range takes.Largest {
		atLeast(used, limit, largest(r, takes, limit))
	}
	for limit, name := range takes.Shared {
		if of := (shared{refersOpenlyTo(r, name), limit}); of.thing != noAddress() {
			t.sharing[of]++
			atLeast(used, limit, big.NewFloat(t.sharing[of]))
		}
	}
}

// comesAlong adds what OpenStack makes by itself in a project where the configuration has something, unless that has it as well. It
// returns that by limit.
func (t taker) comesAlong(project addr.Object, used map[string]*big.Float) map[string]int64 {
	along := map[string]int64{}
	for _, kind := range t.definition.Kinds(schema.ClassResource) {
		takes := t.definition.Resource(kind).Quota
		if takes == nil || takes.Brings == nil || used[takes.Counts] == nil || t.defaults[kindIn{kind, project}] {
			continue
		}
		for limit, n := range takes.Brings {
			add(used, limit, big.NewFloat(float64(n)))
			along[limit] += n
		}
	}
	return along
}

// isDefault tells whether something has the name of what OpenStack makes by itself.
func isDefault(r *model.Resource) bool {
	name := openOf(r, "name")
	return name != cty.NilVal && name.Type() == cty.String && name.AsString() == schema.DefaultGroup
}

// add adds to what is used of a limit; nil is what is not known.
func add(used map[string]*big.Float, limit string, n *big.Float) {
	if n == nil {
		return
	}
	if used[limit] == nil {
		used[limit] = new(big.Float)
	}
	used[limit].Add(used[limit], n)
}

// sized is how large a resource is by an attribute, which it may have from what it refers to; nil where that is not known.
func (t taker) sized(r *model.Resource, takes *schema.Taking, name string) *big.Float {
	if n := number(openOf(r, name)); n != nil || takes.Of == "" {
		return n
	}
	of := t.m.Resource(refersOpenlyTo(r, takes.Of))
	if of == nil || of.Address.Mode() == addr.Data {
		return nil
	}
	return number(openOf(of, name))
}

// parts is how many parts a resource comes to have; nil where that is not known.
func (t taker) parts(r *model.Resource, takes *schema.Taking, name string) *big.Float {
	if nested := t.definition.Resource(r.Kind).Nested(name); nested != nil {
		return big.NewFloat(float64(blocksOf(r, nested, takes.First)))
	}
	n := elements(openOf(r, name))
	if n != nil {
		n.Sub(n, big.NewFloat(t.together(r, name)))
	}
	return n
}

// largest is what an object takes of a limit that holds for it alone: a number, or the items of a map with those of ours.
func largest(r *model.Resource, takes *schema.Taking, limit string) *big.Float {
	v := openOf(r, takes.Largest[limit])
	n := elements(v)
	if n == nil {
		return number(v)
	}
	if noted := openOf(r, takes.Noted[limit]); noted != cty.NilVal && noted.RawEquals(cty.False) {
		n.Add(n, big.NewFloat(1))
	}
	return n.Add(n, big.NewFloat(1))
}

// atLeast raises what is used of a limit of single objects, of which the largest counts.
func atLeast(used map[string]*big.Float, limit string, n *big.Float) {
	if largest := used[limit]; n != nil && (largest == nil || n.Cmp(largest) > 0) {
		used[limit] = n
	}
}

// together is how many of the subnets that a list refers to have their port with another one: Neutron gives those of IPv6 in
// one network a port of a router together.
func (t taker) together(r *model.Resource, list string) float64 {
	networks, n := map[addr.Object]bool{}, 0.0
	for _, e := range r.Edges {
		subnet := t.m.Resource(e.To)
		if e.Attribute != list || subnet == nil || subnet.Kind != "subnet" {
			continue
		}
		if network := refersTo(subnet, "network"); network != noAddress() && isIPv6(subnet) {
			if networks[network] {
				n++
			}
			networks[network] = true
		}
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

// elements is how many elements a list has, else nil.
func elements(list cty.Value) *big.Float {
	if list == cty.NilVal || !list.CanIterateElements() {
		return nil
	}
	return big.NewFloat(float64(list.LengthInt()))
}

// blocksOf is how many nested blocks of a kind an object comes to have: those that are written, each once, beside those that
// OpenStack gives a new one.
func blocksOf(r *model.Resource, nested *schema.Nested, first []string) int {
	keys, open := slices.Clone(first), 0
	blocks := openOf(r, nested.Kind)
	if blocks == cty.NilVal || !blocks.CanIterateElements() {
		return len(keys)
	}
	for _, block := range blocks.AsValueSlice() {
		switch key := nested.KeyOf(block); {
		case key == "":
			open++
		case !slices.Contains(keys, key):
			keys = append(keys, key)
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

// openOf is one that is not sensitive either.
func openOf(r *model.Resource, name string) cty.Value {
	if isSensitive(r, name) {
		return cty.NilVal
	}
	return attributeOf(r, name)
}

// refersOpenlyTo is what an attribute refers to, unless that is sensitive.
func refersOpenlyTo(r *model.Resource, name string) addr.Object {
	if isSensitive(r, name) {
		return noAddress()
	}
	return refersTo(r, name)
}

func isSensitive(r *model.Resource, name string) bool {
	if r.Desired == cty.NilVal || !r.Desired.Type().IsObjectType() || !r.Desired.Type().HasAttribute(name) {
		return false
	}
	desired, marks := r.Desired.Unmark()
	return len(marks) > 0 || desired.GetAttr(name).IsMarked()
}

// number is a number that is written, known and not sensitive, else nil.
func number(v cty.Value) *big.Float {
	if v == cty.NilVal || v.IsMarked() {
		return nil
	}
	if v.IsNull() || !v.IsKnown() || v.Type() != cty.Number {
		return nil
	}
	return v.AsBigFloat()
}
