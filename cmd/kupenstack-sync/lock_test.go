package main

import (
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/repo"

	"github.com/kupenstack/kupenstack-sync/cmd/internal/wire"
	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestLockCommand(t *testing.T) {
	published := t.TempDir()
	requests := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.FileServer(http.Dir(published)).ServeHTTP(w, r)
	}))
	defer server.Close()
	add := func(name, version, text string) {
		t.Helper()
		c := &chart.Chart{Metadata: &chart.Metadata{APIVersion: "v2", Name: name, Version: version, Description: text}}
		if _, err := chartutil.Save(c, published); err != nil {
			t.Fatal(err)
		}
		index, err := repo.IndexDirectory(published, server.URL)
		if err != nil {
			t.Fatal(err)
		}
		if err := index.WriteFile(filepath.Join(published, "index.yaml"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir, authority := t.TempDir(), filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(authority, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	configure := func(version, services string) {
		t.Helper()
		text := "cloud \"test\" {\n  release = \"2026.1\"\n  charts {\n    repository = \"" + server.URL + "\"\n    version = \"" + version + "\"\n  }\n" + services + "}\n"
		if err := os.WriteFile(filepath.Join(dir, "main.hcl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, chartlock.File)
	lock := func() string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	run := func(code int, want string, args ...string) {
		t.Helper()
		args = append(args, "--cache-dir="+t.TempDir(), "--chart-ca-file="+authority)
		got, out := said(t, args...)
		if out = strings.ReplaceAll(out, server.URL, "REPOSITORY"); got != code || !strings.Contains(out, want) {
			t.Errorf("%v: exit code %d, want %d, and %q in\n%s", args, got, code, want, out)
		}
	}
	const one, two = "  service \"mariadb\" {}\n", "  service \"mariadb\" {}\n  service \"memcached\" {}\n"

	add("mariadb", "1.0.0", "first")
	add("memcached", "1.0.0", "first")
	configure("~1.0", one)
	run(exitInvalid, "run kupenstack-sync lock", "validate", dir)
	run(exitDone, "+ mariadb 1.0.0 of REPOSITORY\ncharts.lock.json: 1 locked, 1 changed.", "lock", dir)
	run(exitDone, "The configuration is valid", "validate", dir)

	// What was locked stays, and needs nobody, until an upgrade is asked for.
	add("mariadb", "1.0.1", "second")
	before := requests
	written := lock()
	run(exitDone, "1 locked, 0 changed", "lock", dir)
	configure("~1.0.0", one) // another range that has the same version
	run(exitInvalid, "charts are not locked", "validate", dir)
	run(exitDone, "1 locked, 0 changed", "lock", dir)
	if requests != before || strings.ReplaceAll(lock(), "~1.0.0", "~1.0") != written {
		t.Errorf("%d requests, and the file is\n%s\nnot\n%s", requests-before, lock(), written)
	}
	configure("~1.0.0", two)
	run(exitDone, "  + memcached 1.0.0 of REPOSITORY\ncharts.lock.json: 2 locked, 1 changed.", "lock", dir)
	add("memcached", "1.0.1", "second")
	run(exitDone, "  ~ memcached 1.0.0 -> 1.0.1 of REPOSITORY\ncharts.lock.json: 2 locked, 1 changed", "lock", "--upgrade=memcached", dir)
	run(exitDone, "\"before\": \"1.0.0\"", "lock", "--upgrade", "--output=json", dir)

	// A version that is published again is told apart.
	add("mariadb", "1.0.1", "the same version again")
	run(exitDone, "  ! mariadb 1.0.1 of REPOSITORY has another content than before, under the same version", "lock", "--upgrade", dir)

	written = lock()
	run(exitUsage, "", "lock", "--upgrade=nova", dir)
	run(exitUsage, "", "lock", "--repo=https://git.example.org/x")
	configure("~2", two)
	run(exitFailed, "", "lock", dir)
	if lock() != written {
		t.Error("a failure changes the file")
	}
	if err := os.WriteFile(file, []byte("{\n<<<<<<< ours\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(exitInvalid, "charts.lock.json:2:1", "lock", dir)
	run(exitInvalid, "take it from an earlier commit", "validate", dir)
	run(exitInvalid, "it has the newest versions of all charts", "validate", dir)
	if err := os.WriteFile(file, []byte("{\"format\": 2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(exitInvalid, "use a newer kupenstack-sync", "lock", dir)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	configure("~1", two)
	run(exitDone, "+ mariadb 1.0.1", "lock", dir)
	run(exitDone, "\"removed\": []", "lock", "--output=json", dir)

	// What is taken out is told.
	configure("~1", one)
	run(exitDone, "  - memcached 1.0.1 of REPOSITORY\ncharts.lock.json: 1 locked, 0 changed, 1 taken out.", "lock", dir)

	// A cloud that goes, for as long as that is wanted, leaves the lock alone.
	written = lock()
	if err := os.WriteFile(filepath.Join(dir, "gone.hcl"), []byte("removed {\n  from = cloud.test\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(exitDone, "The cloud is to be taken away: what is locked stays as it is.", "lock", dir)
	if lock() != written {
		t.Errorf("of a cloud that goes is left\n%s", lock())
	}
	if err := os.Remove(filepath.Join(dir, "gone.hcl")); err != nil {
		t.Fatal(err)
	}

	// Charts beside the configuration need no lock, and take what was there away.
	if err := os.Mkdir(filepath.Join(dir, "charts"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.hcl"), []byte("cloud \"test\" {\n  release = \"2026.1\"\n  charts { repository = \"charts\" }\n  service \"mariadb\" {}\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(exitDone, "  - mariadb 1.0.1 of REPOSITORY\nThe configuration takes no chart from a repository: there is nothing to lock. What charts.lock.json had was taken out.\n", "lock", dir)
	if strings.Contains(lock(), "mariadb") {
		t.Errorf("what has no use any more is left:\n%s", lock())
	}
	const own = "{ \"format\": 1, \"charts\": [] }\n" // as somebody wrote it
	if err := os.WriteFile(file, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	run(exitDone, "there is nothing to lock.\n", "lock", dir)
	if lock() != own {
		t.Errorf("without anything to lock the file becomes\n%s", lock())
	}
	run(exitInvalid, "there is no chart mariadb in the directory charts", "validate", dir)
	chartBeside(t, dir, "mariadb")
	run(exitDone, "The configuration is valid", "validate", dir)
}

// chartBeside puts a chart without anything in it into the directory charts of a configuration.
func chartBeside(t *testing.T, dir, name string) {
	t.Helper()
	at := filepath.Join(dir, "charts", name)
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, "Chart.yaml"), []byte("apiVersion: v2\nname: "+name+"\nversion: 2026.1.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What --upgrade cannot be asked for is told with the reason.
func TestNothingToUpgrade(t *testing.T) {
	beside := &unit.Release{Name: "mariadb", Chart: unit.Chart{Name: "mariadb", Tree: fstest.MapFS{}}}
	pinned := &unit.Release{Name: "keystone", Chart: unit.Chart{Name: "keystone", Tree: fstest.MapFS{}}, Locked: true}
	remote := &unit.Release{Name: "glance", Chart: unit.Chart{Name: "glance", Repository: "oci://r"}}
	m := &model.Model{Cloud: model.Cloud{Services: []model.Service{{Name: "heat"}}}}
	for _, c := range []struct {
		name     string
		releases []*unit.Release
		want     string
	}{
		{upgradeAll, nil, ""},
		{"glance", []*unit.Release{beside, remote}, ""},
		{"keystone", []*unit.Release{pinned}, ""},
		{"mariadb", []*unit.Release{beside}, "the chart lies beside the configuration, so there is no other version to look for, and no images are locked"},
		{"heat", []*unit.Release{remote}, "the service is switched off, so nothing of it is locked"},
		{"nova", []*unit.Release{remote, beside, pinned}, "the configuration takes no such chart; there are glance, keystone"},
		{"nova", []*unit.Release{beside}, "the configuration takes no such chart, and nothing else that could be upgraded"},
	} {
		err := upgradable(c.name, c.releases, m)
		if (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, wire.ErrUsage) || !strings.HasSuffix(err.Error(), "--upgrade="+c.name+": "+c.want)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
