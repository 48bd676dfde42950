package openstack

import (
	"context"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestWhatStandsBeforeAServiceFindsNothing: an ingress with nothing behind it answers 404 to everything. As a word of the service that
// would tell that what is to be deleted has gone, and its record would go while it stays.
func TestWhatStandsBeforeAServiceFindsNothing(t *testing.T) {
	for name, test := range map[string]struct {
		body, id string
		gone     bool
	}{
		"a service":            {body: `{"NeutronError": {"type": "NetworkNotFound", "message": "Network n1 could not be found.", "detail": ""}}`, gone: true},
		"one that says little": {gone: true},
		"one with its id":      {body: "<html><head><title>404 Not Found</title></head></html>", id: "req-0f3b8a3e-6a0f-4b5e-9d2c-1a2b3c4d5e6f", gone: true},
		"an ingress":           {body: "default backend - 404"},
		"a proxy":              {body: "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body><center><h1>404 Not Found</h1></center><hr><center>nginx</center></body>\r\n</html>"},
	} {
		for _, asked := range []string{http.MethodGet, http.MethodDelete} {
			t.Run(name+" to a "+asked, func(t *testing.T) {
				c := newNextCloud(t, map[string]string{"network": "/network"})
				c.mux.HandleFunc("/network/v2.0/networks/n1", func(w http.ResponseWriter, r *http.Request) {
					if r.Method == asked {
						if test.id != "" {
							w.Header().Set("X-Openstack-Request-Id", test.id)
						}
						w.WriteHeader(http.StatusNotFound)
						_, _ = io.WriteString(w, test.body)
						return
					}
					tell(w, http.StatusOK, map[string]any{"network": map[string]any{"id": "n1", "name": "web", keyDescription: joinMark("", markPrefix+"web")}})
				})
				c.mux.HandleFunc("/network/v2.0/", func(w http.ResponseWriter, r *http.Request) { // nothing is in it
					tell(w, http.StatusOK, map[string]any{path.Base(r.URL.Path): []any{}})
				})
				tg := unit.Target{ID: "n1", Mark: markPrefix + "web", Locator: unit.Locator{Driver: unit.OpenStack, Kind: "network"}}
				d := assemble(Options{Language: schema.New(), Connect: func(context.Context) (Credentials, error) {
					variables := byPassword()
					variables["OS_AUTH_URL"], variables["OS_REGION_NAME"] = c.URL, "here"
					return FromVariables(variables), nil
				}})
				t.Cleanup(d.Close)
				st, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Present, Owned: true, ID: "n1"})
				// to a DELETE it is a word, and the next look tells whether it is gone
				taken := err == nil && (st.Gone() || asked == http.MethodDelete)
				if taken != test.gone || !taken && (unit.IsBlocked(err) || !strings.Contains(err.Error(), "but of what stands before it")) {
					t.Errorf("got %+v, %v", st, err)
				}
			})
		}
	}
}
