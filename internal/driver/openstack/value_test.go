package openstack

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestWholeNumbers sends numbers to an API and reads them back: none may turn into a float, which
// knows 53 of their 64 bits and is written as 1e+06.
func TestWholeNumbers(t *testing.T) {
	fields := []field{{"ram", "ram"}, {"vcpus", "vcpus"}}
	for _, digits := range []string{"0", "-1", "1000000", "9007199254740993", "9223372036854775807", "-9223372036854775808"} {
		n := cty.MustParseNumberVal(digits)
		body := wanted{value: cty.ObjectVal(map[string]cty.Value{"ram": n})}.body(fields, nil)
		sent, err := json.Marshal(body)
		if err != nil || string(sent) != `{"ram":`+digits+`}` {
			t.Errorf("%s is sent as %s, %v", digits, sent, err)
		}
		decoder := json.NewDecoder(strings.NewReader(string(sent)))
		decoder.UseNumber()
		var answer map[string]any
		if err := decoder.Decode(&answer); err != nil {
			t.Fatal(err)
		}
		if read := fromJSON(answer["ram"], cty.Number); !read.RawEquals(n) {
			t.Errorf("%s is read as %#v", digits, read)
		}
		if shown := show(n); shown != digits {
			t.Errorf("%s is shown as %s", digits, shown)
		}
	}
}

// TestKeysThatAreOneText: a service keeps the same letter in two forms apart, and whoever may make an image may write both. They are one
// key here, and whoever reads them does not end.
func TestKeysThatAreOneText(t *testing.T) {
	composed, apart := "caf\u00e9", "cafe\u0301"
	image := imageKind{schema.New().Resource("image"), &uploads{}}.read(map[string]any{"id": "i1", "status": "active", composed: "one", apart: "other"})
	read, _ := image.values.look("properties")
	if want := cty.MapVal(map[string]cty.Value{composed: cty.StringVal("one")}); !read.RawEquals(want) {
		t.Errorf("read as %#v, want %#v", read, want)
	}
}
