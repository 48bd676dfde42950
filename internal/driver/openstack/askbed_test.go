package openstack_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// The services as they are answer what they are asked, each question with one request.
func TestRealServicesAreAsked(t *testing.T) {
	b := newBench(t)
	for _, test := range []struct {
		api  unit.API
		path string
	}{
		{unit.API{Service: "identity"}, "/v3/auth/projects"},
		{unit.API{Service: "image"}, "/v2/images"},
		{unit.API{Service: "placement"}, "/resource_providers"},
		{unit.API{Service: "compute", Hosts: []string{"a-node-without-instances"}}, "/v2.1/os-services"},
		{unit.API{Service: "network"}, "/v2.0/agents"},
		{unit.API{Service: "volumev3"}, "/os-services"},
	} {
		answer := b.Ask(t.Context(), test.api) // the first one logs in
		before := b.fleet.Counts()
		again := b.Ask(t.Context(), test.api)
		if answer.Reach != unit.ReachAnswers || again != answer {
			t.Errorf("%s: %+v, then %+v", test.api.Service, answer, again)
		}
		if counts := b.fleet.Counts().Since(before); counts.Total() != 1 || !strings.Contains(fmt.Sprint(counts), test.path) {
			t.Errorf("%s: %v", test.api.Service, counts)
		}
	}
	for _, service := range []string{"orchestration", "sharev2"} {
		if answer := b.Ask(t.Context(), unit.API{Service: service}); answer.Reach != unit.ReachRefuses || !strings.Contains(answer.Message, "the catalogue of OpenStack has no public endpoint of the "+service+" service") {
			t.Errorf("%s: %+v", service, answer)
		}
	}
}

// Nova knows the cells of the hosts that instances are started on here, and of no other one.
func TestRealHostsAreInACell(t *testing.T) {
	b := newBench(t)
	hosts := computeHosts(t, b)
	if answer := b.Ask(t.Context(), unit.API{Service: "compute", Hosts: hosts}); answer.Reach != unit.ReachAnswers {
		t.Fatalf("%+v", answer)
	}
	before := b.fleet.Counts()
	if answer := b.Ask(t.Context(), unit.API{Service: "compute", Hosts: hosts}); answer.Reach != unit.ReachAnswers || b.fleet.Counts().Since(before).Total() != 1 {
		t.Errorf("again: %+v, %v", answer, b.fleet.Counts().Since(before))
	}
}

// Our user can only be made once Keystone is ready: to ask whether it is must neither need that user nor keep
// anybody from making it.
func TestAskingComesBeforeOurUser(t *testing.T) {
	u := newOurUser(t)
	keystone := unit.API{Service: "identity", Address: u.own.AuthURL}
	for range 2 {
		if answer := u.Ask(t.Context(), keystone); answer.Reach != unit.ReachAnswers {
			t.Errorf("keystone without our user: %+v", answer)
		}
	}
	if answer := u.Ask(t.Context(), unit.API{Service: "image"}); answer.Reach != unit.ReachUnknown || !strings.Contains(answer.Message, "OpenStack refused the credentials") {
		t.Errorf("glance without our user: %+v", answer)
	}
	st, diff := u.look(t)
	if diff.Action != unit.ActionCreate {
		t.Fatalf("%+v, %+v", st, diff)
	}
	u.make(t, st)
	for _, api := range []unit.API{keystone, {Service: "image"}, {Service: "compute"}} {
		if answer := u.Ask(t.Context(), api); answer.Reach != unit.ReachAnswers {
			t.Errorf("%s with our user: %+v", api.Service, answer)
		}
	}
}
