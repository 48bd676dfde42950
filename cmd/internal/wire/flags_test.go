package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

func TestHowMuchOfLogsIsShown(t *testing.T) {
	for _, lines := range []int{-1, 21} {
		if _, err := Open(&Flags{LogLines: lines}, "test", nil, zerolog.Nop()); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "from 0 to 20") {
			t.Errorf("%d: %v", lines, err)
		}
	}
}
