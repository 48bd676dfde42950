package plan_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const canary = "canary-77aa01"

func token() model.SecretRef {
	return model.SecretRef{Namespace: "openstack", Name: "web", Key: "token"}
}

// secretive returns an instance whose user data and metadata are made from a Secret.
func secretive() unit.Unit {
	desired := func(secrets map[model.SecretRef]redact.Secret) cty.Value {
		v := cty.UnknownVal(cty.String)
		if value, ok := secrets[token()]; ok {
			v = cty.StringVal(value.Reveal())
		}
		v = v.WithMarks(cty.NewValueMarks(model.Sensitive, token()))
		return cty.ObjectVal(map[string]cty.Value{
			"name": cty.StringVal("web"), "user_data": v, "metadata": cty.MapVal(map[string]cty.Value{"token": v}),
		})
	}
	spec := func(secrets map[model.SecretRef]redact.Secret) *unit.Resource {
		return &unit.Resource{
			Kind: "instance", Block: schema.New().Resource("instance"), Desired: desired(nil), Secrets: []model.SecretRef{token()},
			Resolve: func(map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) { return desired(secrets), nil },
		}
	}
	u := of("resource.web", "")
	first := spec(nil)
	first.Reveal = spec
	u.Spec = first
	return u
}

func TestSecretsInPlans(t *testing.T) {
	u := secretive()
	recorded := func(value string) inventory.Entry {
		e := entryOf(u)
		known := plan.Revealed(&u, unit.State{Secrets: map[model.SecretRef]redact.Secret{token(): redact.NewSecret(value)}})
		desired, _ := plan.Desired(known, nil)
		e.Applied, e.Sensitive = plan.Applied(&u, desired), plan.Sensitive(desired, marker())
		return e
	}
	old := recorded("old-" + canary)
	if text, err := json.Marshal(old); err != nil || strings.Contains(string(text), canary) || len(old.Sensitive) != 2 {
		t.Fatalf("the inventory has %s (%v)", text, err)
	}
	for name, c := range map[string]struct {
		entry    *inventory.Entry
		told     bool // OpenStack tells the user data
		value    string
		withheld string
		fields   []unit.Field // that the driver finds
		prevent  bool
		ignore   []string
		held     bool // by the driver
		action   unit.Action
		drift    bool
		path     string
	}{
		"new":                     {value: canary, action: unit.ActionCreate},
		"the same":                {entry: &old, value: "old-" + canary, action: unit.ActionNone},
		"another, not told":       {entry: &old, value: canary, action: unit.ActionReplace, path: "user_data"},
		"another, prevented":      {entry: &old, value: canary, prevent: true, action: unit.ActionBlocked, path: "user_data"},
		"another, ignored":        {entry: &old, value: canary, ignore: []string{"user_data"}, action: unit.ActionNone},
		"another, there already":  {entry: &old, value: canary, told: true, action: unit.ActionNone},
		"another, in place":       {entry: &old, value: canary, told: true, fields: []unit.Field{{Path: "metadata", Before: canary, After: "x"}}, action: unit.ActionUpdate, path: "metadata"},
		"changed from outside":    {entry: &old, value: "old-" + canary, told: true, fields: []unit.Field{{Path: "metadata", Before: canary, After: "x"}}, action: unit.ActionUpdate, drift: true, path: "metadata"},
		"another, and held":       {entry: &old, value: canary, held: true, action: unit.ActionBlocked},
		"held, and ignored":       {entry: &old, value: canary, held: true, ignore: []string{"user_data", "metadata"}, action: unit.ActionNone},
		"held, and the same":      {entry: &old, value: "old-" + canary, held: true, action: unit.ActionNone},
		"withheld":                {entry: &old, withheld: "Secret openstack/web has no key \"token\"", action: unit.ActionBlocked},
		"withheld, to be created": {withheld: "Secret openstack/web does not exist", action: unit.ActionBlocked},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(u)
			in.Units[0].PreventDestroy, in.Units[0].MayLose = c.prevent, true
			if in.Units[0].Drift = unit.DriftCorrect; c.held {
				in.Units[0].Drift = unit.DriftIgnore
			}
			in.Units[0].Spec.(*unit.Resource).Ignore = c.ignore
			defer func() { in.Units[0].Spec.(*unit.Resource).Ignore = nil }()
			state := unit.State{Existence: unit.Absent}
			if c.entry != nil {
				in.Entries = append(in.Entries, *c.entry)
				state = seen("web")
				state.Outputs = cty.ObjectVal(map[string]cty.Value{"user_data": cty.NullVal(cty.String), "metadata": cty.MapValEmpty(cty.String)})
				if c.told {
					state.Outputs = cty.ObjectVal(map[string]cty.Value{"user_data": cty.StringVal(canary).Mark(model.Sensitive)})
				}
			}
			if state.Withheld = c.withheld; c.withheld == "" {
				state.Secrets = map[model.SecretRef]redact.Secret{token(): redact.NewSecret(c.value)}
			}
			in.States[u.Address] = new(state)
			in.Compare[unit.OpenStack] = func(_ unit.Target, desired cty.Value, s unit.State) unit.Diff {
				switch {
				case s.Existence == unit.Absent:
					return unit.Diff{Action: unit.ActionCreate}
				case c.withheld == "" && !desired.IsWhollyKnown():
					t.Error("the driver does not see the value")
				case c.held:
					return unit.Diff{Action: unit.ActionBlocked, Fields: []unit.Field{{Path: "metadata", Before: canary, After: "x"}}, Reason: "it is put away", Differs: true}
				case len(c.fields) > 0:
					return unit.Diff{Action: unit.ActionUpdate, Fields: c.fields}
				}
				return unit.Diff{Action: unit.ActionNone}
			}
			p := plan.Make(*in)
			got := p.Change(u.Address)
			if got.Action != c.action || got.Drift != c.drift {
				t.Errorf("the action is %s, drift %v: %s", got.Action, got.Drift, got.Reason)
			}
			if c.path != "" && (len(got.Fields) != 1 || got.Fields[0].Path != c.path || got.Fields[0].Before != unit.TextSensitive) {
				t.Errorf("the fields are %+v", got.Fields)
			}
			if c.withheld != "" && got.Reason != c.withheld {
				t.Errorf("the reason is %q", got.Reason)
			}
			var b bytes.Buffer
			if err := p.Text(&b); err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(p)
			if err != nil || strings.Contains(b.String()+string(text), "canary") {
				t.Errorf("a secret is shown (%v):\n%s\n%s", err, &b, text)
			}
		})
	}
}

// Nothing on record is as good as something else on record: what cannot be seen may be anything.
func TestRenewed(t *testing.T) {
	digests := map[string]string{"password": "new", "token": "same"}
	if got := plan.Renewed(digests, nil); !slices.Equal(got, []string{"password", "token"}) {
		t.Errorf("without an entry: %v", got)
	}
	entry := &inventory.Entry{Sensitive: map[string]string{"password": "old", "token": "same", "gone": "x"}}
	if got := plan.Renewed(digests, entry); !slices.Equal(got, []string{"password"}) {
		t.Errorf("with an entry: %v", got)
	}
}

// What was sensitive stays hidden in the plan that takes it away.
func TestFormerSecretIsHidden(t *testing.T) {
	u := secretive()
	u.Spec = &unit.Resource{
		Kind: "instance", Block: schema.New().Resource("instance"),
		Desired: cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("web"), "metadata": cty.MapVal(map[string]cty.Value{"token": cty.StringVal("plain")})}),
	}
	in := input(u)
	entry := entryOf(u)
	entry.Sensitive = map[string]string{"metadata": "digest"}
	in.Entries = append(in.Entries, entry)
	in.States[u.Address] = new(seen("web"))
	in.Compare[unit.OpenStack] = func(unit.Target, cty.Value, unit.State) unit.Diff {
		return unit.Diff{Action: unit.ActionUpdate, Fields: []unit.Field{{Path: "metadata", Before: canary, After: "plain"}}}
	}
	if got := plan.Make(*in).Change(u.Address); len(got.Fields) != 1 || got.Fields[0].Before != unit.TextSensitive || got.Drift {
		t.Errorf("the fields are %+v, drift %v", got.Fields, got.Drift)
	}
}
