package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	yamlv3 "gopkg.in/yaml.v3"
	"sigs.k8s.io/yaml"
)

const (
	// maxObjects is how many objects one file may have; a set of them is one unit, which is applied as a whole.
	maxObjects = 1_000
	// maxDepth is how deep values may be nested. Kubernetes' own objects stay below 40, schemas of definitions
	// included.
	maxDepth = 200
	// maxGrowth is how many times larger than its text a document may become, by aliases.
	maxGrowth = 8
)

// Object is one object of Kubernetes.
type Object struct {
	// Content is what encoding/json would decode, but whole numbers as int64.
	Content map[string]any
	// Line is where its document begins; 0 for a value of the language.
	Line int
}

// Error says what is wrong with an object, and what to do. Trying again does not help.
type Error struct {
	Line int // where; 0 when it is a value of the language
	Text string
	Hint string
}

// Error says what is wrong.
func (e *Error) Error() string { return e.Text }

// Parse reads the documents of a file, in their order. The error is an [*Error].
func Parse(text []byte) ([]Object, error) {
	if !utf8.Valid(text) {
		return nil, &Error{Line: 1, Text: "the file is not text in UTF-8", Hint: "write YAML or JSON"}
	}
	var all []Object
	for _, d := range documents(text) {
		v, err := decode(d)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue // nothing but comments
		}
		found, err := Objects(v)
		var wrong *Error
		if errors.As(err, &wrong) {
			wrong.Line = d.line
			return nil, wrong
		}
		for _, o := range found {
			all = append(all, Object{Content: o.Content, Line: d.line})
		}
		if len(all) > maxObjects {
			return nil, &Error{Line: d.line, Text: fmt.Sprintf("there are more than %d objects", maxObjects), Hint: "divide them among several blocks"}
		}
	}
	return all, nil
}

// document is a part of a file.
type document struct {
	text  []byte
	first int // the line that the part begins at
	line  int // the first line of it that is no comment
}

// documents splits a file at the lines that begin with three dashes. Within a document there can be none:
// what is written over several lines is indented, or in quotes, where kubectl splits as well.
func documents(text []byte) []document {
	var all []document
	current := document{first: 1}
	line := 0
	for part := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		line++
		bare := bytes.TrimRight(part, " \t\r\n")
		rest, separates := bytes.CutPrefix(bare, []byte("---"))
		ends := string(bare) == "..."
		if ends {
			rest, part = nil, nil
		}
		if ends || separates && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t') {
			all = append(all, current)
			current = document{first: line}
			bare, part = bytes.TrimSpace(rest), append(bytes.Clone(rest), '\n')
		}
		if content := bytes.TrimSpace(bare); current.line == 0 && len(content) > 0 && content[0] != '#' && content[0] != '%' {
			current.line = line
		}
		current.text = append(current.text, part...)
	}
	all = append(all, current)
	var each []document
	for _, d := range all {
		each = append(each, values(d)...)
	}
	return each
}

// values splits a document that is several values of JSON one after the other, as kubectl takes them.
func values(d document) []document {
	if content := bytes.TrimSpace(d.text); len(content) == 0 || content[0] != '{' {
		return []document{d}
	}
	var each []document
	decoder := json.NewDecoder(bytes.NewReader(d.text))
	begin, line := int64(0), d.first
	for {
		var value json.RawMessage
		switch err := decoder.Decode(&value); {
		case errors.Is(err, io.EOF):
			return each
		case err != nil || len(each) > maxObjects:
			return []document{d} // not JSON, or not all of it, which is told
		}
		end := decoder.InputOffset()
		blank := bytes.Count(d.text[begin:end-int64(len(value))], []byte("\n"))
		each = append(each, document{text: d.text[begin:end], first: line, line: line + blank})
		line += blank + bytes.Count(value, []byte("\n"))
		begin = end
	}
}

// goesOn tells whether there is something behind the end of a document, which the decoder leaves out in silence.
func goesOn(text []byte) bool {
	decoder := yamlv3.NewDecoder(bytes.NewReader(text))
	var node yamlv3.Node
	readable := decoder.Decode(&node) == nil // else decode tells what is wrong
	return readable && !errors.Is(decoder.Decode(&node), io.EOF)
}

// inLine is how the decoder says where a mistake is.
var inLine = regexp.MustCompile(`^(?:error converting YAML to JSON: )?(?:error unmarshaling JSON: )?yaml: (?:unmarshal errors:\s+)?(?:line (\d+): )?`)

// decode reads one document; nil is for one without content.
func decode(d document) (any, error) {
	if d.line == 0 {
		return nil, nil
	}
	if nesting(d.text) > maxDepth {
		return nil, &Error{Line: d.line, Text: fmt.Sprintf("values are nested more than %d deep", maxDepth), Hint: "no object of Kubernetes is"}
	}
	if goesOn(d.text) {
		return nil, &Error{Line: d.line, Text: "there is more behind the end of this object", Hint: "write a line with --- between objects"}
	}
	text, err := yaml.YAMLToJSONStrict(d.text)
	if err != nil {
		return nil, faulty(d, err)
	}
	if len(text) > maxGrowth*len(d.text)+1<<10 {
		return nil, &Error{Line: d.line, Text: "aliases make the document many times larger than it is written", Hint: "write out what they stand for"}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, &Error{Line: d.line, Text: fmt.Sprintf("the document cannot be read: %v", err), Hint: "write YAML or JSON"}
	}
	v, err = numbers(v, 0)
	var wrong *Error
	if errors.As(err, &wrong) {
		wrong.Line = d.line
		return nil, wrong
	}
	return v, nil
}

// nesting is how deep values in brackets are nested at the most. Those that are indented cost a line each.
func nesting(text []byte) int {
	deepest, depth := 0, 0
	for _, c := range text {
		switch c {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth--
		}
	}
	return deepest
}

// faulty tells where in the file a document cannot be read.
func faulty(d document, err error) error {
	at, text := d.line, strings.TrimSpace(err.Error())
	if parts := inLine.FindStringSubmatch(text); parts != nil {
		if n, problem := strconv.Atoi(parts[1]); problem == nil {
			last := bytes.Count(bytes.TrimRight(d.text, "\n"), []byte("\n"))
			at = d.first + min(n-1, last) // the parser may mean the end of the text
		}
		text = strings.TrimPrefix(text, parts[0])
	}
	text, _, _ = strings.Cut(text, "\n")
	wrong := &Error{Line: at, Text: "this is no YAML: " + text, Hint: "correct the line, or the one above it"}
	switch {
	case bytes.Contains(d.text, []byte("{{")):
		wrong.Text = "this is no YAML, but looks like a template of a chart"
		wrong.Hint = "write a chart block for the chart, or give objects what yamldecode makes of a templatefile"
	case strings.Contains(text, "already set in map") || strings.Contains(text, "already defined"):
		wrong.Text, wrong.Hint = "a key is there twice: "+text, "keep one of them"
	}
	return wrong
}

// numbers puts int64 and float64 in the place of what the decoder left as text.
func numbers(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, &Error{Text: fmt.Sprintf("values are nested more than %d deep", maxDepth), Hint: "no object of Kubernetes is"}
	}
	switch v := v.(type) {
	case map[string]any:
		for key, element := range v {
			inner, err := numbers(element, depth+1)
			if err != nil {
				return nil, err
			}
			v[key] = inner
		}
	case []any:
		for i, element := range v {
			inner, err := numbers(element, depth+1)
			if err != nil {
				return nil, err
			}
			v[i] = inner
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		n, err := v.Float64()
		if whole := !strings.ContainsAny(v.String(), ".eE"); err != nil || whole {
			return nil, &Error{Text: fmt.Sprintf("the number %s has more digits than Kubernetes keeps", v), Hint: "write it as a text, in quotes"}
		}
		return n, nil
	}
	return v, nil
}
