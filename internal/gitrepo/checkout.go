package gitrepo

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	gitconfig "github.com/go-git/go-git/v5/config"
)

// maxModules bounds what is read of the list of submodules.
const maxModules = 1 << 20

// checkout is what a directory is of a repository that it was checked out from.
type checkout struct {
	within  bool            // it is one, or lies in one
	modules map[string]bool // where there are submodules in it, by their paths from the directory, as far as they are listed
}

// checkoutOf looks for the top of the checkout that a directory is, or lies in. What cannot be read says nothing.
func checkoutOf(dir string) checkout {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return checkout{}
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return checkout{within: true, modules: modulesOf(at, dir)}
		}
		if at == filepath.Dir(at) {
			return checkout{}
		}
	}
}

// modulesOf reads where the checkout at a top has submodules below a directory.
func modulesOf(top, dir string) map[string]bool {
	file, err := os.Open(filepath.Join(top, ".gitmodules"))
	if err != nil {
		return nil
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxModules))
	list := gitconfig.NewModules()
	if err != nil || list.Unmarshal(text) != nil {
		return nil
	}
	found := map[string]bool{}
	for _, module := range list.Submodules {
		at, err := filepath.Rel(dir, filepath.Join(top, filepath.FromSlash(module.Path)))
		if at = filepath.ToSlash(at); err == nil && at != ".." && !strings.HasPrefix(at, "../") {
			found[at] = true
		}
	}
	return found
}
