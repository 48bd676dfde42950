package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// TestKilledWhileOneGivesWay kills the process at every point from the moment on when a block is relabelled without a moved
// block, until that is there: whether what is created under the new address is refused, or comes late.
func TestKilledWhileOneGivesWay(t *testing.T) {
	revisions := map[string]string{
		"one": `
resource.net driver=openstack
resource.old ref=resource.net:id needs=resource.net`,
		"beside": `
resource.net driver=openstack
resource.old ref=resource.net:id needs=resource.net
resource.new ref=resource.net:id needs=resource.net`,
		"moved": `
move resource.old resource.new
resource.net driver=openstack
resource.new ref=resource.net:id needs=resource.net`,
	}
	for _, test := range []struct {
		name   string
		script []string
		end    []string // nil: it depends on whether there was an attempt
	}{
		{
			"refused",
			[]string{"clash apply:resource.new resource.old", "submit one", "settle", "submit beside", "settle", "submit moved", "settle"},
			[]string{"entries resource.net:owned resource.new:owned", "objects resource.net resource.old", "quiet 1h"},
		},
		{"late", []string{"late resource.new 20s", "submit one", "settle", "submit beside", "wait 1s", "submit moved", "settle", "wait 1m", "settle"}, nil},
	} {
		for n := 1; ; n++ {
			hit := false
			t.Run(fmt.Sprintf("%s at point %d", test.name, n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					hit = killedAt(t, revisions, test.script, func(s *scenario) { nothingLost(s, test.end) }, n, 1)
				})
			})
			if !hit || t.Failed() {
				if n < 12 {
					t.Errorf("there are only %d points", n)
				}
				break
			}
		}
	}
}
