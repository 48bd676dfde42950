package peers

import (
	"os"
	"testing"
	"time"
)

func TestUsedIn(t *testing.T) {
	const stat = "4242 (a (strange) name) S 1 2 3 4 5 6 7 8 9 10 11 22 33 44 20 0 5 0 100 0 0"
	if got, err := usedIn(stat); err != nil || got != 1100*time.Millisecond {
		t.Errorf("%v, %v", got, err)
	}
	for _, wrong := range []string{"", "1 (short) S 1", "1 (n) S 1 2 3 4 5 6 7 8 9 10 x 22 33 44 20"} {
		if got, err := usedIn(wrong); err == nil {
			t.Errorf("%q was read as %v", wrong, got)
		}
	}
}

func TestOwnUsage(t *testing.T) {
	own := []int{os.Getpid()}
	if ProcessorTime(t, own) > ProcessorTime(t, append(own, own...)) || Anonymous(t, own) <= 0 {
		t.Errorf("this process has used %v and %v MiB", ProcessorTime(t, own), Anonymous(t, own))
	}
}
