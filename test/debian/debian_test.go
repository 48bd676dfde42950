package debian

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
