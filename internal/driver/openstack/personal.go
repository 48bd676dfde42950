package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// personal is a kind of which every user has objects of their own. A session is shown those of its user alone, in lists and by
// their ids, whatever its roles: that it finds none tells nothing of what was made for somebody else.
type personal interface {
	// madeFor is the user for whom the object of a Secret was made; "" where the Secret does not say.
	madeFor(kept *unit.Kept) string
}

func (applicationCredentialKind) madeFor(kept *unit.Kept) string {
	return kept.Value(variableOfUser).Reveal()
}

func (keypairKind) madeFor(*unit.Kept) string { return "" }

// outliving is a personal kind of which a service keeps what a user had that Keystone has no more.
type outliving interface {
	// outlives tells whether it has an object of such a user still.
	outlives(ctx context.Context, s *session, user, id string) (bool, error)
	// bury deletes it.
	bury(ctx context.Context, s *session, user, id string) error
}

// orphaned says what is left of something that nobody wants any more and that belonged to a user who is gone, "" for nothing.
func (d *Driver) orphaned(ctx context.Context, s *session, t unit.Target) (left string, err error) {
	by, ok := d.kinds[kindOf(t)].(outliving)
	if !ok || resource(t) != nil || t.ID == "" || t.Locator.User == "" {
		return "", nil
	}
	there, err := by.outlives(ctx, s, t.Locator.User, t.ID)
	if err != nil || !there {
		return "", err
	}
	return "part in Nova, which keeps what belonged to a user that is deleted", nil
}

// ownedBy reads objects that belong to the user of a session.
func ownedBy(s *session, read func(map[string]any) *object) func(map[string]any) *object {
	return func(raw map[string]any) *object {
		o := read(raw)
		o.user = s.user
		return o
	}
}

// userFor is the user that something absent would be created for; "" where its kind has none.
func userFor(s *session, k kind) string {
	if _, ok := k.(personal); !ok {
		return ""
	}
	return s.user
}

// errAnotherUser says why nothing is done with what was seen. It is one and the same text all the time.
var errAnotherUser = errors.New("the credentials have become those of another user: it is looked for once more")

// withoutOthers are the targets of which a session is shown whether they are there. The others are unknown. left says what
// there is still of those whose user is gone.
func (d *Driver) withoutOthers(ctx context.Context, s *session, targets []unit.Target, seen *sights) (ours []unit.Target, left map[addr.Object]string) {
	others, orphans, asked := map[addr.Object]bool{}, map[addr.Object]bool{}, map[string]bool{}
	left = map[addr.Object]string{}
	for _, t := range targets {
		gone, err := d.ofAnother(ctx, s, d.kinds[kindOf(t)], t, asked)
		if gone {
			var what string
			if what, err = d.orphaned(ctx, s, t); what != "" {
				left[t.Address] = what
			}
		}
		if err != nil {
			others[t.Address] = true
			seen.failed(kindOf(t), err, t)
		}
		if gone {
			orphans[t.Address] = true
		}
	}
	if len(others)+len(orphans) == 0 {
		return targets, left
	}
	for _, t := range targets {
		if orphans[t.Address] {
			t.ID = "" // what our user has under that name is not what is on record
		}
		if !others[t.Address] {
			ours = append(ours, t)
		}
	}
	return ours, left
}

// stillOurs fails for a target that was made for another user, or was seen by a session of another one. gone tells that it went
// with that user.
func (d *Driver) stillOurs(ctx context.Context, s *session, k kind, t unit.Target, seen unit.State) (gone bool, err error) {
	if user := userFor(s, k); user != "" && seen.User != "" && seen.User != user {
		return false, errAnotherUser
	}
	return d.ofAnother(ctx, s, k, t, map[string]bool{})
}

// nothingElsewhere fails where an attempt may have made something for another user that has no id on record.
func (d *Driver) nothingElsewhere(ctx context.Context, k kind, t unit.Target) error {
	if !t.Attempted {
		return nil
	}
	s, err := d.sessionFor(ctx, k, t, desiredOf(t))
	if err != nil {
		return err
	}
	_, err = d.stillOurs(ctx, s, k, t, unit.State{})
	return err
}

// ofAnother returns why nobody knows of a target whether it is there; nil for what is not another user's. gone tells that it was
// one's who is not there any more, and asked is what was found out of that before. The error is not blocked: as soon as the
// credentials are the old ones, all goes on.
func (d *Driver) ofAnother(ctx context.Context, s *session, k kind, t unit.Target, asked map[string]bool) (gone bool, err error) {
	p, ok := k.(personal)
	if !ok || lookup(t) {
		return false, nil
	}
	user, advice := t.Locator.User, "have it forgotten by a removed block with destroy = false in place of its own"
	if t.ID == "" && (!t.Attempted || d.outcomes.nothing(t.UID)) {
		user = "" // nothing was made
	}
	if user == "" {
		kept, ref, err := d.madeFor(ctx, p, t)
		if err != nil {
			return false, err
		}
		user, advice = kept, fmt.Sprintf("delete the %s, which names that user, to have another one made: the old one stays valid", ref)
	}
	if user == "" || user == s.user {
		return false, nil
	}
	gone, known := asked[user]
	if !known {
		if gone, err = s.lacksUser(ctx, user); err != nil {
			return false, fmt.Errorf("find out whether the user %s is still there: %w", user, err)
		}
		asked[user] = gone
	}
	if gone {
		return true, nil
	}
	return false, fmt.Errorf("it was made for the user %s, and %s is not shown what is theirs: put the credentials of that user back, or %s", user, s.who, advice)
}

// madeFor finds in the Secrets of a target for which user it was made, where that is not on record: an older program made the
// record, or there is none any more.
func (d *Driver) madeFor(ctx context.Context, p personal, t unit.Target) (user string, ref unit.ObjectRef, err error) {
	if d.keeper == nil {
		return "", ref, nil
	}
	for _, ref = range secretsOf(t) {
		kept, err := d.keptAt(ctx, t, ref)
		if err != nil {
			return "", ref, err
		}
		if kept != nil && p.madeFor(kept) != "" {
			return p.madeFor(kept), ref, nil
		}
	}
	return "", ref, nil
}

// lacksUser tells whether a user is certainly not there any more: Keystone deletes a user's application credentials with the
// user, and nobody is shown a key pair of such a one again. What stands before a Keystone that is away answers that nothing is
// found as well, so that this counts only where Keystone shows the user that asks.
func (s *session) lacksUser(ctx context.Context, id string) (bool, error) {
	if !s.administrates() {
		return false, nil
	}
	look := func(id string) error {
		_, err := s.one(ctx, call{service: serviceIdentity, method: http.MethodGet, path: pathOf("users", id)}, "user")
		return err
	}
	err := look(id)
	gone := notFound(err)
	if gone {
		err = look(s.user)
	}
	if notFound(err) || statusIs(err, http.StatusForbidden) {
		return false, nil
	}
	return gone && err == nil, err
}
