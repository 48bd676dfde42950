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

// walled is a kind whose service shows, and takes, only what is in the project of the token, whatever the roles of the user.
// What is made of it needs a role there, so that it is [projectBound], too.
type walled interface {
	projectBound
	walled()
}

// apart divides targets into those that an administrator is shown whatever project they are in, and those that need a session
// there.
func (d *Driver) apart(targets []unit.Target) (shown, hidden []unit.Target) {
	if !slices.ContainsFunc(targets, d.walled) {
		return targets, nil
	}
	for _, t := range targets {
		if d.walled(t) {
			hidden = append(hidden, t)
		} else {
			shown = append(shown, t)
		}
	}
	return shown, hidden
}

func (d *Driver) walled(t unit.Target) bool {
	_, is := d.kinds[kindOf(t)].(walled)
	return is
}

// lookAround finds targets for a user that is no administrator, or of kinds where that makes no difference: what is in a
// project is looked for by a session in that project, and what is in none by that in our user's own. A project may be an
// output of what is looked up first. What is known of outputs of others is in known, and what is found adds to it.
func (d *Driver) lookAround(ctx context.Context, s *session, targets []unit.Target, known map[addr.Object]cty.Value, seen *sights) {
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
			there, err := s.in(ctx, project)
			if err != nil {
				unknown := d.unmade(s, byProject[project], err, known, seen)
				seen.unknown(err, unknown...)
				if len(unknown) > 0 {
					seen.failures = append(seen.failures, err)
				}
				continue
			}
			d.look(ctx, there, byProject[project], known, seen)
		}
		open = later
	}
}

// within returns the session for what is in a project: one that is scoped to it, unless our user sees all projects.
func (s *session) within(ctx context.Context, project string) (*session, error) {
	if s.administrates() {
		return s, nil
	}
	return s.in(ctx, project)
}

// in returns the session that is scoped to a project, whatever our user sees without.
func (s *session) in(ctx context.Context, project string) (*session, error) {
	if project == "" || project == s.project {
		return s, nil
	}
	there, err := s.connector.in(ctx, project)
	if errors.Is(err, errNoRole) {
		return nil, s.outside(project)
	}
	return there, err
}

// outside says that our user is not in a project, and what would help.
func (s *session) outside(project string) error {
	why := ", and is no administrator"
	if s.administrates() {
		why = ", and nobody else is shown what is looked for there"
	}
	return &outsideError{unit.Blocked(fmt.Sprintf("%s has no role in the project %s%s: give it the role %s there", s.who, project, why, roleName))}
}

// outsideError says that our user has no role in a project.
type outsideError struct{ error }

func (e *outsideError) Unwrap() error { return e.error }

// unmade are those of some targets in a project that something may be there of, although our user has no role there. An
// administrator gives itself one to make something, see [session.inProject], so that of what is not on record it is found out
// then.
func (d *Driver) unmade(s *session, targets []unit.Target, err error, known map[addr.Object]cty.Value, seen *sights) (unknown []unit.Target) {
	var outside *outsideError
	for _, t := range targets {
		if !s.administrates() || !errors.As(err, &outside) || resource(t) == nil || lookup(t) || t.Imports() || t.ID != "" {
			unknown = append(unknown, t)
			continue
		}
		st := state(t, match{open: true, want: resolved(t, known)})
		st.Project = destined(s, d.kinds[kindOf(t)], t)
		seen.states[t.Address] = st
	}
	return unknown
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
	if _, is := k.(walled); !is {
		return s.within(ctx, project)
	}
	if s.administrates() && !lookup(t) { // to look, nobody is given a role
		return s.inProject(ctx, project)
	}
	return s.in(ctx, project)
}
