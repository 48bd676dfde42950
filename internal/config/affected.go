package config

import (
	"bytes"
	"io/fs"
	"iter"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Changes compares the files below dir with those that were loaded last without mistakes. It
// returns the new content of each that differs, nil for one that is gone; or false when it cannot
// tell, as nothing was loaded before or the files cannot be read within the limits.
func (c *Cache) Changes(fsys fs.FS, dir string, limits Limits) (map[string][]byte, bool) {
	if c.files == nil || c.limits != limits {
		return nil, false
	}
	if len(c.dirs) == 0 || c.dirs[0] != dir {
		return nil, false
	}
	l := newLoader(c.language, limits)
	var names []string
	for _, dir := range c.dirs { // that of the configuration, and those of modules
		names = append(names, l.files(fsys, dir, hcl.Range{})...)
	}
	if len(l.diags) > 0 {
		return nil, false
	}
	slices.Sort(names)
	names = slices.Compact(names) // a module may lie inside another one
	changed, present, total := map[string][]byte{}, make(map[string]bool, len(names)), int64(0)
	for _, name := range names {
		present[name] = true
		src, err := readFile(fsys, name, limits.FileBytes)
		total += int64(len(src))
		if err != nil || int64(len(src)) > limits.FileBytes || total > limits.TotalBytes {
			return nil, false
		}
		if before := c.files[name]; before == nil || !bytes.Equal(before.src, src) {
			changed[name] = src
		}
	}
	for name := range c.files {
		if !present[name] {
			changed[name] = nil
		}
	}
	return changed, true
}

// Affected returns the files that have to be read together to evaluate everything that a change
// can have an effect on: the changed ones, those that depend on them, and all that these refer to. Of
// a module it returns all files or none, and none without a call.
// The configuration is the one before the change and had no mistakes; changed is what
// [Cache.Changes] returns. New files are not parsed for it, so it may return too many, never too
// few: each word in them that is the name of something is taken for a reference to it. It returns nil,
// which stands for all files, where a changed file calls modules or has statements about what was, or
// may do so after the change: which file belongs to which module may be another matter then.
func (c *Config) Affected(changed map[string][]byte) map[string]bool {
	w := c.web()
	for name, src := range changed {
		if w.settled[name] || rearranges(src) {
			return nil
		}
	}
	touched := make([]bool, len(w.files))
	for i, file := range w.files {
		_, touched[i] = changed[file]
	}
	for name := range changed {
		if i, inside := w.modules[w.owner(name)]; inside {
			touched[i] = true
		}
	}
	spread(touched, w.users)
	for i := range touched {
		touched[i] = touched[i] || w.layers[i]
	}
	for _, src := range changed {
		for word := range words(src) {
			for _, i := range w.named[string(word)] {
				touched[i] = true
			}
		}
	}
	affected := map[string]bool{}
	for more := true; more; {
		spread(touched, w.needs)
		for i, file := range w.files {
			if touched[i] && file != "" {
				affected[file] = true
			}
		}
		more = false
		for _, i := range w.calls { // without its module, a call among the files would be a mistake
			if affected[w.files[i]] && !touched[i] {
				touched[i], more = true, true
			}
		}
	}
	for name := range c.sources {
		if i, inside := w.modules[w.owner(name)]; inside && touched[i] {
			affected[name] = true
		}
	}
	for name, src := range changed {
		if src == nil {
			delete(affected, name)
		} else {
			affected[name] = true
		}
	}
	return affected
}

// rearranges tells whether a file may call a module or say what became of objects. It takes each word
// that begins such a block for one, but for a part of a reference, where a dot stands beside it. Only
// letters of ASCII belong to the word, as the mark that a file may begin with does not.
func rearranges(src []byte) bool {
	for _, kind := range []string{schema.ModuleKind, schema.MovedKind, schema.ImportKind, schema.RemovedKind, schema.SuspendedKind} {
		for at := 0; ; {
			i := bytes.Index(src[at:], []byte(kind))
			if i < 0 {
				break
			}
			from := at + i
			at = from + len(kind)
			var before, after byte
			if from > 0 {
				before = src[from-1]
			}
			if at < len(src) {
				after = src[at]
			}
			partOf := inWord(before) && before < 0x80 || inWord(after) && after < 0x80
			if !partOf && (kind != schema.ModuleKind || before != '.' && after != '.') {
				return true
			}
		}
	}
	return false
}

// references returns all references of a block, after those that are given.
func (b *Block) references(found []Reference) []Reference {
	for _, a := range b.Attributes {
		found = append(found, a.References...)
	}
	if b.ForEach != nil {
		found = append(found, b.ForEach.References...)
	}
	found = append(found, b.DependsOn...)
	if b.Lifecycle != nil {
		found = b.Lifecycle.references(found)
	}
	for _, inner := range b.Blocks {
		found = inner.references(found)
	}
	return found
}

// spread adds everything that can be reached.
func spread(reached []bool, along [][]int) {
	var queue []int
	for i, is := range reached {
		if is {
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, next := range along[i] {
			if !reached[next] {
				reached[next] = true
				queue = append(queue, next)
			}
		}
	}
}

func nameOf(a addr.Address) string {
	switch a := a.(type) {
	case addr.Value:
		return a.Name()
	case addr.Object:
		return a.Name()
	case addr.Module:
		return a.Last().Name
	}
	return ""
}

// words yields everything in a text that could be a name.
func words(src []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for at := 0; at < len(src); at++ {
			from := at
			for at < len(src) && inWord(src[at]) {
				at++
			}
			if at > from && !yield(src[from:at]) {
				return
			}
		}
	}
}

func inWord(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
