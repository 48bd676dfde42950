package wire

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

func TestWhichAPIsAreAsked(t *testing.T) {
	for given, want := range map[string]compose.Checks{
		"all": {}, "none": {Off: true}, "nova": {Only: []string{"nova"}}, "nova,glance": {Only: []string{"nova", "glance"}},
	} {
		got, err := (&Flags{APIChecks: given}).checks()
		if err != nil || got.Off != want.Off || !slices.Equal(got.Only, want.Only) {
			t.Errorf("%s: %+v, %v", given, got, err)
		}
	}
	for _, given := range []string{"mariadb", "nova,", "nova, glance", "all,nova"} {
		_, err := Open(&Flags{APIChecks: given, APIConcurrency: 8}, "test", guard.Rights{}, zerolog.Nop())
		if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "--api-checks "+given) || !strings.Contains(err.Error(), "barbican,cinder") {
			t.Errorf("%s: %v", given, err)
		}
	}
}

// What is asked without a login is reached as the rest is.
func TestInsideFollowsTheBlock(t *testing.T) {
	block := model.OpenStack{AuthURL: "https://keystone.example.org/v3", Interface: "internal", CA: "authority"}
	s := &System{Flags: &Flags{}, Model: func() *model.Model { return &model.Model{Cloud: model.Cloud{OpenStack: &block}} }}
	got, err := s.inside(t.Context())
	if want := (openstack.Place{AuthURL: block.AuthURL, Interface: block.Interface, CA: block.CA}); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A question that is put while the drivers are closed needs the lock to find out how OpenStack is reached.
func TestDriversAreClosedWithoutTheLock(t *testing.T) {
	s := &System{Flags: &Flags{}, Model: func() *model.Model { return nil }}
	closed := 0
	s.closers = append(s.closers, func() {
		_, _ = s.connect(t.Context())
		closed++
	})
	s.closeDrivers()
	s.closeDrivers()
	if closed != 1 {
		t.Errorf("closed %d times", closed)
	}
}
