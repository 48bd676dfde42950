package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/report"
)

// shownAgents returns which binaries status.json has on a node, by service.
func shownAgents(t *testing.T, files map[string][]byte, node string) map[string][]string {
	t.Helper()
	var doc struct {
		Nodes []struct {
			Address string
			Agents  map[string][]struct{ Binary string }
		}
	}
	if err := json.Unmarshal(files[report.FileStatus], &doc); err != nil {
		t.Fatal(err)
	}
	shown := map[string][]string{}
	for _, n := range doc.Nodes {
		if n.Address != node {
			continue
		}
		for service, list := range n.Agents {
			shown[service] = []string{}
			for _, a := range list {
				shown[service] = append(shown[service], a.Binary)
			}
		}
	}
	return shown
}

func TestAgentsAreJoinedByHost(t *testing.T) {
	tests := []struct {
		host  string
		nodes []string // the first one is looked at
		want  bool
	}{
		{"a", []string{"a"}, true},
		{"a.example.org", []string{"a.example.org"}, true},
		{"a", []string{"a.example.org"}, true},
		{"a", []string{"a.example.org", "a"}, false},
		{"a", []string{"a", "a.example.org"}, true},
		{"a", []string{"a.north", "a.south"}, true},
		{"a.example.org", []string{"a"}, true},
		{"a.example.org", []string{"a", "a.example.org"}, false},
		{"a.north", []string{"a.south"}, false},
		{"A", []string{"a"}, true},
		{"", []string{"a"}, false},
	}
	for _, tt := range tests {
		in := cloud()
		in.Model.Nodes = nil
		for i, name := range tt.nodes {
			in.Model.Nodes = append(in.Model.Nodes, model.Node{Name: name, Address: addr.MustParseObject(fmt.Sprintf("node.n%d", i))})
		}
		in.Agents = map[string]report.Agents{"nova": {Known: true, List: []report.Agent{{Host: tt.host, Binary: "nova-compute"}}}}
		if got := shownAgents(t, must(report.Render(in)), "node.n0")["nova"]; slices.Contains(got, "nova-compute") != tt.want || got == nil {
			t.Errorf("host %q of the nodes %q: %q", tt.host, tt.nodes, got)
		}
	}
}

// What is not known is not said to be missing.
func TestUnknownAgents(t *testing.T) {
	const page = "nodes/node-2.example.org.md"
	in := cloud()
	in.Agents["nova"] = report.Agents{}
	files := must(report.Render(in))
	if got := shownAgents(t, files, "node.two"); got["nova"] != nil || len(got["neutron"]) != 2 {
		t.Errorf("status.json has %v", got)
	}
	if bytes.Contains(files[page], []byte("nova-compute")) || !bytes.Contains(files[page], []byte("ovn-controller")) {
		t.Errorf("the page is\n%s", files[page])
	}
	in.Agents["neutron"] = report.Agents{}
	files = must(report.Render(in))
	if got := shownAgents(t, files, "node.two"); len(got) > 0 || strings.Contains(strings.ToLower(string(files[page])), "agent") {
		t.Errorf("status.json has %v, the page is\n%s", got, files[page])
	}
	valid(t, statusSchema(t), files[report.FileStatus])
}

// A process that takes over says what was said until it has asked itself.
func TestAgentsAreRemembered(t *testing.T) {
	in := cloud()
	before := must(report.Render(in))
	in.Agents, in.Last = nil, before[report.FileStatus]
	again := must(report.Render(in))
	for _, file := range []string{report.FileStatus, "nodes/node-1.example.org.md", "nodes/node-2.example.org.md"} {
		if !bytes.Equal(before[file], again[file]) {
			t.Errorf("%s changed from\n%s\nto\n%s", file, before[file], again[file])
		}
	}
	in.Agents = map[string]report.Agents{"nova": {}}
	if got := shownAgents(t, must(report.Render(in)), "node.two"); got["nova"] != nil || len(got["neutron"]) != 2 {
		t.Errorf("asked in vain: %v", got)
	}
	in.Agents = nil
	for _, last := range []string{`{"nodes": 3}`, `{"nodes":[{"address":"node.two","agents":null}]}`, `{"nodes":[{"agents":{"cinder":[{}]}}]}`} {
		in.Last = []byte(last)
		if got := shownAgents(t, must(report.Render(in)), "node.two"); len(got) > 0 {
			t.Errorf("%s leads to %v", last, got)
		}
	}
	in.Last = []byte(`{"nodes":[{"address":"node.two","agents":{"nova":[` + strings.Repeat(`{"binary":"`+strings.Repeat("x|", 1000)+`"},`, 99) + `{"binary":"a"}]}}]}`)
	if files := must(report.Render(in)); len(files[report.FileStatus]) > 20_000 {
		t.Errorf("status.json has %d bytes", len(files[report.FileStatus]))
	}
}

// In which order a service tells of its agents is no news.
func TestOrderOfAgents(t *testing.T) {
	in := cloud()
	first := must(report.Render(in))
	slices.Reverse(in.Agents["neutron"].List)
	for file, text := range must(report.Render(in)) {
		if !bytes.Equal(first[file], text) {
			t.Errorf("%s changed to\n%s", file, text)
		}
	}
}
