package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/convert"
)

func TestWriteKeepsWhatIsThere(t *testing.T) {
	files := []convert.File{{Name: "cloud.hcl", Content: []byte("new\n")}, {Name: "nodes.hcl", Content: []byte("new\n")}}
	outside := filepath.Join(t.TempDir(), "outside")
	for name, c := range map[string]struct {
		force   bool
		prepare func(t *testing.T, dir string)
		refused string
		want    map[string]string
	}{
		"new directory": {
			prepare: func(*testing.T, string) {},
			want:    map[string]string{"cloud.hcl": "new\n", "nodes.hcl": "new\n"},
		},
		"one is there": {
			prepare: func(t *testing.T, dir string) { put(t, filepath.Join(dir, "nodes.hcl"), "old\n") },
			refused: "nodes.hcl is in",
			want:    map[string]string{"nodes.hcl": "old\n"},
		},
		"forced": {
			force:   true,
			prepare: func(t *testing.T, dir string) { put(t, filepath.Join(dir, "nodes.hcl"), "old\n") },
			want:    map[string]string{"cloud.hcl": "new\n", "nodes.hcl": "new\n"},
		},
		"forced over a link": {
			force: true,
			prepare: func(t *testing.T, dir string) {
				put(t, outside, "old\n")
				if err := os.Symlink(outside, filepath.Join(dir, "nodes.hcl")); err != nil {
					t.Fatal(err)
				}
			},
			want: map[string]string{"cloud.hcl": "new\n", "nodes.hcl": "new\n"},
		},
		"forced over a directory": {
			force: true,
			prepare: func(t *testing.T, dir string) {
				if err := os.MkdirAll(filepath.Join(dir, "cloud.hcl"), 0o700); err != nil {
					t.Fatal(err)
				}
			},
			refused: "write cloud.hcl",
			want:    map[string]string{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a", "b")
			if name != "new directory" {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			c.prepare(t, dir)
			err := (&destination{out: dir, force: c.force}).write(files)
			if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
				t.Errorf("got %v, want %q", err, c.refused)
			}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, entry := range entries {
				if !entry.IsDir() {
					content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
					if err != nil {
						t.Fatal(err)
					}
					got[entry.Name()] = string(content)
				}
			}
			if len(got) != len(c.want) {
				t.Errorf("files %v, want %v", got, c.want)
			}
			for file, want := range c.want {
				if got[file] != want {
					t.Errorf("%s is %q, want %q", file, got[file], want)
				}
			}
		})
	}
	if content, err := os.ReadFile(outside); err != nil || string(content) != "old\n" {
		t.Errorf("what a link led to: %q, %v", content, err)
	}
}

func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
