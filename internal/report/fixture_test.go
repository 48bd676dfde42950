package report_test

import (
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

var noon = time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC)

func good() report.Commit {
	return report.Commit{
		Hash: "4f1c0f6d2b7e5c3a9d8e7f6a5b4c3d2e1f0a9b8c", Author: "Ada Lovelace <ada@example.org>",
		Subject: "three keystones", Time: noon.Add(-time.Hour),
	}
}

// former is the commit before good.
func former() report.Commit {
	return report.Commit{
		Hash: "08d5c3e1b7f94a62c0d8e9f7a6b5c4d3e2f1a0b9", Author: "Grace Hopper <grace@example.org>",
		Subject: "two | keystones", Time: noon.Add(-48 * time.Hour),
	}
}

func at(file string, line int) diag.Range {
	return diag.Range{File: file, Start: diag.Pos{Line: line, Column: 1}, End: diag.Pos{Line: line, Column: 9}}
}

func status(address string, class unit.Class, kind string, needs ...string) engine.UnitStatus {
	u := engine.UnitStatus{
		Address: addr.MustParseObject(address), Class: class, Kind: kind, Phase: engine.PhaseReady, Action: unit.ActionNone, Decided: true,
	}
	for _, need := range needs {
		u.Edges = append(u.Edges, unit.Edge{To: addr.MustParseObject(need), Until: unit.Ready, Gate: unit.GateStart})
	}
	return u
}

// cloud is a small cloud whose units are all ready.
func cloud() report.Input {
	object := func(text string) addr.Object { return addr.MustParseObject(text) }
	settings := []model.Setting{
		{Name: "replicas", Value: cty.NumberIntVal(3), Layer: "cloud", Range: at("main.hcl", 12)},
		{Name: "conf", Value: cty.EmptyObjectVal, Layer: "profile.big", Range: at("profiles.hcl", 4)},
	}
	m := &model.Model{
		Cloud: model.Cloud{
			Name: "prod", Release: "2025.1", Region: "RegionOne", Namespace: "openstack", NetworkBackend: "ovn", Profile: "big",
			Charts: &model.Charts{Repository: "oci://charts.example.org/openstack", Version: "2025.1.3"},
			Services: []model.Service{
				{Name: "horizon", Address: object("service.horizon"), Range: at("main.hcl", 20)},
				{
					Name: "keystone", Address: object("service.keystone"), Enabled: true, Replicas: map[string]int{"api": 3}, Range: at("main.hcl", 10),
					Settings: settings,
					Conf: cty.ObjectVal(map[string]cty.Value{"keystone": cty.ObjectVal(map[string]cty.Value{
						"DEFAULT": cty.ObjectVal(map[string]cty.Value{"debug": cty.True, "transport_url": cty.StringVal("rabbit://u:hunter22@mq:5672/v")}),
						"ldap":    cty.ObjectVal(map[string]cty.Value{"bind": cty.StringVal("hunter23").Mark(model.Sensitive), "password": cty.StringVal("hunter24")}),
					})}),
					Values: cty.EmptyObjectVal,
				},
				{Name: "mariadb", Address: object("service.mariadb"), Enabled: true, Conf: cty.EmptyObjectVal, Values: cty.EmptyObjectVal},
			},
		},
		Nodes: []model.Node{
			{Name: "node-1.example.org", Address: object("node.one"), Roles: []string{"control_plane", "network"}, Range: at("nodes.hcl", 1)},
			{
				Name: "node-2.example.org", Address: object("node.two"), Roles: []string{"compute"}, Profile: "gpu", Disabled: true, Range: at("nodes.hcl", 5),
				Services: []model.NodeService{{
					Name: "nova", Conf: cty.ObjectVal(map[string]cty.Value{"nova": cty.ObjectVal(map[string]cty.Value{"cpu_mode": cty.StringVal("host-passthrough")})}),
					Settings: settings[1:],
				}},
			},
		},
	}
	units := []engine.UnitStatus{
		status("system.namespace", unit.ClassSystem, unit.KindObjects),
		status("service.mariadb", unit.ClassInfrastructure, unit.KindRelease, "system.namespace"),
		status("service.keystone", unit.ClassService, unit.KindRelease, "system.namespace", "service.mariadb"),
		status("node.one", unit.ClassNode, unit.KindNode),
		status("node.two", unit.ClassNode, unit.KindNode),
		status("network.web", unit.ClassResource, "network", "service.keystone"),
		status("data.network.outside", unit.ClassResource, "network", "service.keystone"),
		status(`instance.web["a"]`, unit.ClassResource, "instance", "network.web"),
	}
	units[2].Range, units[2].Did, units[2].Details = at("main.hcl", 10), []unit.Action{unit.ActionUpdate}, []string{"Deployment openstack/keystone-api: 3 of 3 pods ready"}
	units[2].Edges[1].Gate = unit.GateReady
	units[5].ID, units[5].Range = "3f0c2a5e-1111-4222-8333-444455556666", at("networks.hcl", 3)
	units[7].Did = []unit.Action{unit.ActionCreate}
	return report.Input{
		Version: "1.2.3", Repository: "https://git.example.org/cloud.git", Ref: "main", Path: "clouds/prod",
		Head: good(), Applied: good(), Model: m,
		Snapshot: engine.Snapshot{Revision: good().Hash, Settled: true, Units: units},
		Agents: map[string]report.Agents{
			"nova": {Known: true, List: []report.Agent{
				{Host: "nova-scheduler-7d9f", Binary: "nova-scheduler", Up: true, Enabled: true}, {Host: "node-2", Binary: "nova-compute", Up: true},
			}},
			"neutron": {Known: true, List: []report.Agent{
				{Host: "node-1.example.org", Type: "OVN Controller Gateway agent", Binary: "ovn-controller", Up: true, Enabled: true},
				{Host: "node-2", Type: "OVN Metadata agent", Binary: "neutron-ovn-metadata-agent", Enabled: true},
				{Host: "node-2", Type: "OVN Controller agent", Binary: "ovn-controller", Up: true, Enabled: true},
			}},
		},
		Now: noon, Started: noon.Add(-90 * time.Second),
	}
}

// of returns a unit of an input.
func of(in *report.Input, address string) *engine.UnitStatus {
	for i := range in.Snapshot.Units {
		if in.Snapshot.Units[i].Address.String() == address {
			return &in.Snapshot.Units[i]
		}
	}
	panic("no unit " + address)
}

// under is how things stand with another commit in force.
func under(in report.Input, c report.Commit) report.Input {
	in.Head, in.Applied, in.Snapshot.Revision = c, c, c.Hash
	return in
}

func statusOf(in report.Input) []byte {
	files, _ := report.Render(in)
	return files[report.FileStatus]
}

func objects(texts ...string) []addr.Object {
	var list []addr.Object
	for _, text := range texts {
		list = append(list, addr.MustParseObject(text))
	}
	return list
}

func progressing() report.Input {
	in := cloud()
	warned := at("main.hcl", 14)
	in.Warnings = diag.Diagnostics{{
		Severity: diag.Warning, Code: "compose.unsafe", Subject: &warned, Summary: "two databases lose their majority with either of them", Hint: "write 3",
	}}
	in.Snapshot.Settled = false
	k := of(&in, "service.keystone")
	k.Phase, k.Reason, k.Action = engine.PhaseProgressing, "Deployment openstack/keystone-api: 0 of 2 pods ready", unit.ActionUpdate
	k.Fields = []unit.Field{{Path: "pod.replicas.api", Before: "1", After: "2"}}
	n := of(&in, "network.web")
	n.Phase, n.Waits, n.Action = engine.PhaseWaiting, objects("service.keystone"), unit.ActionCreate
	n.Fields = []unit.Field{{Path: "mtu", After: "1450"}, {Path: "id", After: unit.TextUnknown, Effect: unit.Replace}}
	i := of(&in, `instance.web["a"]`)
	i.Phase, i.Waits, i.Action = engine.PhaseWaiting, objects("network.web"), unit.ActionDeferred
	return in
}

func degraded() report.Input {
	in := progressing()
	in.Foreign = report.Commit{
		Hash: "5eed0f6d2b7e5c3a9d8e7f6a5b4c3d2e1f0a9b8c", Author: "Mallory <b>", Time: noon,
		Subject: "see https://u:hunter25@example.org <img src=x> \x1b[31m| `ls` [a](b) " + strings.Repeat("long ", 100),
	}
	in.Snapshot.Settled = true
	in.Last = statusOf(under(cloud(), former())) // with which all was well
	in.Problems = []string{"the repository cannot be reached: connection refused"}
	in.Head = report.Commit{}
	k := of(&in, "service.keystone")
	k.Phase, k.Reason, k.Attempts = engine.PhaseFailed, "Job openstack/keystone-db-sync failed: exit code 1", 12
	k.Release = unit.ReleaseFailed
	of(&in, "network.web").Causes = objects("service.keystone")
	of(&in, `instance.web["a"]`).Causes = objects("service.keystone")
	two := of(&in, "node.two")
	two.Phase, two.Action, two.Reason = engine.PhaseBlocked, unit.ActionBlocked, "4 instances run there: move or delete them before its roles change"
	two.Range, two.Cost = at("nodes.hcl", 5), "4 instances stop"
	return in
}

func bad() report.Input {
	in := cloud()
	in.Head = report.Commit{Hash: "badc0ffee0ddf00d", Author: "Bob", Subject: "oops", Time: noon}
	where := at("main.hcl", 12)
	in.Bad = &report.Bad{
		Commit: in.Head,
		Diagnostics: diag.Diagnostics{{
			Code: "config.unknown-attribute", Summary: `unknown attribute "replica"`, Detail: "a service has no attribute of that name",
			Hint: `did you mean "replicas"?`, Subject: &where, Address: addr.MustParseObject("service.keystone"),
		}},
		Text: "error[config.unknown-attribute]: unknown attribute \"replica\"\n  --> main.hcl:12:1\n    |\n 12 |   replica = 3\n    |   ^^^^^^^\n",
	}
	return in
}

func drifted() report.Input {
	in := cloud()
	n := of(&in, "network.web")
	n.Drift, n.Reason = true, "drift is only reported"
	n.Fields = []unit.Field{{Path: "description", Before: "mine | yours", After: "web"}, {Path: "mtu", After: "1450"}}
	of(&in, "service.keystone").Healed = []unit.Field{{Path: "ConfigMap openstack/keystone-etc: data.a", Before: "edited", After: "written"}}
	in.Snapshot.Grants = []unit.Grant{{User: "u1", Project: "p1", Role: "r1", RoleName: "member"}, {User: "u1", Project: "p2", Role: "r1"}}
	of(&in, `instance.web["a"]`).Healed = []unit.Field{{After: "it was deleted outside of the configuration"}}
	return in
}

// suspended has things left alone by people and by a block, with and without an end, of which two differ.
func suspended() report.Input {
	in := cloud()
	target := func(text string) addr.Address {
		a, err := addr.ParseTarget(text)
		if err != nil {
			panic(err)
		}
		return a
	}
	in.Snapshot.Suspensions = []suspension.Suspension{
		{Target: target(""), By: "ops | night", Since: noon.Add(-time.Hour)},
		{Target: target("network.web"), Reason: "its owner is away", Range: at("networks.hcl", 9), Until: noon.Add(48 * time.Hour)},
		{Target: target("service.keystone"), By: "alice@example.org", Reason: "disks are replaced", Since: noon.Add(-2 * time.Hour), Until: noon.Add(24 * time.Hour)},
		{Target: target("instance.web"), Reason: "see the ticket"},
	}
	k := of(&in, "service.keystone")
	k.Phase, k.Reason, k.Action, k.Cost, k.Drift = engine.PhaseSuspended, in.Snapshot.Suspensions[2].String(), unit.ActionUpdate, "its pods restart", true
	k.Fields = []unit.Field{{Path: "pod.replicas.api", Before: "1", After: "3"}}
	n := of(&in, "network.web")
	n.Phase, n.Reason, n.Action = engine.PhaseSuspended, in.Snapshot.Suspensions[1].String(), unit.ActionUpdate
	n.Fields = []unit.Field{{Path: "mtu", Before: "1500", After: "1450"}}
	return in
}
