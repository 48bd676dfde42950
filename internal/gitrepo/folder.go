package gitrepo

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"
)

// folderFS shows the files of a plain directory, and says of those whose content is in Git LFS that it is not here, as
// [treeFS] does: a checkout may have been made without it. As there, a submodule is no directory: what is checked in a checkout
// is what comes of its commit.
type folderFS struct {
	rootFS
	checkout checkout
}

// rootFS is what the files of an [os.Root] implement.
type rootFS interface {
	fs.ReadDirFS
	fs.ReadFileFS
	fs.StatFS
	fs.ReadLinkFS
}

// Open implements fs.FS.
func (f folderFS) Open(name string) (fs.File, error) {
	if _, err := f.outside("open", name, true, true); err != nil {
		return nil, err
	}
	file, err := f.rootFS.Open(name)
	if err != nil {
		return nil, err
	}
	if isPointerFile(file) {
		_ = file.Close() // nothing was written
		return nil, &fs.PathError{Op: "open", Path: name, Err: errLFSHere}
	}
	return file, nil
}

// ReadFile implements fs.ReadFileFS.
func (f folderFS) ReadFile(name string) ([]byte, error) {
	if _, err := f.outside("read", name, true, true); err != nil {
		return nil, err
	}
	content, err := f.rootFS.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if isLFSPointer(content) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errLFSHere}
	}
	return content, nil
}

// ReadDir implements fs.ReadDirFS.
func (f folderFS) ReadDir(name string) ([]fs.DirEntry, error) {
	at, err := f.outside("readdir", name, true, true)
	if err != nil {
		return nil, err
	}
	list, err := f.rootFS.ReadDir(name)
	for i, entry := range list {
		if entry.IsDir() && f.isSubmodule(path.Join(at, entry.Name())) {
			list[i] = submoduleEntry{entry}
		}
	}
	return list, err
}

// Stat implements fs.StatFS.
func (f folderFS) Stat(name string) (fs.FileInfo, error) {
	at, err := f.outside("stat", name, true, false)
	if err != nil {
		return nil, err
	}
	info, err := f.rootFS.Stat(name)
	return f.judged(at, info, err)
}

// Lstat implements fs.ReadLinkFS.
func (f folderFS) Lstat(name string) (fs.FileInfo, error) {
	at, err := f.outside("lstat", name, false, false)
	if err != nil {
		return nil, err
	}
	info, err := f.rootFS.Lstat(name)
	return f.judged(at, info, err)
}

// outside returns where a path leads, along links, its own last one if follow is set. The error is that of what lies in a
// submodule, as [treeFS] has it, or of what is one if whole is set. Of all else that is wrong with a path whoever is asked next says so.
func (f folderFS) outside(op, name string, follow, whole bool) (string, error) {
	if !fs.ValidPath(name) {
		return name, nil
	}
	here, pending := ".", strings.Split(name, "/")
	for links := 0; len(pending) > 0; {
		part := pending[0]
		pending = pending[1:]
		if part == "" || part == "." {
			continue
		}
		if part == ".." {
			here = path.Dir(here)
			continue
		}
		next := path.Join(here, part)
		info, err := f.rootFS.Lstat(next)
		if err != nil {
			return name, nil //nolint:nilerr // it is told by whoever reads
		}
		if info.Mode()&fs.ModeSymlink != 0 && (follow || len(pending) > 0) {
			target, err := f.ReadLink(next)
			if links++; err != nil || links > maxLinks || path.IsAbs(target) {
				return name, nil //nolint:nilerr // so is this
			}
			pending = append(strings.Split(target, "/"), pending...)
			continue
		}
		here = next
		if (whole || len(pending) > 0) && info.IsDir() && f.isSubmodule(here) {
			return "", &fs.PathError{Op: op, Path: name, Err: errSubmodule(path.Base(here))}
		}
	}
	return here, nil
}

func (f folderFS) judged(name string, info fs.FileInfo, err error) (fs.FileInfo, error) {
	if err == nil && info.IsDir() && f.isSubmodule(name) {
		info = submoduleInfo{info}
	}
	return info, err
}

// isSubmodule tells whether a directory is a submodule. Its checkout has a file where others have Git's directory. In a checkout
// it is also one that is listed and was not checked out, and what has a repository of its own: that is committed as a submodule, or
// not at all. The top may be one: whoever names it means what is in it.
func (f folderFS) isSubmodule(name string) bool {
	if name == "." {
		return false
	}
	git := path.Join(name, ".git")
	info, err := f.rootFS.Lstat(git)
	switch {
	case err != nil:
		return f.checkout.modules[name] && f.isEmpty(name)
	case info.IsDir():
		_, err := f.rootFS.Lstat(path.Join(git, "HEAD"))
		return f.checkout.within && err == nil
	case !info.Mode().IsRegular() || info.Size() > maxPointer:
		return false
	}
	content, err := f.rootFS.ReadFile(git)
	return err == nil && bytes.HasPrefix(content, []byte("gitdir:"))
}

func (f folderFS) isEmpty(name string) bool {
	list, err := f.rootFS.ReadDir(name)
	return err == nil && len(list) == 0
}

// submoduleEntry and submoduleInfo show a submodule as [treeFS] does.
type submoduleEntry struct{ fs.DirEntry }

func (submoduleEntry) IsDir() bool       { return false }
func (submoduleEntry) Type() fs.FileMode { return fs.ModeIrregular }

func (e submoduleEntry) Info() (fs.FileInfo, error) {
	info, err := e.DirEntry.Info()
	if err != nil {
		return nil, err
	}
	return submoduleInfo{info}, nil
}

type submoduleInfo struct{ fs.FileInfo }

func (submoduleInfo) IsDir() bool         { return false }
func (i submoduleInfo) Mode() fs.FileMode { return fs.ModeIrregular | i.FileInfo.Mode().Perm() }

// isPointerFile looks at the beginning of an open file, which is then read from where it was. A file that cannot be looked
// at says why when it is read.
func isPointerFile(file fs.File) bool {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() >= maxPointer {
		return false
	}
	from, ok := file.(io.ReaderAt)
	if !ok {
		return false
	}
	content, err := io.ReadAll(io.NewSectionReader(from, 0, maxPointer))
	return err == nil && isLFSPointer(content)
}
