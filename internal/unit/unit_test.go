package unit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const canary = "canary-4711"

func TestVisible(t *testing.T) {
	tests := []struct {
		name  string
		value cty.Value
		want  any
	}{
		{"nothing", cty.NilVal, nil},
		{"null", cty.NullVal(cty.String), nil},
		{"unknown", cty.UnknownVal(cty.String), unit.TextUnknown},
		{"sensitive", cty.StringVal(canary).Mark(model.Sensitive), unit.TextSensitive},
		{"whole number", cty.NumberIntVal(1 << 40), int64(1 << 40)},
		{"whole number beyond floats", cty.MustParseNumberVal("9007199254740993"), int64(9007199254740993)},
		{"whole number beyond 64 bits", cty.MustParseNumberVal("18446744073709551617"), "18446744073709551617"},
		{"null attributes are not written", cty.ObjectVal(map[string]cty.Value{
			"a": cty.StringVal("x"), "b": cty.NullVal(cty.String), "c": cty.StringVal(canary).Mark(model.Sensitive),
		}), map[string]any{"a": "x", "c": unit.TextSensitive}},
		{"deep", cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{
			"k": cty.UnknownVal(cty.Number),
		})}), []any{map[string]any{"k": unit.TextUnknown}}},
		{"a sensitive element", cty.ListVal([]cty.Value{cty.StringVal(canary).Mark(model.Sensitive)}), []any{unit.TextSensitive}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := unit.Visible(test.value)
			if fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("got %#v, want %#v", got, test.want)
			}
			if text, err := json.Marshal(got); err != nil || strings.Contains(string(text), canary) {
				t.Errorf("JSON %s, error %v", text, err)
			}
		})
	}
}

func TestDigestTellsSpecsApart(t *testing.T) {
	object := func(data string) map[string]any {
		return map[string]any{"kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, "data": map[string]any{"k": data}}
	}
	resource := func(name cty.Value) *unit.Resource {
		return &unit.Resource{Kind: "network", Desired: cty.ObjectVal(map[string]cty.Value{"name": name})}
	}
	specs := []unit.Spec{
		&unit.Objects{Items: []map[string]any{object("1")}},
		&unit.Objects{Items: []map[string]any{object("2")}},
		&unit.Objects{Items: []map[string]any{object("2")}, Keep: true},
		&unit.Node{Name: "n", Labels: map[string]string{"a": "b"}},
		&unit.Node{Name: "n", Labels: map[string]string{"a": "c"}},
		&unit.Release{Name: "r", Values: map[string]any{"replicas": int64(1)}},
		&unit.Release{Name: "r", Values: map[string]any{"replicas": int64(2)}},
		&unit.Release{Name: "r", Secrets: []unit.ValueSecret{{Path: []string{"a"}, Name: "s", Key: "k"}}},
		&unit.Credentials{Name: "c", Keys: []unit.Credential{{Key: "a"}}},
		&unit.Credentials{Name: "c", Keys: []unit.Credential{{Key: "b"}}},
		resource(cty.StringVal("a")),
		resource(cty.StringVal("b")),
		resource(cty.UnknownVal(cty.String)),
	}
	seen := map[string]int{}
	for i, spec := range specs {
		digest := spec.Digest()
		if spec.Digest() != digest {
			t.Errorf("spec %d has two digests", i)
		}
		if other, ok := seen[digest]; ok {
			t.Errorf("the specs %d and %d have one digest", i, other)
		}
		seen[digest] = i
	}
	if resource(cty.StringVal("a").Mark(model.Sensitive)).Digest() != resource(cty.StringVal("b").Mark(model.Sensitive)).Digest() {
		t.Error("a digest is made of a sensitive value")
	}
}

func TestLocatorListsObjectsInOrder(t *testing.T) {
	o := &unit.Objects{Items: []map[string]any{
		{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": "b", "name": "x"}},
		{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "y"}},
		{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": "a", "name": "x"}},
	}}
	var got []string
	for _, ref := range o.Locator().Objects {
		got = append(got, ref.String())
	}
	if want := []string{"ConfigMap y", "Secret a/x", "Secret b/x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	same := &unit.Objects{Items: []map[string]any{o.Items[2], o.Items[0], o.Items[1]}}
	if !o.Locator().Equal(same.Locator()) {
		t.Error("the order of items makes another locator")
	}
	less := &unit.Objects{Items: o.Items[1:]}
	if o.Locator().Equal(less.Locator()) {
		t.Error("a missing object makes no other locator")
	}
}

func TestState(t *testing.T) {
	ready := unit.State{Existence: unit.Present, Installed: true, Health: unit.HealthReady}
	if !ready.Ready() || ready.Gone() {
		t.Error("what is there and works is not ready")
	}
	for name, s := range map[string]unit.State{
		"unknown":       {Installed: true, Health: unit.HealthReady},
		"not installed": {Existence: unit.Present, Health: unit.HealthReady},
		"progressing":   {Existence: unit.Present, Installed: true, Health: unit.HealthProgressing},
	} {
		if s.Ready() || s.Gone() {
			t.Errorf("%s: ready %t, gone %t", name, s.Ready(), s.Gone())
		}
	}
	if !(unit.State{Existence: unit.Absent}).Gone() {
		t.Error("what is absent is not gone")
	}
}

func TestErrors(t *testing.T) {
	blocked := fmt.Errorf("network.web: %w", unit.Blocked("rename it"))
	if !unit.IsBlocked(blocked) || unit.IsBlocked(errors.New("rename it")) {
		t.Error("blocked errors are not told from others")
	}
	cause := errors.New("busy")
	retry := fmt.Errorf("network.web: %w", &unit.RetryError{After: time.Minute, Err: cause})
	if unit.RetryAfter(retry) != time.Minute || unit.RetryAfter(cause) != 0 || !errors.Is(retry, cause) {
		t.Error("the time to retry is lost on the way")
	}
}

func TestActions(t *testing.T) {
	for _, a := range []unit.Action{unit.ActionNone, unit.ActionBlocked, unit.ActionUnknown} {
		if a.Changes() || a.Destroys() {
			t.Errorf("%s changes something", a)
		}
	}
	for _, a := range []unit.Action{unit.ActionReplace, unit.ActionDelete} {
		if !a.Changes() || !a.Destroys() {
			t.Errorf("%s destroys nothing", a)
		}
	}
	if unit.ActionUpdate.Destroys() || !unit.ActionForget.Changes() {
		t.Error("update destroys, or forget changes nothing")
	}
}

// TestCostOfWhatIsTakenOut: a change in place says which addresses go with it.
func TestCostOfWhatIsTakenOut(t *testing.T) {
	block := schema.New().Resource("instance")
	const lost = "some of its networks are taken out, and the addresses that it has there are lost"
	for _, test := range []struct {
		f    unit.Field
		want string
	}{
		{unit.Field{Path: "networks", Before: `["a","b"]`, After: `["b"]`}, lost},
		{unit.Field{Path: "networks", Before: `["a","a"]`, After: `["a","b"]`}, lost},
		{unit.Field{Path: "networks", Before: `["a"]`, After: `["b","a"]`}, ""},
		{unit.Field{Path: "networks", After: `["b"]`}, ""},
		{unit.Field{Path: "networks", Before: `["a"]`, After: `["b"]`, Effect: unit.Replace}, ""},
		{unit.Field{Path: "ports", Before: `["a"]`, After: `[]`}, ""},
	} {
		if got := unit.Cost(block, []unit.Field{test.f}); got != test.want {
			t.Errorf("%+v costs %q, want %q", test.f, got, test.want)
		}
	}
}
