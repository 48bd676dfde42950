package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// said runs the command as [call] does, and returns all that it says: some of it goes by the
// process's own outputs.
func said(t *testing.T, args ...string) (int, string) {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "said")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = file, file
	defer func() { os.Stdout, os.Stderr = stdout, stderr }()
	code, text := call(t, "", args...)
	rest, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return code, text + string(rest)
}

// Commands that apply nothing go on without the key of an encrypted file, and no output has what is in it.
func TestEncryptedFiles(t *testing.T) {
	testdata, err := filepath.Abs("../../internal/sops/testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	content, err := os.ReadFile(filepath.Join(testdata, "all.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const text = `cloud "test" {
  release = "2026.1"
  charts { repository = "charts" }
  service "memcached" {
    conf = { memcached = { secret = sops("all.sops.yaml").db.password, port = sops("all.sops.yaml").db.port } }
  }
}
`
	if err := os.Mkdir(filepath.Join(dir, "charts"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"main.hcl": []byte(text), "all.sops.yaml": content} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	chartBeside(t, dir, "memcached")
	key := "--sops-age-key-file=" + filepath.Join(testdata, "age.txt")
	other := "--sops-age-key-file=" + filepath.Join(testdata, "other.txt")
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"validate", dir}, exitDone},
		{[]string{"validate", dir, key}, exitDone},
		{[]string{"validate", dir, other}, exitInvalid},
		{[]string{"validate", dir, "--sops-age-key-file=" + filepath.Join(testdata, "absent.txt")}, exitUsage},
		{[]string{"validate", dir, "--sops-age-key-file=" + testdata}, exitUsage},
		{[]string{"graph", dir, key}, exitDone},
		{[]string{"explain", "service.memcached", "--repo", dir}, exitDone},
		{[]string{"explain", "service.memcached", "--repo", dir, key}, exitDone},
		{[]string{"explain", "service.memcached", "--repo", dir, key, "--output=json"}, exitDone},
		{[]string{"plan", "--repo", dir}, exitInvalid},
	} {
		args := append(c.args, "--cache-dir="+t.TempDir())
		code, out := said(t, args...)
		if code != c.code {
			t.Errorf("%v ends with %d:\n%s", c.args, code, out)
		}
		out = strings.ReplaceAll(out, dir, "") // which has a number
		if strings.Contains(out, "canary") || strings.Contains(out, "5432") {
			t.Errorf("%v tells a secret:\n%s", c.args, out)
		}
	}
}
