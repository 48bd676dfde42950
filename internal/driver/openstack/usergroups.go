package openstack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

func (userKind) late() []string { return []string{groupsAttribute} }

// complete finds out which groups users are in, of those that write some, or that we have put into some. Keystone has no
// list of who is where: it is asked by the groups that matter or by the users, whichever are fewer. Of other groups nothing
// is told either way, so that what others read of a user does not hang on how many users there are.
func (k userKind) complete(ctx context.Context, s *session, users []found) map[addr.Object]error {
	members := slices.DeleteFunc(slices.Clone(users), func(u found) bool {
		return !u.concerns(groupsAttribute)
	})
	failures := map[addr.Object]error{}
	for i, got := range remembered(s, members, groupsAttribute, keystoneService, func(open []found) []answer[[]string] {
		return groupsOf(ctx, s, open)
	}) {
		u := members[i]
		if got.err != nil {
			u.miss(failures, keystoneService, fmt.Errorf("its groups could not be seen: %w", got.err), groupsAttribute)
			continue
		}
		u.object.values.set(groupsAttribute, texts(got.value, cty.Set(cty.String)))
	}
	return failures
}

// groupsOf asks for the groups of users, as far as they matter, and for all of those that are looked up.
func groupsOf(ctx context.Context, s *session, users []found) []answer[[]string] {
	own := slices.DeleteFunc(slices.Clone(users), func(u found) bool { return u.looked != nil })
	others := slices.DeleteFunc(slices.Clone(users), func(u found) bool { return u.looked == nil })
	told, all := groupsThatAreOurs(ctx, s, own), abreast(len(others), func(i int) ([]string, error) { return groupsIn(ctx, s, others[i].object.id) })
	answers := make([]answer[[]string], len(users))
	for i, u := range users {
		if u.looked != nil {
			answers[i], all = all[0], all[1:]
		} else {
			answers[i], told = told[0], told[1:]
		}
	}
	return answers
}

// groupsIn are all groups that a user is in.
func groupsIn(ctx context.Context, s *session, user string) ([]string, error) {
	raws, err := s.all(ctx, call{service: serviceIdentity, path: pathOf("users", user, groupsAttribute)}, groupsAttribute)
	groups := make([]string, len(raws))
	for i, raw := range raws {
		groups[i] = textAt(raw, "id")
	}
	return groups, err
}

// groupsThatAreOurs asks for those groups of users that are wanted, or were.
func groupsThatAreOurs(ctx context.Context, s *session, users []found) []answer[[]string] {
	m := memberships{in: map[string]map[string]bool{}, groups: map[string]error{}, users: map[string]error{}}
	for _, u := range users {
		for _, group := range groupsThatMatter(u) {
			m.in[group] = map[string]bool{}
		}
	}
	if len(m.in) < len(users) {
		m.askByGroup(ctx, s)
		m.askByUser(ctx, s, slices.DeleteFunc(slices.Clone(users), func(u found) bool { return !m.hidden(u) }))
	} else {
		m.askByUser(ctx, s, users)
	}
	answers := make([]answer[[]string], len(users))
	for i, u := range users {
		answers[i].value, answers[i].err = m.of(u)
	}
	return answers
}

// groupsThatMatter are those that a user should be in, and those that we have put it into.
func groupsThatMatter(u found) []string {
	groups := append(listOf(unmarked(attribute(u.want, groupsAttribute))), u.set[groupsAttribute]...)
	groups = slices.DeleteFunc(groups, func(id string) bool { return id == "" }) // not known yet
	slices.Sort(groups)
	return slices.Compact(groups)
}

// memberships are who is in which groups.
type memberships struct {
	in     map[string]map[string]bool // users by group
	groups map[string]error           // why it is not known who is in a group
	users  map[string]error           // of those that were asked for by themselves, whatever is known of their groups
}

func (m memberships) askByGroup(ctx context.Context, s *session) {
	groups := slices.Sorted(maps.Keys(m.in))
	for i, got := range abreast(len(groups), func(i int) ([]map[string]any, error) {
		return s.all(ctx, call{service: serviceIdentity, path: pathOf(groupsAttribute, groups[i], "users")}, "users")
	}) {
		if got.err != nil && !notFound(got.err) { // nobody is in a group that is gone
			m.groups[groups[i]] = got.err
		}
		for _, raw := range got.value {
			m.in[groups[i]][textAt(raw, "id")] = true
		}
	}
}

func (m memberships) askByUser(ctx context.Context, s *session, users []found) {
	for i, got := range abreast(len(users), func(i int) ([]string, error) { return groupsIn(ctx, s, users[i].object.id) }) {
		user := users[i].object.id
		m.users[user] = got.err
		for _, group := range got.value {
			if m.in[group] != nil {
				m.in[group][user] = true
			}
		}
	}
}

// hidden tells whether the members of a group of the user are not told, while the groups of the user may be: a list may be cut
// short, or be for others only.
func (m memberships) hidden(u found) bool {
	return slices.ContainsFunc(groupsThatMatter(u), func(group string) bool {
		err := m.groups[group]
		return err != nil && (answered(err) || errors.Is(err, errCutShort))
	})
}

// of returns the groups that a user is in, as far as they matter.
func (m memberships) of(u found) ([]string, error) {
	user := u.object.id
	var groups []string
	err, asked := m.users[user]
	for _, group := range groupsThatMatter(u) {
		if !asked && err == nil {
			err = m.groups[group]
		}
		if m.in[group][user] {
			groups = append(groups, group)
		}
	}
	return groups, err
}
