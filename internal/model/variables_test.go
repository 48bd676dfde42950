package model_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// TestValues: the text of the values tells two sets of them apart, and does not tell that one is sensitive.
func TestValues(t *testing.T) {
	text := func(variables map[string]cty.Value) string {
		t.Helper()
		values, err := (&model.Model{Variables: variables}).Values()
		if err != nil {
			t.Fatal(err)
		}
		return values.Reveal()
	}
	written := text(map[string]cty.Value{
		"size": cty.NumberIntVal(3), "zones": cty.SetVal([]cty.Value{cty.StringVal("b"), cty.StringVal("a")}), "none": cty.NullVal(cty.String),
		"password": cty.StringVal("hunter2").Mark(model.Sensitive), "list": cty.ListVal([]cty.Value{cty.StringVal("x").Mark(model.Sensitive)}),
	})
	if want := `{"list":["x"],"none":null,"password":"hunter2","size":3,"zones":["a","b"]}`; written != want {
		t.Errorf("got  %s\nwant %s", written, want)
	}
	if got := text(nil); got != "{}" {
		t.Errorf("without variables: %s", got)
	}
	unknown := model.Model{Variables: map[string]cty.Value{"a": cty.ListVal([]cty.Value{cty.StringVal("hunter2"), cty.UnknownVal(cty.String)})}}
	if _, err := unknown.Values(); err == nil || err.Error() != `the value of the variable "a" has no text` {
		t.Errorf("of a value that is not known: %v", err)
	}
}
