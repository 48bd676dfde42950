package openstack_test

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// plugged pretends to be Nova and Neutron with one instance, which has ports of the configuration, and one of others.
type plugged struct {
	ports []map[string]any
	mark  string
	sent  []string
	lost  bool // is the answer to who attaches a port
	open  bool // are networks: ports in them have no security groups
}

func (c *plugged) port(id, name, mark string) {
	c.ports = append(c.ports, map[string]any{
		"id": id, "name": name, "project_id": "p1", "network_id": idOf("4"), "description": "[" + mark + "]", "tags": []any{}, "fixed_ips": []any{},
		"security_groups": []any{}, "device_id": idOf("3"), "device_owner": "compute:nova", "admin_state_up": true,
	})
}

func (c *plugged) answers() map[string]func(*http.Request) any {
	server := func() map[string]any {
		return map[string]any{
			"id": idOf("3"), "name": "web", "tenant_id": "p1", "status": "ACTIVE", "metadata": map[string]any{"kupenstack_mark": c.mark}, "tags": []any{},
			"flavor": map[string]any{"id": "1"}, "image": map[string]any{"id": idOf("5")}, "key_name": nil, "config_drive": "", "OS-EXT-AZ:availability_zone": "nova",
		}
	}
	answers := map[string]func(*http.Request) any{
		"/v2.0/ports":                func(*http.Request) any { return map[string]any{"ports": c.ports} },
		"/v2.1/servers/detail":       func(*http.Request) any { return map[string]any{"servers": []any{server()}} },
		"/v2.1/servers/" + idOf("3"): func(*http.Request) any { return map[string]any{"server": server()} },
	}
	for _, p := range c.ports {
		id := p["id"].(string)
		answers["/v2.0/ports/"+id] = func(*http.Request) any {
			if !slices.ContainsFunc(c.ports, func(p map[string]any) bool { return p["id"] == id }) {
				return http.StatusNotFound
			}
			return map[string]any{"port": p}
		}
		answers["DELETE /v2.0/ports/"+id] = func(*http.Request) any {
			c.sent = append(c.sent, "delete "+id)
			c.ports = slices.DeleteFunc(c.ports, func(p map[string]any) bool { return p["id"] == id })
			return http.StatusNoContent
		}
		answers["DELETE /v2.1/servers/"+idOf("3")+"/os-interface/"+id] = func(*http.Request) any {
			c.sent = append(c.sent, "detach "+id)
			p["device_id"], p["device_owner"] = "", ""
			if p["description"] == "" { // Nova deletes what it has made
				c.ports = slices.DeleteFunc(c.ports, func(p map[string]any) bool { return p["id"] == id })
			}
			return http.StatusAccepted
		}
	}
	return answers
}

// TestPortsThatAreTakenOut: a port that an instance has no more by its block is detached, also when none is written any
// more, and its own block goes in the same pass. One that others have plugged in stays.
func TestPortsThatAreTakenOut(t *testing.T) {
	marker := inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough"))
	unitOf := func(kind, name string, written values) (unit.Unit, string) {
		tg := target(t, kind, name, written)
		u := unit.Unit{Address: tg.Address, Spec: tg.Spec, Class: unit.ClassResource}
		return u, plan.Identity{Marker: marker}.Target(&u, nil).Mark
	}
	front, frontMark := unitOf("port", "front", values{"network": text(idOf("4"))})
	back, backMark := unitOf("port", "back", values{"network": text(idOf("4"))})
	web := func(ports ...addr.Object) (unit.Unit, string) {
		u, mark := unitOf("instance", "web", values{"flavor": text("1"), "image": text(idOf("5")), "networks": cty.ListValEmpty(cty.String)})
		if len(ports) > 0 {
			refer(&u, "ports", ports...)
		}
		return u, mark
	}
	both, mark := web(front.Address, back.Address)
	cloud := &plugged{mark: mark}
	cloud.port(idOf("6"), "front", frontMark)
	cloud.port(idOf("7"), "back", backMark)
	cloud.port(idOf("8"), "", "")
	answers := cloud.answers()
	store := &records{shards: map[string]inventory.Shard{}}
	pass := func(what string, want []string, units ...unit.Unit) {
		t.Helper()
		kept, err := inventory.Open(t.Context(), store)
		if err != nil {
			t.Fatal(err)
		}
		cloud.sent = nil
		e := engine.New(engine.Options{Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: answering(t, answers)}, Inventory: kept, Marker: marker})
		if err := e.Converge(t.Context(), &engine.Revision{ID: rand.Text(), Units: units, Deployment: inventory.Deployment{Cloud: "demo"}}, time.Minute); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		for _, s := range e.Snapshot().Units {
			if s.Phase != engine.PhaseReady && s.Phase != engine.PhaseGone {
				t.Errorf("%s: %s is %s: %s", what, s.Address, s.Phase, s.Reason)
			}
		}
		if !slices.Equal(cloud.sent, want) {
			t.Errorf("%s: sent %q, want %q", what, cloud.sent, want)
		}
	}
	one, _ := web(front.Address)
	none, _ := web()
	pass("both", nil, front, back, both)
	pass("another order", nil, front, back, first(web(back.Address, front.Address)))
	pass("one fewer, and its block", []string{"detach " + idOf("7"), "delete " + idOf("7")}, front, one)
	pass("the same again", nil, front, one)
	pass("none", []string{"detach " + idOf("6")}, front, none)
	pass("nor its block", []string{"delete " + idOf("6")}, none)
	if len(cloud.ports) != 1 || cloud.ports[0]["device_id"] != idOf("3") {
		t.Errorf("what others have plugged in is %v", cloud.ports)
	}
}

func first(u unit.Unit, _ string) unit.Unit { return u }

// TestPortsInPlaceOrNot: to take ports out or to add some changes an instance as it is, and one that is put away neither
// loses nor gets any.
func TestPortsInPlaceOrNot(t *testing.T) {
	for _, test := range []struct {
		name, status string
		ports        cty.Value
		action       unit.Action
		reason       string
	}{
		{"one fewer", "ACTIVE", list(idOf("6")), unit.ActionUpdate, ""},
		{"none written", "ACTIVE", cty.NullVal(cty.List(cty.String)), unit.ActionUpdate, ""},
		{"another one", "ACTIVE", list(idOf("6"), idOf("9")), unit.ActionUpdate, ""},
		{"one more", "ACTIVE", list(idOf("6"), idOf("7"), idOf("9")), unit.ActionUpdate, ""},
		{"one more, and put away", "SHELVED_OFFLOADED", list(idOf("6"), idOf("7"), idOf("9")), unit.ActionBlocked, "unshelve it"},
		{"put away", "SHELVED_OFFLOADED", list(idOf("6")), unit.ActionBlocked, "unshelve it"},
		{"suspended", "SUSPENDED", list(idOf("6")), unit.ActionBlocked, "resume it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tg := target(t, "instance", "web", values{"flavor": text("1"), "image": text(idOf("5")), "networks": cty.ListValEmpty(cty.String), "ports": test.ports})
			cloud := &plugged{mark: tg.Mark}
			cloud.port(idOf("6"), "front", "kupenstack:one")
			cloud.port(idOf("7"), "back", "kupenstack:two")
			answers := cloud.answers()
			server := answers["/v2.1/servers/"+idOf("3")](nil).(map[string]any)["server"].(map[string]any)
			server["status"] = test.status
			answers["/v2.1/servers/detail"] = listed("servers", server)
			tg.ID = idOf("3")
			tg = recorded(tg, map[string][]string{"ports": {idOf("6"), idOf("7")}})
			tg.Fresh = false
			d := answering(t, answers)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
			expectDiff(t, test.name, diff, test.action, []string{"ports"})
			if !strings.Contains(diff.Reason, test.reason) {
				t.Errorf("the reason is %q", diff.Reason)
			}
		})
	}
}

// TestSubPortThatInherits: the tag of a sub-port that is to inherit its network's is compared with that.
func TestSubPortThatInherits(t *testing.T) {
	for _, test := range []struct {
		name   string
		number any // of the network
		tag    int
		want   unit.Action
	}{
		{"the same", 777, 777, unit.ActionNone},
		{"another one", 777, 101, unit.ActionUpdate},
		{"not told to our user", nil, 101, unit.ActionNone},
	} {
		t.Run(test.name, func(t *testing.T) {
			tg := target(t, "trunk", "a", values{"port": text(idOf("5")), "sub_port": objects(values{"port": text(idOf("6")), "segmentation_type": text("inherit")})})
			tg.ID, tg.Fresh, tg.Complete = idOf("7"), false, true
			network := map[string]any{"id": idOf("4")}
			if test.number != nil {
				network["provider:segmentation_id"] = test.number
			}
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.0/trunks": listed("trunks", map[string]any{
					"id": idOf("7"), "name": "a", "project_id": "p1", "description": "[" + tg.Mark + "]", "port_id": idOf("5"), "admin_state_up": true, "tags": []any{},
					"sub_ports": []any{map[string]any{"port_id": idOf("6"), "segmentation_type": "vlan", "segmentation_id": test.tag}},
				}),
				"/v2.0/ports":    listed("ports", map[string]any{"id": idOf("6"), "network_id": idOf("4")}),
				"/v2.0/networks": listed("networks", network),
			})
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != test.want {
				t.Errorf("the diff is %+v", diff)
			}
		})
	}
}
