package await_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/await"
)

// recorder is a test that fails.
type recorder struct {
	testing.TB
	said string
}

func (*recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// failure returns what a test that does nothing else ends with, and when.
func failure(t *testing.T, does func(testing.TB)) (string, time.Duration) {
	t.Helper()
	r, began, done := &recorder{TB: t}, time.Now(), make(chan struct{})
	go func() {
		defer close(done)
		does(r)
	}()
	<-done
	return r.said, time.Since(began)
}

func TestWhatComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan int)
		go func() {
			time.Sleep(await.Limit - time.Second)
			told <- 7
		}()
		if got := await.Receive(t, told, "a number"); got != 7 {
			t.Errorf("received %d", got)
		}
		began := time.Now()
		await.Until(t, "a minute", func() bool { return time.Since(began) >= time.Minute })
		if took := time.Since(began); took > time.Minute+time.Second {
			t.Errorf("the minute took %v", took)
		}
	})
}

func TestWhatNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, does := range []func(testing.TB){
			func(t testing.TB) { await.Receive(t, make(chan int), "the end") },
			func(t testing.TB) { await.Until(t, "the end", func() bool { return false }) },
		} {
			said, took := failure(t, does)
			if !strings.Contains(said, "for the end") || took < await.Limit || took > await.Limit+time.Second {
				t.Errorf("said %q after %v", said, took)
			}
		}
	})
}
