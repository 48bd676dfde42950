package compose_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const withNumber = `
cloud "a" {
  release = "2026.1"
  profile = profile.base
  charts { repository = "charts" }
  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" {
    values = { pod = { n = NUMBER } }
  }
}
profile "base" {
  service "keystone" {
    conf = { keystone = { DEFAULT = { n = local.n } } }
  }
}
node "node-1" { roles = ["control-plane"] }
locals { n = NUMBER }
`

// TestWholeNumbers follows a number from the configuration to the values of a chart and to the
// object that tells what holds on a node.
func TestWholeNumbers(t *testing.T) {
	for digits, want := range map[string]int64{
		"1000000": 1000000, "9007199254740993": 9007199254740993, "9223372036854775807": 9223372036854775807,
		"-9223372036854775808": -9223372036854775808, "9007199254740992 + 1": 9007199254740993,
	} {
		m, ev := composed.Text(t, strings.ReplaceAll(withNumber, "NUMBER", digits))
		units := composed.Compose(t, m, ev, compose.Facts{Nodes: []string{"node-1"}})
		values := composed.Release(t, units, "keystone").Values
		conf := values["conf"].(map[string]any)["keystone"].(map[string]any)["DEFAULT"].(map[string]any)["n"]
		pod := values["pod"].(map[string]any)["n"]
		if !reflect.DeepEqual(conf, want) || !reflect.DeepEqual(pod, want) {
			t.Errorf("%s: %T(%[2]v) in conf and %T(%[3]v) in values", digits, conf, pod)
		}
		written, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, u := range units {
			if objects, is := u.Spec.(*unit.Objects); is {
				shown, err := json.Marshal(objects.Items)
				if err != nil {
					t.Fatal(err)
				}
				found = found || strings.Contains(string(shown), `"n":`+string(written)+"}")
			}
		}
		if !found {
			t.Errorf("%s is not what the node's object tells", digits)
		}
	}
}

func TestNumbersThatDoNotFit(t *testing.T) {
	for _, number := range []string{"9223372036854775808", "-9223372036854775809", "18446744073709551616"} {
		m, ev := composed.Text(t, strings.ReplaceAll(withNumber, "NUMBER", number))
		_, diags := compose.Compose(m, ev, compose.Facts{})
		if len(diags) != 2 {
			t.Fatalf("%s: %v", number, diags)
		}
		for _, d := range diags {
			if d.Subject == nil || !strings.Contains(d.Hint, "in quotes") || !strings.Contains(d.Detail, "n of keystone ") {
				t.Errorf("%s: %+v", number, d)
			}
		}
	}
}
