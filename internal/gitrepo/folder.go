package gitrepo

import (
	"io"
	"io/fs"
)

// folderFS shows the files of a plain directory, and says of those whose content is in Git LFS that it is not here, as
// [treeFS] does: a checkout may have been made without it.
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
	content, err := f.rootFS.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if isLFSPointer(content) {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errLFSHere}
	}
	return content, nil
}

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
