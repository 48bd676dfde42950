package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A world has roles by projects: what is made in one needs a role there, which the driver's user gives itself.

func grantIn(project string) unit.Grant {
	return unit.Grant{User: "us", Project: project, Role: "member"}
}

// grant gives the user a role where it has none.
func (f fake) grant(ctx context.Context, project string) error {
	w := f.world
	w.mutex.Lock()
	has := w.roles[project]
	w.mutex.Unlock()
	if project == "" || has {
		return nil
	}
	if err := w.inventory().AddGrant(ctx, grantIn(project)); err != nil {
		return err
	}
	if err := w.point(ctx); err != nil {
		return err
	}
	w.mutex.Lock()
	w.roles[project] = true
	w.mutex.Unlock()
	return w.point(ctx)
}

func (f fake) Needs(g unit.Grant, l unit.Locator, id string, goes bool) bool {
	return l.Kind == "instance" && (l.Project == "" || l.Project == g.Project) || l.Kind == "project" && goes || f.Claims(g, l, id)
}

func (fake) Claims(g unit.Grant, l unit.Locator, _ string) bool {
	return l.Kind == "role_assignment" && l.Project == g.Project
}

func (f fake) TakeBack(ctx context.Context, g unit.Grant, unneeded func() bool) error {
	w := f.world
	if err := w.point(ctx); err != nil || !unneeded() {
		return err
	}
	w.mutex.Lock()
	delete(w.roles, g.Project)
	w.mutex.Unlock()
	if err := w.point(ctx); err != nil {
		return err
	}
	return w.inventory().DropGrant(ctx, g)
}

// TestRolesAreTakenBackWhereverItIsKilled: the role in a project goes with the last instance there, those
// that are needed stay, and so does one that somebody else gave.
func TestRolesAreTakenBackWhereverItIsKilled(t *testing.T) {
	revisions := map[string]string{
		"one": `
instance.a driver=openstack .project=p
instance.b driver=openstack .project=q
instance.c driver=openstack .project=theirs
network.d driver=openstack .v=1`,
		"two": `
instance.b driver=openstack .project=q
network.d driver=openstack .v=1`,
	}
	check := func(s *scenario) {
		s.world.mutex.Lock()
		defer s.world.mutex.Unlock()
		if w := s.world; !w.roles["q"] || !w.roles["theirs"] || len(w.roles) != 2 {
			t.Errorf("the roles are %v", w.roles)
		}
		if got := s.inventory.Grants(); !slices.Equal(got, []unit.Grant{grantIn("q")}) || !slices.Equal(got, s.engine.Snapshot().Grants) {
			t.Errorf("on record are %v", got)
		}
	}
	script := []string{"submit one", "settle", "submit two", "settle"}
	for n := 1; ; n++ {
		hit := false
		t.Run(fmt.Sprintf("at point %d", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { hit = killedAt(t, revisions, script, check, n, 1) })
		})
		if !hit || t.Failed() {
			if n < 10 {
				t.Errorf("there are only %d points", n)
			}
			return
		}
	}
}

// TestRolesStayWhileNobodyKnows: nothing is taken back while something is suspended, or is still to be made, and
// a role that is not on record is never taken.
func TestRolesStayWhileNobodyKnows(t *testing.T) {
	for name, test := range map[string]struct {
		two  string
		lose bool
		left int // of the roles
		held int // on record
	}{
		"gone":               {"network.d driver=openstack .v=1", false, 0, 0},
		"suspended":          {"network.d driver=openstack .v=1\nsuspend network.d for now", false, 1, 1},
		"still to be made":   {"network.d driver=openstack .v=1\ninstance.late driver=openstack needs=network.e\nnetwork.e driver=openstack", false, 1, 1},
		"a block has it":     {"network.d driver=openstack .v=1\nrole_assignment.own driver=openstack .project=p", false, 1, 0},
		"the record is lost": {"network.d driver=openstack .v=1", true, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScenario(t)
				s.revisions["one"] = parseRevision(t, "one", "instance.a driver=openstack .project=p\nnetwork.d driver=openstack .v=1")
				s.revisions["two"] = parseRevision(t, "two", test.two)
				s.start()
				defer s.stop()
				script := []string{"submit one", "settle"}
				if test.lose {
					script = append(script, "lose", "submit one", "settle")
				}
				s.world.blocked["network.e"] = "somebody has to look at it"
				for _, line := range append(script, "submit two", "settle", "wait 1h") {
					if err := s.run(line); err != nil {
						t.Fatalf("%s: %v\n%s", line, err, s.status())
					}
				}
				s.world.mutex.Lock()
				defer s.world.mutex.Unlock()
				if len(s.world.roles) != test.left+1 { // and theirs
					t.Errorf("the roles are %v", s.world.roles)
				}
				if held := s.inventory.Grants(); len(held) != test.held {
					t.Errorf("on record are %v", held)
				}
			})
		})
	}
}

// TestRolesStayWhileTheirProjectWaitsToGo: to look into it takes the role again and again. It is taken back once the project has gone, or is
// wanted again.
func TestRolesStayWhileTheirProjectWaitsToGo(t *testing.T) {
	const rest = "network.d driver=openstack .v=1"
	for name, end := range map[string][]string{
		"it goes":            {"submit none", "settle"},
		"it is wanted again": {"submit project", "settle"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScenario(t)
				const project = "project.p driver=openstack .v=1\n" + rest
				for id, text := range map[string]string{"all": "instance.a driver=openstack .project=p needs=project.p\n" + project, "project": project, "none": rest} {
					s.revisions[id] = parseRevision(t, id, text)
				}
				s.start()
				defer s.stop()
				runs := func(script ...string) (held int) {
					t.Helper()
					for _, line := range script {
						if err := s.run(line); err != nil {
							t.Fatalf("%s: %v\n%s", line, err, s.status())
						}
					}
					return len(s.inventory.Grants())
				}
				if n := runs("submit all", "settle"); n != 1 {
					t.Fatalf("%d roles are on record at first", n)
				}
				s.world.blocked["delete:project.p"] = "it still has a container"
				if n := runs("submit none", "settle", "wait 1h"); n != 1 {
					t.Errorf("%d roles are on record while it waits\n%s", n, s.status())
				}
				s.world.mutex.Lock()
				if delete(s.world.blocked, "delete:project.p"); !s.world.roles["p"] {
					t.Error("the role was taken back while it waits")
				}
				s.world.mutex.Unlock()
				if n := runs(append(end, "wait 1h")...); n != 0 {
					t.Errorf("%d roles are on record at the end\n%s", n, s.status())
				}
			})
		})
	}
}
