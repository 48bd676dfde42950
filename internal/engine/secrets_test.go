package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// vault has one Secret, or none.
type vault struct {
	mutex sync.Mutex
	value string
	err   error
}

func (v *vault) set(value string, err error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.value, v.err = value, err
}

func (v *vault) Opted(_ context.Context, namespace, name, key string) (redact.Secret, error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	switch {
	case v.err != nil:
		return redact.Secret{}, v.err
	case v.value == "":
		return redact.Secret{}, &unit.RetryError{After: 15 * time.Second, Err: unit.Blocked(fmt.Sprintf("Secret %s/%s has no key %q", namespace, name, key))}
	}
	return redact.NewSecret(v.value), nil
}

// fromSecret returns a revision with one server whose field is a key of a Secret.
func fromSecret() *engine.Revision {
	ref := model.SecretRef{Namespace: "openstack", Name: "web", Key: "token"}
	spec := func(secrets map[model.SecretRef]redact.Secret) *unit.Resource {
		desired := cty.UnknownVal(cty.String)
		if value, ok := secrets[ref]; ok {
			desired = cty.StringVal(value.Reveal())
		}
		return &unit.Resource{
			Kind: "server", Desired: cty.UnknownVal(cty.String), Secrets: []model.SecretRef{ref},
			Resolve: func(map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) { return desired, nil },
		}
	}
	first := spec(nil)
	first.Reveal = spec
	return &engine.Revision{ID: "one", Units: []unit.Unit{{Address: addr.MustParseObject("resource.web"), Spec: first, Class: unit.ClassResource}}}
}

// What needs a Secret is blocked while there is none, goes on when there is one, and follows its value.
func TestSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, v := newWorld(), &vault{}
		entries, err := inventory.Open(t.Context(), &store{world: w, shards: map[string]inventory.Shard{}})
		if err != nil {
			t.Fatal(err)
		}
		e := engine.New(engine.Options{
			Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: fake{unit.OpenStack, w}}, Inventory: entries, Secrets: v,
			Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")), Resync: 5 * time.Minute, Log: zerolog.Nop(),
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			e.Run(ctx, 0)
		}()
		defer func() {
			cancel()
			<-ended
		}()
		if err := e.Submit(ctx, fromSecret()); err != nil {
			t.Fatal(err)
		}
		expect := func(after time.Duration, phase engine.Phase, reason, trace string) {
			t.Helper()
			time.Sleep(after) // of the bubble's clock
			synctest.Wait()
			s := e.Snapshot()
			if s.Units[0].Phase != phase || !strings.Contains(s.Units[0].Reason, reason) {
				t.Errorf("it is %s: %s", s.Units[0].Phase, s.Units[0].Reason)
			}
			w.mutex.Lock()
			defer w.mutex.Unlock()
			if got := strings.Join(w.trace, ", "); got != trace {
				t.Errorf("the calls were %s", got)
			}
		}
		expect(10*time.Second, engine.PhaseBlocked, `Secret openstack/web has no key "token"`, "")
		v.set("", errors.New("the cluster does not answer"))
		expect(20*time.Second, engine.PhaseFailed, "the cluster does not answer", "")
		v.set("", nil)
		expect(5*time.Minute, engine.PhaseBlocked, "has no key", "")
		v.set("canary-one", nil)
		expect(30*time.Second, engine.PhaseReady, "", "create resource.web")
		v.set("canary-two", nil)
		expect(6*time.Minute, engine.PhaseReady, "", "create resource.web, delete resource.web, create resource.web")
		if text, err := json.Marshal(entries.Entries()); err != nil || strings.Contains(string(text), "canary") {
			t.Errorf("the inventory tells a secret: %s", text)
		}
		if shown := fmt.Sprintf("%+v", e.Snapshot().Units[0].Reason); strings.Contains(shown, "canary") {
			t.Errorf("the snapshot tells a secret: %s", shown)
		}
	})
}
