package openstack

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestLimitsOfKindsToCome: what a further service keeps of the quota of a project, the kind says that it is there for.
func TestLimitsOfKindsToCome(t *testing.T) {
	l := zoneLife()
	l.block.Keeps = []string{"zones"}
	language := schema.New(l.block)
	c := newNextCloud(t, l.services)
	var limit any = 10
	answer := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Auth-All-Projects") != "true" {
			refuse(w, http.StatusForbidden, "it is not yours")
			return
		}
		if r.Method == http.MethodPatch {
			limit = toldIn(r)["zones"]
		}
		tell(w, http.StatusOK, map[string]any{"zones": limit, "zone_records": 500})
	}
	c.mux.HandleFunc("GET /designate/v2/quotas/shop", answer)
	c.mux.HandleFunc("PATCH /designate/v2/quotas/shop", answer)
	c.mux.HandleFunc("GET /v3/projects", func(w http.ResponseWriter, _ *http.Request) {
		tell(w, http.StatusOK, map[string]any{"projects": []any{map[string]any{"id": "shop", "name": "shop", "domain_id": "default", "enabled": true, "tags": []any{markPrefix + "shop"}}}})
	})
	block := language.Resource("project")
	all := map[string]cty.Value{}
	for name, inner := range block.DesiredType().AttributeTypes() {
		all[name] = cty.NullVal(inner)
	}
	limits := map[string]cty.Value{}
	for name := range all["quota"].Type().AttributeTypes() {
		limits[name] = cty.NullVal(cty.Number)
	}
	limits["zones"] = cty.NumberIntVal(5)
	all["name"], all["quota"] = cty.StringVal("shop"), cty.ObjectVal(limits)
	spec := &unit.Resource{Kind: "project", Block: block, Desired: cty.ObjectVal(all)}
	tg := unit.Target{Address: addr.MustParseObject("project.shop"), Spec: spec, Locator: spec.Locator(), UID: "u", Mark: markPrefix + "shop", ID: "shop"}
	w := &walker{T: t, c: c, d: c.driver(t, language, l.kind(language.Resource(l.block.Kind)))}
	_, diff := w.look(tg, true)
	w.expect("another limit is wanted", diff, unit.ActionUpdate, []string{"quota"})
	w.converge(&tg)
	if got, _ := json.Marshal(limit); string(got) != "5" {
		t.Errorf("the limit is %s", got)
	}
	w.settled(tg) // limits that were told are not asked for in each look
	if q := language.Quotas(); !slices.ContainsFunc(q, func(q schema.Quota) bool {
		return q.Service == "designate" && slices.Equal(q.Limits, []string{"zones"})
	}) || len(schema.New().Quotas()) != len(q)-1 {
		t.Errorf("the limits are %v", q)
	}
}

// TestLimitsInAnyOrder: which of the kinds of one service says how that is asked does not depend on what they are called.
func TestLimitsInAnyOrder(t *testing.T) {
	whole := quotaPlace{keeper: "octavia", key: "quota", path: func(project string) string { return pathOf("quotas", project) }, limits: []field{{"pools", "pool"}}}
	part := quotaPlace{keeper: "octavia", limits: []field{{"load_balancers", "load_balancer"}}}
	for name, order := range map[string][]quotaPlace{"the whole first": {whole, part}, "the part first": {part, whole}} {
		c := &connector{}
		kinds := map[string]kind{}
		for i, place := range order {
			kinds[string(rune('a'+i))] = limitingKind{place: place}
		}
		c.know(kinds)
		if len(c.quotas) != 1 || c.quotas[0].path == nil || c.quotas[0].key != "quota" || len(c.quotas[0].limits) != 2 {
			t.Errorf("%s: %+v", name, c.quotas)
		}
	}
}

// limitingKind has nothing but limits.
type limitingKind struct {
	kind
	place quotaPlace
}

func (k limitingKind) limits() quotaPlace { return k.place }
