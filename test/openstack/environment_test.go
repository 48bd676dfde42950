package openstack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// identity is a Keystone that knows one password and gives a catalogue of two regions.
func identity(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, request *http.Request) {
		var body struct {
			Auth struct {
				Identity struct {
					Password struct{ User struct{ Password string } }
				}
			}
		}
		if err := json.NewDecoder(request.Body).Decode(&body); err != nil || body.Auth.Identity.Password.User.Password != "right" {
			http.Error(w, `{"error": {"message": "no"}}`, http.StatusUnauthorized)
			return
		}
		w.Header().Set("X-Subject-Token", "token")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"token": {"expires_at": "2099-01-01T00:00:00.000000Z", "project": {"id": "p1", "name": "demo"}, "catalog": [
			{"type": "network", "endpoints": [
				{"interface": "public", "region_id": "one", "region": "one", "url": "https://network.one/"},
				{"interface": "internal", "region_id": "one", "region": "one", "url": "https://internal.one"},
				{"interface": "public", "region_id": "two", "region": "two", "url": "https://network.two"}]},
			{"type": "volumev3", "endpoints": [{"interface": "public", "region_id": "one", "region": "one", "url": "https://volume.one/v3/p1"}]}]}}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func writeClouds(t *testing.T, authURL, secret string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clouds.yaml")
	text := fmt.Sprintf("clouds:\n  other:\n    region_name: one\n    auth:\n      auth_url: %s\n      username: u\n      password: %s\n      project_name: demo\n      user_domain_name: Default\n      project_domain_name: Default\n", authURL, secret)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OS_CLIENT_CONFIG_FILE", path)
	t.Setenv("OS_CLOUD", "other")
	t.Setenv("OS_REGION_NAME", "")
}

func TestFromEnvironment(t *testing.T) {
	server := identity(t)
	writeClouds(t, server.URL+"/v3", "right")
	cloud, err := FromEnvironment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if cloud.Name != "other" || cloud.Region != "one" {
		t.Errorf("got the cloud %q in region %q", cloud.Name, cloud.Region)
	}
	want := map[string]string{"network": "https://network.one", "volumev3": "https://volume.one/v3"}
	if fmt.Sprint(cloud.Endpoints) != fmt.Sprint(want) {
		t.Errorf("endpoints are %v, want %v", cloud.Endpoints, want)
	}
	provider, err := cloud.Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if provider.Token() != "token" {
		t.Errorf("the token is %q", provider.Token())
	}
	if provider.HTTPClient.Timeout <= 0 {
		t.Error("requests have no deadline")
	}
}

func TestFromEnvironmentRefused(t *testing.T) {
	server := identity(t)
	writeClouds(t, server.URL+"/v3", "wrong")
	if _, err := FromEnvironment(t.Context()); err == nil {
		t.Error("want an error for a wrong password")
	}
	t.Setenv("OS_CLOUD", "unknown")
	if _, err := FromEnvironment(t.Context()); err == nil {
		t.Error("want an error for a cloud that is not in the file")
	}
	t.Setenv("OS_CLOUD", "")
	if _, err := FromEnvironment(t.Context()); err == nil {
		t.Error("want an error without OS_CLOUD")
	}
}
