package convert

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// conf writes the free configuration of a service as an expression; "" when there is nothing in it.
func (c *converter) conf(f field) (string, bool) {
	if f.value.form != mapping {
		c.wrong(f, "a mapping", "write the files of the service, with their sections and keys, below it")
		return "", false
	}
	if f.value.empty() {
		return "", true
	}
	w := writer{c: c}
	w.mapping(f.value)
	return w.b.String(), true
}

// writer writes values as expressions. What HCL has no value for is told and left out.
type writer struct {
	c *converter
	b strings.Builder
}

func (w *writer) mapping(v *value) {
	if len(v.fields) == 0 {
		w.b.WriteString("{}")
		return
	}
	w.b.WriteString("{\n")
	for _, f := range v.fields {
		if !w.representable(f.value) {
			continue
		}
		text := writer{c: w.c}
		text.value(f.value, true)
		a := attribute{key(f.key), text.b.String(), f.comments}
		a.write(&w.b)
	}
	w.b.WriteString("}")
}

// value writes a value. A text of several lines is written as such where the end of a line may
// follow it.
func (w *writer) value(v *value, lines bool) {
	switch v.form {
	case mapping:
		w.mapping(v)
		return
	case list:
		w.list(v)
		return
	case scalar:
	}
	on, isBool := truth(v)
	n, isNumber := "", false
	if v.tag == "!!int" || v.tag == "!!float" {
		n, isNumber = number(v)
	}
	switch {
	case isBool:
		fmt.Fprint(&w.b, on)
	case isNumber:
		w.b.WriteString(n)
	case v.null():
		w.b.WriteString("null")
	case lines && heredoc(v.text):
		w.b.WriteString("<<EOT\n" + strings.NewReplacer("${", "$${", "%{", "%%{").Replace(v.text) + "EOT")
	default:
		w.b.WriteString(config.Quote(v.text))
	}
}

func (w *writer) list(v *value) {
	var items []string
	length, long := 0, false
	for _, item := range v.items {
		if !w.representable(item) {
			continue
		}
		text := writer{c: w.c}
		text.value(item, false)
		items = append(items, text.b.String())
		length += text.b.Len() + len(", ")
		long = long || strings.Contains(text.b.String(), "\n") || len(item.head)+len(item.line)+len(item.foot) > 0
	}
	if !long && length <= 80 {
		w.b.WriteString("[" + strings.Join(items, ", ") + "]")
		return
	}
	w.b.WriteString("[\n")
	i := 0
	for _, item := range v.items {
		if i == len(items) {
			break
		}
		if !valueOfHCL(item) {
			continue
		}
		writeComments(&w.b, item.head)
		writeComments(&w.b, item.line)
		w.b.WriteString(items[i] + ",\n")
		writeComments(&w.b, item.foot)
		i++
	}
	w.b.WriteString("]")
}

// representable tells whether HCL has such a value, and notes it when not.
func (w *writer) representable(v *value) bool {
	if valueOfHCL(v) {
		return true
	}
	w.c.lost(finding{
		code: codeValue, at: v.at, summary: "no such value in HCL", hidden: true,
		detail: fmt.Sprintf("a configuration has texts, numbers, true, false, null, lists and mappings, and this is %s", kindOf(v)),
		hint:   "write it in quotes if it is a text",
	})
	return false
}

func kindOf(v *value) string {
	switch v.tag {
	case "!!int", "!!float":
		return "a number that is too large, or none"
	case "!!binary":
		return "binary data"
	default:
		return "a value of a kind of its own"
	}
}

func valueOfHCL(v *value) bool {
	if v.form != scalar {
		return true
	}
	switch v.tag {
	case "!!str", "!!bool", "!!null", "!!timestamp":
		return true
	case "!!int", "!!float":
		_, ok := number(v)
		return ok
	}
	return false
}

// key writes the key of an object.
func key(s string) string {
	switch s {
	case "for", "null", "true", "false":
		return config.Quote(s)
	}
	if addr.ValidName(s) {
		return s
	}
	return config.Quote(s)
}

// heredoc tells whether a text can be written in lines of its own.
func heredoc(s string) bool {
	if !strings.HasSuffix(s, "\n") || strings.Contains(s, "$${") || strings.Contains(s, "%%{") {
		return false
	}
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) == "EOT" {
			return false
		}
	}
	return strings.IndexFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }) < 0
}
