package convert

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"gopkg.in/yaml.v3"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// handlers say what becomes of each field of a mapping.
type handlers map[string]func(field)

// ignore is for fields that have nothing to say about what is wanted.
func ignore(field) {}

// fields calls the handler of each field of a mapping that says something. What has no handler is
// an error. The path names the mapping in messages, "" for a document.
func (c *converter) fields(v *value, path string, known handlers) {
	if v == nil || v.null() {
		return
	}
	if v.form != mapping {
		c.lost(finding{code: codeValue, at: v.at, summary: "not a mapping", detail: fmt.Sprintf("%s has fields, and this is none", orElse(path, "a document")), hint: "write it as key: value, indented below it"})
		return
	}
	for _, f := range v.fields {
		handle, ok := known[f.key]
		switch {
		case !ok:
			c.lost(finding{
				code: codeField, at: f.at, summary: fmt.Sprintf("unknown field %q", f.key), hidden: f.hidden,
				detail: fmt.Sprintf("%s has no field of that name", orElse(path, "a document")),
				hint:   didYouMean(f.key, slices.Sorted(maps.Keys(known))),
			})
		case !f.value.null():
			handle(f)
		}
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// wrong notes a value that the field cannot have.
func (c *converter) wrong(f field, want, hint string) {
	c.lost(finding{
		code: codeValue, at: f.value.at, summary: "invalid value", hidden: f.hidden,
		detail: fmt.Sprintf("%s must be %s", f.key, want), hint: hint,
	})
}

// string reads a text.
func (c *converter) string(f field) (string, bool) {
	v := f.value
	if v.form == scalar && v.tag == "!!str" {
		return v.text, true
	}
	c.wrong(f, "a text", "write it behind the colon, in quotes where it could be taken for something else")
	return "", false
}

// checked reads a text that an attribute of the language takes.
func (c *converter) checked(f field, a *schema.Attribute) (string, bool) {
	s, ok := c.string(f)
	if !ok || s == "" {
		return "", false
	}
	if problem := a.Check(cty.StringVal(s)); problem != "" {
		c.wrong(f, problem, orElse(nearest(s, a.Allowed), fmt.Sprintf("write, for example: %s: %s", f.key, a.Example.AsString())))
		return "", false
	}
	return s, true
}

// cloudAttribute is the definition of an attribute of the cloud.
func (c *converter) cloudAttribute(name string) *schema.Attribute {
	return c.definition.Block("cloud").Attribute(name)
}

// serviceAttribute is the definition of an attribute of a service of the cloud.
func (c *converter) serviceAttribute(name string) *schema.Attribute {
	return c.definition.Block("cloud").Nested("service").Attribute(name)
}

// bool reads a yes or no, also as Kubernetes takes it, whose YAML is the older one.
func (c *converter) bool(f field) (on, ok bool) {
	if on, ok := truth(f.value); ok {
		return on, true
	}
	c.wrong(f, "true or false", fmt.Sprintf("write, without quotes: %s: true", f.key))
	return false, false
}

func truth(v *value) (on, ok bool) {
	if v.form != scalar || v.tag != "!!bool" && (v.tag != "!!str" || !v.plain) {
		return false, false
	}
	switch strings.ToLower(v.text) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off":
		return false, true
	}
	return false, false
}

// replicas reads a number of copies.
func (c *converter) replicas(f field) (int, bool) {
	bounds := c.serviceAttribute("replicas").Bounds
	if n, ok := whole(f.value); ok && n >= bounds.Min && n <= bounds.Max {
		return int(n), true
	}
	c.wrong(f, fmt.Sprintf("a whole number from %d to %d", bounds.Min, bounds.Max), fmt.Sprintf("write, without quotes: %s: 3", f.key))
	return 0, false
}

func whole(v *value) (int64, bool) {
	if v.form != scalar || v.tag != "!!int" {
		return 0, false
	}
	var n int64
	err := (&yaml.Node{Kind: yaml.ScalarNode, Tag: v.tag, Value: v.text}).Decode(&n)
	return n, err == nil
}

// number writes a number as HCL takes it, and tells whether it is one.
func number(v *value) (string, bool) {
	n := yaml.Node{Kind: yaml.ScalarNode, Tag: v.tag, Value: v.text}
	if v.tag == "!!int" {
		var whole int64
		if n.Decode(&whole) == nil {
			return strconv.FormatInt(whole, 10), true
		}
	}
	var f float64
	if n.Decode(&f) != nil || math.IsNaN(f) || f == math.Trunc(f) && math.Abs(f) >= 1<<63 || // as package model has it
		f > largest || f < -largest || f != 0 && f < 1/largest && f > -1/largest {
		return "", false
	}
	if before, after, ok := strings.Cut(strings.TrimPrefix(v.text, "-"), "."); ok && digits(before) && digits(after) {
		return v.text, true
	}
	return strconv.FormatFloat(f, 'g', -1, 64), true
}

// largest is beyond all numbers that can be read again.
const largest = 1e90

// digits tells whether a text is nothing but a few digits.
func digits(s string) bool {
	return s != "" && len(s) <= 20 && strings.Trim(s, "0123456789") == ""
}
