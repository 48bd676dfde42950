package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// roleName is the role that lets a user create instances in a project.
const roleName = "member"

// inProject returns a session in a project. Where our user has no role there and the project is
// one of ours, it is given the role first; that can be repeated without harm. The engine has it taken back
// when nothing needs it any more.
func (s *session) inProject(ctx context.Context, project string) (*session, error) {
	scoped, err := s.connector.in(ctx, project)
	if !errors.Is(err, errNoRole) {
		return scoped, err
	}
	if !s.administrates() {
		return nil, s.outside(project)
	}
	if errors.Is(err, errOneProject) { // a role there would lead nowhere
		return nil, unit.Blocked(fmt.Sprintf("%s logs in by an application credential, which is for one project alone: give credentials with a password, for work in the project %s", s.who, project))
	}
	raw, err := s.one(ctx, call{service: serviceIdentity, method: http.MethodGet, path: pathOf("projects", project)}, "project")
	if err != nil {
		return nil, err
	}
	name := first(textAt(raw, "name"), project)
	if _, mark := splitTags(textsAt(raw, "tags")); mark == "" {
		return nil, unit.Blocked(fmt.Sprintf("%s has no role in the project %q, which is not managed here: give it the role %s there", s.who, name, roleName))
	}
	if enabled, _ := raw["enabled"].(bool); !enabled {
		return nil, unit.Blocked(fmt.Sprintf("the project %q is disabled", name))
	}
	roles, err := s.all(ctx, call{service: serviceIdentity, path: "roles", query: url.Values{"name": {roleName}}}, "roles")
	if err != nil {
		return nil, err
	}
	if len(roles) == 0 {
		return nil, unit.Blocked(fmt.Sprintf("Keystone has no role %q, which our user needs in the project %q", roleName, name))
	}
	g := unit.Grant{User: s.user, Project: project, Role: textAt(roles[0], "id"), RoleName: roleName}
	if err := s.grant(ctx, g); err != nil {
		return nil, err
	}
	s.connector.refusals.again(login{s.login.credentials, project})
	scoped, err = s.connector.in(ctx, project)
	if errors.Is(err, errNoRole) {
		return nil, unit.Blocked(fmt.Sprintf("%s cannot get a token for the project %q", s.who, name))
	}
	return scoped, err
}
