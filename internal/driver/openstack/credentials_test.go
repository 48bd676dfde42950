package openstack

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
)

const cloudsYAML = `
clouds:
  prod:
    region_name: here
    interface: internal
    auth:
      auth_url: https://keystone.example.org/v3
      username: ops
      password: "a-secret-word"
      user_domain_name: Users
      project_name: infra
      project_domain_id: default
  app:
    auth:
      auth_url: https://keystone.example.org
      application_credential_id: abc
      application_credential_secret: a-secret-word
`

func TestCredentialsFromClouds(t *testing.T) {
	c, err := FromClouds([]byte(cloudsYAML), "prod")
	if err != nil {
		t.Fatal(err)
	}
	if c.Region != "here" || c.Interface != "internal" || c.who() != "the user ops" || c.Password.Reveal() != "a-secret-word" {
		t.Errorf("got %+v", c)
	}
	if text := fmt.Sprintf("%v %+v %#v", c, c, c); strings.Contains(text, "a-secret-word") {
		t.Errorf("printing shows the password: %s", text)
	}
	options := c.options("")
	if options.DomainName != "Users" || *options.Scope != (gophercloud.AuthScope{ProjectName: "infra", DomainID: "default"}) || !options.AllowReauth {
		t.Errorf("the options are for %q in %+v", options.DomainName, options.Scope)
	}
	if scope := c.options("p2").Scope; *scope != (gophercloud.AuthScope{ProjectID: "p2"}) {
		t.Errorf("the scope in another project is %+v", scope)
	}
	app, err := FromClouds([]byte(cloudsYAML), "app")
	if err != nil {
		t.Fatal(err)
	}
	if options := app.options(""); options.Scope != nil || options.ApplicationCredentialID != "abc" || options.Password != "" || !app.application() {
		t.Errorf("an application credential has its own scope: %+v", options.Scope)
	}
	if _, err := FromClouds([]byte(cloudsYAML), "other"); err == nil || !strings.Contains(err.Error(), "other") {
		t.Errorf("got %v", err)
	}
	if _, err := FromClouds([]byte("clouds:\n  prod: [a-secret-word"), "prod"); err == nil || strings.Contains(err.Error(), "a-secret-word") {
		t.Errorf("got %v", err)
	}
	if _, err := FromCloudsFile(t.TempDir()+"/clouds.yaml", "prod"); err == nil {
		t.Error("a file that is not there has credentials")
	}
}

func TestPlaceOver(t *testing.T) {
	got := Place{AuthURL: "a", Region: "r", Interface: "public"}.Over(Place{AuthURL: "b", CA: "pem"})
	if got != (Place{AuthURL: "b", Region: "r", Interface: "public", CA: "pem"}) {
		t.Errorf("got %+v", got)
	}
	if _, err := (&Credentials{Place: Place{CA: "no certificate"}}).security(); err == nil {
		t.Error("what is no PEM was taken")
	}
	if _, err := (&Credentials{Place: Place{Also: "no certificate"}}).security(); err == nil {
		t.Error("what is no PEM was taken beside what the system trusts")
	}
}

// TestFurtherAuthority wants a server of an authority of our own to be trusted beside those of the system, and beside
// one that is written.
func TestFurtherAuthority(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	own := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	for name, c := range map[string]struct {
		place Place
		works bool
	}{"none": {}, "further": {Place{Also: own}, true}, "written": {Place{CA: own}, true}} {
		security, err := (&Credentials{Place: c.place}).security()
		if err != nil {
			t.Fatal(err)
		}
		client := http.Client{Transport: &http.Transport{TLSClientConfig: security}}
		response, err := client.Get(server.URL)
		if err == nil {
			_ = response.Body.Close()
		}
		if (err == nil) != c.works {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestImagesThatAreTakenOver(t *testing.T) {
	k := testDriver(t).kinds["image"].(imageKind)
	image := func(more map[string]any) *object {
		raw := map[string]any{"id": "i1", "name": "web", "status": "active", "os_hash_algo": "sha512", "os_hash_value": "abc"}
		for key, v := range more {
			raw[key] = v
		}
		return k.read(raw)
	}
	for _, test := range []struct {
		name     string
		object   *object
		checksum string
		free     bool
	}{
		{"the same bytes", image(nil), "sha512:abc", true},
		{"other bytes", image(nil), "sha512:def", false},
		{"bytes of which nothing is known", image(nil), "sha256:def", true},
		{"without bytes", image(map[string]any{"status": "queued"}), "sha512:abc", false},
		{"on its way", image(map[string]any{"status": "saving"}), "sha512:abc", false},
	} {
		value := wantValue("image", nil).AsValueMap()
		value["checksum"] = scalar(test.checksum, value["checksum"].Type())
		if problem := k.adoptable(outputs(wantValue("image", nil).Type(), value), test.object); (problem == "") != test.free {
			t.Errorf("%s: %q", test.name, problem)
		}
	}
	made := image(map[string]any{keySource: digestOf("http://a")})
	if same, handled := k.compare("source", scalar("http://a", made.values.get("source").Type()), made); !same || !handled {
		t.Error("the same source counts as a change")
	}
	if same, _ := k.compare("source", scalar("http://b", made.values.get("source").Type()), made); same {
		t.Error("another source counts as the same")
	}
}
