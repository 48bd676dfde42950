package openstack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// lookAround finds targets for a user that is no administrator: what is in a project is looked for by a session in
// that project, and what is in none by that in our user's own. A project may be an output of what is
// looked up first.
func (d *Driver) lookAround(ctx context.Context, s *session, targets []unit.Target, seen *sights) {
	known := map[addr.Object]cty.Value{}
	for open := targets; len(open) > 0; {
		byProject, later := map[string][]unit.Target{}, []unit.Target(nil)
		for _, t := range open {
			project, ok := projectOf(s, d.kinds[kindOf(t)], t, resolved(t, known))
			if !ok {
				later = append(later, t)
				continue
			}
			byProject[first(project, s.project)] = append(byProject[first(project, s.project)], t)
		}
		if len(byProject) == 0 { // nobody says yet where these are
			byProject[s.project], later = later, nil
		}
		for _, project := range slices.Sorted(maps.Keys(byProject)) {
			there, err := s.within(ctx, project)
			if err != nil {
				seen.unknown(err, byProject[project]...)
				seen.failures = append(seen.failures, err)
				continue
			}
			d.look(ctx, there, byProject[project], known, seen)
		}
		open = later
	}
}

// within returns the session for what is in a project: one that is scoped to it, unless our user sees all projects.
func (s *session) within(ctx context.Context, project string) (*session, error) {
	if project == "" || project == s.project || s.administrates() {
		return s, nil
	}
	there, err := s.connector.in(ctx, project)
	if errors.Is(err, errNoRole) {
		return nil, s.outside(project)
	}
	return there, err
}

// outside says that our user is neither an administrator nor in a project.
func (s *session) outside(project string) error {
	return unit.Blocked(fmt.Sprintf("%s has no role in the project %s, and is no administrator: give it the role %s there", s.who, project, roleName))
}

// sessionFor returns the session that a target is changed by.
func (d *Driver) sessionFor(ctx context.Context, k kind, t unit.Target, desired cty.Value) (*session, error) {
	s, err := d.connector.session(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.serves(t); err != nil {
		return nil, err
	}
	project, _ := projectOf(s, k, t, desired)
	return s.within(ctx, project)
}
