package openstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Grants keeps on record which roles our user has given itself.
type Grants interface {
	AddGrant(ctx context.Context, g unit.Grant) error
	DropGrant(ctx context.Context, g unit.Grant) error
	Grants() []unit.Grant
}

// grant gives our user a role in a project. It goes on record before, so that a process that is killed in between
// knows of it. A role that is there already is somebody else's, unless it is on record.
func (s *session) grant(ctx context.Context, g unit.Grant) error {
	c := s.connector
	c.granting.Lock() // of two that give and take the same role, the record would tell what one of them did
	defer c.granting.Unlock()
	path := pathOf("projects", g.Project, "users", g.User, "roles")
	roles, err := s.all(ctx, call{service: serviceIdentity, path: path}, "roles")
	if err != nil {
		return err
	}
	there := slices.ContainsFunc(roles, func(role map[string]any) bool { return textAt(role, "id") == g.Role })
	if there {
		return nil
	}
	records := c.options.Grants
	if records != nil {
		if err := records.AddGrant(ctx, g); err != nil {
			return err
		}
	}
	_, err = s.do(ctx, call{service: serviceIdentity, method: http.MethodPut, path: path + "/" + pathOf(g.Role)})
	var answer *apiError
	if records == nil || !errors.As(err, &answer) || answer.status/100 != 4 {
		return err
	}
	// This request was refused, but not for certain one before it whose answer was lost. Whoever gives the role from
	// now on is somebody else.
	if lacks, unsure := s.lacksRole(ctx, path, g); unsure == nil && lacks {
		return errors.Join(err, records.DropGrant(ctx, g))
	}
	return err
}

// ungrant takes the roles in a project from the record that has gone, and they with it.
func (s *session) ungrant(ctx context.Context, project string) error {
	records := s.connector.options.Grants
	if records == nil {
		return nil
	}
	for _, g := range records.Grants() {
		if g.Project != project {
			continue
		}
		if err := records.DropGrant(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// projectBound is a kind whose objects are made by a session in their own project.
type projectBound interface{ madeInProject() }

func (cinder) madeInProject()                    {}
func (instanceKind) madeInProject()              {}
func (serverGroupKind) madeInProject()           {}
func (applicationCredentialKind) madeInProject() {}

// granting is a kind whose objects are roles that somebody has somewhere.
type granting interface {
	// grants tells whether the object with an id is just the role that our user has given itself.
	grants(g unit.Grant, id string) bool
}

func (assignmentKind) grants(g unit.Grant, id string) bool {
	return id == parts{holder: "user", holderID: g.User, place: "project", placeID: g.Project, role: g.Role}.id()
}

// enclosing is a kind whose objects are what such a role is in, and what others are made in: a new one has nothing in it.
type enclosing interface{ encloses() }

func (projectKind) encloses() {}

// Needs tells whether a thing needs a role that our user has given itself: what is made by a session in the project,
// a block that wants the very same assignment, and the project itself once it is to go: as long as it waits for what is in
// it, each look would give the role and take it back. While it is not known which project or assignment that is, it may be.
func (d *Driver) Needs(g unit.Grant, l unit.Locator, id string, goes bool) bool {
	if l.Kind == unit.KindSmokeTest {
		return l.Project == "" || l.Project == g.Project
	}
	k := d.kinds[l.Kind]
	if _, is := k.(enclosing); is {
		return goes && id == g.Project
	}
	if by, is := k.(granting); is {
		return id == "" || by.grants(g, id)
	}
	_, bound := k.(projectBound)
	return bound && (l.Project == "" || l.Project == g.Project)
}

// Claims tells whether a thing on record is the very assignment that a role is.
func (d *Driver) Claims(g unit.Grant, l unit.Locator, id string) bool {
	by, is := d.kinds[l.Kind].(granting)
	return is && by.grants(g, id)
}

// TakeBack takes back a role that our user has given itself, and then from the record, unless something needs it by
// now. Keystone deletes our user's application credentials in a project together with its roles: while
// there are any, the role stays.
func (d *Driver) TakeBack(ctx context.Context, g unit.Grant, unneeded func() bool) error {
	s, err := d.connector.session(ctx)
	if err != nil {
		return err
	}
	if !s.administrates() {
		return unit.Blocked(fmt.Sprintf("%s has not the role %q any more", s.who, adminRole))
	}
	c := s.connector
	c.granting.Lock()
	defer c.granting.Unlock()
	switch {
	case c.options.Grants == nil, !slices.ContainsFunc(c.options.Grants.Grants(), g.Same):
		return nil
	case g.Project == s.home:
		return unit.Blocked("it is in our user's own project")
	}
	path := pathOf("projects", g.Project, "users", g.User, "roles")
	credentials, err := s.all(ctx, call{service: serviceIdentity, path: pathOf("users", g.User, "application_credentials")}, "application_credentials")
	switch {
	case notFound(err): // which is no proof that there are none, but the user may be gone, and the role with it
		if gone, unknown := s.lacksRole(ctx, path, g); unknown != nil || !gone {
			return cmp.Or(unknown, err)
		}
		return c.options.Grants.DropGrant(ctx, g)
	case err != nil:
		return err
	}
	for _, raw := range credentials {
		if textAt(raw, "project_id") == g.Project {
			return unit.Blocked(fmt.Sprintf("the application credential %q of our user would go with it: delete that first", textAt(raw, "name")))
		}
	}
	c.forget(g.Project) // who works there from now on waits for this, and has the role given again
	if !unneeded() {
		return nil
	}
	if err := s.erase(ctx, serviceIdentity, path+"/"+pathOf(g.Role)); err != nil {
		return err
	}
	gone, err := s.lacksRole(ctx, path, g)
	if err != nil || !gone {
		return err
	}
	return c.options.Grants.DropGrant(ctx, g)
}

// lacksRole tells whether a user of ours certainly has not the role. What stands before a Keystone that is away answers
// that nothing is found as well, so that the absence of the project, or of that user, counts only where Keystone shows
// the user that asks.
func (s *session) lacksRole(ctx context.Context, path string, g unit.Grant) (bool, error) {
	roles, err := s.all(ctx, call{service: serviceIdentity, path: path}, "roles")
	if err == nil {
		return !slices.ContainsFunc(roles, func(role map[string]any) bool { return textAt(role, "id") == g.Role }), nil
	}
	if !notFound(err) {
		return false, err
	}
	if _, err := s.one(ctx, call{service: serviceIdentity, method: http.MethodGet, path: pathOf("users", s.user)}, "user"); err != nil {
		return false, err
	}
	for _, at := range [][2]string{{"project", pathOf("projects", g.Project)}, {"user", pathOf("users", g.User)}} {
		if _, err := s.one(ctx, call{service: serviceIdentity, method: http.MethodGet, path: at[1]}, at[0]); notFound(err) {
			return true, nil
		} else if err != nil {
			return false, err
		}
	}
	return false, nil
}
