package helm

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A process that has lost the right to read gets no chart, from wherever that would come.
func TestNoChartIsFetchedWithoutTheRight(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s was sent", r.Method, r.URL)
	}))
	t.Cleanup(server.Close)
	refuse := func() error { return unit.ErrNotWriter }
	options := Options{CacheDir: t.TempDir(), Transport: server.Client().Transport, Reads: refuse}
	host := server.Listener.Addr().String()
	for _, repository := range []string{"https://" + host + "/charts", "oci://" + host + "/charts"} {
		wanted := unit.Chart{Name: "keystone", Repository: repository, Version: "1.0.0", Digest: "sha256:00"}
		if _, err := newCharts(options).find(t.Context(), wanted); !errors.Is(err, unit.ErrNotWriter) {
			t.Errorf("%s: %v", repository, err)
		}
	}
	b := newGitBed(t)
	entry := b.lockOne(t, b.options, "nova", "", "")
	before := b.requests()
	options = b.newOptions(t)
	options.Reads = refuse
	if _, err := find(t, options, entry); !errors.Is(err, unit.ErrNotWriter) {
		t.Errorf("from Git: %v", err)
	}
	if after := b.requests(); after != before {
		t.Errorf("the Git server was asked: %+v, then %+v", before, after)
	}
}
