package revision_test

import (
	"math"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// trials is a reader that notes what it tried.
func trials(program string) (*revision.Reader, *[]confine.Outcome) {
	var tried []confine.Outcome
	limits := confine.DefaultLimits()
	limits.CPU = 10 * time.Second // for the race detector; the limits themselves are tested elsewhere
	return &revision.Reader{
		Runner: &confine.Runner{Limits: limits, Program: program},
		Tried:  func(o confine.Outcome) { tried = append(tried, o) },
	}, &tried
}

// reading is how readers read: a program has one language, by which they know again what they have read.
var reading = revision.Options{Language: schema.New()}

func mustRead(t *testing.T, reader *revision.Reader, id string, files fstest.MapFS) *revision.Loaded {
	t.Helper()
	loaded, found, err := reader.Load(t.Context(), id, files, ".", reading)
	if err != nil || loaded == nil {
		t.Fatalf("%v\n%s", err, found.Text(false))
	}
	return loaded
}

// TestReaderTriesWhatChanged follows a repository through some commits.
func TestReaderTriesWhatChanged(t *testing.T) {
	reader, tried := trials("")
	files := generated(400)
	mustRead(t, reader, "one", files)
	if n := len(*tried); n != 1 || len((*tried)[0].Read) != len(files) {
		t.Fatalf("%d trials", n)
	}
	mustRead(t, reader, "one", files)
	mustRead(t, reader, "two, the same", files)
	if n := len(*tried); n != 1 {
		t.Errorf("%d trials of what was tried before", n)
	}
	edited := changed(files, 1)
	loaded := mustRead(t, reader, "three", edited)
	again := (*tried)[len(*tried)-1]
	if len(*tried) != 2 || len(again.Read) > 6 || !slices.Contains(again.Read, "f50.hcl") || !slices.Contains(again.Read, "shared.hcl") {
		t.Errorf("%d trials, the last of %q", len(*tried), again.Read)
	}
	cold, _ := revision.Load("three", edited, ".", revision.Options{Language: schema.New()})
	if len(loaded.Model.Resources) != len(cold.Model.Resources) || len(cold.Model.Resources) != 401 {
		t.Fatalf("%d resources, want %d", len(loaded.Model.Resources), len(cold.Model.Resources))
	}
	for i, r := range loaded.Model.Resources {
		if want := cold.Model.Resources[i]; r.Address != want.Address || !r.Desired.RawEquals(want.Desired) {
			t.Errorf("%s: %#v, want %#v", r.Address, r.Desired, want.Desired)
		}
	}
}

// TestChangeThatHurtsElsewhere changes one small value, which makes an expression in another file
// cost too much.
func TestChangeThatHurtsElsewhere(t *testing.T) {
	slow.Test(t)
	reader, tried := trials("")
	files := generated(200)
	files["count.hcl"] = &fstest.MapFile{Data: []byte("locals {\n  many = 1\n}\n")}
	files["use.hcl"] = &fstest.MapFile{Data: []byte(`locals {
  all  = flatten([for a in range(local.many) : [for b in range(500) : a * 500 + b]])
  read = distinct(local.all)
}
`)}
	mustRead(t, reader, "one", files)
	reader.Runner.Limits.CPU = 500 * time.Millisecond
	files["count.hcl"] = &fstest.MapFile{Data: []byte("locals {\n  many = 20\n}\n")}
	loaded, found, err := reader.Load(t.Context(), "two", files, ".", reading)
	if err != nil {
		t.Fatal(err)
	}
	last := (*tried)[len(*tried)-1]
	if loaded != nil || !strings.Contains(found.Text(false), "confine.time") || len(last.Read) > 6 {
		t.Errorf("tried %q:\n%s", last.Read, found.Text(false))
	}
}

// TestReaderCollectsLessOften looks at the collection of garbage while something is read and afterwards.
// It must not run beside other tests that read.
func TestReaderCollectsLessOften(t *testing.T) {
	settings := func() [2]uint64 {
		now := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
		metrics.Read(now)
		return [2]uint64{now[0].Value.Uint64(), now[1].Value.Uint64()}
	}
	before := settings()
	collector := new(revision.Collector)
	outer, _ := trials("")
	inner, _ := trials("")
	outer.Collector, inner.Collector = collector, collector
	looked := 0
	outer.Tried = func(confine.Outcome) {
		mustRead(t, inner, "inside", generated(100))
		looked++
		if now := settings(); now[0] != math.MaxUint64 || now[1] >= 1<<30 {
			t.Errorf("garbage is collected at %d %% and %d bytes; it was at %d %% and %d bytes before", now[0], now[1], before[0], before[1])
		}
	}
	mustRead(t, outer, "outside", generated(100))
	if now := settings(); looked != 1 || now != before {
		t.Errorf("%d looks; afterwards garbage is collected at %v, want %v as before", looked, now, before)
	}
}
