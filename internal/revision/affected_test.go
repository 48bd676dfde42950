package revision

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// maze is a random configuration in small files, which refer to each other at random.
type maze struct {
	random *rand.Rand
	files  fstest.MapFS
}

const mazeWidth = 12 // how many there are of everything

// anything refers to something at the root before a number, so that there are no circles.
func (z maze) anything(before int) string {
	if before == 0 {
		return `"x"`
	}
	i := z.random.IntN(before)
	return []string{
		fmt.Sprintf("local.l%d", i), fmt.Sprintf("network.n%d.name", i), fmt.Sprintf("module.m%d.out", i%3), `"plain"`,
		fmt.Sprintf("\"${local.l%d} and ${path.module}\"", i),
	}[z.random.IntN(5)]
}

func (z maze) local(i int) {
	value := z.anything(i)
	if strings.Contains(value, "module") || strings.Contains(value, "network") {
		value = fmt.Sprintf("\"v%d\"", z.random.IntN(100)) // modules take locals, and resources take modules
	}
	z.write(fmt.Sprintf("l%d.hcl", i), fmt.Sprintf("locals {\n  l%d = \"${%s}-%d\"\n}\n", i, value, z.random.IntN(100)))
}

func (z maze) network(i int) {
	z.write(fmt.Sprintf("n%d.hcl", i), fmt.Sprintf("network \"n%d\" {\n  name        = \"n%d-%d\"\n  description = \"${%s}\"\n}\n", i, i, z.random.IntN(100), z.anything(i)))
}

func (z maze) inside(i int) {
	z.write(fmt.Sprintf("modules/m%d/b.hcl", i), fmt.Sprintf("locals {\n  inner = \"${var.given}-%d\"\n}\nnetwork \"inside\" {\n  description = local.inner\n}\n", z.random.IntN(100)))
}

func (z maze) write(name, text string) { z.files[name] = &fstest.MapFile{Data: []byte(text)} }

func newMaze(seed uint64) maze {
	z := maze{random: rand.New(rand.NewPCG(seed, 1)), files: fstest.MapFS{}}
	z.write("cloud.hcl", "cloud \"test\" {\n  openstack {\n    cloud = \"test\"\n  }\n}\n")
	for i := range mazeWidth {
		z.local(i)
		z.network(i)
	}
	for i := range 3 {
		z.write(fmt.Sprintf("modules/m%d/a.hcl", i), "variable \"given\" {}\noutput \"out\" {\n  value = local.inner\n}\n")
		z.inside(i)
		z.write(fmt.Sprintf("call%d.hcl", i), fmt.Sprintf("module \"m%d\" {\n  source = \"./modules/m%d\"\n  given  = local.l%d\n}\n", i, i, z.random.IntN(mazeWidth)))
	}
	z.write("modules/m0/c.hcl", "module \"next\" {\n  source = \"../m1\"\n  given  = local.inner\n}\nmoved {\n  from = network.was\n  to   = network.inside\n}\n")
	z.write("moved.hcl", fmt.Sprintf("moved {\n  from = network.old\n  to   = network.n%d\n}\nmoved {\n  from = network.older\n  to   = network.old\n}\n", z.random.IntN(mazeWidth)))
	z.write("import.hcl", fmt.Sprintf("import {\n  to = network.n%d\n  id = \"a-${local.l%d}\"\n}\nimport {\n  to = module.m1.network.inside\n  id = \"b-${local.l%d}\"\n}\n", z.random.IntN(mazeWidth), z.random.IntN(mazeWidth), z.random.IntN(mazeWidth)))
	z.write("removed.hcl", "removed {\n  from = network.gone\n}\n")
	return z
}

// edit changes one file, or adds one.
func (z maze) edit() {
	switch i := z.random.IntN(mazeWidth); z.random.IntN(4) {
	case 0:
		z.local(i)
	case 1:
		z.network(i)
	case 2:
		z.inside(i % 3)
	default:
		z.write(fmt.Sprintf("new%d.hcl", i), fmt.Sprintf("network \"new%d\" {\n  description = %s\n}\n", i, z.anything(mazeWidth)))
	}
}

// outcomes are what evaluating leads to: what resources are to be, and the ids of what is imported.
func outcomes(files fs.FS) (map[addr.Object]cty.Value, diag.Diagnostics) {
	cfg, diags := config.Load(schema.New(), files, ".", config.DefaultLimits())
	m, _, more := resolve.Parts(cfg, nil)
	found := map[addr.Object]cty.Value{}
	for _, r := range m.Resources {
		found[r.Address] = cty.TupleVal([]cty.Value{r.Desired, cty.StringVal("")})
	}
	for _, i := range m.Imports {
		found[i.To] = cty.TupleVal([]cty.Value{found[i.To].Index(cty.NumberIntVal(0)), cty.StringVal(i.ID)})
	}
	diags.Append(more...)
	return found, diags
}

// TestTrialHasAllThatChanges edits configurations at random, and wants that everything which an edit has
// an effect on comes out among the files that are tried alone as it comes out among all of them.
func TestTrialHasAllThatChanges(t *testing.T) {
	partial, effects := 0, 0
	for seed := range uint64(60) {
		z := newMaze(seed)
		var cache config.Cache
		before, diags := cache.Load(schema.New(), maps.Clone(z.files), ".", config.DefaultLimits(), false)
		was, wrong := outcomes(maps.Clone(z.files))
		if diags.Append(wrong...); diags.HasErrors() {
			t.Fatalf("%d: %v", seed, diags)
		}
		z.edit()
		now, wrong := outcomes(z.files)
		changes, ok := cache.Changes(z.files, ".", config.DefaultLimits())
		if wrong.HasErrors() || !ok {
			t.Fatalf("%d: %v, %v", seed, ok, wrong)
		}
		affected := before.Affected(changes)
		if affected == nil {
			continue
		}
		if 2*len(affected) < len(z.files) {
			partial++
		}
		alone, _ := outcomes(only{FS: z.files, names: affected})
		for a, v := range now {
			if v.RawEquals(orNothing(was[a])) {
				continue
			}
			effects++
			if got, there := alone[a]; !there || !got.RawEquals(v) {
				t.Errorf("%d: %s is %#v among %q, want %#v", seed, a, got, slices.Sorted(maps.Keys(affected)), v)
			}
		}
	}
	t.Logf("%d of 60 in less than half of the files, %d effects", partial, effects)
	if partial < 20 || effects < 60 {
		t.Errorf("%d are tried in part, with %d effects: this shows nothing", partial, effects)
	}
}

// orNothing is a value that equals no other when there was none.
func orNothing(v cty.Value) cty.Value {
	if v == cty.NilVal {
		return cty.EmptyObjectVal
	}
	return v
}
