package openstack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// optional is a kind that not every cloud has.
type optional interface {
	// lacking tells whether the error of a list says that the cloud has no such objects at all.
	lacking(err error) bool
}

// guarded is a kind that takes another session than the one that all else is listed with.
type guarded interface {
	// denied tells whether the error of a list says that our user cannot have that session.
	denied(err error) bool
}

// Live returns all objects of some kinds that our user may see, whoever made them, and the kinds that our user may not list,
// such as users without the rights of an administrator. It makes the requests of one look at the cloud. When one of the kinds
// cannot be listed for another reason, or none may be, nothing is returned: an incomplete answer would be taken for the
// whole. A kind that the cloud does not have, such as volumes without Cinder, has no objects. The caller may try again.
func (d *Driver) Live(ctx context.Context, kinds []string) (live []unit.Live, refused []string, err error) {
	s, err := d.connector.session(ctx)
	if err != nil {
		return nil, nil, err
	}
	lists, failures := d.lists(ctx, s, kinds, nil)
	all := map[string][]found{}
	for name, objects := range lists {
		for _, o := range objects {
			all[name] = append(all[name], found{object: o, want: cty.NilVal, whole: true})
		}
	}
	incomplete, _ := d.complete(ctx, s, all) // what cannot be read of single objects is not exported
	outside, err := s.outOfReach(ctx, lists)
	if err != nil {
		return nil, nil, err
	}
	var failed, denied []error
	for _, name := range kinds {
		if k, ok := d.kinds[name].(optional); ok && failures[name] != nil && k.lacking(failures[name]) {
			continue
		}
		if err := errors.Join(failures[name], incomplete[name]); err != nil {
			err = fmt.Errorf("list %s: %w", name, err)
			if k, ok := d.kinds[name].(guarded); s.denies(err) || ok && failures[name] != nil && k.denied(failures[name]) {
				refused, denied = append(refused, name), append(denied, err)
			} else {
				failed = append(failed, err)
			}
			continue
		}
		for _, o := range lists[name] {
			if !o.going {
				if by, ok := d.kinds[name].(placed); ok {
					o = by.placed(ctx, s, o)
				}
				one := d.live(s, name, o)
				one.Unfit = one.Unfit || outside[o.project] || s.reserved(d.kinds[name], o)
				live = append(live, one)
			}
		}
		if k, ok := d.kinds[name].(parted); ok {
			others, err := allParts(ctx, s, k)
			if err != nil && !statusIs(err, http.StatusForbidden) { // who may not see domains is told so
				failed = append(failed, fmt.Errorf("list %s: %w", name, err))
			}
			for _, o := range others {
				one := d.live(s, name, o)
				one.Within = domainAttribute
				live = append(live, one)
			}
		}
	}
	if len(denied) == len(kinds) {
		failed = append(denied, failed...)
	}
	if len(failed) > 0 {
		return nil, nil, errors.Join(failed...)
	}
	return live, refused, nil
}

// outOfReach are the projects of what our user is only shown, as it is public or shared by others: what is in a project that our user
// has no role in is asked for in vain there, and taken over by nobody but who has.
func (s *session) outOfReach(ctx context.Context, lists map[string][]*object) (map[string]bool, error) {
	outside := map[string]bool{}
	for _, objects := range lists {
		for _, o := range objects {
			outside[o.project] = o.project != "" && o.project != s.project
		}
	}
	maps.DeleteFunc(outside, func(_ string, is bool) bool { return !is })
	if s.administrates() || len(outside) == 0 {
		return nil, nil
	}
	within, err := s.all(ctx, call{service: serviceIdentity, path: pathOf("auth", "projects")}, "projects")
	if err != nil {
		return nil, fmt.Errorf("list the projects of our user: %w", err)
	}
	for _, raw := range within {
		id := textAt(raw, "id")
		if !outside[id] {
			continue
		}
		switch _, err := s.connector.in(ctx, id); { // application credentials are for one of them only
		case err == nil:
			delete(outside, id)
		case !errors.Is(err, errNoRole):
			return nil, err
		}
	}
	return outside, nil
}

// reserved tells whether an object takes an administrator to be taken over, such as flavors or the project of our user itself:
// who is none may see it, and what needs it would wait for it for ever.
func (s *session) reserved(k kind, o *object) bool {
	return !s.administrates() && !lodges(k) && o.project == "" && !inProjects(k) && userFor(s, k) == ""
}

// denies tells of the error of a list that our user may not ask for it. To some who may not, a service says that there is no
// such thing.
func (s *session) denies(err error) bool {
	return statusIs(err, http.StatusForbidden) || notFound(err) && !s.administrates()
}

// live is what is told of an object: nothing that is sensitive, or for others to write.
func (d *Driver) live(s *session, name string, o *object) unit.Live {
	k := d.kinds[name]
	values := map[string]cty.Value{}
	for _, at := range o.values {
		sensitive := false
		if b, ok := k.(interface{ block() *schema.Block }); ok {
			a := b.block().Attribute(at.name)
			sensitive = a != nil && a.Sensitive
		}
		if !sensitive {
			values[at.name] = withoutOwn(k, at.name, at.value)
		}
	}
	one := unit.Live{
		Kind: name, ID: o.id, Title: o.title, Project: o.project, Values: values, Managed: o.mark != "", Concealed: concealed(k, cty.NilVal, o),
	}
	if by, ok := k.(shared); ok {
		for _, attribute := range by.theirs(o) {
			delete(values, attribute)
		}
	}
	if by, ok := k.(unripe); ok {
		one.Unfit = by.unfit(o)
	}
	one.Unfit = one.Unfit || roomless(k, o) != ""
	i, ok := k.(incidental)
	one.Incidental = ok && i.incidental(o) || s.ofOurs(name, o)
	return one
}
