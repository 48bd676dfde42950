package openstack

import (
	"context"
	"net/http"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A role that our own user gives itself in a project, to create there what belongs to the project of the token, is on
// record as a tag of the project from before it is given until it was taken back. So whenever a process ends, the one
// after it knows of it, even without the inventory. A role that others have given our user has no tag, and stays.

// roleTag says that our user has, or may have, a role in the project that it has given itself.
const roleTag = markPrefix + "role"

// grantsItself gives our user the role in a project of ours. That can be repeated without harm.
func (s *session) grantsItself(ctx context.Context, project string) error {
	role, err := s.role(ctx, roleName)
	if err != nil {
		return err
	}
	for _, path := range []string{pathOf("projects", project, "tags", roleTag), s.ownRole(project, role)} {
		if _, err := s.do(ctx, call{service: serviceIdentity, method: http.MethodPut, path: path}); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) ownRole(project, role string) string {
	return pathOf("projects", project, "users", s.user, "roles", role)
}

// takesBack takes the role away again, and with that the record of it.
func (s *session) takesBack(ctx context.Context, project string) error {
	role, err := s.role(ctx, roleName)
	if err != nil && !unit.IsBlocked(err) { // without such a role nobody has it
		return err
	}
	if err == nil {
		if err := s.erase(ctx, serviceIdentity, s.ownRole(project, role)); err != nil {
			return err
		}
	}
	if err := s.erase(ctx, serviceIdentity, pathOf("projects", project, "tags", roleTag)); err != nil {
		return err
	}
	s.connector.forget(project)
	return nil
}

// helped tells whether our user has given itself a role in a project.
func helped(o *object) bool {
	for _, tag := range textsAt(o.raw, "tags") {
		if tag == roleTag {
			return true
		}
	}
	return false
}

// isIdle tells whether nothing else of the configuration is in a project that is wanted.
func isIdle(t unit.Target) bool {
	r := resource(t)
	return r != nil && !r.Lookup && !r.Worked
}

// idle says of the projects that nothing of ours is in any more that the role is to be taken back.
func idle(projects []found) {
	for _, p := range projects {
		if p.idle && helped(p.object) && p.object.pending == "" {
			p.object.pending = "nothing of the configuration is in it any more that our own user needs the role " + roleName + " for, which is taken back"
		}
	}
}
