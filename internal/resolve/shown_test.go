package resolve_test

import (
	"strings"
	"testing"
)

// What everybody sees takes no sensitive value, and what is told of it does not quote it.
func TestNothingSensitiveIsShown(t *testing.T) {
	const secret = "2031.1"
	variable := "variable \"p\" {\n  default = \"" + secret + "\"\n  sensitive = true\n}\n"
	for name, block := range map[string]string{
		"the cloud's profile":    "cloud \"demo\" {\n  profile = var.p\n}\n",
		"its release":            "cloud \"demo\" {\n  release = var.p\n}\n",
		"what a profile is from": "cloud \"demo\" {}\nprofile \"base\" {\n  from = [var.p]\n}\n",
		"a node's name":          "cloud \"demo\" {}\nnode \"a\" {\n  name = var.p\n}\n",
		"a service's version":    "cloud \"demo\" {\n  service \"keystone\" {\n    version = var.p\n  }\n}\n",
		"the size of volumes":    "cloud \"demo\" {\n  service \"mariadb\" {\n    storage_size = \"${length(var.p)}Gi\"\n  }\n}\n",
		"a project's namespace":  reachOnly + "project \"shop\" {\n  namespace = \"n${length(var.p)}\"\n}\n",
		"how many copies run":    "cloud \"demo\" {\n  service \"keystone\" {\n    replicas = length(var.p)\n  }\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, _, diags := resolveText(t, variable+block, nil)
			var text string
			for _, d := range diags {
				text += d.Summary + "\n" + d.Detail + "\n" + d.Hint + "\n"
			}
			if !strings.Contains(text, "sensitive value") || strings.Contains(text, secret) {
				t.Errorf("it says: %s", text)
			}
		})
	}
}
