package openstack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// shelf is a keeper that has its Secrets in memory.
type shelf struct {
	secrets map[unit.ObjectRef]*unit.Kept
	before  func() // each making
	broken  error
}

func (s *shelf) Kept(_ context.Context, ref unit.ObjectRef) (*unit.Kept, error) {
	return s.secrets[ref], s.broken
}

func (s *shelf) Keep(_ context.Context, ref unit.ObjectRef, kept *unit.Kept) (bool, error) {
	if s.before != nil {
		s.before()
	}
	if s.secrets[ref] != nil || s.broken != nil {
		return false, s.broken
	}
	s.secrets[ref] = kept
	return true, nil
}

func (s *shelf) Discard(_ context.Context, ref unit.ObjectRef, mark string) error {
	if kept := s.secrets[ref]; kept != nil && kept.Mark == mark {
		delete(s.secrets, ref)
	}
	return s.broken
}

func aSecret() unit.ObjectRef {
	return unit.ObjectRef{APIVersion: "v1", Kind: "Secret", Namespace: "lab", Name: "ops-key"}
}

// TestKept: whoever makes a Secret first, all go on with what it holds.
func TestKept(t *testing.T) {
	value := func(text string) map[string]redact.Secret {
		return map[string]redact.Secret{privateKey: redact.NewSecret(text)}
	}
	ours, theirs := &unit.Kept{Mark: testMark, Values: value("canary-old")}, &unit.Kept{Values: value("canary-other")}
	for _, test := range []struct {
		name    string
		there   *unit.Kept // before
		comes   *unit.Kept // while it is made
		broken  error
		want    string
		blocked bool
	}{
		{name: "nothing is there", want: "canary-new"},
		{name: "it is there", there: ours, want: "canary-old"},
		{name: "it comes meanwhile", comes: ours, want: "canary-old"},
		{name: "another's is there", there: theirs, blocked: true},
		{name: "another's comes meanwhile", comes: theirs, blocked: true},
		{name: "the cluster does not answer", broken: errors.New("no answer")},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &shelf{secrets: map[unit.ObjectRef]*unit.Kept{}, broken: test.broken}
			if test.there != nil {
				s.secrets[aSecret()] = test.there
			}
			s.before = func() {
				if test.comes != nil {
					s.secrets[aSecret()] = test.comes
				}
			}
			w := wanted{mark: testMark, keeps: aSecret()}
			kept, err := w.kept(t.Context(), s, func() (*unit.Kept, error) { return &unit.Kept{Values: value("canary-new")}, nil })
			switch {
			case test.want == "":
				if err == nil || unit.IsBlocked(err) != test.blocked || strings.Contains(err.Error(), "canary") {
					t.Errorf("the error is %v", err)
				}
			case err != nil || kept.Values[privateKey].Reveal() != test.want || s.secrets[aSecret()] != kept:
				t.Errorf("got %v, %v", kept, err)
			}
		})
	}
}

func TestGeneratedPairs(t *testing.T) {
	kept, err := newPair("ops")
	if err != nil {
		t.Fatal(err)
	}
	kept.Mark = testMark
	public := publicOf(kept)
	if !strings.HasPrefix(public, "ssh-ed25519 ") || strings.TrimSpace(kept.Plain[publicKey]) != public {
		t.Errorf("the public key is %q", public)
	}
	if shown := fmt.Sprintf("%v %+v", kept, *kept); strings.Contains(shown, "PRIVATE") {
		t.Errorf("it is shown: %s", shown)
	}
	other, err := newPair("ops")
	if err != nil || publicOf(other) == public {
		t.Errorf("two are the same: %v", err)
	}
	other.Plain[publicKey] = public // which nobody goes by

	for _, test := range []struct {
		name   string
		secret *unit.Kept
		pair   string // the key of the one that Nova has, "" for none
		change map[string]cty.Value
		want   unit.Action
		says   string
	}{
		{name: "as it was made", secret: kept, pair: public, want: unit.ActionNone},
		{name: "Nova's was deleted", secret: kept, want: unit.ActionCreate},
		{name: "the Secret was lost", pair: public, want: unit.ActionBlocked, says: "put it back into ssh-privatekey"},
		{name: "the Secret has another key", secret: other, pair: public, want: unit.ActionBlocked, says: "put it back into ssh-privatekey"},
		{name: "the Secret is another's", secret: &unit.Kept{Mark: "kupenstack:another", Values: kept.Values}, pair: public, want: unit.ActionBlocked, says: "write another label"},
		{name: "the Secret was emptied", secret: &unit.Kept{Mark: testMark}, pair: public, want: unit.ActionBlocked, says: "put it back into ssh-privatekey"},
		{name: "another name", secret: kept, pair: public, change: map[string]cty.Value{"name": cty.StringVal("other")}, want: unit.ActionBlocked, says: "name cannot be changed"},
		{name: "another Secret", secret: kept, pair: public, change: map[string]cty.Value{"secret": cty.StringVal("lab/other")}, want: unit.ActionBlocked, says: "secret cannot be changed"},
		{
			name: "a key that is given", secret: kept, pair: public, want: unit.ActionBlocked, says: "public_key cannot be changed",
			change: map[string]cty.Value{"secret": cty.NullVal(cty.String), "public_key": cty.StringVal(publicOf(other))},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &shelf{secrets: map[unit.ObjectRef]*unit.Kept{}}
			if test.secret != nil {
				s.secrets[aSecret()] = test.secret
			}
			d := New(Options{Language: schema.New(), Keeper: s})
			defer d.Close()
			k := d.kinds["keypair"]
			written := map[string]cty.Value{"name": cty.StringVal("web"), "secret": cty.StringVal("ops-key")}
			for name, v := range test.change {
				written[name] = v
			}
			tg := testTarget(t, "keypair", wantValue("keypair", written))
			tg.ID, tg.Locator.Objects = "web", []unit.ObjectRef{aSecret()}
			if test.change["secret"] == cty.NilVal {
				tg.Spec.(*unit.Resource).Keeps = aSecret()
			}
			m := match{}
			if test.pair != "" {
				m.object, m.owned = k.(keypairKind).read(map[string]any{"name": "web", "public_key": test.pair + " elsewhere"}), true
				if _, err := d.join(t.Context(), k, tg, []*object{m.object}); err != nil {
					t.Fatal(err)
				}
			}
			diff := d.Compare(tg, desiredOf(tg), state(tg, m))
			if diff.Action != test.want || !strings.Contains(diff.Reason, test.says) {
				t.Errorf("the diff is %+v", diff)
			}
			if shown := fmt.Sprintf("%+v", diff); strings.Contains(shown, "PRIVATE") {
				t.Errorf("the private key is shown: %s", shown)
			}
		})
	}
}

// TestSecretsWithoutCluster: there is no place for one.
func TestSecretsWithoutCluster(t *testing.T) {
	d := testDriver(t)
	tg := testTarget(t, "keypair", wantValue("keypair", map[string]cty.Value{"name": cty.StringVal("web"), "secret": cty.StringVal("ops-key")}))
	if diff := d.Compare(tg, desiredOf(tg), unit.State{Existence: unit.Absent}); diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, "leave secret out") {
		t.Errorf("the diff is %+v", diff)
	}
}

// TestLeftSecrets: what nobody wants any more is not gone as long as its Secret is there, and a cluster that does not
// answer leaves it unknown.
func TestLeftSecrets(t *testing.T) {
	s := &shelf{secrets: map[unit.ObjectRef]*unit.Kept{aSecret(): {Mark: testMark}}}
	d := New(Options{Language: schema.New(), Keeper: s})
	defer d.Close()
	k := d.kinds["keypair"]
	tg := testTarget(t, "keypair", wantValue("keypair", nil))
	tg.Spec, tg.Locator = nil, unit.Locator{Kind: "keypair", Objects: []unit.ObjectRef{aSecret()}}
	left, failures := d.joinAll(t.Context(), []unit.Target{tg}, map[string][]*object{"keypair": {}})
	if left[tg.Address] != "Secret" || len(failures) > 0 {
		t.Errorf("left %v, failures %v", left, failures)
	}
	s.broken = errors.New("no answer")
	if left, failures := d.joinAll(t.Context(), []unit.Target{tg}, nil); left[tg.Address] != "" || failures[tg.Address] == nil {
		t.Errorf("left %v, failures %v", left, failures)
	}
	if _, err := d.without(t.Context(), nil, k, tg, "", unit.State{Existence: unit.Present}, unit.State{Existence: unit.Absent}); err == nil {
		t.Error("the cluster does not answer, and the Secret counts as gone")
	}
	s.broken = nil
	st, err := d.without(t.Context(), nil, k, tg, "", unit.State{Existence: unit.Present}, unit.State{Existence: unit.Absent})
	if err != nil || !st.Gone() || len(s.secrets) > 0 {
		t.Errorf("the state is %+v, %v, and there is %v", st, err, s.secrets)
	}
}
