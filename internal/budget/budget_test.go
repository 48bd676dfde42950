package budget_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/budget"
)

func TestBudgetIsSpentAndFillsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(3600) // one a second
		spend := func(n int) {
			for range n {
				b.Spend()
			}
		}
		is := func(left int, wait time.Duration) {
			t.Helper()
			if got, bounded := b.Left(); got != left || !bounded {
				t.Errorf("left: got %d, want %d", got, left)
			}
			if got := b.Wait(); got.Round(time.Second) != wait {
				t.Errorf("wait: got %v, want %v", got, wait)
			}
		}
		is(3600, 0)
		spend(3599)
		is(1, 0)
		spend(1)
		is(0, time.Second)
		spend(50) // of what had begun
		is(-50, 51*time.Second)
		time.Sleep(b.Wait())
		is(1, 0)
		time.Sleep(100 * time.Hour) // no more than an hour's is saved up
		is(3600, 0)
		if b.Sent() != 3650 {
			t.Errorf("sent: got %d", b.Sent())
		}
	})
}

func TestWithoutABoundItOnlyCounts(t *testing.T) {
	b := budget.New(0)
	for range 100 {
		b.Spend()
	}
	if _, bounded := b.Left(); bounded || b.Wait() != 0 || b.Sent() != 100 {
		t.Errorf("bounded %v, wait %v, sent %d", bounded, b.Wait(), b.Sent())
	}
}
