package openstack_test

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// made adds a port that Nova made for the instance in a network.
func (c *plugged) made(id, network, created string) {
	c.port(id, "", "")
	p := c.ports[len(c.ports)-1]
	p["description"], p["network_id"], p["created_at"], p["status"] = "", network, created, "ACTIVE"
}

// TestNetworksThatAreTakenOut: an instance loses the interfaces in networks that its block names no longer, as it runs: those
// that Nova made for it, the youngest of several that are alike, once it has what is added, and one at a time.
func TestNetworksThatAreTakenOut(t *testing.T) {
	const note, forget = "note kupenstack_plug", "forget kupenstack_plug"
	first, second, third := idOf("4"), idOf("5"), idOf("15")
	detach := func(id string) string { return "detach " + idOf(id) }
	began := func(age time.Duration) string { return time.Now().Add(-age).UTC().Format("2006-01-02T15:04:05.000000") }
	for name, test := range map[string]struct {
		networks, record []string
		ports            map[string]string // what Nova has made, by id, which grows with the age, and network
		named            string            // a port of others in the second network, which they gave a name
		began            string            // when Nova began to detach the last one
		ended, paused    bool
		sent             []string
		action           unit.Action
		says             string
	}{
		"one of two":              {networks: []string{first}, record: []string{first, second}, ports: map[string]string{"6": first, "7": second}, sent: []string{detach("7")}},
		"the first of two":        {networks: []string{second}, record: []string{first, second}, ports: map[string]string{"6": first, "7": second}, sent: []string{detach("6")}},
		"the last one":            {networks: nil, record: []string{first}, ports: map[string]string{"6": first}, sent: []string{detach("6")}},
		"all":                     {networks: nil, record: []string{first, second}, ports: map[string]string{"6": first, "7": second}, sent: []string{detach("6"), detach("7")}},
		"another order":           {networks: []string{second, first}, record: []string{first, second}, ports: map[string]string{"6": first, "7": second}, action: unit.ActionNone},
		"one of two alike":        {networks: []string{first}, record: []string{first, first}, ports: map[string]string{"6": first, "7": first}, sent: []string{detach("7")}},
		"both alike":              {networks: nil, record: []string{first, first}, ports: map[string]string{"6": first, "7": first}, sent: []string{detach("6"), detach("7")}},
		"one for another":         {networks: []string{second}, record: []string{first}, ports: map[string]string{"6": first}, sent: []string{note, "attach " + second, forget, detach("6")}},
		"one of others":           {networks: []string{first}, record: []string{first}, ports: map[string]string{"6": first, "7": second}, action: unit.ActionNone},
		"beside one with a name":  {networks: []string{first}, record: []string{first, second}, ports: map[string]string{"6": first, "7": second}, named: "8", sent: []string{detach("7")}},
		"killed after that":       {networks: []string{first}, record: []string{first, second}, ports: map[string]string{"6": first}, named: "8", action: unit.ActionNone},
		"killed between two":      {networks: nil, record: []string{first, first}, ports: map[string]string{"6": first}, sent: []string{detach("6")}},
		"killed before the first": {networks: []string{second}, record: []string{first, second}, ports: map[string]string{"6": first, "7": second}, sent: []string{detach("6")}},
		"beside one that looks the same": {
			networks: []string{first}, record: []string{first, second}, ports: map[string]string{"6": first, "7": second, "8": second},
			action: unit.ActionBlocked, says: "which of the ports " + idOf("7") + ", " + idOf("8") + " in the network " + second,
		},
		"the same, and paused": {
			networks: []string{first}, record: []string{first, second}, ports: map[string]string{"6": first, "7": second, "8": second}, paused: true,
			action: unit.ActionBlocked, says: "which of the ports " + idOf("7") + ", " + idOf("8") + " in the network " + second,
		},
		"as Nova is at another":        {networks: nil, record: []string{first}, ports: map[string]string{"6": first}, began: began(time.Minute), says: "still being detached"},
		"as Nova is through with it":   {networks: nil, record: []string{first}, ports: map[string]string{"6": first}, began: began(time.Minute), ended: true, sent: []string{detach("6")}},
		"as Nova has lost the other":   {networks: nil, record: []string{first}, ports: map[string]string{"6": first}, began: began(time.Hour), sent: []string{detach("6")}},
		"of three, one added, one not": {networks: []string{third, second}, record: []string{first, second}, ports: map[string]string{"6": first, "7": second}, sent: []string{note, "attach " + third, forget, detach("6")}},
	} {
		t.Run(name, func(t *testing.T) {
			written := cty.ListValEmpty(cty.String)
			if len(test.networks) > 0 {
				written = list(test.networks...)
			}
			tg := target(t, "instance", "web", values{"flavor": text("1"), "image": text(idOf("5")), "networks": written})
			cloud := &plugged{mark: tg.Mark}
			for _, id := range []string{"8", "7", "6"} { // the youngest first, as lists have no order
				if network := test.ports[id]; network != "" {
					cloud.made(idOf(id), network, "2026-01-0"+id)
				}
			}
			if test.named != "" {
				cloud.made(idOf(test.named), second, "2026-01-09")
				cloud.ports[len(cloud.ports)-1]["name"] = "probe"
			}
			answers := cloud.answers()
			cloud.plugs(answers, map[string]any{"kupenstack_mark": tg.Mark})
			actions := "/v2.1/servers/" + idOf("3") + "/os-instance-actions"
			answers[actions] = func(*http.Request) any {
				if test.began == "" {
					return map[string]any{"instanceActions": []any{}}
				}
				return map[string]any{"instanceActions": []any{map[string]any{"action": "detach_interface", "request_id": "req-1", "start_time": test.began}}}
			}
			answers[actions+"/req-1"] = func(*http.Request) any {
				event := map[string]any{"event": "compute_detach_interface", "finish_time": nil}
				if test.ended {
					event["finish_time"] = began(0)
				}
				return map[string]any{"instanceAction": map[string]any{"action": "detach_interface", "events": []any{event}}}
			}
			if test.paused {
				answers["/v2.1/servers/"+idOf("3")](nil).(map[string]any)["server"].(map[string]any)["status"] = "PAUSED"
			}
			tg.ID, tg.Fresh, tg.Complete = idOf("3"), false, true
			tg = recorded(tg, map[string][]string{"networks": test.record})
			d := answering(t, answers)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
			if want := cmp.Or(test.action, unit.ActionUpdate); diff.Action != want || want == unit.ActionBlocked && !strings.Contains(diff.Reason, test.says) {
				t.Fatalf("the diff is %+v", diff)
			}
			st, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address])
			if !slices.Equal(cloud.sent, test.sent) {
				t.Errorf("sent %q, want %q", cloud.sent, test.sent)
			}
			if test.says != "" {
				if err == nil || !strings.Contains(err.Error(), test.says) {
					t.Errorf("the error is %v", err)
				}
				if retry := (*unit.RetryError)(nil); test.began != "" && !errors.As(err, &retry) {
					t.Errorf("it is not put off: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != unit.ActionNone {
				t.Errorf("then the diff is %+v", diff)
			}
		})
	}
}

// TestNetworkThatIsTakenBack: as long as nobody knows what became of a request for a port in a network that is written no
// longer, what is noted of it stays: what comes would be taken for others'.
func TestNetworkThatIsTakenBack(t *testing.T) {
	for name, test := range map[string]struct {
		age  time.Duration
		of   string // what else is noted: the network, and how many ports there are then
		sent []string
		late bool // the port comes after the look
	}{
		"at once":                     {time.Second, " " + idOf("5") + " 1", nil, false},
		"much later":                  {time.Hour, " " + idOf("5") + " 1", []string{"forget kupenstack_plug"}, false},
		"it has come":                 {time.Hour, " " + idOf("5") + " 1", []string{"forget kupenstack_plug", "detach " + idOf("7")}, false},
		"noted by an older program":   {time.Second, "", nil, false},
		"and that is long ago":        {time.Hour, "", []string{"forget kupenstack_plug"}, false},
		"and it has come by that one": {time.Hour, "", []string{"forget kupenstack_plug", "detach " + idOf("7")}, false},
		"it comes just then":          {time.Hour, " " + idOf("5") + " 1", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			tg := target(t, "instance", "web", values{"flavor": text("1"), "image": text(idOf("5")), "networks": list(idOf("4"))})
			cloud := &plugged{mark: tg.Mark}
			cloud.made(idOf("6"), idOf("4"), "2026-01-06")
			if len(test.sent) > 1 {
				cloud.made(idOf("7"), idOf("5"), "2026-01-07")
			}
			answers := cloud.answers()
			cloud.plugs(answers, map[string]any{"kupenstack_mark": tg.Mark, "kupenstack_plug": fmt.Sprintf("%d%s", time.Now().Add(-test.age).Unix(), test.of)})
			answers["/v2.1/servers/"+idOf("3")+"/os-instance-actions"] = listed("instanceActions")
			tg.ID, tg.Fresh, tg.Complete = idOf("3"), false, true
			tg = recorded(tg, map[string][]string{"networks": {idOf("4"), idOf("5")}})
			d := answering(t, answers)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			if test.late {
				cloud.made(idOf("7"), idOf("5"), "2026-01-07")
			}
			st := states[tg.Address]
			for range 3 {
				if d.Compare(tg, wantedOf(tg), st).Action != unit.ActionUpdate {
					break
				}
				if st, err = d.Apply(t.Context(), tg, wantedOf(tg), st); err != nil {
					break
				}
			}
			if !slices.Equal(cloud.sent, test.sent) {
				t.Errorf("sent %q, want %q", cloud.sent, test.sent)
			}
			if retry := (*unit.RetryError)(nil); (test.sent == nil) != errors.As(err, &retry) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// TestNetworkOfAnInstanceGoes: without consent an instance is not taken out of a network, as its address there goes. With
// it that is so before the network's own block goes, in one pass.
func TestNetworkOfAnInstanceGoes(t *testing.T) {
	marker := inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough"))
	unitOf := func(kind, name string, written values) (unit.Unit, string) {
		tg := target(t, kind, name, written)
		u := unit.Unit{Address: tg.Address, Spec: tg.Spec, Class: unit.ClassResource}
		return u, plan.Identity{Marker: marker}.Target(&u, nil).Mark
	}
	front, frontMark := unitOf("network", "front", values{})
	back, backMark := unitOf("network", "back", values{})
	web := func(agreed bool, networks ...unit.Unit) unit.Unit {
		u, _ := unitOf("instance", "web", values{"flavor": text("1"), "image": text(idOf("5"))})
		for _, n := range networks {
			refer(&u, "networks", n.Address)
		}
		u.MayLose = agreed
		return u
	}
	_, mark := unitOf("instance", "web", values{"flavor": text("1"), "image": text(idOf("5"))})
	cloud := &plugged{mark: mark}
	cloud.made(idOf("6"), idOf("4"), "2026-01-06")
	cloud.made(idOf("7"), idOf("15"), "2026-01-07")
	answers := cloud.answers()
	cloud.plugs(answers, map[string]any{"kupenstack_mark": mark})
	answers["/v2.1/servers/"+idOf("3")+"/os-instance-actions"] = listed("instanceActions")
	networks := []map[string]any{networkOf(idOf("4"), "front", frontMark), networkOf(idOf("15"), "back", backMark)}
	answers["/v2.0/networks"] = func(*http.Request) any { return map[string]any{"networks": networks} }
	answers["/v2.0/subnets"] = listed("subnets")
	answers["/v2.0/networks/"+idOf("15")] = func(*http.Request) any {
		if len(networks) < 2 {
			return http.StatusNotFound
		}
		return map[string]any{"network": networks[1]}
	}
	answers["DELETE /v2.0/networks/"+idOf("15")] = func(*http.Request) any {
		cloud.sent, networks = append(cloud.sent, "delete the network"), networks[:1]
		return http.StatusNoContent
	}
	store := &records{shards: map[string]inventory.Shard{}}
	pass := func(what string, phase engine.Phase, reason string, want []string, units ...unit.Unit) {
		t.Helper()
		kept, err := inventory.Open(t.Context(), store)
		if err != nil {
			t.Fatal(err)
		}
		cloud.sent = nil
		e := engine.New(engine.Options{Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: answering(t, answers)}, Inventory: kept, Marker: marker})
		err = e.Converge(t.Context(), &engine.Revision{ID: rand.Text(), Units: units, Deployment: inventory.Deployment{Cloud: "demo"}}, time.Minute)
		for _, s := range e.Snapshot().Units {
			if s.Address == units[len(units)-1].Address && (s.Phase != phase || !strings.Contains(s.Reason, reason)) {
				t.Errorf("%s: %s is %s: %s (%v)", what, s.Address, s.Phase, s.Reason, err)
			}
		}
		if !slices.Equal(cloud.sent, want) {
			t.Errorf("%s: sent %q, want %q", what, cloud.sent, want)
		}
	}
	pass("both", engine.PhaseReady, "", nil, front, back, web(false, front, back))
	pass("not agreed to", engine.PhaseBlocked, "some of its networks would be taken out, and the addresses that it has there would be lost: write lifecycle { replace = true }", nil, front, web(false, front))
	pass("agreed to", engine.PhaseReady, "", []string{"detach " + idOf("7"), "delete the network"}, front, web(true, front))
	pass("the same again", engine.PhaseReady, "", nil, front, web(true, front))
}

func networkOf(id, name, mark string) map[string]any {
	return map[string]any{
		"id": id, "name": name, "project_id": "p1", "description": "[" + mark + "]", "tags": []any{}, "subnets": []any{}, "shared": false, "router:external": false, "admin_state_up": true, "port_security_enabled": true, "mtu": 1500, "status": "ACTIVE",
	}
}
