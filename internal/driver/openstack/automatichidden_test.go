package openstack

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
)

// shownSubnets is Neutron with the subnets that are shown, and what was asked for.
type shownSubnets struct {
	shown []map[string]any
	asked []string
}

func (n *shownSubnets) RoundTrip(r *http.Request) (*http.Response, error) {
	n.asked = append(n.asked, strings.Join(r.URL.Query()["id"], " "))
	text, err := json.Marshal(map[string]any{"subnets": n.shown})
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(string(text))), Request: r}, err
}

// TestHiddenSubnetsAreAskedForSeldom: a subnet that a session does not see is not asked for in each look, nor for ever left
// out, and what is hidden from one is not from another.
func TestHiddenSubnetsAreAskedForSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		neutron := &shownSubnets{shown: []map[string]any{{"id": "s7", addressModeAttribute: "dhcpv6-stateful"}}}
		catalog := &tokens.ServiceCatalog{Entries: []tokens.CatalogEntry{{Type: serviceNetwork, Endpoints: []tokens.Endpoint{
			{Interface: "public", Region: "here", RegionID: "here", URL: "http://neutron.example"},
		}}}}
		d, auto := testDriver(t), &autoSubnets{}
		of := func(project string, roles ...string) *session {
			return &session{
				provider: &gophercloud.ProviderClient{HTTPClient: http.Client{Transport: neutron}}, catalog: catalog, connector: d.connector, masker: d.connector.masker,
				login: login{project: project}, roles: roles,
			}
		}
		look := func(what string, s *session, automatic bool, want ...string) {
			t.Helper()
			neutron.asked = nil
			got, err := auto.among(t.Context(), s, []string{"s6", "s7"})
			if err != nil || got["s6"] != automatic || got["s7"] {
				t.Errorf("%s: got %v, %v", what, got, err)
			}
			if !slices.Equal(neutron.asked, want) {
				t.Errorf("%s: asked for %q, want %q", what, neutron.asked, want)
			}
		}
		member := of("p1")
		look("first", member, false, "s6 s7")
		look("again", member, false)
		look("another project", of("p2"), false, "s6")
		time.Sleep(subnetHidden - time.Second)
		look("soon", member, false)
		time.Sleep(time.Second)
		look("later", member, false, "s6")
		look("and then", member, false)
		neutron.shown = append(neutron.shown, map[string]any{"id": "s6", addressModeAttribute: "slaac"})
		look("an administrator", of("p1", adminRole), true, "s6")
		look("who told all", member, true)
	})
}
