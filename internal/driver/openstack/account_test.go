package openstack_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/projects"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/roles"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/users"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// ourUser is a driver that works with a user of its own, which is not there yet.
type ourUser struct {
	*bench
	identity *gophercloud.ServiceClient // as the administrator
	target   unit.Target
	name     string
	own      openstack.Credentials
	admin    openstack.Credentials
	guard    func() error // nil allows everything
	stale    bool         // has the next call log in anew
}

func newOurUser(t *testing.T) *ourUser {
	t.Helper()
	cloud := sharedCloud(t)
	provider, err := cloud.Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u := &ourUser{name: unique("kupenstack")}
	if u.identity, err = gopher.NewIdentityV3(provider, gophercloud.EndpointOpts{Region: cloud.Region}); err != nil {
		t.Fatal(err)
	}
	u.bench = newBench(t, func(o *openstack.Options) {
		admin, err := o.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		u.admin = admin
		u.own = openstack.Credentials{
			Place: admin.Place, Username: u.name, UserDomainID: admin.UserDomainID, UserDomainName: admin.UserDomainName, Password: redact.NewSecret(rand.Text()),
			ProjectName: u.name, ProjectDomainID: admin.UserDomainID, ProjectDomainName: admin.UserDomainName,
		}
		o.Administrator = func(context.Context) (openstack.Credentials, error) { return u.admin, nil }
		o.Connect = func(context.Context) (openstack.Credentials, error) {
			u.stale = false
			return u.own, nil
		}
		o.Stale = func() bool { return u.stale }
		o.Guard = func() error {
			if u.guard == nil {
				return nil
			}
			return u.guard()
		}
	})
	spec := &unit.Account{User: u.name, Role: "admin"}
	u.target = unit.Target{
		Address: addr.MustParseObject("system.account"), Spec: spec, Locator: spec.Locator(), UID: rand.Text(),
		Mark: "kupenstack:" + strings.ToLower(rand.Text()[:16]), Fresh: true,
	}
	t.Cleanup(func() { u.clean(t) })
	return u
}

// clean takes away what the test made.
func (u *ourUser) clean(t *testing.T) {
	ctx := context.Background()
	if user := u.user(t); user != nil {
		if err := users.Delete(ctx, u.identity, user.ID).ExtractErr(); err != nil {
			t.Error(err)
		}
	}
	if project := u.project(t); project != nil {
		if err := projects.Delete(ctx, u.identity, project.ID).ExtractErr(); err != nil {
			t.Error(err)
		}
	}
}

func (u *ourUser) user(t *testing.T) *users.User {
	t.Helper()
	pages, err := users.List(u.identity, users.ListOpts{Name: u.name}).AllPages(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	list, err := users.ExtractUsers(pages)
	if err != nil || len(list) > 1 {
		t.Fatalf("%d users, %v", len(list), err)
	}
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

func (u *ourUser) project(t *testing.T) *projects.Project {
	t.Helper()
	pages, err := projects.List(u.identity, projects.ListOpts{Name: u.name}).AllPages(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	list, err := projects.ExtractProjects(pages)
	if err != nil || len(list) > 1 {
		t.Fatalf("%d projects, %v", len(list), err)
	}
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

func (u *ourUser) look(t *testing.T) (unit.State, unit.Diff) {
	t.Helper()
	st := u.see(t, u.target)
	return st, u.Compare(u.target, cty.NilVal, st)
}

// make applies what is wanted, and sees that our user works then.
func (u *ourUser) make(t *testing.T, st unit.State) {
	t.Helper()
	after, err := u.Apply(t.Context(), u.target, cty.NilVal, st)
	for err == nil && !after.Ready() {
		if diff := u.Compare(u.target, cty.NilVal, after); diff.Action != unit.ActionNone || after.After == 0 {
			t.Fatalf("applied: %+v, %+v", after, diff)
		}
		pause(t.Context(), t)
		after = u.see(t, u.target)
	}
	if err != nil || !after.Owned {
		t.Fatalf("applied: %+v, %v", after, err)
	}
	u.works(t)
}

// works asks for what only an administrator sees: the instances of all projects by their hosts.
func (u *ourUser) works(t *testing.T) {
	t.Helper()
	if _, err := u.Hosts(t.Context()); err != nil {
		t.Fatalf("our user does not work: %v", err)
	}
}

func paths(fields []unit.Field) []string {
	var all []string
	for _, f := range fields {
		all = append(all, f.Path)
	}
	return all
}

func TestOurUserIsMade(t *testing.T) {
	u := newOurUser(t)
	st, diff := u.look(t)
	if !st.Gone() || diff.Action != unit.ActionCreate || !slices.Equal(paths(diff.Fields), []string{"project", "user", "role"}) {
		t.Fatalf("before: %+v, %+v", st, diff)
	}
	u.make(t, st)
	if st, diff = u.look(t); diff.Action != unit.ActionNone || !st.Ready() || st.ID != u.user(t).ID {
		t.Errorf("afterwards: %+v, %+v", st, diff)
	}
	if project := u.project(t); !slices.Contains(project.Tags, u.target.Mark) {
		t.Errorf("the project has the tags %q", project.Tags)
	}
	if text := u.user(t).Description; !strings.Contains(text, u.target.Mark) {
		t.Errorf("the user is described by %q", text)
	}
	before := u.fleet.Counts()
	u.look(t)
	if n := u.fleet.Counts().Since(before).Total(); n != 0 {
		t.Errorf("looking at a user that works costs %d requests", n)
	}

	// What is no longer wanted stays.
	gone := u.target
	gone.Spec = nil
	if st, err := u.Delete(t.Context(), gone, st); err != nil || st.Gone() || u.user(t) == nil {
		t.Errorf("deleted: %+v, %v", st, err)
	}
}

// Whatever somebody does to our user is put right, and each plan says what that takes, without the password.
func TestOurUserIsPutRight(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*testing.T, *ourUser)
		action unit.Action
		fields []string
	}{
		{"another password", func(t *testing.T, u *ourUser) {
			must(t, users.Update(t.Context(), u.identity, u.user(t).ID, users.UpdateOpts{Password: rand.Text()}).Err)
		}, unit.ActionUpdate, []string{"password"}},
		{"another password in the cluster", func(_ *testing.T, u *ourUser) {
			u.own.Password = redact.NewSecret(rand.Text())
		}, unit.ActionUpdate, []string{"password"}},
		{"disabled", func(t *testing.T, u *ourUser) {
			off := false
			must(t, users.Update(t.Context(), u.identity, u.user(t).ID, users.UpdateOpts{Enabled: &off}).Err)
		}, unit.ActionUpdate, []string{"user.enabled", "password"}},
		{"the project disabled", func(t *testing.T, u *ourUser) {
			off := false
			must(t, projects.Update(t.Context(), u.identity, u.project(t).ID, projects.UpdateOpts{Enabled: &off}).Err)
		}, unit.ActionUpdate, []string{"project.enabled", "password"}},
		{"without the role", func(t *testing.T, u *ourUser) {
			u.revoke(t)
		}, unit.ActionUpdate, []string{"role", "password"}},
		{"deleted", func(t *testing.T, u *ourUser) {
			must(t, users.Delete(t.Context(), u.identity, u.user(t).ID).ExtractErr())
		}, unit.ActionUpdate, []string{"user", "role"}},
		{"with all of its project", func(t *testing.T, u *ourUser) {
			u.clean(t)
		}, unit.ActionCreate, []string{"project", "user", "role"}},
		{"without marks", func(t *testing.T, u *ourUser) {
			text := "somebody's"
			must(t, users.Update(t.Context(), u.identity, u.user(t).ID, users.UpdateOpts{Description: &text, Password: rand.Text()}).Err)
		}, unit.ActionAdopt, []string{"password"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			u := newOurUser(t)
			st, _ := u.look(t)
			u.make(t, st)
			test.change(t, u)
			u.stale = true
			st, diff := u.look(t)
			if diff.Action != test.action || !slices.Equal(paths(diff.Fields), test.fields) {
				t.Fatalf("%s: %+v, %+v", test.name, st, diff)
			}
			for _, f := range diff.Fields {
				if told := f.Before + f.After; f.Path == "password" && strings.ReplaceAll(told, unit.TextSensitive, "") != "" {
					t.Errorf("the plan tells of the password %q", told)
				}
			}
			u.make(t, st)
			if _, diff := u.look(t); diff.Action != unit.ActionNone {
				t.Errorf("afterwards: %+v", diff)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (u *ourUser) revoke(t *testing.T) {
	t.Helper()
	pages, err := roles.List(u.identity, roles.ListOpts{Name: "admin"}).AllPages(t.Context())
	must(t, err)
	list, err := roles.ExtractRoles(pages)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d roles, %v", len(list), err)
	}
	must(t, roles.Unassign(t.Context(), u.identity, list[0].ID, roles.UnassignOpts{UserID: u.user(t).ID, ProjectID: u.project(t).ID}).ExtractErr())
}

// A process that is cut off after any of the requests that change something goes on later, and makes nothing twice.
func TestOurUserAfterACutOff(t *testing.T) {
	t.Parallel()
	for n := 1; ; n++ {
		u := newOurUser(t)
		st, _ := u.look(t)
		before := u.fleet.Counts()
		u.guard = func() error { // which is asked more than once about each
			if u.fleet.Counts().Since(before).Total("POST", "PUT", "PATCH") >= n {
				return unit.ErrNotWriter
			}
			return nil
		}
		_, err := u.Apply(t.Context(), u.target, cty.NilVal, st)
		if err == nil {
			if n < 3 {
				t.Errorf("%d requests are enough", n)
			}
			return
		}
		if !errors.Is(err, unit.ErrNotWriter) {
			t.Fatalf("cut off after %d: %v", n, err)
		}
		u.guard = nil
		u.target.Fresh = false
		st, diff := u.look(t)
		if made := u.user(t) != nil || u.project(t) != nil; !diff.Action.Changes() || st.Owned != made {
			t.Fatalf("cut off after %d: %+v, %+v", n, st, diff)
		}
		u.make(t, st)
	}
}

// Without the right to change anything nothing is made, and an administrator who is refused is an error that
// names it.
func TestOurUserIsNotMade(t *testing.T) {
	u := newOurUser(t)
	st, _ := u.look(t)
	u.guard = func() error { return unit.ErrNotWriter }
	if _, err := u.Apply(t.Context(), u.target, cty.NilVal, st); !errors.Is(err, unit.ErrNotWriter) || u.user(t) != nil || u.project(t) != nil {
		t.Errorf("got %v", err)
	}
	u.admin.Password = redact.NewSecret("wrong-" + rand.Text())
	states, err := u.Observe(t.Context(), []unit.Target{u.target})
	if st := states[u.target.Address]; st.Existence != unit.Unknown || !unit.IsBlocked(err) || !strings.Contains(st.Message, "as the administrator of Keystone") {
		t.Errorf("got %+v, %v", st, err)
	}
	if st := states[u.target.Address]; strings.Contains(st.Message+err.Error(), u.admin.Password.Reveal()) {
		t.Error("the password is told")
	}
}
