package convert_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/convert"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// FuzzConvert feeds one file of any content: nothing may panic or take long, every diagnostic must
// have a code and a text and be fit to print, what comes out must load, and the same must come of
// the same.
func FuzzConvert(f *testing.F) {
	names, _ := filepath.Glob("testdata/*/*/*.yaml")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, killer := range killers() {
		f.Add([]byte(killer.text[:min(len(killer.text), 2000)]))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 32<<10 {
			t.Skip("larger than what finds anything new")
		}
		start := processorTime(t)
		input := []convert.File{{Name: "in.yaml", Content: src}}
		result := convert.Convert(schema.New(), input, convert.DefaultLimits())
		if used := processorTime(t) - start; used > 2*time.Second {
			t.Errorf("used %v", used)
		}
		checkResult(t, result)
		if again := convert.Convert(schema.New(), input, convert.DefaultLimits()); !bytes.Equal(again.Text(), result.Text()) {
			t.Errorf("the same text led to something else:\n%s\n%s", result.Text(), again.Text())
		}
	})
}
