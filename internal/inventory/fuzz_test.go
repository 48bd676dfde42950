package inventory

import (
	"encoding/json"
	"testing"
)

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"format":1,"entries":[{"uid":"u","address":"network.a","phase":"owned","class":"resource","locator":{"driver":"openstack","kind":"network"}}]}`))
	f.Add([]byte(`{"format":1,"deployment":{"cloud":"demo"}}`))
	f.Add([]byte(`{"format":2,"entries":[{"uid":"u","address":"network.a","former":[{"uid":"v","id":"x","locator":{"driver":"openstack","kind":"network"}}]}]}`))
	f.Add([]byte(`{"format":4}`))
	f.Add([]byte(`{"format":4,"packed":"H4sIAAAAAAACA6tWSssvyk0sUbIy1FFKzSspykwtVrKKjq0FACOFsAgZAAAA"}`))
	f.Add([]byte(`{"format":5}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := decode("entries-0", data)
		if err != nil {
			return
		}
		if first.Format < formatFirst || first.Format > Format {
			t.Fatalf("format %d was taken", first.Format)
		}
		text, err := json.Marshal(first)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		second, err := decode("entries-0", text)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		again, err := json.Marshal(second)
		if err != nil || string(again) != string(text) {
			t.Fatalf("%s became %s: %v", text, again, err)
		}
	})
}
