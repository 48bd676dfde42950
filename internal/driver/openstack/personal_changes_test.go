package openstack_test

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestTheUserOfTheCredentialsChanges, and becomes the old one again.
func TestTheUserOfTheCredentialsChanges(t *testing.T) {
	for what, tg := range personalTargets(t) {
		t.Run(what, func(t *testing.T) {
			cloud, secrets, store := newUsersCloud(), &drawer{secrets: map[unit.ObjectRef]*unit.Kept{}}, &records{shards: map[string]inventory.Shard{}}
			marker := inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough"))
			// pass is one of a process with the credentials of a user. It ends when the target has failed once.
			pass := func(user string, removals []model.Removal, targets ...unit.Target) (engine.UnitStatus, *inventory.Inventory) {
				t.Helper()
				kept, err := inventory.Open(t.Context(), store)
				if err != nil {
					t.Fatal(err)
				}
				ctx, end := context.WithCancel(t.Context())
				defer end()
				var e *engine.Engine
				status := func() engine.UnitStatus {
					all := e.Snapshot().Units
					if i := slices.IndexFunc(all, func(s engine.UnitStatus) bool { return s.Address == tg.Address }); i >= 0 {
						return all[i]
					}
					return engine.UnitStatus{}
				}
				e = engine.New(engine.Options{
					Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: cloud.as(t, user, secrets)}, Inventory: kept, Marker: marker,
					Changed: func() {
						if status().Phase == engine.PhaseFailed {
							end()
						}
					},
				})
				r := &engine.Revision{ID: rand.Text(), Deployment: inventory.Deployment{Cloud: "demo"}, Units: unitsOf(targets), Removals: removals}
				if err := e.Converge(ctx, r, time.Millisecond); err != nil && ctx.Err() == nil {
					t.Fatal(err)
				}
				return status(), kept
			}
			other := target(t, "server_group", "rest", values{})
			other.Spec.(*unit.Resource).Lookup = true
			if st, kept := pass("u1", nil, other, tg); st.Phase != engine.PhaseReady {
				t.Fatalf("it is %+v", st)
			} else if entry, _ := kept.Entry(tg.Address); entry.Locator.User != "u1" {
				t.Fatalf("on record is %+v", entry)
			}
			made, secret, writes := len(cloud.wrote), secrets.secrets[tg.Spec.(*unit.Resource).Keeps], store.puts
			for _, targets := range [][]unit.Target{{other, tg}, {other}} {
				st, kept := pass("u2", nil, targets...)
				if st.Phase != engine.PhaseFailed || !strings.Contains(st.Reason, "made for the user u1") {
					t.Errorf("for another user it is %+v", st)
				}
				if entry, ok := kept.Entry(tg.Address); !ok || entry.ID == "" || entry.Locator.User != "u1" {
					t.Errorf("on record is %+v", entry)
				}
			}
			if st, _ := pass("u1", nil, other, tg); st.Phase != engine.PhaseReady || store.puts != writes {
				t.Errorf("it is %+v, after %d writes instead of %d", st, store.puts, writes)
			}
			if len(cloud.wrote) != made || secrets.secrets[tg.Spec.(*unit.Resource).Keeps] != secret {
				t.Errorf("there were %v, and kept are %v", cloud.wrote, secrets.secrets)
			}

			forget := []model.Removal{{From: tg.Address}}
			if _, kept := pass("u2", forget, other); len(cloud.wrote) != made || secrets.secrets[tg.Spec.(*unit.Resource).Keeps] != secret {
				t.Errorf("forgotten: there were %v, and kept are %v", cloud.wrote, secrets.secrets)
			} else if _, ok := kept.Entry(tg.Address); ok {
				t.Error("it was to be forgotten")
			}
			if tg.Locator.Kind == "application_credential" { // its Secret is still that of the one that stays
				if st, _ := pass("u2", nil, other, tg); st.Phase != engine.PhaseFailed || !strings.Contains(st.Reason, "delete the Secret lab/web") {
					t.Errorf("with the Secret of another user it is %+v", st)
				}
				delete(secrets.secrets, tg.Spec.(*unit.Resource).Keeps)
			}
			if st, kept := pass("u2", nil, other, tg); st.Phase != engine.PhaseReady {
				t.Errorf("made for the other user it is %+v", st)
			} else if entry, _ := kept.Entry(tg.Address); entry.Locator.User != "u2" {
				t.Errorf("on record is %+v", entry)
			}
			if _, kept := pass("u2", nil, other); len(kept.Entries()) > 0 || len(secrets.secrets) > 0 {
				t.Errorf("left are %v and %v", kept.Entries(), secrets.secrets)
			}
			if len(cloud.credentials)+len(cloud.pairs) != 1 {
				t.Errorf("the first user has %v and %v", cloud.credentials, cloud.pairs)
			}
		})
	}
}

// A record of an older program has no user. What other credentials saw is not deleted by its name then.
func TestDeletionByAnotherUserThanLooked(t *testing.T) {
	cloud := newUsersCloud()
	cloud.pairs["u2"] = map[string]any{"name": "web", "public_key": "ssh-ed25519 another"}
	d := cloud.as(t, "u2", nil)
	tg := target(t, "keypair", "web", values{"public_key": text(publicKey)})
	tg.Fresh, tg.ID, tg.Complete, tg.Spec = false, "web", true, nil
	tg.Locator = unit.Locator{Driver: unit.OpenStack, Kind: "keypair"}
	st, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Present, ID: "web", Owned: true, User: "u1"})
	if err == nil || len(cloud.wrote) > 0 {
		t.Errorf("%+v, %v, after %v", st, err, cloud.wrote)
	}
}
