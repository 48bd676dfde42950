package inventory

import (
	"encoding"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestAllThatIsRecordedHasAPast: whatever a shard may hold is in the newest file, so that a field which is renamed or goes is
// found, however deep it lies.
func TestAllThatIsRecordedHasAPast(t *testing.T) {
	newest := fmt.Sprintf("testdata/format-%d.json", Format)
	text, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	shards := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &shards); err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for name, data := range shards {
		c, err := decode(name, data)
		if err != nil {
			t.Fatal(err)
		}
		has["content.Packed"] = c.Packed == nil // is what a file has in place of all the rest
		fieldsIn(reflect.ValueOf(c), has)
	}
	for _, field := range fieldsUnder(reflect.TypeFor[content](), map[reflect.Type]bool{}) {
		if !has[field] {
			t.Errorf("nothing in %s has %s: add it there", newest, field)
		}
	}
}

// isLeaf tells whether what a type holds is written by a method of its own.
func isLeaf(of reflect.Type) bool {
	return of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) || of.Implements(reflect.TypeFor[json.Marshaler]())
}

// named is how a field is told, "" for one that is not written.
func named(of reflect.Type, field reflect.StructField) string {
	if field.Tag.Get("json") == "-" || !field.IsExported() && !field.Anonymous {
		return ""
	}
	return of.Name() + "." + field.Name
}

// fieldsUnder names all fields that are written of a type.
func fieldsUnder(of reflect.Type, seen map[reflect.Type]bool) (names []string) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return fieldsUnder(of.Elem(), seen)
	case reflect.Struct:
	default:
		return nil
	}
	if seen[of] || isLeaf(of) {
		return nil
	}
	seen[of] = true
	for i := range of.NumField() {
		if name := named(of, of.Field(i)); name != "" {
			names = append(append(names, name), fieldsUnder(of.Field(i).Type, seen)...)
		}
	}
	return names
}

// fieldsIn notes the fields that are not empty in a value.
func fieldsIn(v reflect.Value, has map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fieldsIn(v.Elem(), has)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			fieldsIn(v.Index(i), has)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			fieldsIn(v.MapIndex(key), has)
		}
	case reflect.Struct:
		if isLeaf(v.Type()) {
			return
		}
		for i := range v.NumField() {
			if name := named(v.Type(), v.Type().Field(i)); name != "" && !v.Field(i).IsZero() {
				has[name] = true
				fieldsIn(v.Field(i), has)
			}
		}
	default: // it has none
	}
}

// TestFieldsThatAreTold is for the test above: a field that nothing has is told wherever it lies, and one that is not written is not.
func TestFieldsThatAreTold(t *testing.T) {
	type low struct {
		Deep string `json:"deep"`
	}
	type embedded struct{ In string }
	type high struct {
		embedded
		Maps  map[string][]*low `json:"maps"`
		Kept  string            `json:"-"`
		quiet string
	}
	all := fieldsUnder(reflect.TypeFor[high](), map[reflect.Type]bool{})
	if text := strings.Join(all, " "); text != "high.embedded embedded.In high.Maps low.Deep" {
		t.Errorf("the fields are %s", text)
	}
	has := map[string]bool{}
	fieldsIn(reflect.ValueOf(high{embedded: embedded{In: "x"}, Maps: map[string][]*low{"a": {nil, {}}}, quiet: "x"}), has)
	if len(has) != 3 || has["low.Deep"] {
		t.Errorf("there are %v", has)
	}
}
