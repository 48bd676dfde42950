package gitrepo

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/filemode"
)

func FuzzLocation(f *testing.F) {
	for _, seed := range []string{"https://u:p@h/x", "git@h:x", "ssh://h:22/x", "/x", "file:///x", "u:p@h:x", "a@b@c:d", "[::1]:x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		at, err := parseLocation(raw)
		if err != nil {
			return
		}
		if strings.HasPrefix(at.path, "-") || strings.HasPrefix(at.host, "-") {
			t.Errorf("%q: path %q or host %q looks like an option", raw, at.path, at.host)
		}
		if at.scheme == schemeHTTPS || at.scheme == schemeHTTP || at.scheme == schemeSSH {
			again, err := parseLocation(at.display)
			if err != nil || again.user != "" || again.password != "" || again.host != at.host || again.path != at.path || again.port != at.port {
				t.Errorf("%q is shown as %q, which is %+v, %v", raw, at.display, again, err)
			}
		}
	})
}

// FuzzCredentialIsNeverShown puts a password into the places where people write one.
func FuzzCredentialIsNeverShown(f *testing.F) {
	f.Add("https://", "user", "@h/x")
	f.Add("", "user", "@h:x")
	f.Add("ssh://", "", "@[::1]:1/x")
	const secret = "Xcanary0X"
	f.Fuzz(func(t *testing.T, before, user, after string) {
		// A host or path after a further @ would make it a part of the path.
		if strings.ContainsAny(before+user, "@/?#[]\\") && before != "https://" && before != "ssh://" || strings.Contains(user, "/") || strings.Contains(before+user+after, secret) || !strings.HasPrefix(after, "@") || strings.ContainsAny(user, "@?#\\[]") {
			return
		}
		at, err := parseLocation(before + user + ":" + secret + after)
		if err != nil {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error %q", err)
			}
			return
		}
		if at.scheme != schemeDir && strings.Contains(at.display, secret) {
			t.Errorf("%q is shown as %q", before+user+":"+secret+after, at.display)
		}
	})
}

func FuzzLFSPointer(f *testing.F) {
	f.Add([]byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"))
	f.Add([]byte("version https://git-lfs.github.com/spec/v1\r\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if isLFSPointer(content) && (len(content) >= maxPointer || !strings.HasPrefix(string(content), "version https://")) {
			t.Errorf("%q is taken for a pointer", content)
		}
	})
}

// memoryTree is a tree whose directories, files and links come from lines "path" or "path -> target".
type memoryTree struct {
	links map[string]string
	dirs  map[string]bool
	files map[string]bool
	steps int
}

func (m *memoryTree) child(directory node, name string) (node, error) {
	m.steps++
	full := strings.TrimPrefix(directory.name+"/"+name, "/")
	switch {
	case m.links[full] != "":
		return node{name: full, mode: filemode.Symlink}, nil
	case m.dirs[full]:
		return node{name: full, mode: filemode.Dir}, nil
	case m.files[full]:
		return node{name: full, mode: filemode.Regular}, nil
	}
	return node{}, fs.ErrNotExist
}

func (m *memoryTree) target(link node) (string, error) { return m.links[link.name], nil }

func FuzzFollow(f *testing.F) {
	f.Add("a/b\nc -> a\nd -> ../x", "c/b")
	f.Add("a -> b\nb -> a", "a")
	f.Add("a -> a/a/a/a", "a/x")
	f.Add("a -> .", "a/a/a/../a")
	f.Fuzz(func(t *testing.T, tree, path string) {
		if len(tree) > 4096 || len(path) > 4096 {
			return
		}
		m := &memoryTree{links: map[string]string{}, dirs: map[string]bool{}, files: map[string]bool{}}
		for line := range strings.SplitSeq(tree, "\n") {
			name, target, isLink := strings.Cut(line, " -> ")
			if !fs.ValidPath(name) {
				continue
			}
			if isLink {
				m.links[name] = target
			} else {
				m.files[name] = true
			}
			for i := range name {
				if name[i] == '/' {
					m.dirs[name[:i]] = true
				}
			}
		}
		for _, last := range []bool{true, false} {
			m.steps = 0
			found, err := follow(m, node{mode: filemode.Dir}, path, last)
			if m.steps > (maxLinks+2)*4096 {
				t.Errorf("%d steps", m.steps)
			}
			if err == nil && last && found.mode == filemode.Symlink {
				t.Errorf("%q ends at a link", path)
			}
			if err == nil && strings.Contains("/"+found.name+"/", "/../") {
				t.Errorf("%q ends at %q", path, found.name)
			}
		}
	})
}
