//go:build beds

package e2e_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// rights compares the roles in deploy/, under which the commands run, with what they have asked of the API server.
func (s *everything) rights(t *testing.T, granted map[string][]world.Right) {
	for account, conduct := range s.Conduct(t) {
		for _, request := range conduct.Refused {
			t.Errorf("%s may not %s", account, request)
		}
		for _, problem := range unexplained(granted[account], conduct.Used, spared()[account]) {
			t.Errorf("%s: %s", account, problem)
		}
	}
}
