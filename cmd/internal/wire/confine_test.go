//go:build beds

package wire

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/confine"
	"github.com/kupenstack/kupenstack-sync/internal/format"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

const jobBurn = "burn"

func TestMain(m *testing.M) {
	all := jobs(schema.New())
	all[jobBurn] = func(t confine.Task) []byte {
		_, _ = served(t, 1)
		for i := uint(0); ; i++ {
			_ = i
		}
	}
	if code, is := confine.Child(os.Args, all); is {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// TestTry wants files to be tried by a job of the real ones, and one that never ends to be a finding.
func TestTry(t *testing.T) {
	slow.Test(t)
	files := []File{{Name: "a.hcl", Content: []byte("a=1\n")}, {Name: "b.hcl", Content: []byte("b = {")}}
	if found, err := Try(t.Context(), JobConvert, "testing", files); err != nil || found != nil {
		t.Errorf("%v, %v", found, err)
	}
	found, err := Try(t.Context(), jobBurn, "burning", files)
	if err != nil || found == nil || found.Code != "confine.time" {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := Try(t.Context(), "nothing", "testing", files); err == nil {
		t.Error("a job that there is none of was done")
	}
}

// TestFormat wants back what the same work here leads to, and something that costs too much as a
// finding about its file.
func TestFormat(t *testing.T) {
	files := []format.File{{Name: "a.hcl", Before: []byte("a=1\n")}, {Name: "b.hcl", Before: []byte("b = {")}, {Name: "c.hcl", Before: []byte("c = 1\n")}}
	got, err := Format(t.Context(), files)
	want := format.Layout(len(files), func(i int) (string, []byte) { return files[i].Name, files[i].Before }, config.DefaultLimits())
	if err != nil || len(want.Diagnostics) == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	// Each line would be made as long as the longest.
	var long strings.Builder
	long.WriteString(strings.Repeat("a", 60_000) + " = 1\n")
	for i := range 6_000 {
		fmt.Fprintf(&long, "b%d=1\n", i)
	}
	files[1].Before = []byte(long.String())
	got, err = Format(t.Context(), files)
	if err != nil || len(got.Texts) > 0 || len(got.Diagnostics) != 1 || !strings.HasPrefix(string(got.Diagnostics[0].Code), "confine.") || got.Diagnostics[0].Subject.File != "b.hcl" {
		t.Errorf("%v, %v", got.Diagnostics, err)
	}
}
