package confine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// maxServed is the largest file that a child gets.
const maxServed = 16 << 20

// answer reads for the child, on the parent's side.
func answer(files fs.FS, r request) reply {
	found, err := look(files, r)
	if err != nil {
		return reply{Error: cause(err), Missing: errors.Is(err, fs.ErrNotExist)}
	}
	return found
}

// cause is the error without operation and path, which the child adds again.
func cause(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}

func look(files fs.FS, r request) (reply, error) {
	switch r.Op {
	case opStat:
		found, err := fs.Stat(files, r.Name)
		if err != nil {
			return reply{}, err
		}
		return reply{Info: infoOf(found)}, nil
	case opLstat:
		found, err := fs.Lstat(files, r.Name)
		if err != nil {
			return reply{}, err
		}
		return reply{Info: infoOf(found)}, nil
	case opReadLink:
		link, err := fs.ReadLink(files, r.Name)
		return reply{Link: link}, err
	case opOpen:
		return open(files, r.Name)
	default:
		return reply{}, fmt.Errorf("unknown request %d", r.Op)
	}
}

// open reads a file or directory as a whole.
func open(files fs.FS, name string) (reply, error) {
	f, err := files.Open(name)
	if err != nil {
		return reply{}, err
	}
	found, err := f.Stat()
	if err != nil {
		return reply{}, errors.Join(err, f.Close())
	}
	if found.IsDir() {
		if err := f.Close(); err != nil {
			return reply{}, err
		}
		return list(files, name, found)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxServed+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return reply{}, err
	}
	if len(data) > maxServed {
		return reply{}, fmt.Errorf("the file has more than %d bytes", maxServed)
	}
	return reply{Info: infoOf(found), Data: data}, nil
}

func list(files fs.FS, name string, directory fs.FileInfo) (reply, error) {
	entries, err := fs.ReadDir(files, name)
	if err != nil {
		return reply{}, err
	}
	found := reply{Info: infoOf(directory), Entries: make([]info, 0, len(entries))}
	for _, e := range entries {
		entry := info{Base: e.Name(), Bits: e.Type()}
		if i, err := e.Info(); err == nil { // what vanished meanwhile has none
			entry = infoOf(i)
		}
		found.Entries = append(found.Entries, entry)
	}
	return found, nil
}
