package openstack

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestRegions(t *testing.T) {
	for _, test := range []struct {
		name, credentials, target string
		catalogue                 []string
		want                      []string // in the error
	}{
		{"the only one", "", "", []string{"North"}, nil},
		{"the only one, named by the target", "", "North", []string{"North"}, nil},
		{"named", "South", "South", []string{"North", "South"}, nil},
		{"the only one is another", "", "South", []string{"North"}, []string{`"South"`, `"North"`}},
		{"only endpoints of another", "South", "", []string{"North"}, []string{"North", `"South" is meant`}},
		{"several and none named", "", "", []string{"North", "South"}, []string{"North, South", "write region"}},
		{"several, named by the target only", "", "North", []string{"North", "South"}, []string{`"North"`, "North, South"}},
		{"another than the target's", "North", "South", []string{"North", "South"}, []string{`"South"`, `"North"`}},
	} {
		r := newRefuser(t, Options{}, test.catalogue...)
		r.credentials.Region = test.credentials
		targets := some(t, test.target, "a")
		address := targets[0].Address // the driver may do with targets what it likes
		states, err := r.Observe(t.Context(), targets)
		st := states[address]
		if len(test.want) == 0 {
			if err != nil || !st.Gone() {
				t.Errorf("%s: %+v, %v", test.name, st, err)
			}
			continue
		}
		if !unit.IsBlocked(err) || st.Existence != unit.Unknown || r.lists.Load() != 0 {
			t.Errorf("%s: %+v, %v, %d requests", test.name, st, err, r.lists.Load())
		}
		for _, part := range test.want {
			if !strings.Contains(st.Message, part) {
				t.Errorf("%s: %q does not say %s", test.name, st.Message, part)
			}
		}
	}
}

// A service that is deployed after we connected is found.
func TestCatalogueIsReadAgain(t *testing.T) {
	r := newRefuser(t, Options{})
	targets := some(t, "", "a")
	if _, err := r.Observe(t.Context(), targets); err == nil || unit.IsBlocked(err) {
		t.Errorf("without Neutron: %v", err)
	}
	r.pass(renewPause)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r.connector.lock <- struct{}{} // nobody logs in while the catalogue changes
	r.regions = []string{"here"}
	<-r.connector.lock
	for { // the session that is outgrown is dropped in the background
		if _, err := r.Observe(ctx, targets); err == nil {
			break
		} else if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
	if n := r.logins.Load(); n != 2 {
		t.Errorf("%d logins", n)
	}
}

func TestServersThatNeverAnswer(t *testing.T) {
	const limit = 100 * time.Millisecond
	for _, keystone := range []bool{true, false} {
		r := newRefuser(t, Options{Timeout: limit}, "here")
		r.silentKeystone.Store(keystone)
		r.silentNeutron.Store(!keystone)
		targets := some(t, "", "a")
		begin := time.Now()
		states, err := r.Observe(t.Context(), targets)
		if st := states[targets[0].Address]; err == nil || unit.IsBlocked(err) || st.Existence != unit.Unknown || st.Message == "" {
			t.Errorf("got %+v, %v", st, err)
		}
		if took := time.Since(begin); took > headerLimit-headerLimit/4 { // a busy machine may take its time, but not the limit of old
			t.Errorf("it took %s", took)
		}
	}
}

func TestWaitingForALoginEndsWithTheContext(t *testing.T) {
	r := newRefuser(t, Options{}, "here")
	r.connector.lock <- struct{}{}
	defer func() { <-r.connector.lock }()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := r.Observe(ctx, some(t, "", "a")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// What is ours must not be looked for in another OpenStack: there, not to find it means nothing.
func TestAnotherOpenStackIsNotAskedForOurs(t *testing.T) {
	var asked []Home
	refusal := unit.Blocked("the wrong cloud")
	var refuse, stale bool
	r := newRefuser(t, Options{
		Admit: func(_ context.Context, at Home) error {
			asked = append(asked, at)
			if refuse {
				return refusal
			}
			return nil
		},
		Stale: func() bool { return stale },
	}, "North")
	targets := some(t, "", "a")
	if _, err := r.Observe(t.Context(), targets); err != nil {
		t.Fatal(err)
	}
	if want := []Home{{Project: "p1", Region: "North"}}; !slices.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
	lists := r.lists.Load()
	refuse = true
	if _, err := r.Observe(t.Context(), targets); err != nil { // the same connection
		t.Error(err)
	}
	stale = true
	for range 2 {
		states, err := r.Observe(t.Context(), targets)
		if st := states[targets[0].Address]; !unit.IsBlocked(err) || st.Existence != unit.Unknown || !strings.Contains(st.Message, refusal.Error()) {
			t.Errorf("got %+v, %v", st, err)
		}
	}
	if _, err := r.Hosts(t.Context()); !unit.IsBlocked(err) {
		t.Errorf("hosts of another OpenStack: %v", err)
	}
	stale = false // since Connect was called again
	if _, err := r.Observe(t.Context(), targets); !unit.IsBlocked(err) {
		t.Errorf("the old connection is used again: %v", err)
	}
	refuse = false
	if _, err := r.Observe(t.Context(), targets); err != nil || r.lists.Load() != lists+2 {
		t.Errorf("%v, %d lists, before %d", err, r.lists.Load(), lists)
	}
}

// An address may come to lead to another cloud, or to one that was set up anew, while we are connected: it knows nothing of our
// token, and gives another one for a project of the same name. What is ours is not gone by that, and nothing is made there.
func TestAnotherOpenStackComesBehindTheAddress(t *testing.T) {
	refusal := unit.Blocked("the wrong cloud")
	r := newRefuser(t, Options{Admit: func(_ context.Context, at Home) error {
		if at.Project != "p1" {
			return refusal
		}
		return nil
	}}, "North")
	r.give(func(c *Credentials) { c.ProjectID, c.ProjectName, c.ProjectDomainID = "", "ops", "default" })
	recorded := func() []unit.Target {
		targets := some(t, "", "a")
		targets[0].ID = "n1"
		return targets
	}
	address := recorded()[0].Address
	observe := func() (unit.State, error) {
		states, err := r.Observe(t.Context(), recorded())
		return states[address], err
	}
	if st, err := observe(); err != nil || !st.Gone() {
		t.Fatalf("got %+v, %v", st, err)
	}
	r.another.Store(true)
	if st, err := observe(); err == nil || st.Existence != unit.Unknown || !strings.Contains(st.Message, `for the project "p2", and not for "p1"`) {
		t.Errorf("it answers in place of ours: %+v, %v", st, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for { // the session is dropped in the background
		st, err := observe()
		if st.Existence != unit.Unknown || ctx.Err() != nil {
			t.Fatalf("got %+v, %v", st, err)
		}
		if unit.IsBlocked(err) && strings.Contains(st.Message, refusal.Error()) {
			break
		}
	}
	r.another.Store(false) // ours is back
	if st, err := observe(); err != nil || !st.Gone() {
		t.Errorf("got %+v, %v", st, err)
	}
}

// TestOtherCredentialsAreAdmittedBefore: credentials are read anew for each project that is worked in. Where they lead elsewhere by then,
// that is not gone before it is admitted, as what is made there would not be found again by those of before.
func TestOtherCredentialsAreAdmittedBefore(t *testing.T) {
	refusal := unit.Blocked("the wrong cloud")
	r := newRefuser(t, Options{Admit: func(_ context.Context, at Home) error {
		if at.Region != "North" {
			return refusal
		}
		return nil
	}}, "North", "South")
	r.give(func(c *Credentials) { c.Region = "North" })
	region := func(project string) (string, error) {
		s, err := r.connector.in(t.Context(), project)
		if err != nil {
			return "", err
		}
		return s.place.Region, nil
	}
	for _, project := range []string{"", "q1"} {
		if got, err := region(project); err != nil || got != "North" {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	r.give(func(c *Credentials) { c.Region = "South" })
	for _, project := range []string{"q2", "q1", ""} {
		if got, err := region(project); !errors.Is(err, refusal) {
			t.Errorf("in the project %q: got %q, %v", project, got, err)
		}
	}
	r.give(func(c *Credentials) { c.Region = "North" })
	for _, project := range []string{"q2", "q1", ""} {
		if got, err := region(project); err != nil || got != "North" {
			t.Errorf("back in the project %q: got %q, %v", project, got, err)
		}
	}
	r.give(func(c *Credentials) { c.Password = redact.NewSecret("second-password") }) // the same place
	logins := r.logins.Load()
	if got, err := region("q3"); err != nil || got != "North" || r.logins.Load() != logins+1 {
		t.Errorf("with another password: got %q, %v, %d logins", got, err, r.logins.Load()-logins)
	}
}
