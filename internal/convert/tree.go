package convert

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// form is what a value is.
type form uint8

const (
	scalar form = iota
	mapping
	list
)

// value is a part of a document with its aliases and merges resolved.
type value struct {
	form   form
	fields []field  // of a mapping, in the order of the file; no key is there twice
	items  []*value // of a list
	tag    string   // of a scalar: !!str and so on
	text   string   // of a scalar
	plain  bool     // of a scalar: written without quotes
	at     diag.Range
	comments
}

// field is one entry of a mapping. Its comments are those of key and value.
type field struct {
	key    string
	value  *value
	at     diag.Range // of the key
	hidden bool       // it may hold a secret, so that its line is not shown
	merged bool       // it comes from <<
	comments
}

// comments are the lines of comments around something, without the #.
type comments struct{ head, line, foot []string }

func commentsOf(nodes ...*yaml.Node) comments {
	var c comments
	for _, n := range nodes {
		c.head = append(c.head, commentLines(n.HeadComment)...)
		c.line = append(c.line, commentLines(n.LineComment)...)
		c.foot = append(c.foot, commentLines(n.FootComment)...)
	}
	return c
}

func commentLines(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimPrefix(strings.TrimSpace(line), "#")
		line = strings.TrimSpace(strings.Map(func(r rune) rune {
			if r < ' ' {
				return ' '
			}
			return r
		}, line))
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func (v *value) null() bool { return v.form == scalar && v.tag == "!!null" }

// empty tells whether the value says nothing: null, "", {} or [].
func (v *value) empty() bool {
	return v.null() || v.form == scalar && v.text == "" || v.form != scalar && len(v.fields)+len(v.items) == 0
}

// get returns the value of a key, or nil.
func (v *value) get(key string) *value {
	for i := range v.fields {
		if v.fields[i].key == key {
			return v.fields[i].value
		}
	}
	return nil
}

// free is the key below which anything can be written, passwords too.
const free = "conf"

// builder makes values of one document, within the limits.
type builder struct {
	c      *converter
	file   string
	active map[*yaml.Node]bool // the anchors that are being resolved
	hidden bool
}

// build returns a value, and false after an error that leaves no result.
func (b *builder) build(n *yaml.Node, depth int) (*value, bool) {
	switch n.Kind { //nolint:exhaustive // what holds a value comes below
	case yaml.DocumentNode:
		if len(n.Content) != 1 {
			return &value{tag: "!!null", at: at(b.file, n)}, true
		}
		v, ok := b.build(n.Content[0], depth)
		if ok {
			v.head = append(commentsOf(n).head, v.head...)
		}
		return v, ok
	case yaml.AliasNode:
		return b.alias(n, depth)
	}
	if !b.charge(n, depth) {
		return nil, false
	}
	v := &value{at: at(b.file, n), comments: commentsOf(n)}
	switch n.Kind {
	case yaml.MappingNode:
		v.form = mapping
		return v, b.mapping(v, n, depth)
	case yaml.SequenceNode:
		v.form = list
		for _, item := range n.Content {
			built, ok := b.build(item, depth+1)
			if !ok {
				return nil, false
			}
			v.items = append(v.items, built)
		}
	case yaml.ScalarNode, yaml.DocumentNode, yaml.AliasNode:
		v.tag, v.text, v.plain = n.ShortTag(), n.Value, n.Style&^yaml.TaggedStyle == 0
	}
	return v, true
}

// charge counts a node, and tells when it is one too many.
func (b *builder) charge(n *yaml.Node, depth int) bool {
	l := b.c.limits
	b.c.nodes++
	b.c.text += len(n.Value) + len(n.HeadComment) + len(n.LineComment) + len(n.FootComment)
	var detail, hint string
	switch {
	case depth > l.Depth:
		detail = fmt.Sprintf("there can be at most %d mappings and lists inside each other", l.Depth)
	case b.c.nodes > l.Nodes:
		detail = fmt.Sprintf("all documents together can have at most %d keys, values and elements; what an alias stands for counts each time", l.Nodes)
		hint = "convert the profiles and the nodes each by themselves"
	case len(n.Value) > l.ScalarBytes:
		detail = fmt.Sprintf("a text can have at most %d bytes", l.ScalarBytes)
	case b.c.text > l.TextBytes:
		detail = fmt.Sprintf("all texts together can have at most %d bytes; what an alias stands for counts each time", l.TextBytes)
	default:
		return true
	}
	where := at(b.file, n)
	where.End = where.Start
	b.c.unreadable(finding{codeLimit, where, "too large", detail, hint, b.hidden})
	return false
}

func (b *builder) alias(n *yaml.Node, depth int) (*value, bool) {
	if b.active[n.Alias] {
		b.c.unreadable(finding{codeSyntax, at(b.file, n), "alias inside what it stands for", fmt.Sprintf("*%s is part of &%s itself, so it has no end", n.Value, n.Value), "write the value instead", b.hidden})
		return nil, false
	}
	b.active[n.Alias] = true
	defer delete(b.active, n.Alias)
	return b.build(n.Alias, depth)
}

func (b *builder) mapping(v *value, n *yaml.Node, depth int) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, inner := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			if !b.merge(v, inner, depth) {
				return false
			}
			continue
		}
		if !b.charge(key, depth) {
			return false
		}
		if key.Kind != yaml.ScalarNode {
			b.c.unreadable(finding{codeSyntax, at(b.file, key), "key is not a text", "the keys of a mapping are texts", "", b.hidden})
			return false
		}
		f := field{key: key.Value, at: at(b.file, key), comments: commentsOf(key)}
		was := b.hidden
		b.hidden = b.hidden || key.Value == free
		f.hidden = b.hidden
		built, ok := b.build(inner, depth+1)
		b.hidden = was
		if !ok {
			return false
		}
		f.value = built
		f.line = append(f.line, built.line...)
		f.head, f.foot = append(f.head, built.head...), append(f.foot, built.foot...)
		v.fields = append(v.fields, f)
	}
	return b.unique(v)
}

// merge adds the fields that << names. Those that the mapping has itself count more: they are
// told apart from keys that are written twice by their place.
func (b *builder) merge(v *value, n *yaml.Node, depth int) bool {
	built, ok := b.build(n, depth+1)
	if !ok {
		return false
	}
	sources := []*value{built}
	if built.form == list {
		sources = built.items
	}
	for _, source := range sources {
		if source.form != mapping {
			b.c.unreadable(finding{codeSyntax, at(b.file, n), "nothing to merge", "<< takes a mapping or a list of mappings", "", b.hidden})
			return false
		}
		for _, f := range source.fields {
			f.comments = comments{}
			f.merged = true
			v.fields = append(v.fields, f)
		}
	}
	return true
}

// unique leaves each key once: one that is written counts more than one that is merged, and of two
// merged ones the first.
func (b *builder) unique(v *value) bool {
	first := map[string]int{}
	var fields []field
	for _, f := range v.fields {
		i, twice := first[f.key]
		switch {
		case !twice:
			first[f.key] = len(fields)
			fields = append(fields, f)
		case f.merged:
		case fields[i].merged:
			fields[i] = f
		default:
			b.c.unreadable(finding{
				codeDuplicate, f.at, "key is written twice",
				fmt.Sprintf("%s is there at %s already, and readers of YAML differ in which of them counts", f.key, place(fields[i].at)), "keep one of them", f.hidden,
			})
		}
	}
	v.fields = fields
	return true
}
