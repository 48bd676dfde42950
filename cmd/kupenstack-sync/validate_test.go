package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestValidateKnowsCharts wants keys and registries held against the charts beside the configuration, and the others named: of those
// nobody can tell without asking a server.
func TestValidateKnowsCharts(t *testing.T) {
	dir := t.TempDir()
	write := func(file, text string) {
		t.Helper()
		file = filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	configure := func(key string) {
		t.Helper()
		write("main.hcl", "cloud \"test\" {\n  release = \"2026.1\"\n  charts { repository = \"charts\" }\n  service \"mariadb\" {\n    values = { "+key+
			" = { x = \"canary-4711\" } }\n  }\n  service \"memcached\" {\n    values = { pods = {} }\n  }\n}\n")
	}
	run := func(code int, want string, flags ...string) {
		t.Helper()
		got, out := said(t, append([]string{"validate", dir, "--cache-dir=" + t.TempDir()}, flags...)...)
		if got != code || !strings.Contains(out, want) || strings.Contains(out, "canary") {
			t.Errorf("exit code %d, want %d, and %q in\n%s", got, code, want, out)
		}
	}
	write("charts/mariadb/Chart.yaml", "apiVersion: v2\nname: mariadb\nversion: 2026.1.0\n")
	write("charts/mariadb/values.yaml", "pod: {replicas: {server: 1}}\n")
	configure("pods")
	run(exitInvalid, "error[chart.unknown-key]: unknown key values.pods\n  --> main.hcl:5:16\n")
	run(exitInvalid, "hint: did you mean pod?")
	run(exitInvalid, `"code": "chart.unknown-key"`, "--output=json")
	configure("pod")
	run(exitInvalid, "error[chart.unusable]: chart memcached cannot be used\n  --> main.hcl:7:3\n")
	run(exitInvalid, "there is no chart memcached in the directory charts")
	write("charts/memcached/Chart.yaml", "apiVersion: v2\nname: memcached\nversion: 2019.1.0\n")
	run(exitInvalid, `chart memcached is of version "2019.1.0", and which values it takes is known of `)
	write("charts/memcached/Chart.yaml", "apiVersion: v2\nname: memcached\nversion: 2026.1.0\n")
	write("charts/memcached/values.yaml", "pods: {}\n")
	rest, err := os.ReadFile(filepath.Join(dir, "main.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	write("main.hcl", string(rest)+"chart \"other\" {\n  repository = \"https://charts.example.invalid\"\n  version    = \"1.0.0\"\n  values     = { x = 1 }\n}\n")
	write("charts.lock.json", `{"format":1,"charts":[{"repository":"https://charts.example.invalid","name":"other","constraint":"1.0.0","version":"1.0.0","digest":"sha256:`+strings.Repeat("0", 64)+`"}]}`)
	run(exitDone, "Keys for these charts were not checked, as they are neither beside the configuration nor in --cache-dir: other. `kupenstack-sync plan` gets them.\n")
	write("main.hcl", string(rest))
	run(exitDone, "The configuration is valid: cloud test, 2 services, 0 nodes, 0 resources.\n")

	write("main.hcl", "cloud \"test\" {\n  release = \"2026.1\"\n  charts { repository = \"charts\" }\n  images {\n    registries = { \"quay.io\" = \"a.example.org\", \"key.io\" = \"b.example.org\" }\n  }\n  service \"mariadb\" {}\n  service \"memcached\" {}\n}\n")
	write("charts/memcached/values.yaml", "images: {tags: {memcached: quay.io/osh/memcached:1}}\n")
	run(exitDone, "warning[compose.idle-registry]: a registry without images\n  --> main.hcl:5:49\n")
	if _, out := said(t, "validate", dir, "--cache-dir="+t.TempDir()); strings.Contains(out, "not checked") {
		t.Errorf("with all charts at hand is told\n%s", out)
	}
}

// What reports could not go to is told before anybody is asked: here nobody would answer.
func TestValidateLooksWhereReportsGo(t *testing.T) {
	for branch, want := range map[string]int{"main/status": exitUsage, "main-status": exitFailed} {
		got, out := said(t, "validate", "--repo=https://127.0.0.1:1/cloud.git", "--ref=main", "--status-branch="+branch, "--cache-dir="+t.TempDir())
		if got != want {
			t.Errorf("with reports to %s it ended with %d, want %d:\n%s", branch, got, want, out)
		}
	}
}
