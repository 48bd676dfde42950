//go:build beds

package e2e_test

import (
	"net/http"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

// hooks counts the Jobs that were created, each time from where it last was in the audit log: the whole log, once for
// each daemon that was killed, would be most of what the kills cost.
type hooks struct {
	since   int64
	created map[string]map[string]int // by namespaces and names
}

// of returns how often each Job of a namespace was created since the cluster began.
func (h *hooks) of(t *testing.T, c *cluster.Cluster, namespace string) map[string]int {
	t.Helper()
	events, next, err := c.Events(h.since)
	if err != nil {
		t.Fatal(err)
	}
	h.since = next
	for _, e := range events {
		if e.Verb != "create" || e.Object.Resource != "jobs" || e.Code != http.StatusCreated {
			continue
		}
		if h.created == nil {
			h.created = map[string]map[string]int{}
		}
		if h.created[e.Object.Namespace] == nil {
			h.created[e.Object.Namespace] = map[string]int{}
		}
		h.created[e.Object.Namespace][e.Object.Name]++
	}
	return h.created[namespace]
}
