package sops

import (
	"fmt"
	"strings"
)

// maxDepth bounds how deep documents are nested.
const maxDepth = 100

// Value is a document, or a part of one: a mapping when Keys is not nil, a list when List is not nil,
// else a single value.
type Value struct {
	Keys []string          // of a mapping, in the file's order
	Map  map[string]*Value // nil for what is no mapping
	List []*Value          // nil for what is no list

	// Type is that of a single value: str, int, float, bool, bytes, time or null.
	Type string
	// Scalar is a string for str and time, int64, float64, bool, []byte; nil for null, and for what
	// was not opened.
	Scalar any
}

// node is what a file consists of before anything is decrypted.
type node struct {
	keys     []string
	children map[string]*node // of a mapping
	list     []*node          // of a list
	isList   bool
	kind     string // of a single value
	scalar   any    // as in [Value]
}

// place is where a single value stands: the keys that lead there. SOPS does not count elements of lists
// as steps.
type place []string

func (p place) String() string { return fmt.Sprintf("the value of %q", strings.Join(p, ".")) }

// value turns the single values below a node into others.
func (n *node) value(f func(*node, place) (*Value, error)) (*Value, error) { return n.walk(nil, f) }

func (n *node) walk(p place, f func(*node, place) (*Value, error)) (*Value, error) {
	switch {
	case n.children != nil:
		v := &Value{Keys: n.keys, Map: map[string]*Value{}}
		for _, key := range n.keys {
			inner, err := n.children[key].walk(append(p[:len(p):len(p)], key), f)
			if err != nil {
				return nil, err
			}
			v.Map[key] = inner
		}
		return v, nil
	case n.isList:
		v := &Value{List: []*Value{}}
		for _, child := range n.list {
			inner, err := child.walk(p, f)
			if err != nil {
				return nil, err
			}
			v.List = append(v.List, inner)
		}
		return v, nil
	default:
		return f(n, p)
	}
}

// add puts a child into a mapping; the error says that the key is there already.
func (n *node) add(key string, child *node) error {
	if n.children[key] != nil {
		return fmt.Errorf("the key %q is there twice", key)
	}
	n.keys = append(n.keys, key)
	n.children[key] = child
	return nil
}

func newMapping() *node { return &node{children: map[string]*node{}} }
