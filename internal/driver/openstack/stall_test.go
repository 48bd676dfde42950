package openstack

import (
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
