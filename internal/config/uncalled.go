package config

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// modulesDir is what directories are mostly called that modules are in.
const modulesDir = "modules"

// uncalled warns of files of the root that look like those of a module which no block names any more, as when its block was
// taken out and its files were not: what it had made would be deleted, and made once more without it.
func (l *loader) uncalled(t *ownership, names []string) {
	told := map[string]bool{}
	for _, name := range names {
		dir := path.Dir(name)
		inside := strings.TrimPrefix(dir, t.root)
		if told[dir] || len(t.bodies[name].Blocks) == 0 || !slices.Contains(strings.Split(inside, "/"), modulesDir) {
			continue
		}
		told[dir] = true
		l.add(diag.Diagnostic{
			Severity: diag.Warning, Code: codeModule, Subject: subject(startOf(name)), Summary: "a module that nothing calls",
			Detail: fmt.Sprintf("no module block names %s, so that its files belong to the configuration itself: what they define is made at the root, and what a module made of them is deleted", dir),
			Hint:   "to switch a module off leave its block, with for_each = toset([]); or delete its files along with the block",
		})
	}
}

// misled tells whether a call in a module leads nowhere.
func misled(m *Module) bool {
	return slices.ContainsFunc(m.Calls, func(c *Call) bool { return c.Module == nil })
}
