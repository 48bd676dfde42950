package statusbranch

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
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

// FuzzOwner reads whose report there is from what anybody who can push may have written. No two clouds take it for
// theirs, who takes it knows it again, and what is told of another's is one line of what can be printed.
func FuzzOwner(f *testing.F) {
	for _, text := range []string{
		`{"version":1,"of":{"path":"clouds/prod","installation":"one"},"files":[]}`, `{"version":1,"of":{"path":"clouds/prod"},"files":[]}`,
		`{"of":{"path":"clouds/ext"}}`, `{"of":{"path":"\u202e\n# x","installation":"<b>"}}`, `{"of":{"path":"clouds/prod","installation":"\u0000"}}`,
		`{"of":null}`, `{"of":{}}`, `{"of":[]}`, `{"of":{"path":1}}`, `{"of":`, `null`, ``,
	} {
		f.Add([]byte(text))
	}
	known := func(context.Context) (string, error) { return "", nil } // is not asked here
	b := &Branch{ref: branches + DefaultBranch, options: Options{Installation: known}}
	f.Fuzz(func(t *testing.T, content []byte) {
		they := parseOwner(content)
		taken := 0
		for _, us := range []owner{{Path: "clouds/prod", Installation: "one"}, {Path: "clouds/prod", Installation: "two"}, {Path: "clouds/ext", Installation: "one"}} {
			claimed, err := b.takeOver(us, they)
			if err != nil {
				if other := (*TakenError)(nil); !errors.As(err, &other) || again(err) {
					t.Errorf("it is no other cloud's: %v", err)
				}
				if text := err.Error(); strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) || len(text) > 12*maxOwner {
					t.Errorf("it is told with %q", text)
				}
				continue
			}
			taken++
			list, err := newManifest(nil, claimed)
			if err != nil {
				t.Fatal(err)
			}
			if found := parseOwner(list); found == nil || *found != us {
				t.Errorf("of %+v there is %+v left", us, found)
			}
		}
		if they != nil && they.Installation != "" && taken > 1 {
			t.Errorf("%d clouds take the report of %+v for theirs", taken, *they)
		}
	})
}

// TestLeavesWhatCannotBeRead: that nobody can read whose report there is does not make it nobody's.
func TestLeavesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	b := &Branch{ref: branches + DefaultBranch}
	unreadable := &gitrepo.Tree{} // has no objects
	claimed, err := b.claim(owner{Path: "clouds/prod"}, unreadable)
	_, listErr := former(unreadable)
	for _, err := range []error{err, listErr} {
		if err == nil || !strings.Contains(err.Error(), "reading .kupenstack.json of the status branch") || !strings.Contains(err.Error(), "--cache-dir") {
			t.Errorf("got %v", err)
		}
	}
	if claimed != nil {
		t.Errorf("it is taken for that of %+v", *claimed)
	}
	if claimed, err := b.claim(owner{Path: "clouds/prod"}, nil); err != nil || claimed == nil {
		t.Errorf("before the first report: %v", err)
	}
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

// TestListThatUnfolds: of a list, no more is decoded than ours have, as Git packs a million names into a few hundred bytes.
func TestListThatUnfolds(t *testing.T) {
	const mib = 1 << 20
	for name, text := range map[string]string{
		"names":      `{"version":1,"files":["a"` + strings.Repeat(`,""`, 31*mib/3) + `]}`,
		"fewer":      `{"version":1,"files":["a"` + strings.Repeat(`,""`, 7*mib/3) + `]}`,
		"no strings": `{"version":1,"files":[0` + strings.Repeat(`,0`, 7*mib/2) + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			content := []byte(text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			names, of := parseManifest(content), parseOwner(content)
			runtime.ReadMemStats(&after)
			if taken := after.TotalAlloc - before.TotalAlloc; len(names) > 0 || of != nil || taken > 36*mib {
				t.Errorf("%d bytes took %d of memory: %d names of %v", len(text), taken, len(names), of)
			}
		})
	}
	most := make([]string, maxFiles)
	for n := range most {
		most[n] = strconv.Itoa(n) + ",x"
	}
	list, err := newManifest(most, nil)
	if err != nil || len(parseManifest(list)) != maxFiles {
		t.Errorf("the longest list of ours has %d bytes and cannot be read: %v", len(list), err)
	}
}
