package chartkeys

import (
	"strings"
	"text/template/parse"
)

// library are the templates of a chart that others are made with, by name: those that files define, and the files. One of
// them counts where something leads to it. Several of one name all do, whichever Helm takes.
type library map[string][]*parse.Tree

func (l library) add(name, text string) error {
	trees, err := treesOf(name, text)
	for name, tree := range trees {
		l[name] = append(l[name], tree)
	}
	return err
}

// leads learns that a text may be the name of a template, or what one that is put together begins with.
func (r *reads) leads(text string) {
	const longest = 200 // of a name
	begin, _, format := strings.Cut(text, "%")
	switch {
	case begin == "" || len(begin) > longest:
	case format:
		r.begins[begin] = true
	default:
		r.names[begin] = true
	}
}

// mayLead tells whether something may lead to a template of a library.
func (r *reads) mayLead(l library, name string) bool {
	for end := range len(name) {
		if begin := name[:end+1]; r.begins[begin] || r.names[begin] && (begin == name || l[begin] == nil) {
			return true
		}
	}
	return false
}

// follow learns from the templates of a library that something leads to, and these, but for those that others know already.
func (r *reads) follow(l library, known map[string]bool) {
	for more := true; more; {
		more = false
		for name, trees := range l {
			if r.followed[name] || known[name] || !r.mayLead(l, name) {
				continue
			}
			r.followed[name], more = true, true
			for _, tree := range trees {
				r.learn(tree)
			}
		}
	}
}
