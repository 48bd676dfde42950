package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// taken returns the claims that go with a target, as a driver does.
func (w *world) taken(t unit.Target) *unit.Data {
	if !t.TakesData {
		return nil
	}
	data := &unit.Data{}
	for _, claim := range w.claims[t.Address] {
		if t.Data == nil || slices.Contains(t.Data.Claims, claim) {
			data.Claims = append(data.Claims, claim)
		}
	}
	return data
}

// takeClaim deletes the next claim that goes with a target, and tells whether there was one.
func (w *world) takeClaim(t unit.Target) bool {
	if t.Data == nil {
		return false
	}
	for i, claim := range w.claims[t.Address] {
		if slices.Contains(t.Data.Claims, claim) {
			w.claims[t.Address] = slices.Delete(w.claims[t.Address], i, i+1)
			w.trace = append(w.trace, "take "+claim.UID)
			return true
		}
	}
	return false
}

// claimOf is a claim to a volume.
func claimOf(name, size string) unit.Claim {
	return unit.Claim{Ref: unit.ObjectRef{Kind: "PersistentVolumeClaim", Name: name}, UID: name, Size: size}
}

// claimsLeft are the claims to volumes that are there.
func (s *scenario) claimsLeft() []string {
	s.world.mutex.Lock()
	defer s.world.mutex.Unlock()
	var names []string
	for _, claims := range s.world.claims {
		for _, claim := range claims {
			names = append(names, claim.Ref.Name)
		}
	}
	slices.Sort(names)
	return names
}

// TestKilledWhileDataGoes kills the process at every point of a tear-down that takes data along, of services that
// were there until then and of those that were uninstalled before: what was named goes, whoever goes on, and nothing
// else does.
func TestKilledWhileDataGoes(t *testing.T) {
	revisions := map[string]string{
		"one":  "service.keystone release needs=service.mariadb\nservice.mariadb release class=infrastructure\nservice.rabbitmq release class=infrastructure",
		"less": "service.keystone release\nremoved service.mariadb",
		"two":  "teardown mariadb",
	}
	claims := []string{"claim service.mariadb data-0 5Gi", "claim service.mariadb data-1 5Gi", "claim service.rabbitmq queue-0 1Gi"}
	for name, way := range map[string][]string{"with the cloud": {"one", "two"}, "before": {"one", "less", "two"}} {
		script := slices.Clone(claims)
		for _, revision := range way {
			script = append(script, "submit "+revision, "settle")
		}
		t.Run(name, func(t *testing.T) {
			for n := 1; ; n++ {
				hit := false
				t.Run(fmt.Sprintf("at point %d", n), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { hit = killedAt(t, revisions, script, namedDataIsGone, n, 1) })
				})
				if !hit || t.Failed() {
					if n < 10 {
						t.Errorf("there are only %d points", n)
					}
					break
				}
			}
		})
	}
}

func namedDataIsGone(s *scenario) {
	for _, line := range []string{"objects", "entries", "claims queue-0"} {
		if err := s.run(line); err != nil {
			s.t.Errorf("%s: %v\n%s", line, err, s.status())
		}
	}
}
