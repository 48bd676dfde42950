package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// A link that leads out of the tree is told as that, and not in words of the library that refuses it.
func TestLinkOutOfTree(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, err = config.ReadWithin(root.FS(), "link", 100)
	if err == nil || !strings.Contains(err.Error(), "a link that leads out of the repository") {
		t.Errorf("got %v", err)
	}
}
