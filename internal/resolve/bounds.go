package resolve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Most functions make no more than what they are given, and that is charged to the budget. The
// limits here are for those that make much from little.
const (
	maxText     = 1 << 20   // bytes that one call may return
	maxElements = 10_000    // elements that one call may return
	maxWidth    = 1_000     // what a verb of format may be padded to
	maxDepth    = 64        // nesting of a document to decode
	maxYAML     = 64 << 10  // bytes of YAML to decode
	maxCSV      = 256 << 10 // bytes of CSV to decode
)

// bounded calls check before the function itself, with arguments that are known and without
// marks. The error of check ends the call.
func bounded(f function.Function, check func(args []cty.Value) error) function.Function {
	spec := &function.Spec{
		Description: f.Description(),
		Params:      f.Params(),
		VarParam:    f.VarParam(),
		// The type of what jsondecode returns depends on the value, so the check comes first here,
		// too.
		Type: func(args []cty.Value) (cty.Type, error) {
			if err := checkKnown(args, check); err != nil {
				return cty.NilType, err
			}
			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if err := checkKnown(args, check); err != nil {
				return cty.NilVal, err
			}
			return f.Call(args)
		},
	}
	return function.New(spec)
}

func checkKnown(args []cty.Value, check func(args []cty.Value) error) error {
	plain := make([]cty.Value, len(args))
	for i, a := range args {
		a, _ = a.UnmarkDeep()
		if !a.IsWhollyKnown() || a.IsNull() {
			return nil // the call decides nothing, or fails, without making anything
		}
		plain[i] = a
	}
	return check(plain)
}

var errTooLarge = errors.New("the result would be too large")

// formatBound refuses wide padding and long precision, which make text from a few digits.
func formatBound(args []cty.Value) error {
	if args[0].Type() != cty.String {
		return nil
	}
	total := 0
	for _, a := range args {
		total += textLength(a)
	}
	digits := 0
	for _, c := range args[0].AsString() {
		if c < '0' || c > '9' {
			digits = 0
			continue
		}
		if digits = digits*10 + int(c-'0'); digits > maxWidth {
			return fmt.Errorf("a width or precision can be at most %d", maxWidth)
		}
	}
	// Verbs with an index, such as %[1]s, can repeat an argument.
	if verbs := strings.Count(args[0].AsString(), "%"); verbs > 0 && total > maxText/verbs {
		return errTooLarge
	}
	return nil
}

func indentBound(args []cty.Value) error {
	spaces, _ := args[0].AsBigFloat().Int64()
	lines := int64(strings.Count(args[1].AsString(), "\n") + 1)
	if spaces > maxText/lines {
		return errTooLarge
	}
	return nil
}

func joinBound(args []cty.Value) error {
	separator, total := len(args[0].AsString()), 0
	for _, list := range args[1:] {
		if !list.CanIterateElements() {
			return nil
		}
		for it := list.ElementIterator(); it.Next(); {
			_, element := it.Element()
			if total += separator + textLength(element); total > maxText {
				return errTooLarge
			}
		}
	}
	return nil
}

func textLength(v cty.Value) int {
	if v.IsNull() || !v.IsKnown() {
		return 0
	}
	if v.Type() == cty.String {
		return len(v.AsString())
	}
	if !v.CanIterateElements() {
		return 24 // a number or a bool
	}
	total := 2
	for it := v.ElementIterator(); it.Next(); {
		key, element := it.Element()
		total += textLength(key) + textLength(element)
	}
	return total
}

func productBound(args []cty.Value) error {
	total := 1
	for _, a := range args {
		if !a.CanIterateElements() {
			return nil
		}
		if total *= max(1, a.LengthInt()); total > maxElements {
			return fmt.Errorf("a product can have at most %d elements", maxElements)
		}
	}
	return nil
}

// documentBound refuses documents that are nested deeper than a decoder should descend.
func documentBound(args []cty.Value) error {
	depth, quoted, escaped := 0, false, false
	for _, c := range []byte(args[0].AsString()) {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return fmt.Errorf("the document can be nested at most %d deep", maxDepth)
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return nil
}

// jsonBound refuses deep documents, and says where one is wrong, which the function does not.
func jsonBound(args []cty.Value) error {
	if err := documentBound(args); err != nil {
		return err
	}
	text := []byte(args[0].AsString())
	var wrong *json.SyntaxError
	if err := json.Unmarshal(text, new(json.RawMessage)); errors.As(err, &wrong) {
		before := text[:min(max(0, int(wrong.Offset)-1), len(text))]
		line, column := bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])+1
		return fmt.Errorf("in line %d, column %d of the document: %w", line, column, err)
	}
	return nil
}

// yamlBound limits the length and the depth, as YAML can nest by each byte. Anchors are refused: a few lines of them stand for gigabytes.
func yamlBound(args []cty.Value) error {
	text := args[0].AsString()
	if len(text) > maxYAML {
		return fmt.Errorf("the document can have at most %d bytes", maxYAML)
	}
	if deepYAML(text) {
		return fmt.Errorf("the document can be nested at most %d deep", maxDepth)
	}
	for line := range strings.Lines(text) {
		for field := range strings.FieldsSeq(line) {
			if len(field) > 1 && (field[0] == '&' || field[0] == '*') {
				return errors.New("the document must have no anchors and aliases")
			}
		}
	}
	return nil
}

// deepYAML tells whether a document opens more lists and mappings inside each other than a decoder should
// descend into: by brackets, where one can begin a value, or by dashes in a line. What lines are indented
// by is bounded by the length of the document.
func deepYAML(text string) bool {
	depth, dashes, before := 0, 0, byte('\n')
	for i := range len(text) {
		c := text[i]
		switch c {
		case '\n':
			dashes = 0
		case '-', '?':
			apart := i+1 == len(text) || strings.IndexByte(" \t\r\n", text[i+1]) >= 0
			if apart && strings.IndexByte("\n-?", before) >= 0 {
				dashes++
			}
		case '[', '{':
			if strings.IndexByte("\n[{,:-?", before) >= 0 {
				depth++
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > maxDepth || dashes > maxDepth {
			return true
		}
		if c != ' ' && c != '\t' && c != '\r' {
			before = c
		}
	}
	return false
}

// csvBound limits the length, as each byte can become a value of its own.
func csvBound(args []cty.Value) error {
	if len(args[0].AsString()) > maxCSV {
		return fmt.Errorf("the document can have at most %d bytes", maxCSV)
	}
	return nil
}
