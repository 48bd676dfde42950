package openstack_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// plugs adds to the answers of a cloud what attaches interfaces, and what notes that.
func (c *plugged) plugs(answers map[string]func(*http.Request) any, metadata map[string]any) {
	server := answers["/v2.1/servers/"+idOf("3")](nil).(map[string]any)["server"].(map[string]any)
	server["metadata"] = metadata
	answers["/v2.1/servers/detail"] = listed("servers", server)
	answers["/v2.1/servers/"+idOf("3")] = func(*http.Request) any { return map[string]any{"server": server} }
	answers["POST /v2.1/servers/"+idOf("3")+"/metadata"] = func(r *http.Request) any {
		var body struct {
			Metadata map[string]any `json:"metadata"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		for key, value := range body.Metadata {
			c.sent, metadata[key] = append(c.sent, "note "+key), value
		}
		return body
	}
	answers["DELETE /v2.1/servers/"+idOf("3")+"/metadata/kupenstack_plug"] = func(*http.Request) any {
		c.sent = append(c.sent, "forget kupenstack_plug")
		delete(metadata, "kupenstack_plug")
		return http.StatusNoContent
	}
	answers["POST /v2.1/servers/"+idOf("3")+"/os-interface"] = func(r *http.Request) any {
		var body struct {
			InterfaceAttachment map[string]string `json:"interfaceAttachment"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		id, network := body.InterfaceAttachment["port_id"], body.InterfaceAttachment["net_id"]
		c.sent = append(c.sent, "attach "+id+network)
		if network == "" {
			for _, p := range c.ports {
				if p["id"] == id {
					p["device_id"], p["device_owner"] = idOf("3"), "compute:nova"
				}
			}
			return map[string]any{"interfaceAttachment": map[string]any{"port_id": id}}
		}
		id = idOf(fmt.Sprint(10 + len(c.ports)))
		c.port(id, "", "")
		made := c.ports[len(c.ports)-1]
		made["network_id"], made["description"], made["status"] = network, "", "BUILD"
		made["security_groups"], made["port_security_enabled"] = []any{"default"}, !c.open
		if c.lost {
			return http.StatusBadGateway
		}
		return map[string]any{"interfaceAttachment": map[string]any{"port_id": id}}
	}
	for _, id := range []string{idOf("10"), idOf("11"), idOf("12"), idOf("13")} {
		answers["PUT /v2.0/ports/"+id] = func(r *http.Request) any {
			var body struct {
				Port map[string]any `json:"port"`
			}
			_ = json.NewDecoder(r.Body).Decode(&body)
			for _, p := range c.ports {
				if p["id"] == id {
					c.sent = append(c.sent, fmt.Sprint("groups of ", p["status"], " ", id, " ", body.Port["security_groups"]))
					maps.Copy(p, body.Port)
				}
			}
			return body
		}
		answers["/v2.0/ports/"+id] = func(*http.Request) any { // it works from the second look on
			for _, p := range c.ports {
				if was := p["status"]; p["id"] == id {
					p["status"] = "ACTIVE"
					return map[string]any{"port": map[string]any{"id": id, "status": was, "port_security_enabled": !c.open, "admin_state_up": true, "device_id": p["device_id"]}}
				}
			}
			return http.StatusNotFound
		}
	}
}

// free adds a port that nothing has.
func (c *plugged) free(id, by string) {
	c.port(id, "spare", "kupenstack:spare")
	p := c.ports[len(c.ports)-1]
	p["device_id"], p["status"] = by, "ACTIVE"
}

// TestInterfacesThatAreAdded: an instance gets the interfaces that its block names besides those that it has, as it runs, in
// the order of the block: each once, whatever became of the answer to the request.
func TestInterfacesThatAreAdded(t *testing.T) {
	old, recent := fmt.Sprint(time.Now().Add(-time.Hour).Unix()), fmt.Sprint(time.Now().Add(-time.Second).Unix())
	const note, forget = "note kupenstack_plug", "forget kupenstack_plug"
	for name, test := range map[string]struct {
		networks, ports []string
		noted           string
		by              string // what the port has that is to be added
		late            bool   // what an earlier request has led to comes after the look
		lost            bool   // the answer
		sent            []string
		says            string // of the error
	}{
		"ports":                        {networks: []string{idOf("4")}, ports: []string{idOf("7"), idOf("6")}, sent: []string{"attach " + idOf("7")}},
		"one that something else has":  {networks: []string{idOf("4")}, ports: []string{idOf("7"), idOf("6")}, by: idOf("99"), says: idOf("99") + " has it: it is waited for"},
		"one that came meanwhile":      {networks: []string{idOf("4")}, ports: []string{idOf("7"), idOf("6")}, by: "late"},
		"a network":                    {networks: []string{idOf("4"), idOf("5")}, ports: []string{idOf("6")}, sent: []string{note, "attach " + idOf("5"), forget}},
		"twice the same":               {networks: []string{idOf("4"), idOf("4"), idOf("5")}, ports: []string{idOf("6")}, sent: []string{note, "attach " + idOf("4"), forget, note, "attach " + idOf("5"), forget}},
		"networks before ports":        {networks: []string{idOf("4"), idOf("5")}, ports: []string{idOf("7")}, sent: []string{"detach " + idOf("6"), note, "attach " + idOf("5"), forget, "attach " + idOf("7")}},
		"asked for before":             {networks: []string{idOf("4"), idOf("5")}, ports: []string{idOf("6")}, noted: recent, says: "looked for once more"},
		"asked for long before":        {networks: []string{idOf("4"), idOf("5")}, ports: []string{idOf("6")}, noted: old, sent: []string{note, "attach " + idOf("5"), forget}},
		"asked for, and it comes":      {networks: []string{idOf("4"), idOf("5")}, ports: []string{idOf("6")}, noted: recent, late: true},
		"the answer is lost":           {networks: []string{idOf("4"), idOf("5")}, ports: []string{idOf("6")}, lost: true, sent: []string{note, "attach " + idOf("5")}, says: "502"},
		"what is noted of one to keep": {networks: []string{idOf("4")}, ports: []string{idOf("6")}, noted: recent, sent: []string{forget}},
	} {
		t.Run(name, func(t *testing.T) {
			texts := func(ids []string) cty.Value {
				var values []cty.Value
				for _, id := range ids {
					values = append(values, cty.StringVal(id))
				}
				return cty.ListVal(values)
			}
			tg := target(t, "instance", "web", values{"flavor": text("1"), "image": text(idOf("5")), "networks": texts(test.networks), "ports": texts(test.ports)})
			cloud := &plugged{mark: tg.Mark, lost: test.lost}
			cloud.port(idOf("9"), "", "")
			cloud.ports[0]["description"] = ""
			cloud.port(idOf("6"), "front", "kupenstack:one")
			cloud.free(idOf("7"), strings.TrimPrefix(test.by, "late"))
			answers := cloud.answers()
			metadata := map[string]any{"kupenstack_mark": tg.Mark}
			if test.noted != "" {
				metadata["kupenstack_plug"] = test.noted
			}
			cloud.plugs(answers, metadata)
			tg.ID, tg.Fresh, tg.Complete = idOf("3"), false, true
			tg = recorded(tg, map[string][]string{"ports": {idOf("6")}, "networks": {idOf("4")}})
			d := answering(t, answers)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			expect := d.Compare(tg, wantedOf(tg), states[tg.Address])
			if expect.Action != unit.ActionUpdate {
				t.Fatalf("the diff is %+v", expect)
			}
			switch {
			case test.late:
				cloud.port(idOf("10"), "", "")
				cloud.ports[len(cloud.ports)-1]["network_id"] = idOf("5")
			case test.by == "late":
				cloud.ports[2]["device_id"], cloud.ports[2]["device_owner"] = idOf("3"), "compute:nova"
			}
			st, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address])
			if !slices.Equal(cloud.sent, test.sent) {
				t.Errorf("sent %q, want %q", cloud.sent, test.sent)
			}
			if test.says != "" {
				if err == nil || !strings.Contains(err.Error(), test.says) {
					t.Errorf("the error is %v", err)
				}
				if retry := (*unit.RetryError)(nil); test.noted == recent && (!errors.As(err, &retry) || retry.After < 20*time.Second) {
					t.Errorf("it is not put off: %v", err)
				}
				if _, is := metadata["kupenstack_plug"]; test.lost && !is {
					t.Error("nothing is noted any more")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != unit.ActionNone && !test.late {
				t.Errorf("then the diff is %+v", diff)
			}
		})
	}
}

// TestNetworksInPlaceOrNot: networks that are added or taken out are changed as the instance runs, unless it is put away.
func TestNetworksInPlaceOrNot(t *testing.T) {
	for name, test := range map[string]struct {
		networks cty.Value
		status   string
		action   unit.Action
	}{
		"one more":               {list(idOf("4"), idOf("5")), "ACTIVE", unit.ActionUpdate},
		"one more, and stopped":  {list(idOf("5"), idOf("4")), "SHUTOFF", unit.ActionUpdate},
		"one more, and put away": {list(idOf("4"), idOf("5")), "SHELVED", unit.ActionBlocked},
		"another one":            {list(idOf("5")), "ACTIVE", unit.ActionUpdate},
		"none":                   {cty.ListValEmpty(cty.String), "ACTIVE", unit.ActionUpdate},
		"none, and suspended":    {cty.ListValEmpty(cty.String), "SUSPENDED", unit.ActionBlocked},
		"none written":           {cty.NullVal(cty.List(cty.String)), "ACTIVE", unit.ActionNone},
	} {
		t.Run(name, func(t *testing.T) {
			tg := target(t, "instance", "web", values{"flavor": text("1"), "image": text(idOf("5")), "networks": test.networks})
			cloud := &plugged{mark: tg.Mark}
			cloud.port(idOf("6"), "", "")
			cloud.ports[0]["description"] = ""
			answers := cloud.answers()
			server := answers["/v2.1/servers/"+idOf("3")](nil).(map[string]any)["server"].(map[string]any)
			server["status"] = test.status
			answers["/v2.1/servers/detail"] = listed("servers", server)
			tg.ID, tg.Fresh = idOf("3"), false
			tg = recorded(tg, map[string][]string{"networks": {idOf("4")}})
			d := answering(t, answers)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != test.action {
				t.Errorf("the diff is %+v", diff)
			}
		})
	}
}

// TestGroupsOfAnInterfaceThatIsAdded: a port that Nova makes with the project's default security group gets those of the
// block at once, not with the next step, where its network has any.
func TestGroupsOfAnInterfaceThatIsAdded(t *testing.T) {
	const note, forget = "note kupenstack_plug", "forget kupenstack_plug"
	for name, test := range map[string]struct {
		groups cty.Value
		open   bool
		sent   []string
	}{
		"a group of the block": {list(idOf("20")), false, []string{note, "attach " + idOf("5"), "groups of ACTIVE " + idOf("11") + " [" + idOf("20") + "]", forget}},
		"without any filter":   {list(idOf("20")), true, []string{note, "attach " + idOf("5"), forget}},
		"none in the block":    {cty.NullVal(cty.List(cty.String)), false, []string{note, "attach " + idOf("5"), forget}},
	} {
		t.Run(name, func(t *testing.T) {
			tg := target(t, "instance", "web", values{"flavor": text("1"), "image": text(idOf("5")), "networks": list(idOf("4"), idOf("5")), "security_groups": test.groups})
			cloud := &plugged{mark: tg.Mark, open: test.open}
			cloud.made(idOf("6"), idOf("4"), "2026-01-06")
			cloud.ports[0]["security_groups"], cloud.ports[0]["port_security_enabled"] = []any{idOf("20")}, !test.open
			answers := cloud.answers()
			cloud.plugs(answers, map[string]any{"kupenstack_mark": tg.Mark})
			tg.ID, tg.Fresh, tg.Complete = idOf("3"), false, true
			tg = recorded(tg, map[string][]string{"networks": {idOf("4")}})
			d := answering(t, answers)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			st, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address])
			if err != nil || !slices.Equal(cloud.sent, test.sent) {
				t.Errorf("sent %q, want %q: %v", cloud.sent, test.sent, err)
			}
			if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != unit.ActionNone {
				t.Errorf("then the diff is %+v", diff)
			}
		})
	}
}
