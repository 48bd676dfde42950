package kube

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// path leads to a value within an object.
type path []step

// step is a key of a map, or an element of a list.
type step struct {
	key string // of a map; "" for an element

	label string                 // how an element is shown
	match func(element any) bool // whether it can be the element; nil for any
	nth   int                    // which one of those it is
}

func (p path) field(key string) path { return append(p[:len(p):len(p)], step{key: key}) }

func (p path) element(s step) path { return append(p[:len(p):len(p)], s) }

// plain are the keys that need no quotes in a path.
var plain = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// String returns the path as a person would write it: spec.containers[api].image.
func (p path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.key == "":
			fmt.Fprintf(&b, "[%s]", s.label)
		case !plain.MatchString(s.key):
			fmt.Fprintf(&b, "[%s]", s.key)
		case i > 0:
			b.WriteString("." + s.key)
		default:
			b.WriteString(s.key)
		}
	}
	return b.String()
}

// in returns the value that the path leads to. An element of a list is looked for by what
// identifies it, as the list may be written in another order.
func (p path) in(value any) (any, bool) {
	for _, s := range p {
		if s.key != "" {
			fields, _ := value.(map[string]any)
			next, ok := fields[s.key]
			if !ok {
				return nil, false
			}
			value = next
			continue
		}
		items, _ := value.([]any)
		i := s.index(items)
		if i < 0 {
			return nil, false
		}
		value = items[i]
	}
	return value, true
}

// index returns where in a list the element is, or -1.
func (s step) index(items []any) int {
	nth := s.nth
	for i, item := range items {
		if s.match != nil && !s.match(item) {
			continue
		}
		if nth == 0 {
			return i
		}
		nth--
	}
	return -1
}

// maxText is how much of a value is shown.
const maxText = 200

// text returns a value for people.
func (d *differ) text(found difference, value any) string {
	switch {
	case value == nil:
		return ""
	case found.secret:
		return unit.TextSensitive
	}
	text, ok := value.(string)
	if !ok {
		encoded, err := json.Marshal(value)
		if err != nil {
			return fmt.Sprintf("%T", value) // objects come from JSON
		}
		text = string(encoded)
	}
	if d.masker != nil {
		text = d.masker.Text(text).String() // before it is cut
	}
	if len(text) > maxText {
		cut := maxText
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return text
}
