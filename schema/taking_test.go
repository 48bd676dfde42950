package schema_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestQuotasAreOfSomething: each limit that a quota can have is one that some kind counts for, and what kinds count by is there.
func TestQuotasAreOfSomething(t *testing.T) {
	d := schema.New()
	uncounted := map[string]string{
		"backups":          "no block makes them",
		"backup_gigabytes": "no block makes them",
		"key_pairs":        "Nova counts those of a user, in whatever project",
	}
	limits := d.Resource("project").Attribute("quota").Type.AttributeTypes()
	counted := map[string]bool{}
	for _, kind := range d.Kinds(schema.ClassResource) {
		block := d.Resource(kind)
		if block.Quota == nil {
			continue
		}
		counted[block.Quota.Counts] = true
		for _, names := range []map[string]string{block.Quota.Sizes, block.Quota.Largest, block.Quota.Noted, block.Quota.Shared, block.Quota.Parts} {
			for limit, name := range names {
				counted[limit] = true
				of := block
				if block.Attribute(name) == nil && block.Nested(name) == nil && block.Quota.Of != "" {
					of = d.Resource(block.Attribute(block.Quota.Of).Reference.Kind)
				}
				if of.Attribute(name) == nil && of.Nested(name) == nil {
					t.Errorf("%s counts %s by %s, which it does not have", kind, limit, name)
				}
			}
		}
		for limit, names := range block.Quota.Lone {
			counted[limit] = true
			for _, name := range names {
				if block.Attribute(name) == nil {
					t.Errorf("%s has no %s", kind, name)
				}
			}
		}
		for _, name := range block.Quota.Shared {
			if block.Attribute(name).Reference == nil {
				t.Errorf("%s of %s refers to nothing", name, kind)
			}
		}
	}
	for _, limit := range slices.Sorted(maps.Keys(limits)) {
		if counted[limit] == (uncounted[limit] != "") {
			t.Errorf("%s: counted %t, excused by %q", limit, counted[limit], uncounted[limit])
		}
	}
	for limit := range counted {
		if _, known := limits[limit]; !known {
			t.Errorf("no quota has a limit %s", limit)
		}
	}
}

// TestTakesElsewhere: what a kind counts for may be kept by another service than keeps its objects, and is waited for then.
func TestTakesElsewhere(t *testing.T) {
	next := schema.Block{Kind: "load_balancer", Class: schema.ClassResource, API: "octavia", Quota: &schema.Taking{Parts: map[string]string{"ports": "vip"}}}
	plain := schema.Block{Kind: "zone", Class: schema.ClassResource, API: "designate"}
	d := schema.New(next, plain)
	for _, kind := range d.Kinds(schema.ClassResource) {
		want := kind == "instance" || kind == "load_balancer"
		if got := d.TakesElsewhere(kind); got != want {
			t.Errorf("%s takes of limits of another service: %t, want %t", kind, got, want)
		}
	}
}

// TestLimitsOfKindsToCome: a quota has the limits that kinds say their service keeps, in each place where one is written.
func TestLimitsOfKindsToCome(t *testing.T) {
	d := schema.New(
		schema.Block{Kind: "group_type", Class: schema.ClassResource, API: "cinder", Keeps: []string{"groups"}},
		schema.Block{Kind: "load_balancer", Class: schema.ClassResource, API: "octavia", Keeps: []string{"load_balancers", "pools"}},
	)
	seen := map[string]string{}
	for _, q := range d.Quotas() {
		for _, limit := range q.Limits {
			if seen[limit] != "" {
				t.Errorf("%s is kept by %s and by %s", limit, seen[limit], q.Service)
			}
			seen[limit] = q.Service
		}
	}
	rule := d.Block("cloud").Nested("namespace_projects")
	for limit, want := range map[string]string{"volumes": "cinder", "groups": "cinder", "load_balancers": "octavia", "pools": "octavia"} {
		if seen[limit] != want {
			t.Errorf("%s is kept by %q, want %q", limit, seen[limit], want)
		}
		for where, of := range map[string]*schema.Attribute{"a project": d.Resource("project").Attribute("quota"), "the rule": rule.Attribute("quota")} {
			if !of.Type.HasAttribute(limit) {
				t.Errorf("%s has no limit %s", where, limit)
			}
		}
	}
	if plain := schema.New().Resource("project").Attribute("quota").Type; plain.HasAttribute("groups") {
		t.Error("another language has the limit as well")
	}
}

// TestNoBlockTakesThePlaceOfAnother: a kind that is called as another one is a mistake in the program, and is told as one.
func TestNoBlockTakesThePlaceOfAnother(t *testing.T) {
	zone := schema.Block{Kind: "zone", Class: schema.ClassResource, API: "designate"}
	for name, blocks := range map[string][]schema.Block{"network": {{Kind: "network", Class: schema.ClassResource, API: "other"}}, "zone": {zone, zone}} {
		func() {
			defer func() {
				if told := fmt.Sprint(recover()); !strings.Contains(told, strconv.Quote(name)) {
					t.Errorf("a second %s: %s", name, told)
				}
			}()
			schema.New(blocks...)
		}()
	}
}
