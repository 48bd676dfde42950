package openstack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/freeport"
)

func TestRecordSurvivesAndOpens(t *testing.T) {
	var free freeport.Allocator
	defer free.Release()
	dir := t.TempDir()
	options, err := Options{Dir: dir, Cache: "cache", Computes: 2}.complete()
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRecord(options, &free)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.save(); err != nil {
		t.Fatal(err)
	}
	cloud, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if *cloud.bed != r {
		t.Errorf("got %+v, want %+v", *cloud.bed, r)
	}
	if !filepath.IsAbs(r.Dir) || !filepath.IsAbs(r.Cache) {
		t.Errorf("paths are relative: %+v", r)
	}
	if got := cloud.Endpoints["compute"]; got != "http://127.0.0.1:"+strconv.Itoa(r.Ports.Compute)+"/v2.1" {
		t.Errorf("the endpoint of compute is %q", got)
	}
	if got := cloud.Computes(); len(got) != 2 || got[1] != "compute-2" {
		t.Errorf("computes are %q", got)
	}
	if err := cloud.Stop(t.Context()); err != nil {
		t.Errorf("stop a bed that never started: %v", err)
	}
	if _, err := Open(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Stop, Open says %v", err)
	}
	if err := cloud.Stop(t.Context()); err != nil {
		t.Errorf("stop again: %v", err)
	}
}

func TestOptionsComplete(t *testing.T) {
	got, err := Options{Dir: "d", Cache: "c"}.complete()
	if err != nil || !filepath.IsAbs(got.Dir) || got.Computes != 3 || got.Out == nil {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, options := range map[string]Options{
		"no directory":      {Cache: "c"},
		"no cache":          {Dir: "d"},
		"negative computes": {Dir: "d", Cache: "c", Computes: -1},
	} {
		if _, err := options.complete(); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

func TestOpenOfDamagedRecord(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, recordFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil {
		t.Error("want an error")
	}
}

func TestRemoveScratchRefusesOtherDirectories(t *testing.T) {
	victim := t.TempDir()
	if err := (record{Scratch: victim}).removeScratch(); err == nil {
		t.Error("want an error")
	}
	if _, err := os.Stat(victim); err != nil {
		t.Error("a directory that is no scratch directory was removed")
	}
}

func TestSweepScratch(t *testing.T) {
	parent := t.TempDir()
	place := func(name string, known bool, age time.Duration) string {
		r := record{Dir: t.TempDir(), Scratch: filepath.Join(parent, scratchPrefix+strconv.Itoa(os.Getuid())+"-"+name)}
		if err := r.makeScratch(); err != nil {
			t.Fatal(err)
		}
		if known {
			if err := r.save(); err != nil {
				t.Fatal(err)
			}
		}
		when := time.Now().Add(-age)
		if err := os.Chtimes(r.Scratch, when, when); err != nil {
			t.Fatal(err)
		}
		return r.Scratch
	}
	living := place("living", true, time.Hour)
	orphan := place("orphan", false, time.Hour)
	young := place("young", false, 0)
	if err := sweepScratch(parent); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{living: true, young: true, orphan: false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s exists: %v, want %v", filepath.Base(path), err == nil, want)
		}
	}
}

func TestNotOurs(t *testing.T) {
	foreign := &Cloud{Name: "elsewhere"}
	_, optionsErr := foreign.Options("x")
	for name, err := range map[string]error{
		"Stop":             foreign.Stop(t.Context()),
		"StopCompute":      foreign.StopCompute(t.Context(), 1),
		"StartCompute":     foreign.StartCompute(t.Context(), 1),
		"AddNeutronAgents": foreign.AddNeutronAgents(t.Context(), NeutronAgent{Type: AgentL3, Host: "h"}),
		"Options":          optionsErr,
	} {
		if !errors.Is(err, ErrNotOurs) {
			t.Errorf("%s gives %v", name, err)
		}
	}
	if got := foreign.Computes(); got != nil {
		t.Errorf("computes are %q", got)
	}
}
