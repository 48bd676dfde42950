package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/test/imageregistry"
)

// Images are locked beside charts, only where the cloud says so, and only lock --upgrade goes on to what tags are later.
func TestLockCommandOfImages(t *testing.T) {
	registry := imageregistry.Start(t, false)
	registry.SetLogin("reader", "canary-4711")
	dir, secrets := t.TempDir(), t.TempDir()
	write := func(file, text string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	authority := write(filepath.Join(secrets, "ca.pem"), string(registry.CA()))
	credentials := write(filepath.Join(secrets, "config.json"), `{"auths": {"`+registry.Host()+`": {"username": "reader", "password": "canary-4711"}}}`)
	for name, file := range map[string]string{
		"Chart.yaml":         "apiVersion: v2\nname: NAME\nversion: 2026.1.0\n",
		"values.yaml":        "images: {tags: {NAME: quay.io/osh/NAME:index, entrypoint: quay.io/osh/entrypoint:1, unused: quay.io/osh/unused:missing}}\n",
		"templates/pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: NAME}\nspec:\n  initContainers: [{name: i, image: {{ .Values.images.tags.entrypoint }}}]\n  containers: [{name: c, image: {{ .Values.images.tags.NAME }}}]\n",
	} {
		for _, chart := range []string{"mariadb", "memcached"} {
			write(filepath.Join(dir, "charts", chart, name), strings.ReplaceAll(file, "NAME", chart))
		}
	}
	configure := func(images, services string) {
		t.Helper()
		write(filepath.Join(dir, "main.hcl"), "cloud \"test\" {\n  release = \"2026.1\"\n  charts { repository = \"charts\" }\n  images {\n    registries = { \"quay.io\" = \""+registry.Host()+"\" }\n    "+images+"\n  }\n"+services+"}\n")
	}
	run := func(code int, want string, args ...string) {
		t.Helper()
		args = append(args, "--cache-dir="+t.TempDir(), "--chart-ca-file="+authority, "--chart-credentials-file="+credentials)
		got, out := said(t, args...)
		if out = strings.ReplaceAll(out, registry.Host(), "REGISTRY"); got != code || !strings.Contains(out, want) || strings.Contains(out, "canary") {
			t.Errorf("%v: exit code %d, want %d, and %q in\n%s", args, got, code, want, out)
		}
	}
	file := filepath.Join(dir, chartlock.File)
	locked := func() map[string]string {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lock, err := chartlock.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		pins := map[string]string{}
		for _, image := range lock.Images {
			pins[strings.TrimPrefix(image.Name, registry.Host()+"/")] = image.Digest
		}
		return pins
	}
	want := func(images ...string) {
		t.Helper()
		pins := locked()
		for _, image := range images {
			if pins[image] != registry.Digest(image) {
				t.Errorf("%s is locked to %q, and is %s", image, pins[image], registry.Digest(image))
			}
		}
		if len(pins) != len(images) {
			t.Errorf("locked are %v, want %q", pins, images)
		}
	}
	const one, two = "  service \"mariadb\" {}\n", "  service \"mariadb\" {}\n  service \"memcached\" {}\n"

	configure("", one)
	run(exitDone, "The configuration is valid", "validate", dir)
	run(exitDone, "there is nothing to lock", "lock", dir)
	if len(registry.Asked()) > 0 {
		t.Errorf("images are asked for: %q", registry.Asked())
	}

	configure("lock = true", one)
	run(exitInvalid, "images are not locked", "validate", dir)
	run(exitDone, "  + image REGISTRY/osh/entrypoint:1@sha256:", "lock", dir)
	want("osh/entrypoint:1", "osh/mariadb:index")
	run(exitDone, "The configuration is valid", "validate", dir)

	// What was locked stays and needs nobody, whatever is pushed, until an upgrade is asked for.
	registry.Push("osh/entrypoint:1")
	registry.Push("osh/mariadb:index")
	was, asked := locked(), len(registry.Asked())
	run(exitDone, "0 charts and 2 images locked, 0 and 0 changed", "lock", dir)
	if now := locked(); now["osh/entrypoint:1"] != was["osh/entrypoint:1"] || len(registry.Asked()) != asked {
		t.Errorf("locked are %v, were %v, after %d requests", now, was, len(registry.Asked())-asked)
	}
	configure("lock = true", two)
	run(exitDone, "0 charts and 3 images locked, 0 and 1 changed", "lock", dir)
	run(exitUsage, "", "lock", "--upgrade=nova", dir)
	run(exitDone, "0 charts and 3 images locked, 0 and 1 changed", "lock", "--upgrade=memcached", dir) // which has the other entrypoint as well
	if now := locked(); now["osh/mariadb:index"] != was["osh/mariadb:index"] || now["osh/entrypoint:1"] != registry.Digest("osh/entrypoint:1") {
		t.Errorf("locked are %v, were %v", now, was)
	}
	run(exitDone, `"before": "sha256:`, "lock", "--upgrade", "--output=json", dir)
	want("osh/entrypoint:1", "osh/mariadb:index", "osh/memcached:index")

	// An image of a service's own wins, and one that is not there changes nothing.
	configure("lock = true", "  service \"mariadb\" {\n    images = { mariadb = \""+registry.Host()+"/mine/mariadb:2\" }\n  }\n")
	run(exitDone, "  + image REGISTRY/mine/mariadb:2@sha256:", "lock", dir)
	want("osh/entrypoint:1", "mine/mariadb:2")
	configure("lock = true", "  service \"mariadb\" {\n    images = { mariadb = \""+registry.Host()+"/mine/mariadb:missing\" }\n  }\n")
	run(exitFailed, "", "lock", dir)
	want("osh/entrypoint:1", "mine/mariadb:2")

	// Off again, nothing is left.
	configure("", one)
	run(exitDone, "there is nothing to lock", "lock", dir)
	want()
}
