package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// A chart of another Git repository is locked to a commit, and only lock --upgrade goes on to another one.
func TestLockCommandOfGit(t *testing.T) {
	store := gitserver.NewStore(t)
	repo := store.Create(t, "charts")
	server := gitserver.StartHTTPS(t, store)
	server.SetUser("reader", "canary-4711", gitserver.ReadOnly)
	address := "git+" + server.URL(repo) + "//deploy"
	publish := func(version, text string) string {
		t.Helper()
		return repo.Commit(t, map[string]string{
			"deploy/mariadb/Chart.yaml":           "apiVersion: v2\nname: mariadb\nversion: " + version + "\ndependencies:\n- {name: toolkit, version: '>= 0', repository: 'file://../toolkit'}\n",
			"deploy/toolkit/Chart.yaml":           "apiVersion: v2\nname: toolkit\nversion: 0.1.0\n",
			"deploy/toolkit/templates/_text.tpl":  text,
			"deploy/mariadb/templates/empty.yaml": "",
		}, "Publish")
	}
	dir, secrets := t.TempDir(), t.TempDir()
	write := func(file, text string) string {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	authority := write(filepath.Join(secrets, "ca.pem"), string(server.CA()))
	credentials := write(filepath.Join(secrets, "config.json"), `{"auths": {"`+server.Addr()+`": {"username": "reader", "password": "canary-4711"}}}`)
	write(filepath.Join(dir, "main.hcl"), "cloud \"test\" {\n  release = \"2026.1\"\n  charts {\n    repository = \""+address+"\"\n    version = \"~1\"\n  }\n  service \"mariadb\" {}\n}\n")
	run := func(code int, want string, args ...string) string {
		t.Helper()
		got, out := said(t, append(args, "--cache-dir="+t.TempDir(), "--chart-ca-file="+authority)...)
		if got != code || !strings.Contains(out, want) || strings.Contains(out, "canary") {
			t.Errorf("%v: exit code %d, want %d, and %q in\n%s", args, got, code, want, out)
		}
		return out
	}
	lock := func() chartlock.Entry {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, chartlock.File))
		if err != nil {
			t.Fatal(err)
		}
		read, err := chartlock.Parse(text)
		if err != nil || len(read.Entries) != 1 {
			t.Fatalf("%+v, %v", read, err)
		}
		return read.Entries[0]
	}

	first := publish("1.0.0", "first")
	run(exitInvalid, "run kupenstack-sync lock", "validate", dir)
	run(exitFailed, "", "lock", dir) // without a password
	known := "--chart-credentials-file=" + credentials
	run(exitDone, "  + mariadb 1.0.0 ("+first[:12]+") of "+address+"\ncharts.lock.json: 1 locked, 1 changed.", "lock", known, dir)
	run(exitDone, "The configuration is valid", "validate", dir)
	was := lock()
	if was.Commit != first {
		t.Errorf("locked is %+v", was)
	}

	// The branch moves: nothing follows, until somebody asks for it.
	second := publish("1.0.0", "second")
	run(exitDone, "1 locked, 0 changed", "lock", known, dir)
	if now := lock(); now != was {
		t.Errorf("locked is %+v, was %+v", now, was)
	}
	run(exitDone, "  ~ mariadb 1.0.0 ("+first[:12]+") -> 1.0.0 ("+second[:12]+") of "+address, "lock", "--upgrade", known, dir)
	if now := lock(); now.Commit != second || now.Digest == was.Digest {
		t.Errorf("locked is %+v, was %+v", now, was)
	}
	third := publish("1.1.0", "third")
	var told struct {
		Changed []struct {
			Version, Before, Commit string
			BeforeCommit            string `json:"before_commit"`
			Republished             bool
		}
	}
	if err := json.Unmarshal([]byte(run(exitDone, "", "lock", "--upgrade", "--output=json", known, dir)), &told); err != nil {
		t.Fatal(err)
	}
	if c := told.Changed; len(c) != 1 || c[0].Version != "1.1.0" || c[0].Before != "1.0.0" || c[0].Commit != third || c[0].BeforeCommit != second || c[0].Republished {
		t.Errorf("told %+v", told)
	}
	publish("2.0.0", "another major version")
	run(exitFailed, "", "lock", "--upgrade", known, dir)
	if now := lock(); now.Commit != third {
		t.Errorf("a failure changes the lock to %+v", now)
	}
}
