package wire

import (
	"fmt"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/budget"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// The APIs whose requests are counted.
const (
	apiKubernetes = "kubernetes" // charts are installed through it, too
	apiOpenStack  = "openstack"
)

// budgets makes one for each API, without a bound where none was given.
func (f *Flags) budgets() (map[string]*budget.Budget, error) {
	for api, perHour := range f.APIBudget {
		switch {
		case api != apiKubernetes && api != apiOpenStack:
			return nil, fmt.Errorf("%w: --api-budget: there is no API %q: write %s or %s", ErrUsage, api, apiKubernetes, apiOpenStack)
		case perHour < 1:
			return nil, fmt.Errorf("%w: --api-budget: %s=%d: give a number above 0, or leave it out for no bound", ErrUsage, api, perHour)
		}
	}
	return map[string]*budget.Budget{
		apiKubernetes: budget.New(f.APIBudget[apiKubernetes]), apiOpenStack: budget.New(f.APIBudget[apiOpenStack]),
	}, nil
}

// budget tells how long calls of a driver have to wait for the budget of the API that it asks. What is done in
// OpenStack is recorded in the cluster.
func (s *System) budget(name unit.DriverName) time.Duration {
	wait := s.Budgets[apiKubernetes].Wait()
	if name == unit.OpenStack {
		wait = max(wait, s.Budgets[apiOpenStack].Wait())
	}
	return wait
}
