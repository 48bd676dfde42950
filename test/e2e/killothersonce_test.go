//go:build beds

package e2e_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/crash"
)

// healing are the instances that say what is to be done when they fail.
func healing() []string { return []string{"sized", "halted"} }

// othersDiffer compares what is there with what is wanted of what is changed by requests of its own, one line for each
// difference. What an instance was asked for counts: each of it once.
func (s *kinds) othersDiffer(t *testing.T) []string {
	t.Helper()
	want := map[string]string{
		"project": "0", "volume": "0", "sub-ports": "7", "routes": "10.98.0.0/24 by 10.20.4.250", "image": "active, 4096 bytes",
		"web": "ACTIVE in web", "web was asked to": "", "sized": "ACTIVE as small", "sized was asked to": "", "halted": "ACTIVE as small", "halted was asked to": "",
	}
	if s.changed {
		want["project"], want["volume"], want["sub-ports"], want["routes"] = "1", "1", "8", "10.99.0.0/24 by 10.20.4.250"
		want["web"], want["web was asked to"] = "ACTIVE in side web", "attach_interface"
		want["sized"], want["sized was asked to"] = "ACTIVE as large", "confirmResize resize"
		want["halted"], want["halted was asked to"] = "SHUTOFF as small", "stop"
	}
	if s.healed {
		want["web"], want["web was asked to"] = "ACTIVE in web", "attach_interface detach_interface"
		want["sized was asked to"] = "confirmResize reboot resize"
		want["halted"], want["halted was asked to"] = "ACTIVE as small", "rebuild start stop"
	}
	project := s.raw("project", "dev")
	image := s.raw("image", "fetched")
	facts := map[string]string{
		"project": fmt.Sprint(project["description"]), "image": fmt.Sprintf("%v, %v bytes", image["status"], image["size"]),
		"volume": s.eachOf(s.Read(t, "volume", "volumes/detail?all_tenants=True&name="+s.Files.Prefix+"data"), "volumes", "description"),
		"routes": s.eachOf(s.raw("router", "edge"), "routes", "destination", "nexthop"),
	}
	trunks, _ := s.Read(t, "network", "trunks?name="+url.QueryEscape(s.Files.Prefix+"web"))["trunks"].([]any)
	for _, element := range trunks {
		trunk, _ := element.(map[string]any)
		facts["sub-ports"] += s.eachOf(trunk, "sub_ports", "segmentation_id")
	}
	for _, name := range append(healing(), "web") {
		s.othersInstance(t, name, facts)
	}
	return crash.Diff(want, facts)
}

// othersInstance adds how an instance is, and what Nova has on record that it was asked for.
func (s *kinds) othersInstance(t *testing.T, name string, facts map[string]string) {
	t.Helper()
	server, id := s.known(t, "instance", name)
	facts[name] = fmt.Sprint(server["status"])
	if name == "web" {
		list, _ := s.Read(t, "network", "ports?device_id="+id)["ports"].([]any)
		var networks []string
		for _, element := range list {
			port, _ := element.(map[string]any)
			for _, network := range []string{"web", "side"} {
				if s.raw("network", network)["id"] == port["network_id"] {
					networks = append(networks, network)
				}
			}
		}
		facts[name] += " in " + strings.Join(slices.Sorted(slices.Values(networks)), " ")
	} else {
		flavor, _ := server["flavor"].(map[string]any)
		for _, size := range []string{"small", "large"} {
			if s.raw("flavor", size)["id"] == flavor["id"] {
				facts[name] += " as " + size
			}
		}
	}
	metadata, _ := server["metadata"].(map[string]any)
	for _, note := range []string{"kupenstack_plug", "kupenstack_resize"} {
		if value, is := metadata[note]; is {
			facts[name] += fmt.Sprintf(" with %s %v", note, value)
		}
	}
	actions, _ := s.Read(t, "compute", "servers/"+id+"/os-instance-actions")["instanceActions"].([]any)
	var asked []string
	for _, element := range actions {
		action, _ := element.(map[string]any)
		asked = append(asked, fmt.Sprint(action["action"]))
	}
	asked = slices.DeleteFunc(asked, func(action string) bool {
		return action == "create" || action == "attach_volume" || action == "resetState"
	}) // the last one is the test's
	facts[name+" was asked to"] = strings.Join(slices.Sorted(slices.Values(asked)), " ")
}

// eachOf joins some values of each object in a list.
func (s *kinds) eachOf(object map[string]any, list string, keys ...string) string {
	elements, _ := object[list].([]any)
	var texts []string
	for _, element := range elements {
		one, _ := element.(map[string]any)
		var values []string
		for _, key := range keys {
			values = append(values, fmt.Sprint(one[key]))
		}
		texts = append(texts, strings.Join(values, " by "))
	}
	return strings.Join(slices.Sorted(slices.Values(texts)), ", ")
}
