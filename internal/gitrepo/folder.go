package gitrepo

import (
	"bytes"
	"io"
	"io/fs"
	"path"
)

// folderFS shows the files of a plain directory, and says of those whose content is in Git LFS that it is not here, as
// [treeFS] does: a checkout may have been made without it. As there, a submodule is no directory: what is checked in a checkout
// is what comes of its commit.
type folderFS struct {
	rootFS
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
	if err := f.inSubmodule("open", name); err != nil {
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
	if err := f.inSubmodule("read", name); err != nil {
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
	if err := f.inSubmodule("readdir", name); err != nil {
		return nil, err
	}
	list, err := f.rootFS.ReadDir(name)
	for i, entry := range list {
		if entry.IsDir() && f.isSubmodule(path.Join(name, entry.Name())) {
			list[i] = submoduleEntry{entry}
		}
	}
	return list, err
}

// Stat implements fs.StatFS.
func (f folderFS) Stat(name string) (fs.FileInfo, error) {
	if err := f.inSubmodule("stat", path.Dir(name)); err != nil {
		return nil, err
	}
	info, err := f.rootFS.Stat(name)
	return f.judged(name, info, err)
}

// Lstat implements fs.ReadLinkFS.
func (f folderFS) Lstat(name string) (fs.FileInfo, error) {
	if err := f.inSubmodule("lstat", path.Dir(name)); err != nil {
		return nil, err
	}
	info, err := f.rootFS.Lstat(name)
	return f.judged(name, info, err)
}

// inSubmodule is the error of what is one or lies in one, as [treeFS] has it. It goes by the name alone: where links lead is not
// looked at.
func (f folderFS) inSubmodule(op, name string) error {
	if !fs.ValidPath(name) {
		return nil // whoever is asked next says so
	}
	for at := name; at != "."; at = path.Dir(at) {
		if f.isSubmodule(at) {
			return &fs.PathError{Op: op, Path: name, Err: errSubmodule(path.Base(at))}
		}
	}
	return nil
}

func (f folderFS) judged(name string, info fs.FileInfo, err error) (fs.FileInfo, error) {
	if err == nil && info.IsDir() && f.isSubmodule(name) {
		info = submoduleInfo{info}
	}
	return info, err
}

// isSubmodule tells whether a directory is the checkout of a submodule: these have a file where others have Git's directory. The
// top may be one: whoever names it means what is in it.
func (f folderFS) isSubmodule(name string) bool {
	if name == "." {
		return false
	}
	git := path.Join(name, ".git")
	if info, err := f.rootFS.Lstat(git); err != nil || !info.Mode().IsRegular() || info.Size() > maxPointer {
		return false
	}
	content, err := f.rootFS.ReadFile(git)
	return err == nil && bytes.HasPrefix(content, []byte("gitdir:"))
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
