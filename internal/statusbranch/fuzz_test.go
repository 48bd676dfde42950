package statusbranch

import (
	"slices"
	"testing"
)

// FuzzManifest reads what anybody who can push may have written.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"version":1,"files":["b","a","a","../x",".git/config",".kupenstack.json"]}`))
	f.Add([]byte(`{"version":2,"files":["a"]}`))
	f.Add([]byte(`{"version":1,"files":"a"}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		names := parseManifest(content)
		if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("%q is not sorted and unique", names)
		}
		for _, name := range names {
			if err := checkName(name); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestManifestListsOnlyWhatWeWrite(t *testing.T) {
	t.Parallel()
	for content, want := range map[string][]string{
		`{"version":1,"files":["b","a","a","../x",".git/config",".kupenstack.json"]}`: {"a", "b"},
		`{"version":2,"files":["a"]}`: nil,
		`{"version":1,`:               nil,
		`[]`:                          nil,
	} {
		if got := parseManifest([]byte(content)); !slices.Equal(got, want) {
			t.Errorf("%s lists %q, want %q", content, got, want)
		}
	}
}
