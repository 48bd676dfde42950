//go:build beds

package faultproxy_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// startCloud is an identity and a network service with absolute addresses in all the places
// where OpenStack has them.
func startCloud(t *testing.T) map[string]string {
	t.Helper()
	var identity, network string
	serve := func(answers map[string]string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, known := answers[r.URL.Path]
			if !known || strings.Contains(r.URL.RawQuery, "marker=last") {
				body = `{"networks":[{"id":"2","name":"second"}]}`
			}
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Location", identity+"/v3/x")
			w.Header().Set("Link", "<"+network+"/v2.0>; rel=next, <http://elsewhere.invalid/>; rel=up")
			w.Header().Set("X-Subject-Token", "token")
			if r.Method == http.MethodPost {
				w.WriteHeader(http.StatusCreated)
			}
			fmt.Fprint(w, strings.NewReplacer("IDENTITY", identity, "NETWORK", network).Replace(body))
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	identity = serve(map[string]string{
		"/":   `{"versions":{"values":[{"id":"v3.14","status":"stable","links":[{"rel":"self","href":"IDENTITY/v3/"}]}]}}`,
		"/v3": `{"version":{"id":"v3.14","status":"stable","links":[{"rel":"self","href":"IDENTITY/v3/"}]}}`,
		"/v3/auth/tokens": `{"token":{"expires_at":"2999-01-01T00:00:00.000000Z","catalog":[{"type":"network","endpoints":[` +
			`{"interface":"public","region":"R","region_id":"R","url":"NETWORK","note":"NETWORK"}]}]}}`,
		"/v3/endpoints": `{"endpoints":[{"url":"NETWORK","links":{"self":"IDENTITY/v3/endpoints/1"}}],"links": {"next" : "IDENTITY/v3/endpoints?marker=1","self":"IDENTITY0/v3","previous":null}}`,
	})
	network = serve(map[string]string{
		"/":               `{"versions":[{"id":"v2.0","status":"CURRENT","links":[{"rel":"self","href":"NETWORK/v2.0/"}]}]}`,
		"/v2.0/networks":  `{"networks":[{"id":"1","name":"NETWORK"}],"networks_links":[{"rel":"next","href":"NETWORK/v2.0/networks?marker=last"}]}`,
		"/v2.0/something": `{"href":"NETWORK0/v2.0"}`,
	})
	return map[string]string{"identity": identity + "/v3", "network": network, "other-network": network + "/v2.0"}
}

func TestFleetCarriesAClientThroughAllProxies(t *testing.T) {
	endpoints := startCloud(t)
	fleet := faultproxy.StartFleet(t, endpoints, faultproxy.Options{})
	if fleet.Proxy("network") != fleet.Proxy("other-network") || fleet.Proxy("network") == fleet.Proxy("identity") || fleet.Proxy("none") != nil || fleet.URL("none") != "" {
		t.Error("not one proxy for each server")
	}
	if fleet.URL("identity") != fleet.Proxy("identity").URL()+"/v3" {
		t.Errorf("identity is at %s", fleet.URL("identity"))
	}
	provider, err := openstack.AuthenticatedClient(t.Context(), gophercloud.AuthOptions{
		IdentityEndpoint: fleet.URL("identity"), Username: "u", Password: "p", DomainName: "d", TenantName: "t",
	})
	if err != nil {
		t.Fatal(err)
	}
	client, err := openstack.NewNetworkV2(provider, gophercloud.EndpointOpts{Region: "R"})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := networks.List(client, nil).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := networks.ExtractNetworks(pages)
	if err != nil || len(all) != 2 || all[0].Name != endpoints["network"] || all[1].Name != "second" {
		t.Errorf("got %+v, %v: want two pages, and the name as the server has it", all, err)
	}
	operation := faultproxy.Operation{Proxy: "network,other-network", Verb: "GET", Path: "/v2.0/networks"}
	if counts := fleet.Counts(); counts[operation] != 2 || counts[faultproxy.Operation{Proxy: "identity", Verb: "POST", Path: "/v3/auth/tokens"}] != 1 {
		t.Errorf("counts are\n%v", counts)
	}
}

func TestRewriteTouchesAddressesOnly(t *testing.T) {
	endpoints := startCloud(t)
	fleet := faultproxy.StartFleet(t, endpoints, faultproxy.Options{})
	client := newClient(t, nil)
	identity, network := fleet.Proxy("identity").URL(), fleet.Proxy("network").URL()
	realNetwork, realIdentity := endpoints["network"], strings.TrimSuffix(endpoints["identity"], "/v3")
	for path, want := range map[string]string{
		identity + "/v3/auth/tokens": `"url":"` + network + `","note":"` + realNetwork + `"`,
		identity + "/v3/endpoints": `{"endpoints":[{"url":"` + realNetwork + `","links":{"self":"` + identity + `/v3/endpoints/1"}}],"links": {"next" : "` +
			identity + `/v3/endpoints?marker=1","self":"` + realIdentity + `0/v3","previous":null}}`,
		network + "/v2.0/something": `{"href":"` + realNetwork + `0/v2.0"}`, // the port is another one
	} {
		status, body, header, err := do(t, client, "GET", path, nil)
		if status != 200 || err != nil || !strings.Contains(body, want) {
			t.Errorf("%s: got %d %v %s, want %s", path, status, err, body, want)
		}
		if got, want := header.Get("Location"), identity+"/v3/x"; got != want {
			t.Errorf("location is %s, want %s", got, want)
		}
		if got, want := header.Get("Link"), "<"+network+"/v2.0>; rel=next, <http://elsewhere.invalid/>; rel=up"; got != want {
			t.Errorf("link is %s, want %s", got, want)
		}
	}
}

func TestRewriteTakesTheLongestBase(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `[{"href":"http://c/compute/v2.1/x"},{"href":"http://c/image"},{"href":"http://c/images"},{"href":"http://c"}] %s`, r.Header.Get("Accept-Encoding"))
	}))
	defer server.Close()
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL, Rewrite: faultproxy.Rewrite{
		"http://c/": "http://front", "http://c/compute": "http://one/compute/", "http://c/image": "http://two",
	}})
	_, body, _, err := do(t, newClient(t, nil), "GET", proxy.URL(), nil)
	want := `[{"href":"http://one/compute/v2.1/x"},{"href":"http://two"},{"href":"http://front/images"},{"href":"http://front"}] identity`
	if body != want || err != nil {
		t.Errorf("got  %s, %v\nwant %s", body, err, want)
	}
}
