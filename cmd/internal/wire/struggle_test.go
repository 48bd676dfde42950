package wire

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestStruggle: what is taken away each time is written again at once a few times, then after growing pauses, and that is
// told until it has stayed for a while.
func TestStruggle(t *testing.T) {
	t.Parallel()
	var s struggle
	now := time.Now()
	written, told := 0, 0
	for end := now.Add(time.Hour); now.Before(end); now = now.Add(time.Second / 10) {
		if now.Before(s.again) {
			continue
		}
		s.restored("the Secret", now)
		if written++; s.finding(now) != nil {
			told++
			if text := s.finding(now).Error(); !strings.Contains(text, "takes away the Secret each time") {
				t.Fatal(text)
			}
		}
	}
	if written < 12 || written > 25 || told != written-mostRestored+1 {
		t.Errorf("in an hour it was written %d times, and %d times that was told", written, told)
	}
	if s.finding(s.last.Add(struggleWindow-time.Second)) == nil || s.finding(s.last.Add(struggleWindow)) != nil {
		t.Error("it is told for another time")
	}
	s.restored("the Secret", s.last.Add(struggleWindow))
	if s.finding(s.last) != nil || s.again.After(s.last) {
		t.Error("what was long ago counts")
	}
}

// TestOneDeletionIsNoStruggle: who deletes all at once has it deleted piece by piece, and each piece was deleted once.
func TestOneDeletionIsNoStruggle(t *testing.T) {
	t.Parallel()
	var s struggle
	now := time.Now()
	s.restored("the Secret", now)
	for i := range 10 {
		s.restored("pieces of the inventory", now, fmt.Sprintf("shard%d", i))
	}
	if err := s.finding(now); err != nil || s.again.After(now) {
		t.Errorf("it is told: %v", err)
	}
	for range 2 {
		s.restored("pieces of the inventory", now, "shard3", "shard11")
	}
	if s.finding(now) == nil || !s.again.After(now) {
		t.Error("what goes each time is not told")
	}
}
