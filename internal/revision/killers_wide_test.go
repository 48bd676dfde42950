package revision_test

import (
	"fmt"
	"strings"
	"testing/fstest"
)

// deploying is a cloud with one service, which has this in its block.
func deploying(conf string) string {
	return "cloud \"test\" {\n  release = \"2026.1\"\n  charts {\n    repository = \"oci://charts.example.org/openstack-helm\"\n  }\n  service \"mariadb\" {\n" + conf + "  }\n}\n"
}

// wideKillers do harm by what is made of a configuration after it was evaluated: for each node, or for
// each file that lies beside it.
func wideKillers() map[string]killer {
	var nodes strings.Builder
	for _, name := range []string{"a", "b"} {
		fmt.Fprintf(&nodes, "node \"%[1]s\" {\n  for_each = toset(flatten([for a in range(5) : [for b in range(1000) : \"${a}-${b}\"]]))\n  name     = \"%[1]s-${each.key}\"\n}\n", name)
	}
	large := "    conf = { my = { text = [for a in range(900) : format(\"%1000d\", a)] } }\n"
	wide := func(job, want string, files map[string]string) killer {
		return killer{files: fstest.MapFS{}, path: ".", job: job, want: want, fine: true}.with(files)
	}
	waits := "node \"n\" {\n  for_each = toset([for a in range(1000) : tostring(a)])\n  name     = \"n-${each.key}\"\n}\n" + reachOnly +
		"network \"n\" {\n  for_each   = toset([for a in range(1000) : tostring(a)])\n  name       = each.key\n  depends_on = [node.n]\n}\n"
	pattern := func(directory string) killer {
		k := value(`fileset(".", "**")`)
		for i := range 1000 {
			k.files[fmt.Sprintf("%s/%d/x.txt", directory, i)] = &fstest.MapFile{}
		}
		return k
	}
	found := map[string]killer{
		"many nodes times large conf": wide("findings", "compose.node-status", map[string]string{"cloud.hcl": deploying(large), "nodes.hcl": nodes.String()}),
		"report over many nodes":      wide("report", "valid", map[string]string{"cloud.hcl": deploying(large), "nodes.hcl": nodes.String()}),
		"report over many edges":      wide("report", "", map[string]string{"all.hcl": waits}),
		"fileset over a deep tree":    pattern(".deep" + strings.Repeat("/d", 50)),
		"fileset over a deeper tree":  pattern(".deep" + strings.Repeat("/d", 70)),
	}
	for name, want := range map[string]string{"fileset over a deep tree": "functions look at too many", "fileset over a deeper tree": "at most 64 directories inside each other"} {
		k := found[name]
		k.want = want
		found[name] = k
	}
	for _, name := range []string{"many nodes times large conf", "report over many nodes"} {
		k := found[name]
		k.heavy = true
		found[name] = k
	}
	return found
}
