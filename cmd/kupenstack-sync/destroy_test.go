package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func TestDestroyAsks(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"prod\n", "prod"}, {"  prod  \n", "prod"}, {"prod", "prod"}, {"\n", ""}, {"", ""},
	} {
		var out bytes.Buffer
		secret := destroying{in: strings.NewReader("prod\n"), out: new(bytes.Buffer), asks: true}
		if err := secret.run(t.Context(), &options{Flags: wire.Flags{Repo: "https://u:canary-hunter2@git.example.org/cloud.git"}}); err == nil || strings.Contains(secret.out.(*bytes.Buffer).String(), "canary") {
			t.Errorf("it asks %q, and ends with %v", secret.out, err)
		}
		d := destroying{in: strings.NewReader(c.typed), out: &out, asks: true}
		name, err := d.ask("https://git.example.org/cloud.git", nil)
		if name != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q: %q, %v", c.typed, name, err)
		}
		if !strings.Contains(out.String(), "https://git.example.org/cloud.git") {
			t.Errorf("it asks %q", out.String())
		}
	}
	d := destroying{in: strings.NewReader("prod\n")}
	if _, err := d.ask(".", nil); !errors.Is(err, wire.ErrUsage) || !strings.Contains(err.Error(), "--confirm") {
		t.Errorf("without anybody to ask: %v", err)
	}
}

func TestDestroySaysWhichDataGoes(t *testing.T) {
	var out bytes.Buffer
	claim := func(release, kind, name, size string) wire.Claim {
		return wire.Claim{Ref: unit.ObjectRef{APIVersion: "v1", Kind: kind, Namespace: "openstack", Name: name}, Release: release, Size: size}
	}
	listed := []wire.Claim{claim("mariadb", "PersistentVolumeClaim", "data-0", "5Gi"), claim("mariadb", "ConfigMap", "mariadb-mariadb-state", ""), claim("keystone", "Secret", "keystone-fernet-keys", "")}
	find := func(context.Context, *options) ([]wire.Claim, []string, error) {
		return listed, []string{"the data of mariadb is left alone"}, nil
	}
	d := destroying{in: strings.NewReader("\n"), out: &out, asks: true, find: find}
	if err := d.run(t.Context(), &options{Flags: wire.Flags{Language: schema.New()}, deleteData: []string{"mariadb", "glance", "keystone"}}); err == nil || !strings.Contains(out.String(), "are listed above are deleted, with all that is on them: mariadb, glance, keystone.") || strings.Contains(out.String(), "stays") {
		t.Errorf("it asks %q, and ends with %v", out.String(), err)
	}
	const list = `  mariadb
    PersistentVolumeClaim openstack/data-0, 5Gi
    ConfigMap openstack/mariadb-mariadb-state
  glance
    no volumes, no keys
  keystone
    Secret openstack/keystone-fernet-keys
the data of mariadb is left alone
`
	if !strings.Contains(out.String(), list) || strings.Index(out.String(), list) > strings.Index(out.String(), "The name of the cloud") {
		t.Errorf("it lists %q", out.String())
	}
	d = destroying{confirm: "prod", out: &out, find: func(context.Context, *options) ([]wire.Claim, []string, error) {
		return nil, nil, errors.New("no answer")
	}}
	o := &options{Flags: wire.Flags{Language: schema.New()}, deleteData: []string{"mariadb"}}
	if err := d.run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "before anything is taken away: no answer") || o.tearDown != "" {
		t.Errorf("while the volumes cannot be listed: %v, %q", err, o.tearDown)
	}
	d = destroying{confirm: "prod"}
	if err := d.run(t.Context(), &options{Flags: wire.Flags{Language: schema.New()}, deleteData: []string{"mariadb", "mysql"}}); !errors.Is(err, wire.ErrUsage) || !strings.Contains(err.Error(), `"mysql"`) {
		t.Errorf("of an unknown service: %v", err)
	}
}

// TestSuspendedDataStays: who suspends a service, or all, has its volumes left alone as well, whatever somebody else
// confirms, and the keys that may be needed for them.
func TestSuspendedDataStays(t *testing.T) {
	now := time.Now()
	claim := func(release, kind string) wire.Claim {
		return wire.Claim{Ref: unit.ObjectRef{APIVersion: "v1", Kind: kind, Namespace: "openstack", Name: release}, Release: release}
	}
	all := []wire.Claim{claim("mariadb", "PersistentVolumeClaim"), claim("mariadb", "ConfigMap"), claim("glance", "PersistentVolumeClaim"), claim("keystone", "Secret")}
	service := suspension.Suspension{Target: addr.MustParseObject("service.mariadb"), By: "ada", Reason: "it is recovered"}
	over := service
	over.Until = now.Add(-time.Minute)
	for _, test := range []struct {
		name string
		list []suspension.Suspension
		free []wire.Claim
		stay int
	}{
		{"none", nil, all, 0},
		{"one that is over", []suspension.Suspension{over}, all, 0},
		{"another thing", []suspension.Suspension{{Target: addr.MustParseObject("network.web"), By: "ada"}}, all, 0},
		{"a service", []suspension.Suspension{service}, all[2:3], 1},
		{"the whole cloud", []suspension.Suspension{{Target: addr.Module{}, By: "ada"}}, nil, 3},
	} {
		free, stay := unsuspended(all, test.list, now)
		if !slices.Equal(free, test.free) || len(stay) != test.stay {
			t.Errorf("%s: free are %v, and %q", test.name, free, stay)
		}
		if test.name == "a service" && !strings.Contains(stay[0], "the data of mariadb stays: it is suspended by ada: it is recovered") {
			t.Errorf("it says %q", stay[0])
		}
	}
}

// TestDestroyIsTyped: variables that somebody left behind allow nothing.
func TestDestroyIsTyped(t *testing.T) {
	t.Setenv("KUPENSTACK_CONFIRM", "prod")
	t.Setenv("KUPENSTACK_DELETE_DATA", "mariadb")
	o := &options{Flags: wire.Flags{Language: schema.New()}}
	flags := destroyCommand(o).Flags()
	if err := wire.FromEnvironment(flags); err != nil {
		t.Fatal(err)
	}
	if confirmed := flags.Lookup("confirm").Value.String(); confirmed != "" || len(o.deleteData) > 0 {
		t.Errorf("variables confirm %q and delete %q", confirmed, o.deleteData)
	}
}
