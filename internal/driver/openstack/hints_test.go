package openstack

import (
	"encoding/json"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// TestHints says what Nova's scheduler is told of a new instance.
func TestHints(t *testing.T) {
	ids := func(all ...string) cty.Value { return texts(all, cty.Set(cty.String)) }
	for _, test := range []struct {
		written map[string]cty.Value
		want    string
	}{
		{nil, `{}`},
		{map[string]cty.Value{"same_host": ids(), "scheduler_hints": cty.MapValEmpty(cty.String)}, `{}`},
		{map[string]cty.Value{"server_group": cty.StringVal("g1")}, `{"group":"g1"}`},
		{map[string]cty.Value{"same_host": ids("a"), "different_host": ids("b", "c")}, `{"different_host":["b","c"],"same_host":["a"]}`},
		{map[string]cty.Value{
			"server_group": cty.StringVal("g1"), "scheduler_hints": cty.MapVal(map[string]cty.Value{"query": cty.StringVal(`[">=", "$free_ram_mb", 1024]`)}),
		}, `{"group":"g1","query":"[\"\u003e=\", \"$free_ram_mb\", 1024]"}`},
	} {
		got, err := json.Marshal(newHints(wanted{value: wantValue("instance", test.written)}))
		if err != nil || string(got) != test.want {
			t.Errorf("got %s, %v, want %s", got, err, test.want)
		}
	}
}
