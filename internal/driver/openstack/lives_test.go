package openstack_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// lives are those of all kinds; a kind may have several.
func lives() map[string]life {
	all := map[string]life{}
	for _, some := range []map[string]life{identityLives(), networkLives(), computeLives(), volumeLives()} {
		maps.Copy(all, some)
	}
	return all
}

func TestBedLives(t *testing.T) {
	t.Parallel()
	sharedCloud(t) // without one, it is skipped as a whole
	all := lives()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, all[name].walk)
	}
}

// TestEveryKindHasALife: what every kind does on real servers is seen there, from its making to its end: what can change
// is changed, by us and by others, and what nobody can change is replaced.
func TestEveryKindHasALife(t *testing.T) {
	of := map[string][]string{}
	all := lives()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		of[all[name].kind] = append(of[all[name].kind], name)
	}
	for _, kind := range language().Kinds(schema.ClassResource) {
		b := language().Resource(kind)
		if b.Cluster {
			continue // it is no object of OpenStack
		}
		if len(of[kind]) == 0 {
			t.Errorf("no life leads a %s along", kind)
		}
		for _, name := range of[kind] {
			l := all[name]
			if len(l.lists) == 0 {
				t.Errorf("%s: nobody says what a look at it costs", name)
			}
			for step, there := range map[string]bool{
				"is changed in place":                        l.changed != nil || !takes(b, schema.InPlace),
				"is changed by others":                       l.meddle != nil && len(l.meddled) > 0 || !takes(b, schema.InPlace),
				"is deleted by others":                       l.vanish != nil,
				"is replaced":                                l.isReplaced() || !takes(b, schema.Replace),
				"has its quota changed, by us and by others": b.Attribute("quota") == nil || l.first["quota"] != cty.NilVal && l.changed["quota"] != cty.NilVal && slices.Contains(l.meddled, "quota"),
			} {
				if !there {
					t.Errorf("%s: a %s %s in no step of its life", name, kind, step)
				}
			}
		}
		delete(of, kind)
	}
	for kind, names := range of {
		t.Errorf("there are lives of a %s, which is no kind: %q", kind, names)
	}
}

// takes tells whether something can be written of a kind whose change means that.
func takes(b *schema.Block, change schema.Change) bool {
	return slices.ContainsFunc(b.Attributes, func(a schema.Attribute) bool { return a.Presence != schema.Computed && a.Change == change })
}
