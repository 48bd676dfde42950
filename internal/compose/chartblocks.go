package compose

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// longestRelease is how long Helm lets the name of a release be: names of objects are made of it.
const longestRelease = 53

// release adds the release of a chart block.
func (c *composer) release(r *model.Resource) {
	name := textOf(r, "name")
	if problem := schema.FormatDNSLabel.Check(name); problem != nil || len(name) > longestRelease {
		detail := fmt.Sprintf("the release would be called %q, and its name must have at most %d characters, lower case letters, digits and dashes", name, longestRelease)
		c.fail(codeName, at(r, "name"), r.Address, "not the name of a release", detail, `write, for example: name = "cert-manager"`)
		return
	}
	namespace := c.namespaceOf(r)
	values, ok := c.valuesOf(r)
	if !ok {
		return
	}
	written := writtenValues(r, values)
	values, secrets := c.conceal(values)
	chart, ok := c.chartOf(r, name)
	if !ok {
		return
	}
	if !c.claimRelease(r, namespace, name) {
		return
	}
	api := c.gates(r, namespace)
	c.add(unit.Unit{
		Address: r.Address, Class: unit.ClassWorkload, Range: r.Range,
		Spec: &unit.Release{
			Namespace: namespace, Name: name, Chart: chart, Values: values, Secrets: sortedSecrets(secrets), Written: written,
			RollBack: textOf(r, "on_failure") == schema.FailureRollsBack, Retry: textOf(r, "retry"), API: api,
			IgnoreDrift: c.driftRules(model.DriftRulesOf(r.Desired.GetAttr(schema.IgnoreDrift)), at(r, schema.IgnoreDrift), r.Address),
		},
		Edges: append(c.resourceEdges(r), c.within(r, namespace)...),
		Drift: unit.DriftPolicy(r.Lifecycle.Drift), PreventDestroy: r.Lifecycle.PreventDestroy,
		Fixed: map[string]string{"name": name, "namespace": namespace},
	})
}

// driftRules hands the fields that others write to the driver.
func (c *composer) driftRules(rules []model.DriftRule, where diag.Range, address addr.Object) []unit.DriftRule {
	var list []unit.DriftRule
	for i, rule := range rules {
		if rule.Kind == "" || rule.Path == "" { // null passes for a text
			c.fail(codeValue, where, address, "a rule without a field", fmt.Sprintf("%s[%d] needs the kind of the objects and the path of the field, and one of them is null", schema.IgnoreDrift, i),
				`write, for example: ignore_drift = [{ kind = "Deployment", path = "spec.replicas" }]`)
			continue
		}
		list = append(list, unit.DriftRule(rule))
	}
	return list
}

// valuesOf returns the values of a chart block, with [hidden] in the place of sensitive ones.
func (c *composer) valuesOf(r *model.Resource) (map[string]any, bool) {
	written := r.Desired.GetAttr("values")
	if unmarked, _ := written.Unmark(); unmarked.IsNull() {
		return map[string]any{}, true
	}
	plain, err := withHidden(model.Settle(written), false, nil)
	if err == nil {
		values, is := plain.(map[string]any)
		return values, is
	}
	path, detail, hint := refused(err)
	c.fail(codeValue, at(r, "values"), r.Address, "invalid values", fmt.Sprintf("%s cannot be given to the chart: %s", pathText("values", path), detail), hint)
	return nil, false
}

// chartOf tells where the chart of a block is: in its own repository, or in that of the cloud.
func (c *composer) chartOf(r *model.Resource, release string) (unit.Chart, bool) {
	chart := unit.Chart{Name: textOf(r, "chart"), Repository: textOf(r, "repository"), Version: textOf(r, "version")}
	if chart.Name == "" {
		chart.Name = release
	}
	if chart.Repository == "" {
		charts := c.m.Cloud.Charts
		if charts == nil {
			c.fail(codeRepository, r.Range, r.Address, "no charts", "the block does not say where its chart is, and the cloud has no charts of which it could be one",
				`write, for example: repository = "oci://registry.example.org/charts"`)
			return chart, false
		}
		chart.Repository = charts.Repository
		if chart.Version == "" {
			chart.Version = charts.Version
		}
	}
	return c.locked(chart, r.Range), true
}

// claimRelease notes the name of a release, and refuses one that another release has.
func (c *composer) claimRelease(r *model.Resource, namespace, name string) bool {
	other := c.releases[namespace+"/"+name]
	if s := c.m.Service(name); other.IsZero() && s != nil && s.Enabled && namespace == c.m.Cloud.Namespace {
		other = s.Address
	}
	if !other.IsZero() {
		c.fail(codeDuplicate, at(r, "name"), r.Address, "one release, two blocks",
			fmt.Sprintf("%s and %s would both be the release %s in the namespace %s", other, r.Address, name, namespace), "give one of them another name or namespace")
		return false
	}
	c.releases[namespace+"/"+name] = r.Address
	return true
}

// namespaceOf is the namespace that a block names, or that of the cloud.
func (c *composer) namespaceOf(r *model.Resource) string {
	if namespace := textOf(r, "namespace"); namespace != "" {
		return namespace
	}
	return c.m.Cloud.Namespace
}

// textOf returns the text of an attribute, "" for null.
func textOf(r *model.Resource, name string) string {
	v, _ := r.Desired.GetAttr(name).Unmark()
	if v.IsNull() || !v.IsKnown() {
		return ""
	}
	return v.AsString()
}

// at is where an attribute is written, or else the block.
func at(r *model.Resource, name string) diag.Range {
	if where, ok := r.Ranges[name]; ok {
		return where
	}
	return r.Range
}
