package openstack_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// cells is a Nova whose hosts are up, some of which it has found a cell for.
type cells struct {
	hosts, mapped []string
	refuses       bool // to show its hypervisors
}

func (c *cells) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var rows []string
	if strings.Contains(r.URL.Path, "os-hypervisors") {
		for _, host := range c.mapped {
			rows = append(rows, fmt.Sprintf(`{"id": 1, "hypervisor_hostname": "%s.example.org", "service": {"host": %q}}`, host, host))
		}
		answer := says(http.StatusOK, `{"hypervisors": [`+strings.Join(rows, ", ")+`]}`)
		if c.refuses {
			answer = says(http.StatusServiceUnavailable, `{}`)
		}
		answer(w, r)
		return
	}
	for _, program := range []string{"nova-conductor", "nova-scheduler"} {
		rows = append(rows, fmt.Sprintf(`{"binary": %q, "host": "c", "state": "up", "status": "enabled"}`, program))
	}
	for _, host := range c.hosts {
		name, status, _ := strings.Cut(host, " ")
		rows = append(rows, fmt.Sprintf(`{"binary": "nova-compute", "host": %q, "state": "up", "status": %q}`, name, cmp.Or(status, "enabled")))
	}
	says(http.StatusOK, `{"services": [`+strings.Join(rows, ", ")+`]}`)(w, r)
}

// Nova chooses a host before it knows the cell of it, and what it starts there ends in ERROR. Nova works once it knows
// all, and is not asked for that any more until there is another host.
func TestHostsInNoCell(t *testing.T) {
	nova := &cells{hosts: []string{"w1", "w2"}, mapped: []string{"w1"}}
	cloud := &asked{roles: []string{"admin"}, answer: nova.ServeHTTP}
	d := cloud.driver(t)
	ask := func(want unit.Reach, message string, requests int) {
		t.Helper()
		cloud.seen = nil
		got := d.Ask(t.Context(), unit.API{Service: "compute", Hosts: []string{"w1", "w2", "w3"}})
		if got.Reach != want || !strings.Contains(got.Message, message) || len(cloud.seen) != requests {
			t.Errorf("got %+v with %q, want %q", got, cloud.seen, message)
		}
	}
	ask(unit.ReachRefuses, "w2 is in no cell of Nova yet", 2)
	nova.mapped = append(nova.mapped, "w2")
	ask(unit.ReachAnswers, "", 2)
	ask(unit.ReachAnswers, "", 1)

	nova.hosts = append(nova.hosts, "w3 disabled", "of-somebody-else", "nova-compute-ironic-0")
	ask(unit.ReachAnswers, "", 1)
	nova.hosts[2] = "w3"
	ask(unit.ReachRefuses, "w3 is in no cell of Nova yet", 2)
	if !slices.ContainsFunc(cloud.seen, func(path string) bool { return strings.HasPrefix(path, "/v2.1/os-hypervisors/detail?") }) {
		t.Errorf("it was asked %q", cloud.seen)
	}
	nova.hosts = []string{"w1"}
	ask(unit.ReachAnswers, "", 1)
	nova.hosts, nova.mapped = []string{"w1", "w2"}, []string{"w1"} // another database
	ask(unit.ReachRefuses, "w2 is in no cell of Nova yet", 2)
}

func TestNobodyKnowsTheCells(t *testing.T) {
	nova := &cells{hosts: []string{"w1"}, refuses: true}
	cloud := &asked{roles: []string{"admin"}, answer: nova.ServeHTTP}
	got := cloud.driver(t).Ask(t.Context(), unit.API{Service: "compute", Hosts: []string{"w1"}})
	if got.Reach != unit.ReachRefuses || !strings.Contains(got.Message, "503") {
		t.Errorf("got %+v", got)
	}
}
