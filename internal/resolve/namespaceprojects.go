package resolve

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// namespaceProjects reads which namespaces have a project each.
func (r *resolver) namespaceProjects(b *config.Block) *model.NamespaceProjects {
	p := &model.NamespaceProjects{
		Selector: r.texts(b, schema.NamespaceSelector, nil), Prefix: r.text(b, "prefix"),
		Quota: cty.NullVal(b.Schema.Attribute("quota").Type), Range: b.Range,
	}
	if a := b.Attribute(schema.NamespaceSelector); a != nil {
		selector, _, ok := r.scope.decode(a)
		if ok && selector.IsNull() {
			selector = cty.MapValEmpty(cty.String) // which would choose every namespace as well
		}
		if ok {
			r.scope.rules(b, b.Schema, map[string]cty.Value{schema.NamespaceSelector: selector})
		}
	}
	if a := b.Attribute("quota"); a != nil {
		if v, ok := r.shown(a); ok && v.IsWhollyKnown() {
			p.Quota = v
		}
	}
	if a := b.Attribute("domain"); a != nil {
		p.Edges = r.withPools(r.edges(r.choice(a, &p.Domain)))
	}
	return p
}

// ruling returns the block of the cloud that makes the projects of an address, if one does.
func (r *resolver) ruling(a addr.Address) (*config.Block, bool) {
	o, ok := a.(addr.Object)
	if !ok || !o.Module().IsRoot() || o.Mode() != addr.Managed || o.Kind() != "project" || o.Name() != schema.RuledProjects || r.config.Cloud == nil {
		return nil, false
	}
	rules := r.config.Cloud.Nested(schema.NamespaceProjectsBlock)
	if len(rules) == 0 {
		return nil, false
	}
	return rules[0], true
}

// ruledStanding is [resolver.standing] for them: which of them there are changes with the namespaces of the cluster.
func (r *resolver) ruledStanding(rule *config.Block, o addr.Object, whole bool) standing {
	if _, keyed := o.Key().Value(); keyed {
		return standing{open: true, where: rule.Range}
	}
	return standing{
		there: whole, where: rule.Range, lacks: lacksKey,
		detail: fmt.Sprintf("%s are the projects of all namespaces that %s of the cloud chooses", o, schema.NamespaceProjectsBlock),
		hint:   func() string { return fmt.Sprintf("write the namespace as the key, such as %s[%q]", o, "shop") },
	}
}
