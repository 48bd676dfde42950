//go:build beds

package openstack_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// unread are the attributes that no look-up has, by kind: what only says what a block wants, or how an object was made, and what a
// service keeps to itself.
func unread() map[string][]string {
	return map[string][]string{
		"project":                {"namespace"},
		"user":                   {"password"},
		"application_credential": {"secret"},
		"host_aggregate":         {"node_selector"},
		"image":                  {"source", "web_download"},
		"instance":               {"heal", "scheduler_hints", "same_host", "different_host"},
		"keypair":                {"secret"},
		"volume":                 {"migration_policy"},
	}
}

// unlived are the attributes that no object of these lives has, so that nothing is seen of them here.
func unlived() map[string][]string {
	return map[string][]string{
		"application_credential": {"unrestricted"},
		"floating_ip":            {"qos_policy"},
		"limit":                  {"domain", "region"},
		"network":                {"provider_network_type", "provider_physical_network", "provider_segmentation_id", "qos_policy"},
		"registered_limit":       {"region"},
		"role_assignment":        {"user"},
		"subnet_pool":            {"address_scope"},
		"volume":                 {"image", "snapshot", "source_volume"},
	}
}

// TestBedLookUps: of an object of each kind a look-up has all that a resource has of it, and every attribute of the schema is
// seen of one of them, but for those that nobody can read, or no life writes.
func TestBedLookUps(t *testing.T) {
	t.Parallel()
	sharedCloud(t)
	all, seen := lives(), map[string]map[string]bool{}
	for name, l := range full() {
		all[name] = l
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		l := all[name]
		if seen[l.kind] == nil {
			seen[l.kind] = map[string]bool{}
		}
		t.Run(name, func(t *testing.T) {
			outputs := l.looked(t)
			for attribute := range outputs.Type().AttributeTypes() {
				if v, _ := outputs.GetAttr(attribute).Unmark(); !v.IsNull() {
					seen[l.kind][attribute] = true
				}
			}
		})
	}
	for _, kind := range language().Kinds(schema.ClassResource) {
		b := language().Resource(kind)
		if b.Cluster {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(b.ObjectType().AttributeTypes())) {
			if none := slices.Contains(unread()[kind], name) || slices.Contains(unlived()[kind], name); none == seen[kind][name] {
				t.Errorf("%s of a %s: said to be seen by no look-up is %v, and seen is %v", name, kind, none, seen[kind][name])
			}
		}
	}
}

// looked makes an object, and returns what a look-up has of it.
func (l life) looked(t *testing.T) cty.Value {
	t.Helper()
	if l.kind == "instance" { // it is in the zone that its host has at that moment
		alone(t, zonesOfHosts)
	}
	d := &drawer{secrets: map[unit.ObjectRef]*unit.Kept{}}
	b := newBench(t, func(o *openstack.Options) { o.Keeper = d })
	written := values{}
	if l.needs != nil {
		maps.Copy(written, l.needs(t, b))
	}
	maps.Copy(written, l.first)
	var tg unit.Target
	if label := unique("looked"); l.secret {
		tg, _ = keptTarget(t, l.kind, label, written)
	} else {
		tg = target(t, l.kind, label, written)
	}
	own := b.converge(t, &tg).Outputs
	fixedOf := map[string]string{"port": "fixed_ip", "router": "external_fixed_ip"} // of a look-up those of Neutron's own as well
	data := lookUp(t, l.kind, "by_its_id")
	spec := data.Spec.(*unit.Resource)
	want := map[string]cty.Value{}
	for name, typ := range spec.Block.DesiredType().AttributeTypes() {
		want[name] = cty.NullVal(typ)
	}
	want["id"] = text(tg.ID)
	spec.Desired, spec.Uses = cty.ObjectVal(want), []string{model.Everything}
	st := b.see(t, data)
	if st.Outputs == cty.NilVal {
		t.Fatalf("%+v", st)
	}
	for name := range own.Type().AttributeTypes() {
		has, _ := own.GetAttr(name).UnmarkDeep()
		looked, _ := st.Outputs.GetAttr(name).UnmarkDeep()
		whole := slices.Contains([]string{"quota", fixedOf[l.kind]}, name) // it has more of that than what a block writes
		if !has.IsNull() && !looked.RawEquals(has) && !slices.Contains(unread()[l.kind], name) && (!whole || looked.IsNull()) {
			t.Errorf("%s is %#v, and a look-up says %#v", name, has, looked)
		}
	}
	return st.Outputs
}

// full are lives of objects that have what those of their kind mostly do without.
func full() map[string]life {
	shop := func(t *testing.T, b *bench) string { t.Helper(); return made(t, b, "project", values{}) }
	return map[string]life{
		"a flavor for some": {
			kind: "flavor", first: values{"vcpus": number(1), "ram": number(64), "ephemeral": number(0), "public": cty.False},
			needs: func(t *testing.T, b *bench) values { t.Helper(); return values{"access": set(shop(t, b))} },
		},
		"a volume type for some": {
			kind: "volume_type", first: values{"public": cty.False},
			needs: func(t *testing.T, b *bench) values {
				t.Helper()
				project := shop(t, b)
				quota := language().Resource("volume_type").Nested("quota").ValueType()
				return values{
					"access": set(project), "qos": text(made(t, b, "volume_qos", values{"consumer": text("front-end"), "specs": texted("total_iops_sec", "100")})),
					"quota": cty.SetVal([]cty.Value{fill(cty.ObjectVal(map[string]cty.Value{"project": text(project), "gigabytes": number(5)}), quota.ElementType())}),
				}
			},
		},
		"an image for some": {
			kind: "image", first: values{"visibility": text("shared"), "protected": cty.False},
			needs: func(t *testing.T, b *bench) values {
				t.Helper()
				all := bootable(t, b)
				all["members"] = set(shop(t, b))
				return all
			},
		},
		"a user in groups": {
			kind: "user", first: values{"password": text("of nobody else"), "email": text("ann@example.org")},
			needs: func(t *testing.T, b *bench) values {
				t.Helper()
				return values{"groups": set(made(t, b, "group", values{})), "default_project": text(shop(t, b))}
			},
		},
		"an instance of volumes": {
			kind: "instance",
			needs: func(t *testing.T, b *bench) values {
				t.Helper()
				image := made(t, b, "image", bootable(t, b))
				return values{
					"flavor": text(made(t, b, "flavor", values{"vcpus": number(1), "ram": number(64), "disk": number(1)})), "networks": cty.ListValEmpty(cty.String),
					"boot_volume": text(made(t, b, "volume", values{"size": number(1), "image": text(image)})), "volumes": set(made(t, b, "volume", values{"size": number(1)})),
					"server_group": text(made(t, b, "server_group", values{"policy": text("affinity")})), "user_data": text("#!/bin/sh"),
				}
			},
		},
	}
}
