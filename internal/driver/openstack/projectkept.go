package openstack

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Everything that somebody may do in a project goes with it. Of one that we have made that is meant. One that was there before
// us may be that of the services of OpenStack, which cannot work any more without it and need have nothing in it.

// insteadForget is what to do in place of a deletion.
const insteadForget = "have it forgotten by a removed block with destroy = false"

// spare refuses to delete the project that our user works in, and one that is none of our making as long as others have roles there.
func (k projectKind) spare(ctx context.Context, s *session, o *object, t unit.Target) error {
	if o.id == s.home {
		return unit.Blocked("our own user works in the project: " + insteadForget)
	}
	why := "the project was there before us"
	if !t.Imported { // without its record nothing says that it was there before us
		if !k.incidental(k.placed(ctx, s, o)) {
			return nil
		}
		why = "the project is called as what is there before us"
	}
	raws, err := s.all(ctx, call{service: serviceIdentity, path: "role_assignments", query: url.Values{"scope.project.id": {o.id}}}, "role_assignments")
	if err != nil {
		return fmt.Errorf("look for role assignments in the project: %w", err)
	}
	at := slices.IndexFunc(raws, func(raw map[string]any) bool {
		p := partsOf(raw)
		return p.holder != "user" || p.holderID != s.user
	})
	if at < 0 {
		return nil
	}
	return unit.Blocked(fmt.Sprintf("%s, and others have roles in it, which would go with it, as those of the services of OpenStack: %s; %s, or take these roles away first, where it is none of theirs", why, partsOf(raws[at]).id(), insteadForget))
}

// spare refuses to delete what leads to Keystone.
func (k endpointKind) spare(_ context.Context, s *session, o *object, _ unit.Target) error {
	if e := s.offered(serviceIdentity); e != nil && e.ID == o.id {
		return unit.Blocked("OpenStack is reached by this endpoint of Keystone: " + insteadForget)
	}
	return nil
}
