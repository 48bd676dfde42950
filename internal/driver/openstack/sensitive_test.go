package openstack

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// A secret within a map is as hidden as one that is a whole attribute: in differences, in outputs, and
// in messages.
func TestSecretsWithinMaps(t *testing.T) {
	d := New(Options{Language: schema.New()})
	defer d.Close()
	block := schema.New().Resource("instance")
	secret := cty.StringVal("canary-new").WithMarks(cty.NewValueMarks(model.Sensitive, model.SecretRef{Name: "n", Key: "k"}))
	attributes := map[string]cty.Value{}
	for name, kind := range block.DesiredType().AttributeTypes() {
		attributes[name] = cty.NullVal(kind)
	}
	attributes["metadata"] = cty.MapVal(map[string]cty.Value{"token": secret, "tier": cty.StringVal("web")})
	attributes["user_data"] = secret
	desired := cty.ObjectVal(attributes)
	have := &object{id: "1", values: traits{
		{"metadata", cty.MapVal(map[string]cty.Value{"token": cty.StringVal("canary-old"), "tier": cty.StringVal("web")})}, {"user_data", cty.StringVal("canary-old")},
	}}
	target := unit.Target{Spec: &unit.Resource{Kind: "instance", Block: block, Desired: desired}, ID: "1"}
	for name, st := range map[string]unit.State{
		"absent":  {Existence: unit.Absent},
		"present": state(target, match{object: have, owned: true, want: desired}),
	} {
		diff := d.Compare(target, desired, st)
		if shown := fmt.Sprintf("%+v", diff); len(diff.Fields) == 0 || strings.Contains(shown, "canary") {
			t.Errorf("%s: %s", name, shown)
		}
		if st.Outputs != cty.NilVal {
			if shown := fmt.Sprint(unit.Visible(st.Outputs)); strings.Contains(shown, "canary") {
				t.Errorf("the outputs show %s", shown)
			}
		}
	}
	texts := strings.Join(textsIn(desired), " ")
	if strings.Count(texts, "canary-new") != 2 || strings.Contains(texts, "canary-old") {
		t.Errorf("messages are freed of %q", texts)
	}
	keys := cty.MapVal(map[string]cty.Value{"canary-key": cty.StringVal("x")})
	if open, hidden := textsIn(keys), textsIn(keys.Mark(model.Sensitive)); len(open) != 1 || !slices.Contains(hidden, "canary-key") {
		t.Errorf("messages are freed of %q, and of %q where the map is sensitive", open, hidden)
	}
}
