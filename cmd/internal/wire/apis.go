package wire

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/driver/web"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What --api-checks can be beside names of services.
const (
	checkAll  = "all"
	checkNone = "none"
)

// checks are the services that have to answer before they are ready.
func (f *Flags) checks() (compose.Checks, error) {
	switch f.APIChecks {
	case checkAll, "": // the latter where no flags were parsed
		return compose.Checks{}, nil
	case checkNone:
		return compose.Checks{Off: true}, nil
	}
	checks := compose.Checks{Only: strings.Split(f.APIChecks, ",")}
	for _, name := range checks.Only {
		if known := compose.APIServices(); !slices.Contains(known, name) {
			return checks, fmt.Errorf("%w: --api-checks %s: there is no check of %q: give %s, %s, or some of %s",
				ErrUsage, f.APIChecks, name, checkAll, checkNone, strings.Join(known, ","))
		}
	}
	return checks, nil
}

// ask finds out whether an API answers, over the connection that the engine's calls have.
func (s *System) ask(ctx context.Context, api unit.API) unit.Answer {
	if len(api.Checks) > 0 {
		return s.askGates(ctx, api.Checks)
	}
	s.mutex.Lock()
	driver := s.objects
	s.mutex.Unlock()
	if driver == nil || !s.reaches() {
		return unit.Answer{}
	}
	return driver.Ask(ctx, api)
}

// askGates finds out whether all gates of a release hold. What the first says that does not counts.
func (s *System) askGates(ctx context.Context, gates []unit.Check) unit.Answer {
	answers := make([]unit.Answer, len(gates))
	var group contain.Group
	for i, g := range gates {
		group.Go(func() {
			if g.URL != "" {
				answers[i] = web.New(s.agent, s.rights.Read).Ask(ctx, g)
			} else {
				answers[i] = s.cluster.Holds(ctx, g)
			}
		})
	}
	group.Wait()
	for _, answer := range answers {
		if answer.Reach != unit.ReachAnswers {
			return answer
		}
	}
	return unit.Answer{Reach: unit.ReachAnswers}
}

// inside is where Keystone is, as far as somebody says so, and whom to trust there, whether or not anybody can log
// in.
func (s *System) inside(ctx context.Context) (openstack.Place, error) {
	w := s.way()
	var at openstack.Credentials
	if s.Flags.OSCloud != "" {
		given, err := openstack.FromCloudsFile("", s.Flags.OSCloud)
		if err != nil {
			return openstack.Place{}, err
		}
		at.Place = given.Place
	} else {
		at.Place = openstack.Place{AuthURL: w.block.AuthURL, Interface: w.block.Interface, CA: w.block.CA}
	}
	if err := s.trust(ctx, &at, w); err != nil {
		return openstack.Place{}, err
	}
	return at.Place, nil
}
