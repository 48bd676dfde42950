//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestIrregularFiles wants an answer at once about what is no regular file, and nothing to wait for the
// other end of a pipe.
func TestIrregularFiles(t *testing.T) {
	const cloud = "cloud \"test\" {\n  openstack { cloud = \"test\" }\n}\nmodule \"m\" {\n  source = \"./m\"\n}\n"
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"tree/m", "values", "named.hcl", "named.yaml"} {
		if err := os.MkdirAll(in(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(t, in("tree/cloud.hcl"), cloud)
	put(t, in("tree/m/m.hcl"), "locals {}\n")
	put(t, in("values/cloud.hcl"), strings.Split(cloud, "module")[0])
	for _, name := range []string{"tree/m/pipe.hcl", "values/kupenstack.hclvars", "pipe.hcl", "pipe.yaml"} {
		if err := syscall.Mkfifo(in(name), 0o600); err != nil {
			t.Skip("there are no pipes here: ", err)
		}
	}
	if err := os.Symlink(os.DevNull, in("device.yaml")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"validate", in("tree")}, exitInvalid, "it is a pipe"},
		{[]string{"validate", in("values")}, exitInvalid, "is a pipe, not a file"},
		{[]string{"validate", in("pipe.hcl")}, exitFailed, ""},
		{[]string{"validate", os.DevNull}, exitFailed, ""},
		{[]string{"validate", in("named.hcl")}, exitInvalid, "there is no file whose name ends with"},
		{[]string{"fmt", in("tree")}, exitInvalid, "it is a pipe"},
		{[]string{"fmt", in("pipe.hcl")}, exitInvalid, "it is a pipe"},
		{[]string{"fmt", os.DevNull}, exitFailed, ""},
		{[]string{"fmt", in("named.hcl")}, exitDone, ""},
		{[]string{"convert", in("pipe.yaml")}, exitUsage, ""},
		{[]string{"convert", in("device.yaml")}, exitUsage, ""},
		{[]string{"convert", in("named.yaml")}, exitUsage, ""},
	} {
		type answer struct {
			code int
			out  string
		}
		done := make(chan answer, 1)
		go func() {
			code, out := said(t, append(c.args, "--output=json", "--cache-dir="+in("cache"))...)
			done <- answer{code, out}
		}()
		select {
		case got := <-done:
			if got.code != c.code || !strings.Contains(got.out, c.says) {
				t.Errorf("%v ends with %d:\n%s", c.args, got.code, got.out)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%v waits for ever", c.args)
		}
	}
}
