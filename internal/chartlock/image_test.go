package chartlock_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
)

func TestImages(t *testing.T) {
	other := "sha256:" + strings.Repeat("1e", 32)
	b := chartlock.Image{Name: "quay.io/b:1", Digest: sum, Services: []string{"glance", "nova"}}
	lock := chartlock.New(nil, b, chartlock.Image{Name: "quay.io/a:1", Digest: other, Services: []string{"nova"}}, b)
	const want = `{
  "format": 1,
  "charts": [],
  "images": [
    {
      "image": "quay.io/a:1",
      "digest": "OTHER",
      "services": [
        "nova"
      ]
    },
    {
      "image": "quay.io/b:1",
      "digest": "SUM",
      "services": [
        "glance",
        "nova"
      ]
    }
  ]
}
`
	text := string(lock.Bytes())
	if got := strings.NewReplacer(sum, "SUM", other, "OTHER").Replace(text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	again, err := chartlock.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for service, want := range map[string]map[string]string{
		"nova": {"quay.io/a:1": other, "quay.io/b:1": sum}, "glance": {"quay.io/b:1": sum}, "heat": nil,
	} {
		if pins := again.Pins(service); !maps.Equal(pins, want) || (pins == nil) != (want == nil) {
			t.Errorf("%s has %v, want %v", service, pins, want)
		}
	}
	for image, want := range map[string]string{"quay.io/a:1": other, "quay.io/b:1": sum, "quay.io/c:1": ""} {
		if digest, found := again.Digest(image); digest != want || found != (want != "") {
			t.Errorf("%s has %q, %t", image, digest, found)
		}
	}

	// Images were locked, though there is none, or never.
	var none *chartlock.Lock
	if _, found := none.Digest("quay.io/a:1"); found || none.Pins("nova") != nil {
		t.Error("no lock has images")
	}
	for _, images := range [][]chartlock.Image{nil, {}} {
		read, err := chartlock.Parse(chartlock.New(nil, images...).Bytes())
		if err != nil || (read.Images == nil) != (images == nil) {
			t.Errorf("%#v is read as %#v, %v", images, read.Images, err)
		}
	}
	for image, pinned := range map[string]bool{
		"quay.io/a:1": false, "quay.io/a@" + sum: true, "quay.io/a:1@" + sum: true, "quay.io/a:1@sha256:0f": false, "a@b": false, "": false,
	} {
		if chartlock.Pinned(image) != pinned {
			t.Errorf("%q has a digest: %t", image, !pinned)
		}
	}
}
