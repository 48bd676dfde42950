package wire

import (
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/pflag"
)

// TestLeaseDuration: what a flag says is how long the lease is for, and what no cluster could keep up with, or nobody would wait
// for, is refused.
func TestLeaseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 15 * time.Second, "3s": 3 * time.Second, "45s": 45 * time.Second, "2m": 2 * time.Minute,
		"2s": 0, "2m1s": 0, "3500ms": 0, "0": 0, "-15s": 0, "15": 0, "soon": 0,
	} {
		f := &Flags{}
		set := pflag.NewFlagSet("test", pflag.ContinueOnError)
		f.Register(set)
		var args []string
		if text != "" {
			args = []string{"--lease-duration=" + text}
		}
		err := set.Parse(args)
		switch {
		case (err != nil) != (want == 0):
			t.Errorf("%q: error %v", text, err)
		case err == nil:
			if lease := f.Lease("kupenstackd", zerolog.Nop()); lease.Duration != want || lease.Patience() != want+time.Second {
				t.Errorf("%q: the lease is for %v, and to be had after %v", text, lease.Duration, lease.Patience())
			}
		}
	}
}
