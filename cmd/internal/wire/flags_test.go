package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

func TestSourcesOfImagesAreChecked(t *testing.T) {
	if _, err := Open(&Flags{APIChecks: "all", ImageSources: []string{"images.example.org"}}, "test", nil, zerolog.Nop()); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "--image-sources: ") {
		t.Error(err)
	}
}

func TestHowMuchOfLogsIsShown(t *testing.T) {
	for _, lines := range []int{-1, 21} {
		if _, err := Open(&Flags{LogLines: lines}, "test", nil, zerolog.Nop()); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "from 0 to 20") {
			t.Errorf("%d: %v", lines, err)
		}
	}
}
