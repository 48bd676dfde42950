//go:build beds

package wire

import (
	"context"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestRegionOfTheCredentials(t *testing.T) {
	for _, test := range []struct{ credentials, block, want string }{
		{"", "", ""},
		{"", "North", "North"},
		{"North", "", "North"},
		{"North", "North", "North"},
	} {
		c := openstack.Credentials{Place: openstack.Place{Region: test.credentials}}
		if err := inRegion(&c, test.block); err != nil || c.Region != test.want {
			t.Errorf("%+v gives the region %q, %v", test, c.Region, err)
		}
	}
	c := openstack.Credentials{Place: openstack.Place{Region: "North"}}
	err := inRegion(&c, "South")
	if !unit.IsBlocked(err) || !strings.Contains(err.Error(), `"North"`) || !strings.Contains(err.Error(), `"South"`) {
		t.Errorf("two regions: %v", err)
	}
}

func TestOpenStackStaysTheSame(t *testing.T) {
	here, there := openstack.Home{Project: "p1", Region: "North"}, openstack.Home{Project: "p2", Region: "North"}
	resource := inventory.Entry{Address: addr.MustParseObject("network.a"), Class: unit.ClassResource}
	made := inventory.Entry{Address: addr.MustParseObject("network.b"), Class: unit.ClassResource, Locator: unit.Locator{Driver: unit.OpenStack, Kind: "network"}, ID: "n1"}
	nova := inventory.Entry{Address: addr.MustParseObject("service.nova"), Class: unit.ClassService, Locator: unit.Locator{Kind: unit.KindRelease, Name: "nova"}}
	for _, test := range []struct {
		name     string
		entries  []inventory.Entry
		before   []openstack.Home
		now      openstack.Home
		accept   string
		readOnly bool
		refused  bool
		want     openstack.Home // that is recorded
	}{
		{name: "the first", now: here, want: here},
		{name: "the first is only looked at", now: here, readOnly: true},
		{name: "the first with something from before", entries: []inventory.Entry{resource}, now: here, want: here},
		{name: "its record is lost", entries: []inventory.Entry{made, nova}, now: there, refused: true},
		{name: "its record is lost, and it is meant", entries: []inventory.Entry{made, nova}, now: here, accept: "p1", want: here},
		{name: "the first with a service that is there", entries: []inventory.Entry{nova}, now: here, want: here},
		{name: "the same", entries: []inventory.Entry{resource, nova}, before: []openstack.Home{here}, now: here, want: here},
		{name: "another while nothing is there", before: []openstack.Home{here}, now: there, want: there},
		{name: "another", entries: []inventory.Entry{resource}, before: []openstack.Home{here}, now: there, refused: true, want: here},
		{name: "another, looked at", entries: []inventory.Entry{resource}, before: []openstack.Home{here}, now: there, readOnly: true, refused: true, want: here},
		{name: "another under our hosts", entries: []inventory.Entry{nova}, before: []openstack.Home{here}, now: there, refused: true, want: here},
		{name: "another region", entries: []inventory.Entry{resource}, before: []openstack.Home{here}, now: openstack.Home{Project: "p1", Region: "South"}, refused: true, want: here},
		{name: "another that is meant", entries: []inventory.Entry{resource}, before: []openstack.Home{here}, now: there, accept: "p2", want: there},
		{name: "another than the one that is meant", entries: []inventory.Entry{resource}, before: []openstack.Home{here}, now: there, accept: "p3", refused: true, want: here},
	} {
		entries, err := inventory.Open(t.Context(), memory{})
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range test.entries {
			if err := entries.Put(t.Context(), entry); err != nil {
				t.Fatal(err)
			}
		}
		for _, home := range test.before {
			if err := entries.SetHome(t.Context(), inventory.Home(home)); err != nil {
				t.Fatal(err)
			}
		}
		s := &System{Flags: &Flags{AcceptOpenStack: test.accept}, Model: func() *model.Model { return &model.Model{} }}
		err = s.home(entries, test.readOnly)(t.Context(), test.now)
		if unit.IsBlocked(err) != test.refused || !test.refused && err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		var got openstack.Home
		if home := entries.Home(); home != nil {
			got = openstack.Home(*home)
		}
		if got != test.want {
			t.Errorf("%s: recorded is %v, want %v", test.name, got, test.want)
		}
	}
}

// memory is a store for one inventory.
type memory map[string]inventory.Shard

func (m memory) Load(context.Context) (map[string]inventory.Shard, error) { return m, nil }

func (m memory) Put(_ context.Context, name string, data []byte, version string) (string, error) {
	version += "+"
	m[name] = inventory.Shard{Data: data, Version: version}
	return version, nil
}

func TestAnotherWayToOpenStackIsGone(t *testing.T) {
	block := func(cloud string, line int) *model.Model {
		m := &model.Model{}
		m.Cloud.OpenStack = &model.OpenStack{Cloud: cloud, Range: diag.Range{Start: diag.Pos{Line: line}}}
		return m
	}
	now := block("a", 1)
	s := &System{Flags: &Flags{}, Model: func() *model.Model { return now }}
	_, _ = s.connect(t.Context()) // there is no such entry, which is not what this is about
	if s.stale() {
		t.Error("stale at once")
	}
	now = block("a", 7)
	if s.stale() {
		t.Error("stale because the block moved")
	}
	for _, other := range []*model.Model{block("b", 1), nil, {}} {
		if now = other; !s.stale() {
			t.Errorf("not stale with %+v", other)
		}
	}
}

// TestTheWayIsOnRecord: a daemon whose configuration is not at hand reaches OpenStack as the one before did, and
// neither records another way nor takes another OpenStack for it.
func TestTheWayIsOnRecord(t *testing.T) {
	entries, err := inventory.Open(t.Context(), memory{})
	if err != nil {
		t.Fatal(err)
	}
	at := &model.Model{}
	at.Cloud.Namespace, at.Cloud.Region = "cloud", "North"
	at.Cloud.OpenStack = &model.OpenStack{Secret: "login", AuthURL: "https://keystone.example.org/v3", CA: "PEM", Interface: "internal", Range: diag.Range{Start: diag.Pos{Line: 4}}}
	now := at
	s := &System{Flags: &Flags{}, Model: func() *model.Model { return now }, entries: entries}
	s.taken = s.way()
	if err := s.home(entries, true)(t.Context(), openstack.Home{Project: "p1"}); err != nil || entries.Way() != nil {
		t.Errorf("a plan records %+v, %v", entries.Way(), err)
	}
	if err := s.home(entries, false)(t.Context(), openstack.Home{Project: "p1"}); err != nil {
		t.Fatal(err)
	}
	want := s.way()
	if now = nil; s.way() != want || s.stale() || !s.reaches() {
		t.Errorf("without a configuration the way is %+v, and was %+v", s.way(), want)
	}
	s.taken = way{}
	if err := s.home(entries, false)(t.Context(), openstack.Home{Project: "p1"}); err != nil || *entries.Way() != want.recorded() {
		t.Errorf("without a configuration %+v is recorded, %v", entries.Way(), err)
	}
	put := inventory.Entry{Address: addr.MustParseObject("network.a"), Class: unit.ClassResource}
	if err := entries.Put(t.Context(), put); err != nil {
		t.Fatal(err)
	}
	if err := s.home(entries, false)(t.Context(), openstack.Home{Project: "p2"}); !unit.IsBlocked(err) {
		t.Errorf("another OpenStack is looked at: %v", err)
	}
	if now = (&model.Model{}); s.reaches() {
		t.Error("a configuration without an openstack block counts less than what is on record")
	}
}
