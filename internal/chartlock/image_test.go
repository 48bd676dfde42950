package chartlock_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
)

func TestImages(t *testing.T) {
	other := "sha256:" + strings.Repeat("1e", 32)
	lock := chartlock.New(nil, chartlock.Image{Name: "quay.io/b:1", Digest: sum}, chartlock.Image{Name: "quay.io/a:1", Digest: other}, chartlock.Image{Name: "quay.io/b:1", Digest: sum})
	const want = `{
  "format": 1,
  "charts": [],
  "images": [
    {
      "image": "quay.io/a:1",
      "digest": "OTHER"
    },
    {
      "image": "quay.io/b:1",
      "digest": "SUM"
    }
  ]
}
`
	text := string(lock.Bytes())
	if got := strings.NewReplacer(sum, "SUM", other, "OTHER").Replace(text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	again, err := chartlock.Parse([]byte(text))
	if err != nil || !maps.Equal(again.Pins(), map[string]string{"quay.io/a:1": other, "quay.io/b:1": sum}) {
		t.Errorf("what was written is read as %v, %v", again, err)
	}
	if pins := (*chartlock.Lock)(nil).Pins(); pins == nil || len(pins) > 0 {
		t.Errorf("no lock has %v", pins)
	}
	for image, pinned := range map[string]bool{
		"quay.io/a:1": false, "quay.io/a@" + sum: true, "quay.io/a:1@" + sum: true, "quay.io/a:1@sha256:0f": false, "a@b": false, "": false,
	} {
		if chartlock.Pinned(image) != pinned {
			t.Errorf("%q has a digest: %t", image, !pinned)
		}
	}
}
