package openstack

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// glance is an image service that knows one image, which says what show returns.
type glance struct {
	show   func() map[string]any
	begin  func() int // the status of the answer to an import
	looks  []time.Time
	begins int
}

func (g *glance) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, status := map[string]any{}, http.StatusOK
	switch {
	case strings.HasSuffix(r.URL.Path, "/import"):
		g.begins++
		status = g.begin()
	case strings.HasSuffix(r.URL.Path, "/tasks"):
	default:
		g.looks = append(g.looks, time.Now())
		answer = g.show()
	}
	text, err := json.Marshal(answer)
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(string(text))), Request: r}, err
}

// sessionWith is a session whose image service is the one given.
func sessionWith(t *testing.T, images http.RoundTripper) *session {
	t.Helper()
	d := testDriver(t)
	catalog := &tokens.ServiceCatalog{Entries: []tokens.CatalogEntry{{Type: serviceImage, Endpoints: []tokens.Endpoint{
		{Interface: "public", Region: "here", RegionID: "here", URL: "http://glance.example"},
	}}}}
	provider := &gophercloud.ProviderClient{HTTPClient: http.Client{Transport: images}}
	return &session{provider: provider, catalog: catalog, project: "p1", connector: d.connector, masker: d.connector.masker}
}

var importJob = upload{image: "i1", source: "http://a/disk?token=hidden", remote: true}

func TestImportThatIsLostIsBegunAgain(t *testing.T) {
	for name, test := range map[string]struct {
		status string // of the image, while its import is lost
		answer int
		begins int
		text   string
	}{
		"Glance lets another one begin":     {"queued", http.StatusAccepted, 1, ""},
		"Glance says that it still goes on": {"queued", http.StatusConflict, 1, "it still fetches it"},
		"the image is beyond being fetched": {statusImporting, http.StatusConflict, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &glance{
					show:  func() map[string]any { return map[string]any{"id": "i1", "status": test.status, keyImportTask: "t1"} },
					begin: func() int { return test.answer },
				}
				s, began := sessionWith(t, g), time.Now()
				err := newTestUploads(t).download(t.Context(), s, importJob)
				if took := time.Since(began); took < importLimit || took > importLimit+time.Minute {
					t.Errorf("it was waited for %v", took)
				}
				if (err == nil) != (test.text == "") || err != nil && !strings.Contains(err.Error(), test.text) {
					t.Errorf("the error is %v", err)
				}
				if judged := judge(err, updating); g.begins != test.begins || unit.IsBlocked(judged) {
					t.Errorf("Glance was asked %d times, want %d: %v", g.begins, test.begins, judged)
				}
			})
		})
	}
}

// TestImportThatSomebodyElseBegan is waited for like one's own.
func TestImportThatSomebodyElseBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun time.Time
		g := &glance{begin: func() int {
			begun = time.Now()
			return http.StatusConflict
		}}
		g.show = func() map[string]any {
			switch {
			case begun.IsZero():
				return map[string]any{"id": "i1", "status": "queued"}
			case time.Since(begun) < time.Minute:
				return map[string]any{"id": "i1", "status": "queued", keyImportTask: "t1"}
			}
			return map[string]any{"id": "i1", "status": "active"}
		}
		s := sessionWith(t, g)
		if err := newTestUploads(t).download(t.Context(), s, importJob); err != nil || g.begins != 1 {
			t.Errorf("Glance was asked %d times: %v", g.begins, err)
		}
	})
}

func TestImageWhoseImportIsLostSaysSo(t *testing.T) {
	k := testDriver(t).kinds["image"].(imageKind)
	for age, want := range map[time.Duration]unit.Health{time.Minute: unit.HealthProgressing, importLimit + time.Minute: unit.HealthFailed} {
		at := time.Now().Add(-age).UTC().Format(time.RFC3339)
		for _, status := range []string{statusImporting, "saving", "uploading"} { // the last two where a killed glance-api was sent its bytes
			o := k.read(map[string]any{"id": "i1", "name": "web", "status": status, "updated_at": at})
			if o.health != want || (want == unit.HealthFailed) != strings.Contains(o.message, "delete the image") {
				t.Errorf("%s for %v it is %v: %s", status, age, o.health, o.message)
			}
		}
	}
}

// TestImportsAreLookedAtNowAndThen asks the less often the longer an import takes, and for few images at once.
func TestImportsAreLookedAtNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var mu sync.Mutex
		seen := map[string]bool{}
		show := func() map[string]any {
			if time.Since(began) < time.Hour {
				return map[string]any{"id": "i1", "status": statusImporting}
			}
			return map[string]any{"id": "i1", "status": "active"}
		}
		s := sessionWith(t, roundTripper(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			seen[r.URL.Path] = true
			mu.Unlock()
			return (&glance{show: show}).RoundTrip(r)
		}))
		u := newTestUploads(t)
		var group sync.WaitGroup
		for i := range importsAtOnce + 1 {
			group.Go(func() {
				if err := u.download(t.Context(), s, upload{image: fmt.Sprint("i", i), remote: true}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		mu.Lock()
		if len(seen) != importsAtOnce {
			t.Errorf("%d images are looked at at once, want %d", len(seen), importsAtOnce)
		}
		mu.Unlock()
		group.Wait()
		if len(seen) != importsAtOnce+1 {
			t.Errorf("%d images were looked at, want all", len(seen))
		}

		began = time.Now()
		g := &glance{show: show}
		if err := u.download(t.Context(), sessionWith(t, g), importJob); err != nil {
			t.Fatal(err)
		}
		pauses := map[time.Duration]bool{}
		for i, at := range g.looks[2:] { // before the loop it is looked at once without a pause
			pauses[at.Sub(g.looks[i+1])] = true
		}
		if !pauses[imagePause] || !pauses[importPause] || len(g.looks) > int(time.Hour/importPause)+10 {
			t.Errorf("in an hour %d looks with pauses of %v", len(g.looks), pauses)
		}
	})
}

func newTestUploads(t *testing.T) *uploads {
	t.Helper()
	u := newUploads(nil, nil, Sources{}, nil)
	t.Cleanup(u.close)
	return u
}
