package kube

import (
	"context"
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// memory is what is known of releases, by name.
type memory struct {
	values map[string]string // what their history holds
	left   map[string]string // the StatefulSet that is there of them
	err    error             // of every look at what is left
}

func (m memory) Recover(_ context.Context, use unit.CredentialUse) (redact.Secret, bool, error) {
	value, exists := m.values[use.Release]
	return redact.NewSecret(value), exists, nil
}

func (m memory) Remains(_ context.Context, namespace, release string) (unit.ObjectRef, bool, error) {
	name, found := m.left[release]
	return unit.ObjectRef{APIVersion: "apps/v1", Kind: "StatefulSet", Namespace: namespace, Name: name}, found, m.err
}

// lostSet is a Secret with a key of mariadb and keystone, one of keystone alone, and one of nobody.
func lostSet(m memory) *credentialSet {
	use := func(releases ...string) (uses []unit.CredentialUse) {
		for _, release := range releases {
			uses = append(uses, unit.CredentialUse{Namespace: "openstack", Release: release, Path: []string{"a"}})
		}
		return uses
	}
	spec := &unit.Credentials{Namespace: "openstack", Name: "passwords", Keys: []unit.Credential{
		{Key: "root", Uses: use("mariadb", "keystone")}, {Key: "token", Uses: use("keystone")}, {Key: "unused"},
	}}
	target := unit.Target{Address: addr.MustParseObject("service.keystone"), Spec: spec, Locator: spec.Locator()}
	return &credentialSet{cluster: &Cluster{}, recoverer: m, agreed: newAgreements(), target: target, spec: spec}
}

// Values are made anew only when nothing is there that was made with the old ones, whatever became of
// the records of the releases.
func TestLostCredentialsOfARunningCloud(t *testing.T) {
	living := map[string]string{"mariadb": "mariadb-server", "keystone": "keystone-api"}
	secret := func(keys ...string) *unstructured.Unstructured {
		data := map[string]any{}
		for _, key := range keys {
			data[key] = "eA=="
		}
		return &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{AnnotationUnit: "service.keystone"}}, "data": data,
		}}
	}
	for _, test := range []struct {
		name   string
		memory memory
		live   *unstructured.Unstructured
		action unit.Action
		parts  []string // of the reason
	}{
		{"a fresh cloud", memory{}, nil, unit.ActionCreate, nil},
		{"the Secret alone is lost", memory{values: map[string]string{"mariadb": "x", "keystone": "x"}, left: living}, nil, unit.ActionCreate, nil},
		{"it was made, and nothing is installed yet", memory{}, secret("root", "token", "unused"), unit.ActionUpdate, nil},
		{"nothing is lost but the records", memory{left: living}, secret("root", "token", "unused"), unit.ActionUpdate, nil},
		{"another key comes", memory{left: living}, secret("root", "token"), unit.ActionUpdate, nil},
		{
			"all is lost",
			memory{left: living},
			nil, unit.ActionBlocked,
			[]string{"(root, token)", "Secret openstack/passwords", "StatefulSet openstack/keystone-api, StatefulSet openstack/mariadb-server", "Restore the Secret", "delete what is left"},
		},
		{
			"one release still tells what it knows", memory{values: map[string]string{"keystone": "x"}, left: living}, nil, unit.ActionCreate, nil,
		},
		{
			"only the database is left",
			memory{left: map[string]string{"mariadb": "mariadb-server"}},
			nil, unit.ActionBlocked,
			[]string{"(root)", "StatefulSet openstack/mariadb-server"},
		},
		{
			"one value is lost",
			memory{left: living},
			secret("root", "unused"), unit.ActionBlocked,
			[]string{"(token)", "StatefulSet openstack/keystone-api"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := lostSet(test.memory)
			there := objects{}
			if test.live != nil {
				there[s.ref()] = test.live
			}
			state, err := s.state(t.Context(), there)
			if err != nil {
				t.Fatal(err)
			}
			diff := s.compare(state)
			if diff.Action != test.action {
				t.Fatalf("got %+v", diff)
			}
			for _, part := range test.parts {
				if !strings.Contains(diff.Reason, part) || !strings.Contains(state.Message, part) {
					t.Errorf("%q, or %q, does not say %q", diff.Reason, state.Message, part)
				}
			}
			blocked := test.action == unit.ActionBlocked
			if blocked && state.After == 0 {
				t.Error("nothing looks whether the Secret came back")
			}
			// What makes the values says the same.
			err = s.fill(t.Context(), missingKeys(s.spec, valuesOf(test.live)), map[string]redact.Secret{})
			if unit.IsBlocked(err) != blocked || !blocked && err != nil {
				t.Errorf("making the values: %v", err)
			}
		})
	}
}

func TestWhatIsLeftIsKnownOrAnError(t *testing.T) {
	s := lostSet(memory{err: errors.New("forbidden")})
	if _, err := s.state(t.Context(), objects{}); err == nil || unit.IsBlocked(err) || !strings.Contains(err.Error(), "what is left of release openstack/mariadb: forbidden") {
		t.Errorf("observed: %v", err)
	}
	if value, err := s.value(t.Context(), s.spec.Keys[0]); err == nil || !value.IsEmpty() {
		t.Errorf("made: %v", err)
	}
}
