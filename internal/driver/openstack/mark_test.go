package openstack

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
	"github.com/zclconf/go-cty/cty"
)

// recorder is a session with services that take everything and keep what they were asked for.
type recorder struct {
	*session
	mutex sync.Mutex
	asked []string // method, path and body
}

func newRecorder(t *testing.T) *recorder {
	t.Helper()
	r := &recorder{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mutex.Lock()
		r.asked = append(r.asked, strings.TrimSpace(request.Method+" "+request.URL.EscapedPath()+" "+string(body)))
		r.mutex.Unlock()
		w.Header().Set("Content-Type", "application/json")
		if request.Method == http.MethodDelete {
			w.WriteHeader(http.StatusNotFound) // somebody was faster
			return
		}
		answer := map[string]any{"id": "x1"}
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "x1", "server": answer, "project": answer, "network": answer, "flavor": answer})
	}))
	t.Cleanup(server.Close)
	d := testDriver(t)
	catalog := &tokens.ServiceCatalog{}
	for _, service := range []string{serviceCompute, serviceNetwork, serviceImage, serviceIdentity, volumeServices()[0]} {
		catalog.Entries = append(catalog.Entries, tokens.CatalogEntry{Type: service, Endpoints: []tokens.Endpoint{
			{Interface: "public", Region: "here", RegionID: "here", URL: server.URL + "/" + service},
		}})
	}
	provider := &gophercloud.ProviderClient{HTTPClient: *server.Client()}
	r.session = &session{provider: provider, catalog: catalog, project: "p1", connector: d.connector, masker: d.connector.masker}
	d.connector.main = r.session
	return r
}

// TestNothingWinsOverTheMark: what validation lets through by mistake costs no object.
func TestNothingWinsOverTheMark(t *testing.T) {
	text := cty.StringVal
	d := testDriver(t)
	for _, test := range []struct {
		kind    string
		written map[string]cty.Value
		raw     map[string]any
	}{
		{"instance", map[string]cty.Value{"metadata": cty.MapVal(map[string]cty.Value{markKey: text("zz"), "n": text("1")})}, nil},
		{"image", map[string]cty.Value{
			"source": text("https://images.example.org/a"), "properties": cty.MapVal(map[string]cty.Value{markKey: text("zz"), "name": text("zz"), "hw_disk_bus": text("scsi")}),
		}, map[string]any{"status": "active", markKey: testMark, keySource: "d"}},
		{"project", map[string]cty.Value{"tags": cty.SetVal([]cty.Value{text("kupenstack:zz"), text("shop")})}, nil},
	} {
		r := newRecorder(t)
		k := d.kinds[test.kind]
		test.written["name"] = text("web")
		w := wanted{value: wantValue(test.kind, test.written), mark: testMark, named: "web", project: "p1"}
		if _, err := k.create(t.Context(), r.session, w); err != nil {
			t.Fatalf("%s: %v", test.kind, err)
		}
		raw := map[string]any{"id": "x1", "name": "web"}
		for key, v := range test.raw {
			raw[key] = v
		}
		o := k.(interface{ read(map[string]any) *object }).read(raw)
		if err := k.update(t.Context(), r.session, o, w, []string{"metadata", "properties", "tags"}); err != nil {
			t.Fatalf("%s: %v", test.kind, err)
		}
		all := strings.Join(r.asked, "\n")
		if strings.Contains(all, "zz") || !strings.Contains(all, testMark) || len(r.asked) < 2 {
			t.Errorf("%s was asked for:\n%s", test.kind, all)
		}
	}
}
