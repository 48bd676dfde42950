//go:build beds

package openstack_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestBedPlanWarnsOfQuotas has real services tell how much of a quota of one is in use, and a plan say what goes beyond it.
func TestBedPlanWarnsOfQuotas(t *testing.T) {
	b := newBench(t)
	one, n := cty.NumberIntVal(1), cty.NumberIntVal
	project := made(t, b, "project", values{"quota": cty.ObjectVal(map[string]cty.Value{
		"instances": one, "cores": n(2), "networks": one, "ports": n(-1), "volumes": one, "gigabytes": n(4),
		"subnet_pools": n(2), "rbac_policies": n(3), "trunks": n(4),
	})})
	in := func(kind string, written values) unit.Target {
		written["project"] = text(project)
		return target(t, kind, unique(kind), written)
	}
	keeper := newKeeper(t, b.Driver)
	url, checksum := b.disk(t, 1<<20)
	image := target(t, "image", unique("image"), values{"visibility": text("public"), "source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	flavor := smallFlavor(t)
	b.converge(t, &image)
	b.converge(t, &flavor)
	server := func() unit.Target {
		return in("instance", values{"image": text(image.ID), "flavor": text(flavor.ID), "networks": cty.ListValEmpty(cty.String)})
	}
	network, first, volume := in("network", values{}), server(), in("volume", values{"size": one})
	there := []unit.Target{network, first, volume}
	keeper.converge(t, there...)
	for _, tg := range there {
		b.remove(t, keeper.recorded(t, tg))
	}

	warnings := func(asked int, targets ...unit.Target) string {
		t.Helper()
		r := &engine.Revision{ID: rand.Text(), Deployment: inventory.Deployment{Cloud: "demo"}}
		for _, tg := range targets {
			r.Units = append(r.Units, unit.Unit{Address: tg.Address, Spec: tg.Spec, Class: unit.ClassResource})
		}
		e := engine.New(engine.Options{
			Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: b.Driver}, Inventory: keeper.inventory, Marker: keeper.marker, Quotas: b.Quotas,
		})
		before := b.fleet.Counts()
		p, err := e.Plan(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		counts, sent := b.fleet.Counts().Since(before), 0
		for request, times := range counts {
			if strings.Contains(fmt.Sprint(request), "quota") {
				sent += times
			}
		}
		if sent != asked {
			t.Errorf("%d requests for quotas: %v", sent, counts)
		}
		var all []string
		for _, d := range p.Warnings {
			all = append(all, d.Detail)
		}
		return strings.Join(all, "\n")
	}
	if text := warnings(0, there...); text != "" {
		t.Error(text)
	}
	said := warnings(3, append(there, in("network", values{}), server(), in("volume", values{"size": n(3)}), in("port", values{"network": cty.UnknownVal(cty.String)}))...)
	for _, want := range []string{
		"the project " + project, "of networks the quota allows 1, 1 are in use, and the plan makes 1 more", "of instances the quota allows 1, 1 are in use, and the plan makes 1 more",
		"of volumes the quota allows 1, 1 are in use, and the plan makes 1 more",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in %s", want, said)
		}
	}
	for _, wrong := range []string{"ports", "cores", "gigabytes", "unknown"} {
		if strings.Contains(said, wrong) {
			t.Errorf("%s: %s", wrong, said)
		}
	}
	if text := warnings(1, network, first, with(t, volume, values{"size": n(5)})); !strings.Contains(text, "of gigabytes the quota allows 4, 1 are in use, and the plan makes 4 more") {
		t.Errorf("a volume made larger: %q", text)
	}
	if text := warnings(1, first, volume, in("network", values{})); text != "" {
		t.Errorf("one goes and one comes: %s", text)
	}
	if text := warnings(1, network, first, in("volume", values{"size": n(4)})); text != "" {
		t.Errorf("one goes, and one as large as the quota comes: %s", text)
	}
	said = warnings(1, network, first, in("volume", values{"size": n(5)}))
	if !strings.Contains(said, "of gigabytes the quota allows 4, 1 are in use, and the plan makes 5 more and 1 fewer") || strings.Contains(said, "volumes") {
		t.Errorf("one goes, and one that is too large comes: %q", said)
	}
	snapshots := []unit.Target{network, first, volume}
	for range 4 {
		snapshots = append(snapshots, in("snapshot", values{"volume": text(keeper.recorded(t, volume).ID)}))
	}
	if text := warnings(1, snapshots...); !strings.Contains(text, "of gigabytes the quota allows 4, 1 are in use, and the plan makes 4 more") {
		t.Errorf("snapshots: %q", text)
	}
}
