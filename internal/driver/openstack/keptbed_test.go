package openstack_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// drawer has Secrets in memory, and ends the process at a call.
type drawer struct {
	mutex   sync.Mutex
	secrets map[unit.ObjectRef]*unit.Kept
	ends    string // the call at which the process ends, "" for none
	end     func()
}

var errKilled = errors.New("the process was killed")

// at is one call; it is made unless the process ends before it.
func (d *drawer) at(name string, call func()) error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.ends == "before "+name {
		d.end()
		return errKilled
	}
	call()
	if d.ends == "after "+name {
		d.end()
		return errKilled
	}
	return nil
}

func (d *drawer) Kept(_ context.Context, ref unit.ObjectRef) (kept *unit.Kept, err error) {
	err = d.at("reading", func() { kept = d.secrets[ref] })
	return kept, err
}

func (d *drawer) Keep(_ context.Context, ref unit.ObjectRef, kept *unit.Kept) (made bool, err error) {
	err = d.at("making", func() {
		if made = d.secrets[ref] == nil; made {
			d.secrets[ref] = kept
		}
	})
	return made, err
}

func (d *drawer) Discard(_ context.Context, ref unit.ObjectRef, mark string) error {
	return d.at("discarding", func() {
		if kept := d.secrets[ref]; kept != nil && kept.Mark == mark {
			delete(d.secrets, ref)
		}
	})
}

// keptTarget is a target with a Secret.
func keptTarget(t *testing.T, kind, name string, written values) (unit.Target, unit.ObjectRef) {
	t.Helper()
	ref := unit.ObjectRef{APIVersion: "v1", Kind: "Secret", Namespace: "lab", Name: name}
	written["secret"] = text("lab/" + name)
	tg := target(t, kind, name, written)
	tg.Spec.(*unit.Resource).Keeps = ref
	tg.Locator = tg.Spec.Locator()
	return tg, ref
}

// killed makes a pass that ends at a call of the drawer, or at a request that changes something.
func (x *installation) killed(t *testing.T, d *drawer, units []unit.Unit, when string, match faultproxy.Match) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	d.ends, d.end = when, end
	defer func() { d.ends = "" }()
	if strings.HasPrefix(when, "request ") {
		x.fleet.Add(faultproxy.Rule{Match: match, Limit: 1, Action: faultproxy.Wrap("killed", func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if when == "request after" {
					next.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.WithoutCancel(r.Context())))
				}
				end()
				panic(http.ErrAbortHandler)
			})
		})})
	}
	if err := x.pass(ctx, x.store, units); err == nil {
		t.Errorf("the process was killed %s, but all is done", when)
	}
}

// TestBedGeneratedPair: wherever a process is killed, there is one key in the end, and nobody has lost it; and nothing is
// left of a pair that nobody wants any more.
func TestBedGeneratedPair(t *testing.T) {
	d := &drawer{secrets: map[unit.ObjectRef]*unit.Kept{}}
	x := newInstallation(t, "pair")
	x.options.Keeper = d
	rest := target(t, "keypair", x.prefix+"-rest", values{"public_key": text(publicKey)})
	t.Cleanup(func() {
		_, _ = ask(context.Background(), t, "compute", http.MethodDelete, "os-keypairs/"+x.prefix+"-rest", nil)
	})
	made := func(name string) string {
		answer, err := ask(t.Context(), t, "compute", http.MethodGet, "os-keypairs/"+name, nil)
		if err != nil {
			return ""
		}
		key, _ := answer["keypair"].(map[string]any)["public_key"].(string)
		return strings.TrimSpace(key)
	}
	for _, when := range []string{"before making", "after making", "request before", "request after"} {
		name := x.prefix + "-" + strings.ReplaceAll(when, " ", "-")
		tg, ref := keptTarget(t, "keypair", name, values{})
		units := unitsOf([]unit.Target{rest, tg})
		x.killed(t, d, units, when, faultproxy.Match{Verb: "POST", Path: "/v2.1/os-keypairs"})
		first := d.secrets[ref]
		if err := x.settleUnits(t.Context(), units); err != nil {
			t.Fatalf("killed %s: %v", when, err)
		}
		kept := d.secrets[ref]
		if kept == nil || first != nil && kept != first {
			t.Fatalf("killed %s: the key was %v and is %v", when, first, kept)
		}
		signer, err := ssh.ParsePrivateKey([]byte(kept.Values["ssh-privatekey"].Reveal()))
		if err != nil {
			t.Fatalf("killed %s: the private key: %v", when, err)
		}
		if want := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))); made(name) != want {
			t.Errorf("killed %s: Nova has the key %q, want %q", when, made(name), want)
		}
		for _, shard := range x.store.shards {
			if strings.Contains(string(shard.Data), "PRIVATE") {
				t.Error("the inventory has a private key")
			}
		}
	}
	for _, when := range []string{"before discarding", "after discarding", "request before", "request after"} {
		name := x.prefix + "-end-" + strings.ReplaceAll(when, " ", "-")
		tg, _ := keptTarget(t, "keypair", name, values{})
		units := unitsOf([]unit.Target{rest, tg})
		if err := x.settleUnits(t.Context(), units); err != nil { // those of before go along
			t.Fatal(err)
		}
		x.killed(t, d, units[:1], when, faultproxy.Match{Verb: "DELETE", Path: "/v2.1/os-keypairs/" + name})
		if err := x.settleUnits(t.Context(), units[:1]); err != nil {
			t.Fatalf("killed %s: %v", when, err)
		}
		if len(d.secrets) > 0 || made(name) != "" {
			t.Errorf("killed %s: left are %v and %q", when, d.secrets, made(name))
		}
	}
}

// TestBedGeneratedPairIsMet by what others do: to the pair, and to its Secret.
func TestBedGeneratedPairIsMet(t *testing.T) {
	d := &drawer{secrets: map[unit.ObjectRef]*unit.Kept{}}
	x := newInstallation(t, "met")
	x.options.Keeper = d
	rest := target(t, "keypair", x.prefix+"-rest", values{"public_key": text(publicKey)})
	tg, ref := keptTarget(t, "keypair", x.prefix+"-ops", values{})
	t.Cleanup(func() {
		for _, name := range []string{"-rest", "-ops"} {
			_, _ = ask(context.Background(), t, "compute", http.MethodDelete, "os-keypairs/"+x.prefix+name, nil)
		}
	})
	units := unitsOf([]unit.Target{rest, tg})
	settle := func(what string, units []unit.Unit) {
		t.Helper()
		if err := x.settleUnits(t.Context(), units); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	settle("it is made", units)
	kept := d.secrets[ref]
	before := x.fleet.Counts()
	settle("nothing changed", units)
	if n := x.fleet.Counts().Since(before).Of("POST", "/v2.1/os-keypairs"); n != 0 {
		t.Errorf("%d pairs were made", n)
	}
	request(t, "compute", http.MethodDelete, "os-keypairs/"+x.prefix+"-ops", nil)
	settle("somebody deleted the pair", units)
	if d.secrets[ref] != kept {
		t.Error("somebody deleted the pair, and the key is another one")
	}
	delete(d.secrets, ref)
	if err := x.pass(t.Context(), x.store, units); err == nil || !strings.Contains(err.Error(), "put it back into ssh-privatekey") {
		t.Errorf("somebody deleted the Secret: %v", err)
	}
	d.secrets[ref] = kept
	settle("the Secret is back", units)
	request(t, "compute", http.MethodDelete, "os-keypairs/"+x.prefix+"-ops", nil)
	settle("nobody wants it, and the pair is gone already", units[:1])
	if len(d.secrets) > 0 {
		t.Error("its Secret was left")
	}
}
