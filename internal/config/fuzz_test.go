package config

import (
	"testing"
	"time"
)

// FuzzLoad feeds one file of any content: it must neither panic nor take long, whatever it
// holds, and every mistake must have a code and a text.
func FuzzLoad(f *testing.F) {
	for _, text := range killers(30) {
		f.Add([]byte(text))
	}
	f.Add([]byte(valid))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 64<<10 {
			t.Skip("larger than what the bound is about")
		}
		start := processorTime(t)
		cfg, diags := loadText(string(src))
		if used := processorTime(t) - start; used > 2*time.Second {
			t.Errorf("used %v", used)
		}
		if cfg == nil {
			t.Fatal("no configuration at all")
		}
		for _, d := range diags {
			if d.Code == "" || d.Summary == "" {
				t.Errorf("a diagnostic without code or text: %+v", d)
			}
		}
		if cfg.Cloud == nil && len(diags) == 0 {
			t.Error("no cloud and no complaint")
		}
	})
}
