package sops

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

var errTooDeep = fmt.Errorf("the document is nested more than %d deep", maxDepth)

func parseYAML(content []byte) (*node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document, next yaml.Node
	if err := decoder.Decode(&document); err != nil {
		return nil, errors.New("the file is not YAML") // the error may quote it
	}
	if err := decoder.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file has several documents of YAML: put each into a file of its own")
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("the file is no mapping from keys to values")
	}
	return fromYAML(document.Content[0], 0)
}

func fromYAML(y *yaml.Node, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	switch y.Kind {
	case yaml.MappingNode:
		n := newMapping()
		for i := 0; i+1 < len(y.Content); i += 2 {
			key := y.Content[i]
			if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
				return nil, fmt.Errorf("line %d: a key is no text", key.Line)
			}
			child, err := fromYAML(y.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			if err := n.add(key.Value, child); err != nil {
				return nil, err
			}
		}
		return n, nil
	case yaml.SequenceNode:
		n := &node{isList: true}
		for _, element := range y.Content {
			child, err := fromYAML(element, depth+1)
			if err != nil {
				return nil, err
			}
			n.list = append(n.list, child)
		}
		return n, nil
	case yaml.ScalarNode:
		var plain any
		if err := y.Decode(&plain); err != nil {
			return nil, fmt.Errorf("line %d: the value is not of the type that it is said to be", y.Line)
		}
		return single(plain)
	default:
		return nil, fmt.Errorf("line %d: aliases are not read: SOPS writes none", y.Line)
	}
}

// single makes a node of a value that is neither mapping nor list.
func single(plain any) (*node, error) {
	switch v := plain.(type) {
	case nil:
		return &node{kind: typeNull}, nil
	case string:
		return &node{kind: typeString, scalar: v}, nil
	case int:
		return &node{kind: typeInt, scalar: int64(v)}, nil
	case int64:
		return &node{kind: typeInt, scalar: v}, nil
	case float64:
		return &node{kind: typeFloat, scalar: v}, nil
	case bool:
		return &node{kind: typeBool, scalar: v}, nil
	case time.Time:
		return &node{kind: typeTime, scalar: v.Format(time.RFC3339Nano)}, nil
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return &node{kind: typeInt, scalar: whole}, nil
		}
		if f, err := v.Float64(); err == nil {
			return &node{kind: typeFloat, scalar: f}, nil
		}
	}
	return nil, errors.New("a number is too large")
}

func parseJSON(content []byte) (*node, error) {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	root, err := fromJSON(decoder, 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file has something after its JSON")
	}
	if root.children == nil {
		return nil, errors.New("the file is no object of JSON")
	}
	return root, nil
}

var errNotJSON = errors.New("the file is not JSON")

func fromJSON(decoder *json.Decoder, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, errNotJSON
	}
	n := &node{isList: true}
	switch token {
	case json.Delim('{'):
		n = newMapping()
	case json.Delim('['):
	default:
		return single(token)
	}
	for decoder.More() {
		var key any
		if n.children != nil {
			if key, err = decoder.Token(); err != nil {
				return nil, errNotJSON
			}
		}
		child, err := fromJSON(decoder, depth+1)
		if err != nil {
			return nil, err
		}
		if name, ok := key.(string); ok {
			err = n.add(name, child)
		} else {
			n.list = append(n.list, child)
		}
		if err != nil {
			return nil, err
		}
	}
	if _, err := decoder.Token(); err != nil { // the end of the list or object
		return nil, errNotJSON
	}
	return n, nil
}

// envPrefix begins the keys of SOPS' own data in a file of lines.
const envPrefix = metadataKey + "_"

func parseEnv(content []byte) (*node, error) {
	root, own := newMapping(), newMapping()
	for i, line := range strings.Split(string(content), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, found := strings.Cut(line, "=")
		if !found {
			return nil, fmt.Errorf("line %d: there is no = after a key", i+1)
		}
		value = strings.ReplaceAll(value, `\n`, "\n")
		leaf := &node{kind: typeString, scalar: value}
		if inner, ok := strings.CutPrefix(key, envPrefix); ok {
			if err := unflatten(own, inner, leaf); err != nil {
				return nil, err
			}
			continue
		}
		if err := root.add(key, leaf); err != nil {
			return nil, err
		}
	}
	if len(own.keys) > 0 {
		if err := root.add(metadataKey, own); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// step is how SOPS writes that a key goes on inside a list or a mapping: age__list_0__map_enc.
var step = regexp.MustCompile(`__(map|list)_`)

// unflatten puts a value where its key says. Lists are in the order in which their elements come.
func unflatten(at *node, key string, leaf *node) error {
	steps := step.FindAllStringSubmatchIndex(key, -1)
	if len(steps) > maxDepth {
		return errTooDeep
	}
	from := 0
	for _, s := range steps {
		name := key[from:s[0]]
		from = s[1]
		list := key[s[2]:s[3]] == "list"
		child, err := at.child(name)
		switch {
		case err != nil:
			return err
		case child != nil:
		default:
			child = newMapping()
			if list {
				child = &node{isList: true}
			}
			if err := at.put(name, child); err != nil {
				return err
			}
		}
		if child.isList != list || child.kind != "" {
			return fmt.Errorf("the key %q is of two kinds", name)
		}
		at = child
	}
	return at.put(key[from:], leaf)
}

// child returns what is at a key or an index, nil when there is nothing yet.
func (n *node) child(name string) (*node, error) {
	if !n.isList {
		return n.children[name], nil
	}
	i, err := strconv.Atoi(name)
	switch {
	case err != nil || i < 0 || i > len(n.list):
		return nil, fmt.Errorf("a list of SOPS' own data has no element %q", name)
	case i == len(n.list):
		return nil, nil
	default:
		return n.list[i], nil
	}
}

func (n *node) put(name string, child *node) error {
	if !n.isList {
		return n.add(name, child)
	}
	if there, err := n.child(name); err != nil || there != nil {
		return fmt.Errorf("a list of SOPS' own data has the element %q twice or too early", name)
	}
	n.list = append(n.list, child)
	return nil
}
