package openstack

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// recollection is a memory with a clock of its own, and what was asked.
type recollection struct {
	*memory
	asked []string
}

func newRecollection(t *testing.T) (r *recollection, wait func(time.Duration)) {
	t.Helper()
	now := time.Now()
	r = &recollection{memory: newMemory()}
	r.now = func() time.Time { return now }
	return r, func(d time.Duration) { now = now.Add(d) }
}

func (r *recollection) user(t *testing.T, name string, groups ...string) found {
	t.Helper()
	address, err := addr.NewObject(addr.Module{}, addr.Managed, "user", name, addr.Key{})
	if err != nil {
		t.Fatal(err)
	}
	want := cty.ObjectVal(map[string]cty.Value{groupsAttribute: texts(groups, cty.Set(cty.String))})
	return found{object: &object{id: name, raw: map[string]any{"id": name}}, want: want, address: address, memory: r.memory}
}

// look has users seen and returns whom that asks for.
func (r *recollection) look(s *session, users ...found) string {
	r.asked = nil
	for _, u := range users {
		u.object.recalled = false
	}
	remembered(s, users, groupsAttribute, keystoneService, func(open []found) []answer[[]string] {
		for _, u := range open {
			r.asked = append(r.asked, u.object.id)
		}
		return make([]answer[[]string], len(open))
	})
	for _, u := range users {
		if u.object.recalled == slices.Contains(r.asked, u.object.id) {
			return "what was recalled is not known"
		}
	}
	return strings.Join(r.asked, " ")
}

// TestAnAnswerIsRememberedForAsLongAsItHolds: it is for one user, one row and one wish, and no longer than it is good.
func TestAnAnswerIsRememberedForAsLongAsItHolds(t *testing.T) {
	ours, theirs := &session{login: login{project: "ours"}, roles: []string{adminRole}}, &session{login: login{project: "theirs"}, roles: []string{adminRole}}
	for name, c := range map[string]struct {
		change func(r *recollection, a *found, wait func(time.Duration)) *session
		want   string
	}{
		"nothing": {func(*recollection, *found, func(time.Duration)) *session { return ours }, ""},
		"another row": {func(_ *recollection, a *found, _ func(time.Duration)) *session {
			a.object.raw["enabled"] = false
			return ours
		}, "a"},
		"another wish": {func(r *recollection, a *found, _ func(time.Duration)) *session {
			*a = r.user(t, "a", "g1", "g2")
			return ours
		}, "a"},
		"not all is known of it": {func(_ *recollection, a *found, _ func(time.Duration)) *session {
			a.want = cty.ObjectVal(map[string]cty.Value{groupsAttribute: cty.UnknownVal(cty.Set(cty.String))})
			return ours
		}, "a"},
		"another record": {func(_ *recollection, a *found, _ func(time.Duration)) *session {
			a.set = map[string][]string{groupsAttribute: {"g1"}}
			return ours
		}, "a"},
		"of something else": {func(_ *recollection, a *found, _ func(time.Duration)) *session {
			a.set = map[string][]string{"tags": {"g1"}}
			return ours
		}, ""},
		"another user":     {func(*recollection, *found, func(time.Duration)) *session { return theirs }, "a b"},
		"no administrator": {func(*recollection, *found, func(time.Duration)) *session { return &session{login: ours.login} }, "a b"},
		"it was written":   {func(r *recollection, a *found, _ func(time.Duration)) *session { r.forget(a.address); return ours }, "a"},
		"all is looked at": {func(r *recollection, a *found, _ func(time.Duration)) *session {
			r.refresh([]unit.Target{{Address: a.address, Anew: true}})
			return ours
		}, "a"},
		"a look": {func(r *recollection, a *found, _ func(time.Duration)) *session {
			r.refresh([]unit.Target{{Address: a.address}})
			return ours
		}, ""},
		"some time": {func(_ *recollection, _ *found, wait func(time.Duration)) *session {
			wait(longestTold - time.Second)
			return ours
		}, ""},
		"too much time": {func(_ *recollection, _ *found, wait func(time.Duration)) *session { wait(longestTold); return ours }, "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			r, wait := newRecollection(t)
			a, b := r.user(t, "a", "g1"), r.user(t, "b", "g1")
			if got := r.look(ours, a, b); got != "a b" {
				t.Errorf("first it asks for %q", got)
			}
			s := c.change(r, &a, wait)
			if got := r.look(s, a, b); got != c.want {
				t.Errorf("it asks for %q, want %q", got, c.want)
			}
			if got := r.look(s, a, b); got != "" {
				t.Errorf("and then for %q", got)
			}
		})
	}
}

// TestMemoryEndsWithItsTargets: what nobody looks at any more is forgotten.
func TestMemoryEndsWithItsTargets(t *testing.T) {
	r, wait := newRecollection(t)
	a, b := r.user(t, "a", "g1"), r.user(t, "b", "g1")
	r.look(&session{}, a, b)
	wait(longestTold / 2)
	r.forget(a.address)
	r.look(&session{}, a, b)
	wait(longestTold / 2)
	r.refresh(nil)
	if r.about[a.address] == nil || r.about[b.address] != nil {
		t.Errorf("there is %v", r.about)
	}
	var none *memory
	none.forget(a.address)
	none.refresh(nil)
	a.memory = none
	if r.look(&session{}, a); len(r.asked) != 1 {
		t.Error("nothing is kept, and it is not asked")
	}
}

// TestAFailureIsNotRemembered: it is asked again, for that object alone.
func TestAFailureIsNotRemembered(t *testing.T) {
	r, _ := newRecollection(t)
	a, b := r.user(t, "a", "g1"), r.user(t, "b", "g1")
	got := remembered(&session{}, []found{a, b}, groupsAttribute, keystoneService, func([]found) []answer[[]string] {
		return []answer[[]string]{{value: []string{"half"}, err: errors.New("cut short")}, {value: []string{"g1"}}}
	})
	if got[0].err == nil || got[1].err != nil {
		t.Errorf("got %v", got)
	}
	if again := r.look(&session{}, a, b); again != "a" {
		t.Errorf("it asks for %q, want a", again)
	}
}

// TestAnAnswerFromDuringAWriteIsNotRemembered: it may be of before.
func TestAnAnswerFromDuringAWriteIsNotRemembered(t *testing.T) {
	r, _ := newRecollection(t)
	a, b := r.user(t, "a", "g1"), r.user(t, "b", "g1")
	remembered(&session{}, []found{a, b}, groupsAttribute, keystoneService, func(open []found) []answer[[]string] {
		r.forget(a.address)
		return make([]answer[[]string], len(open))
	})
	if again := r.look(&session{}, a, b); again != "a" {
		t.Errorf("it asks for %q, want a", again)
	}
}

// TestMemoryIsSafeForConcurrentUse: whoever looks gets an answer from after the last write that ended before.
func TestMemoryIsSafeForConcurrentUse(t *testing.T) {
	m := newMemory()
	var version atomic.Int64
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for n := range 200 {
				r := &recollection{memory: m}
				u := r.user(t, fmt.Sprintf("u%d", n%5), "g1")
				if i == 0 {
					m.forget(u.address)
					version.Add(1)
					m.forget(u.address)
					m.refresh([]unit.Target{{Address: u.address, Anew: n%7 == 0}})
					at := version.Load()
					got := remembered(&session{}, []found{u}, groupsAttribute, keystoneService, func([]found) []answer[int64] {
						return []answer[int64]{{value: version.Load()}}
					})
					if got[0].value < at {
						t.Errorf("an answer of %d, but %d was written", got[0].value, at)
					}
					continue
				}
				remembered(&session{}, []found{u}, groupsAttribute, keystoneService, func([]found) []answer[int64] {
					return []answer[int64]{{value: version.Load()}}
				})
			}
		})
	}
	group.Wait()
}
