package revision_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/test/program"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// TestKillersAreFindings reads each killer in a child under the limits that the commands set, and
// wants findings, or a child that was ended by one of them. Each takes seconds by its nature.
func TestKillersAreFindings(t *testing.T) {
	slow.Test(t)
	const most = 5 * time.Second // of a processor, the start of the child included
	var slowest []string
	defer func() {
		slices.Sort(slowest)
		slices.Reverse(slowest)
		t.Logf("the slowest:\n%s", strings.Join(slowest[:min(len(slowest), 10)], "\n"))
	}()
	child := program.Build(t, "test/confined")
	all := allKillers()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		k := all[name]
		t.Run(name, func(t *testing.T) {
			runner := &confine.Runner{Limits: confine.DefaultLimits(), Program: child}
			switch {
			case k.long:
				runner.Limits.CPU /= 5
			case k.heavy:
				runner.Limits.CPU *= 2
			}
			outcome, err := runner.Run(t.Context(), cmp.Or(k.job, "findings"), k.files, k.path)
			if err != nil {
				t.Fatal(err)
			}
			text := string(outcome.Answer)
			if outcome.Excess != confine.None {
				text = outcome.Diagnostic(runner.Limits, "evaluating the configuration", "").Detail
			}
			t.Logf("%v of a processor, %d MiB\n%s", outcome.CPU, outcome.Peak>>20, text[:min(len(text), 600)])
			if outcome.Excess == confine.Crash {
				t.Error("the child crashed")
			}
			if (text == "valid" || text == "") && !k.fine {
				t.Errorf("there are no findings")
			}
			if !strings.Contains(text, k.want) {
				t.Errorf("want %q", k.want)
			}
			if strings.Contains(text, "root:") {
				t.Error("a file of this machine was read")
			}
			if k.long && outcome.Excess != confine.Time {
				t.Errorf("it ends by itself: %s", text)
			}
			slowest = append(slowest, fmt.Sprintf("%6.3f s, %3d MiB: %s", outcome.CPU.Seconds(), outcome.Peak>>20, name))
			if outcome.CPU > most {
				t.Errorf("the child used %v of a processor", outcome.CPU)
			}
			if limit := runner.Limits.Memory; outcome.Peak > limit {
				t.Errorf("the child held %d MiB", outcome.Peak>>20)
			}
		})
	}
}

// atLimits are configurations that are as large as they can be, in one way each.
func atLimits() map[string]killer {
	limits := config.DefaultLimits()
	blocks := generated(limits.Blocks/200*200 - 200) // the same in each file, beside the cloud and the locals
	texts := single("")
	text := strings.Repeat("x", 1000)
	for file := range int(limits.TotalBytes/limits.FileBytes) - 1 {
		var b strings.Builder
		for i := 0; b.Len() < int(limits.FileBytes)-1100; i++ {
			fmt.Fprintf(&b, "locals {\n  t%d_%d = \"%s\"\n}\n", file, i, text)
		}
		texts.files[fmt.Sprintf("f%d.hcl", file)] = &fstest.MapFile{Data: []byte(b.String())}
	}
	return map[string]killer{
		"blocks":     {files: blocks, path: "."},
		"attributes": lines(limits.Attributes-10, "locals {\n", "  a%d = upper(\"a\")\n", "}\n"),
		"bytes":      texts,
	}
}

// TestLimitsCanBeReached holds the limits of a configuration and those of the child together: what
// is as large as it can be must be read. The time is that which both processes may take, as other
// work of the machine makes it longer.
func TestLimitsCanBeReached(t *testing.T) {
	slow.Test(t)
	runner := &confine.Runner{Limits: confine.DefaultLimits(), Program: program.Build(t, "test/confined")}
	runner.Limits.CPU *= 2
	for name, c := range atLimits() {
		outcome, err := runner.Run(t.Context(), "findings", c.files, c.path)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v of a processor, %d MiB", name, outcome.CPU, outcome.Peak>>20)
		if text := string(outcome.Answer); text != "valid" {
			t.Errorf("%s: ended by %d; %s", name, outcome.Excess, text[:min(len(text), 600)])
		}
	}
}

// TestLimitsCanBeReachedByTheCommand does so with the command itself, of which several times as much is in
// memory as of the program that the other tests start.
func TestLimitsCanBeReachedByTheCommand(t *testing.T) {
	slow.Test(t)
	command := program.Build(t, "cmd/kupenstack-sync")
	for name, c := range atLimits() {
		dir := t.TempDir()
		if err := os.CopyFS(dir, c.files); err != nil {
			t.Fatal(err)
		}
		for range 2 { // where memory is short, it comes down to chance
			said, err := exec.CommandContext(t.Context(), command, "validate", dir).CombinedOutput()
			switch {
			case strings.Contains(string(said), "error[confine.time]"): // the machine has other work
				t.Logf("%s: %s", name, said)
			case err != nil:
				t.Errorf("%s: %v\n%s", name, err, said[:min(len(said), 600)])
			}
		}
	}
}

// TestReaderOutlivesTheChild reads, as the commands do, what ends the child in each part of the work,
// and then something good.
func TestReaderOutlivesTheChild(t *testing.T) {
	slow.Test(t)
	all, child := allKillers(), program.Build(t, "test/confined")
	for name, c := range map[string]struct {
		killer killer
		code   string
		part   int // of the usual time of a processor: one of so many
	}{
		"evaluating":      {all["many that differ"], "confine.time", 10},
		"a plain mistake": {all["local cycle"], "resolve.cycle", 1},
		"too deep":        {all["deep parentheses"], "config.limit", 1},
	} {
		t.Run(name, func(t *testing.T) {
			limits := confine.DefaultLimits()
			reader := &revision.Reader{Runner: &confine.Runner{Limits: limits, Program: child}}
			reader.Runner.Limits.CPU /= time.Duration(c.part)
			loaded, found, err := reader.Load(t.Context(), "bad", c.killer.files, c.killer.path, reading)
			if err != nil {
				t.Fatal(err)
			}
			if text := found.Text(false); loaded != nil || !strings.Contains(text, c.code) {
				t.Errorf("want %s, got\n%s", c.code, text)
			}
			reader.Runner.Limits = limits
			loaded, found, err = reader.Load(t.Context(), "good", single("").files, ".", reading)
			if err != nil || loaded == nil {
				t.Errorf("afterwards: %v\n%s", err, found.Text(false))
			}
		})
	}
}
