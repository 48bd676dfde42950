package debian

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/filelock"
)

func TestUnsupported(t *testing.T) {
	present := func(string) (string, error) { return "/usr/bin/apt-get", nil }
	absent := func(string) (string, error) { return "", errors.New("not found") }
	for name, c := range map[string]struct {
		release string
		uid     int
		look    func(string) (string, error)
		want    string // a part of the reason; empty for a supported machine
	}{
		"debian":        {"NAME=x\nVERSION_ID=\"12\"\nID=debian\n", 0, present, ""},
		"ubuntu":        {"ID=\"ubuntu\"\nID_LIKE=debian\n", 0, present, ""},
		"fedora":        {"ID=fedora\n", 0, present, "needs Debian or Ubuntu"},
		"derivative":    {"ID=mint\nID_LIKE=\"ubuntu debian\"\n", 0, present, "needs Debian or Ubuntu"},
		"empty":         {"", 0, present, "needs Debian or Ubuntu"},
		"without apt":   {"ID=debian\n", 0, absent, "needs apt-get"},
		"ordinary user": {"ID=debian\n", 1000, present, "needs root"},
	} {
		t.Run(name, func(t *testing.T) {
			got := unsupported(strings.NewReader(c.release), c.uid, c.look)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := unsupported(nil, 0, present); !strings.Contains(got, "needs Debian or Ubuntu") {
		t.Errorf("without an os-release: %q", got)
	}
}

func TestMissingFrom(t *testing.T) {
	names := []string{"python3-nova", "memcached", "uwsgi-core"}
	var all strings.Builder
	for _, name := range names {
		all.WriteString(name + " 1:2.3-4 installed\n")
	}
	if got := missingFrom(all.String(), names); len(got) != 0 {
		t.Errorf("nothing is missing, got %q", got)
	}
	some := strings.Replace(all.String(), "memcached 1:2.3-4 installed", "memcached 1:2.3-4 config-files", 1)
	some = strings.Replace(some, "python3-nova 1:2.3-4 installed", "python3-nova  not-installed", 1)
	if got, want := missingFrom(some, names), []string{"python3-nova", "memcached"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := missingFrom("", names); !slices.Equal(got, names) {
		t.Errorf("on an empty machine: %q", got)
	}
}

func TestForbidServiceStarts(t *testing.T) {
	const allows, refuses = "#!/bin/sh\nexit 0\n", "#!/bin/sh\n# the administrator's\nexit 101\n"
	for name, before := range map[string]string{"no policy": "", "policy allows": allows, "policy refuses": refuses} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "policy-rc.d")
			if before != "" {
				if err := os.WriteFile(path, []byte(before), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			restore, err := forbidServiceStarts(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			during, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(during), "exit 101") {
				t.Errorf("while installing the policy is %q, %v", during, err)
			}
			if before == refuses && string(during) != refuses {
				t.Errorf("a policy that refuses was changed to %q", during)
			}
			if err := restore(); err != nil {
				t.Fatal(err)
			}
			after, err := os.ReadFile(path)
			if string(after) != before || before == "" && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("afterwards the policy is %q, %v; want %q", after, err, before)
			}
			if left, _ := filepath.Glob(path + "?*"); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestRestoreAfterKill(t *testing.T) {
	const theirs = "#!/bin/sh\nexit 0\n"
	for name, c := range map[string]struct {
		policy, saved, want string // contents; empty for no file
		locked              bool
	}{
		"nothing left":                {"", "", "", false},
		"theirs":                      {theirs, "", theirs, false},
		"ours in place of nothing":    {refuse, "", "", false},
		"ours in place of theirs":     {refuse, theirs, theirs, false},
		"killed between both steps":   {"", theirs, theirs, false},
		"somebody installs right now": {refuse, theirs, refuse, true},
	} {
		t.Run(name, func(t *testing.T) {
			path, lock := filepath.Join(t.TempDir(), "policy-rc.d"), filepath.Join(t.TempDir(), "lock")
			for file, content := range map[string]string{path: c.policy, path + aside: c.saved} {
				if content == "" {
					continue
				}
				if err := os.WriteFile(file, []byte(content), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if c.locked {
				held, err := filelock.Lock(t.Context(), lock)
				if err != nil {
					t.Fatal(err)
				}
				defer held.Close()
			}
			if err := restoreAfterKill(path, lock); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if string(got) != c.want || c.want == "" && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the policy is %q, %v; want %q", got, err, c.want)
			}
			if left, _ := filepath.Glob(path + "?*"); len(left) > 0 && !c.locked {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestInstallWithoutPackageManager(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := Install(t.Context(), t.Output(), "openssh-client", "gcc")
	if err == nil || !strings.HasPrefix(err.Error(), "missing openssh-client, gcc: this needs ") {
		t.Errorf("got %v, want what is missing and what installing it needs", err)
	}
}
