package openstack_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// crossing pretends to be a Neutron that has floating IPs of one network, and one port for each digit: an address of a
// port has one floating IP.
type crossing struct {
	mutex sync.Mutex
	last  int
	ips   map[string]map[string]any
	freed int // how often one was disconnected
}

// connects tells which port each block's floating IP leads to, by what is written of it.
func (c *crossing) connects() map[string]string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	ports := map[string]string{}
	for _, ip := range c.ips {
		text, _, _ := strings.Cut(ip["description"].(string), " ")
		port, _ := ip["port_id"].(string)
		ports[text] = strings.TrimPrefix(port, "port")
	}
	return ports
}

// connect has one lead to a port, and tells whether that is possible.
func (c *crossing) connect(ip map[string]any, port any) bool {
	for _, other := range c.ips {
		if port != nil && other["id"] != ip["id"] && other["port_id"] == port {
			return false
		}
	}
	if port == nil && ip["port_id"] != nil {
		c.freed++
	}
	ip["port_id"], ip["fixed_ip_address"] = port, nil
	if port != nil {
		ip["fixed_ip_address"] = addressOf(port)
	}
	return true
}

func addressOf(port any) string { return "10.0.0." + strings.TrimPrefix(port.(string), "port") }

func (c *crossing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	w.Header().Set("Content-Type", "application/json")
	answer := func(status int, body any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	refused := map[string]any{"NeutronError": map[string]any{"type": "FloatingIPPortAlreadyAssociated", "message": "it has one"}}
	path, id, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v2.0/"), "/")
	var sent struct {
		One map[string]any `json:"floatingip"`
	}
	if r.Method == http.MethodPut || r.Method == http.MethodPost {
		_ = json.NewDecoder(r.Body).Decode(&sent)
	}
	query := r.URL.Query()
	switch {
	case path == "ports" && r.Method == http.MethodGet:
		var ports []any
		for i := range 10 {
			if port := fmt.Sprintf("port%d", i); !query.Has("id") || query.Get("id") == port {
				ports = append(ports, map[string]any{"id": port, "fixed_ips": []any{map[string]any{"ip_address": addressOf(port)}}})
			}
		}
		answer(http.StatusOK, map[string]any{"ports": ports})
	case path != "floatingips":
		answer(http.StatusNotFound, nil)
	case r.Method == http.MethodPost:
		c.last++
		id = fmt.Sprintf("f%d", c.last)
		ip := map[string]any{"id": id, "project_id": "p1", "floating_ip_address": fmt.Sprintf("192.0.2.%d", c.last), "tags": []any{}, "port_forwardings": []any{}, "port_id": nil}
		maps.Copy(ip, sent.One)
		c.ips[id] = ip
		answer(http.StatusCreated, map[string]any{"floatingip": ip})
	case id == "":
		all := []any{}
		for _, key := range slices.Sorted(maps.Keys(c.ips)) {
			if !query.Has("port_id") || query.Get("port_id") == c.ips[key]["port_id"] {
				all = append(all, c.ips[key])
			}
		}
		answer(http.StatusOK, map[string]any{"floatingips": all})
	case c.ips[id] == nil:
		answer(http.StatusNotFound, nil)
	case r.Method == http.MethodDelete:
		delete(c.ips, id)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodPut:
		if port, connects := sent.One["port_id"]; connects && !c.connect(c.ips[id], port) {
			answer(http.StatusConflict, refused)
			return
		}
		answer(http.StatusOK, map[string]any{"floatingip": c.ips[id]})
	default:
		answer(http.StatusOK, map[string]any{"floatingip": c.ips[id]})
	}
}

// leading are targets of floating IPs by the ports that they are to lead to: one for each letter.
func leading(t *testing.T, ports map[string]string) []unit.Target {
	t.Helper()
	var targets []unit.Target
	for _, label := range slices.Sorted(maps.Keys(ports)) {
		targets = append(targets, target(t, "floating_ip", label, values{
			"floating_network": text("ext"), "port": text("port" + ports[label]), "description": text(label),
		}))
	}
	return targets
}

func TestFloatingIPsChangePlaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, after map[string]string
		blocked       string // those of after that stay as they were
		freed         int
	}{
		"two":                    {map[string]string{"a": "1", "b": "2"}, map[string]string{"a": "2", "b": "1"}, "", 1},
		"three":                  {map[string]string{"a": "1", "b": "2", "c": "3"}, map[string]string{"a": "2", "b": "3", "c": "1"}, "", 1},
		"two pairs":              {map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"}, map[string]string{"a": "2", "b": "1", "c": "4", "d": "3"}, "", 2},
		"one moves up":           {map[string]string{"a": "1", "b": "2"}, map[string]string{"a": "2", "b": "3"}, "", 0},
		"one goes":               {map[string]string{"a": "1", "b": "2"}, map[string]string{"a": "2"}, "", 0},
		"another one comes":      {map[string]string{"b": "1"}, map[string]string{"a": "1"}, "", 0},
		"both to one":            {map[string]string{"a": "1", "b": "2"}, map[string]string{"a": "1", "b": "1"}, "b", 0},
		"somebody else's":        {map[string]string{"a": "1"}, map[string]string{"a": "9"}, "a", 0},
		"behind somebody else's": {map[string]string{"a": "1", "b": "2"}, map[string]string{"a": "2", "b": "9"}, "ab", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud := &crossing{ips: map[string]map[string]any{
				"theirs": {"id": "theirs", "project_id": "p1", "floating_network_id": "ext", "floating_ip_address": "192.0.2.99", "description": "theirs", "tags": []any{}, "port_forwardings": []any{}, "port_id": "port9", "fixed_ip_address": addressOf("port9")},
			}}
			k := newKeeper(t, driverOf(t, cloud))
			k.converge(t, leading(t, c.before)...)
			want := map[string]string{"theirs": "9"}
			maps.Copy(want, c.after)
			for _, u := range k.pass(t, leading(t, c.after)...) {
				label := u.Address.Name()
				switch blocked := strings.Contains(c.blocked, label); {
				case u.Phase == engine.PhaseGone:
				case blocked:
					want[label] = c.before[label]
					if u.Phase != engine.PhaseBlocked || !strings.Contains(u.Reason, "the floating IP 192.0.2.") {
						t.Errorf("%s is %s: %s", u.Address, u.Phase, u.Reason)
					}
				case u.Phase != engine.PhaseReady:
					t.Errorf("%s is %s: %s", u.Address, u.Phase, u.Reason)
				}
			}
			if got := cloud.connects(); !maps.Equal(got, want) || cloud.freed != c.freed {
				t.Errorf("they lead to %v, and %d were disconnected; want %v, %d", got, cloud.freed, want, c.freed)
			}
		})
	}
}

// One that has made way follows though the process was killed that knew of the ring.
func TestFloatingIPsChangePlacesAcrossAKill(t *testing.T) {
	t.Parallel()
	cloud := &crossing{ips: map[string]map[string]any{}}
	k := newKeeper(t, driverOf(t, cloud))
	k.converge(t, leading(t, map[string]string{"a": "1", "b": "2"})...)
	after := map[string]string{"a": "2", "b": "1"}
	for _, tg := range leading(t, after) {
		tg = k.recorded(t, tg)
		states, err := k.driver.Observe(t.Context(), []unit.Target{tg})
		if err != nil {
			t.Fatal(err)
		}
		_, err = k.driver.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address])
		if first := tg.Address.Name() == "a"; first != unit.IsBlocked(err) || !first && err != nil {
			t.Fatalf("%s: %v", tg.Address, err)
		}
	}
	if got := cloud.connects(); !maps.Equal(got, map[string]string{"a": "1", "b": ""}) {
		t.Fatalf("they lead to %v", got)
	}
	k.driver = driverOf(t, cloud)
	k.converge(t, leading(t, after)...)
	if got := cloud.connects(); !maps.Equal(got, after) || cloud.freed != 1 {
		t.Errorf("they lead to %v, and %d were disconnected", got, cloud.freed)
	}
}
