package memory

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestSpare(t *testing.T) {
	for _, c := range []struct {
		name, set string
		want      int
	}{
		{"by itself", "", growth},
		{"somebody decided", "200", 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("GOGC", c.set)
			before := debug.SetGCPercent(100)
			t.Cleanup(func() { debug.SetGCPercent(before) })
			Spare()
			if got := debug.SetGCPercent(100); got != c.want {
				t.Errorf("garbage is collected at %d %%, want %d", got, c.want)
			}
		})
	}
}

func TestGiveBack(t *testing.T) {
	var r Rest
	if !givesBack(&r) {
		t.Error("nothing is given back of much")
	}
	if left := idle(); left >= worthwhile {
		t.Errorf("%d bytes are kept", left)
	}
	use()
	if r.GiveBack() {
		t.Error("memory is given back twice within a short time")
	}
	r.last = r.last.Add(-rarely)
	if !givesBack(&r) {
		t.Error("nothing is given back some time later")
	}
	r.last = r.last.Add(-rarely)
	if r.GiveBack() {
		t.Error("garbage is collected for next to nothing")
	}
}

// givesBack tries a few times: Go gives some back by itself meanwhile.
func givesBack(r *Rest) bool {
	for range 10 {
		if use(); r.GiveBack() {
			return true
		}
	}
	return false
}

// use leaves much memory that nothing is in any more.
func use() {
	used := make([]byte, 4*worthwhile)
	for i := range used {
		used[i] = 1 // the system gives a page when it is written
	}
	runtime.KeepAlive(used)
	runtime.GC()
}
