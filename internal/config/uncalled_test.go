package config_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestModulesThatNothingCalls: the files of a module whose block was taken out are the root's from then on, which is hardly ever meant.
func TestModulesThatNothingCalls(t *testing.T) {
	for name, c := range map[string]struct {
		main, file string
		warned     bool
	}{
		"called":          {"module \"dmz\" { source = \"./modules/dmz\" }\n", "network \"dmz\" {}\n", false},
		"switched off":    {"module \"dmz\" {\n  source   = \"./modules/dmz\"\n  for_each = toset([])\n}\n", "network \"dmz\" { name = \"dmz\" }\n", false},
		"taken out":       {"# nothing\n", "network \"dmz\" {}\n", true},
		"misspelled":      {"module \"dmz\" { source = \"./modules/dmx\" }\n", "network \"dmz\" {}\n", false},
		"with its blocks": {"# nothing\n", "# network \"dmz\" {}\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			text := ""
			_, diags := config.Load(schema.New(), fstest.MapFS{"main.hcl": {Data: []byte(c.main + "cloud \"c\" {\n  openstack { cloud = \"lab\" }\n}\n")}, "modules/dmz/n.hcl": {Data: []byte(c.file)}}, ".", config.DefaultLimits())
			for _, d := range diags {
				text += string(d.Code) + " " + d.Detail + "; "
			}
			if warned := strings.Contains(text, "config.module no module block names modules/dmz"); warned != c.warned {
				t.Errorf("it says %q", text)
			}
		})
	}
}
