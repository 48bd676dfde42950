package openstack

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestUploadOfAFileThatGlanceDoesNotTake ends, so that others have its place.
func TestUploadOfAFileThatGlanceDoesNotTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sessionWith(t, &glance{show: func() map[string]any { return map[string]any{"id": "i1", "status": "queued"} }})
		s.transport = &transport{base: roundTripper(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}), sent: func() {}}
		content := unit.NewContent(fstest.MapFS{"boot.img": {Data: []byte("boot")}}, ".", "boot.img")
		sum, err := content.Sum()
		if err != nil {
			t.Fatal(err)
		}
		u, began := newTestUploads(t), time.Now()
		err = u.hand(t.Context(), s, upload{image: "i1", source: sum, content: content})
		if err == nil || !strings.Contains(err.Error(), "no byte moved") || time.Since(began) != stallLimit {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if len(u.slots) != 0 {
			t.Error("it keeps its place")
		}
	})
}

// An upload ends where the process is not in charge any more, though its request was let through before.
func TestUploadOfWhoLosesTheLease(t *testing.T) {
	s := sessionWith(t, &glance{show: func() map[string]any { return map[string]any{"id": "i1", "status": "queued"} }})
	const chunk = 10
	content := unit.NewContent(fstest.MapFS{"boot.img": {Data: make([]byte, 10*chunk)}}, ".", "boot.img")
	sum, err := content.Sum()
	if err != nil {
		t.Fatal(err)
	}
	asked, sent := 0, 0
	s.transport = &transport{guard: func() error {
		if asked++; sent >= 3*chunk {
			return unit.ErrNotWriter
		}
		return nil
	}, base: roundTripper(func(r *http.Request) (*http.Response, error) {
		for {
			n, err := r.Body.Read(make([]byte, chunk))
			if sent += n; err != nil {
				return nil, err
			}
		}
	}), sent: func() {}}
	err = newTestUploads(t).hand(t.Context(), s, upload{image: "i1", source: sum, content: content})
	if !errors.Is(err, unit.ErrNotWriter) || sent != 3*chunk {
		t.Errorf("%d bytes were sent, and %d times it was asked: %v", sent, asked, err)
	}
}
