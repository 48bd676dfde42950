package helm

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzIndex: what an index has of a chart is the same whether all of it is decoded or that chart alone. Where the text is
// not understood without decoding all of it, there is an error.
func FuzzIndex(f *testing.F) {
	f.Add([]byte("apiVersion: v1\nentries:\n  nova:\n  - apiVersion: v2\n    description: |\n      nova: none\n    name: nova\n    version: 1.4.0\n  glance:\n  - name: glance\n    version: 2.0.0\n"), "nova")
	f.Add([]byte("entries:\n    \"nova\":\n      - {name: nova, version: 1.0.0}\n    # more\n    a: []\napiVersion: v1\n"), "nova")
	f.Add([]byte("apiVersion: v1\nentries:\n  a: &x\n  - name: nova\n    version: 1.0.0\n  nova: *x\n"), "nova")
	f.Add([]byte("apiVersion: v1\nentries:\n  a:\n  - name: a\n    version: 1.0.0\n    description: \"b\n      nova:\n      c\"\n  nova:\n  - name: nova\n    version: 1.0.0\n"), "nova")
	f.Add([]byte(`{"apiVersion": "v1", "entries": {"a": [{"name": "a", "version": "1.0.0"}], "nova": [{"name": "nova", "version": "1.0.0"}]}}`), "nova")
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		if len(text) > 8<<10 || name == "" {
			return
		}
		whole, err := parseIndex(text, t.TempDir())
		if err != nil {
			return
		}
		x, err := newIndex(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		x.size = maxWhole + 1 // there is no other way
		cut, err := x.of(name, t.TempDir())
		if err != nil {
			return
		}
		want, _ := json.Marshal(whole.Entries[name])
		got, _ := json.Marshal(cut.Entries[name])
		if !bytes.Equal(want, got) && len(whole.Entries[name])+len(cut.Entries[name]) > 0 {
			t.Errorf("it has %s of %q, and with all of it decoded %s", got, name, want)
		}
	})
}
