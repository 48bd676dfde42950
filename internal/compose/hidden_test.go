package compose_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/resolve"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const secretive = `cloud "test" {
  release = "2026.1"
  region  = "RegionOne"
  charts { repository = "oci://registry.example.org/charts" }
  openstack { cloud = "x" }
  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" {
    conf = { keystone = {
      DEFAULT = { debug = true, own = sops("site.yaml").rabbitmq.password }
      list    = ["canary-not", secret("rabbit", "url"), sensitive(4711), { deep = { k = sensitive("canary-given"), empty = {} } }]
      over    = secret("rabbit", "url")
    } }
    values = {
      conf = { keystone = { over = "plain" } }
      endpoints = { oslo_messaging = { auth = { keystone = { password = secret("other/rabbit", "password") } } } }
    }
  }
}
instance "web" {
  image     = "61d2ac16-4b1d-4b4b-8f3e-6c0f1a0f7a11"
  flavor    = "f"
  user_data = "${secret("web", "token")} ${sops("site.yaml").rabbitmq.password}"
}
`

func secretiveUnits(t *testing.T) map[string]unit.Unit {
	t.Helper()
	read := func(name string) []byte {
		content, err := os.ReadFile("../sops/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	cfg, diags := config.Load(schema.New(), fstest.MapFS{"main.hcl": {Data: []byte(secretive)}, "site.yaml": {Data: read("site.yaml")}}, ".", config.DefaultLimits())
	cfg.Keys.Identities = redact.NewSecret(string(read("age.txt")))
	m, ev, more := resolve.Resolve(cfg, nil)
	if diags.Append(more...); diags.HasErrors() {
		t.Fatal(diags)
	}
	return composed.Compose(t, m, ev, compose.Facts{Unlocked: true})
}

// Sensitive values reach a release only as what is filled in when it is installed.
func TestSensitiveSettings(t *testing.T) {
	r := composed.Release(t, secretiveUnits(t), "keystone")
	want := map[string]any{
		"DEFAULT": map[string]any{"debug": true},
		"list":    []any{"canary-not", nil, nil, map[string]any{"deep": map[string]any{"empty": map[string]any{}}}},
		"over":    "plain",
	}
	conf, _ := r.Values["conf"].(map[string]any)
	if !reflect.DeepEqual(conf["keystone"], want) {
		t.Errorf("the values are %#v", conf["keystone"])
	}
	found := map[string]string{}
	for _, s := range r.Secrets {
		if s.Follows() {
			found[strings.Join(s.Path, ".")] = fmt.Sprintf("%s/%s/%s/%s", s.Namespace, s.Name, s.Key, s.Given.Reveal())
		}
	}
	for path, secret := range map[string]string{
		"conf.keystone.DEFAULT.own":                       `///"canary-rabbit"`,
		"conf.keystone.list.1":                            "openstack/rabbit/url/",
		"conf.keystone.list.2":                            "///4711",
		"conf.keystone.list.3.deep.k":                     `///"canary-given"`,
		"endpoints.oslo_messaging.auth.keystone.password": "other/rabbit/password/",
	} {
		if found[path] != secret {
			t.Errorf("%s is %q, want %q", path, found[path], secret)
		}
		delete(found, path)
	}
	if len(found) > 0 {
		t.Errorf("there is also %v", found)
	}
	for _, s := range r.Secrets {
		if strings.Join(s.Path, ".") == "endpoints.oslo_messaging.auth.keystone.password" && s.Name == "kupenstack-credentials" {
			t.Error("a value is generated where one is given")
		}
	}
	text, err := json.Marshal(r)
	if shown := fmt.Sprintf("%s %+v %#v", text, r, r); err != nil || strings.Contains(shown, "canary-rabbit") || strings.Contains(shown, "canary-given") {
		t.Errorf("a release shows a secret (%v): %s", err, text)
	}
}

func TestSecretsOfResources(t *testing.T) {
	spec := secretiveUnits(t)["instance.web"].Spec.(*unit.Resource)
	token := model.SecretRef{Namespace: "openstack", Name: "web", Key: "token"}
	if !reflect.DeepEqual(spec.Secrets, []model.SecretRef{token}) {
		t.Fatalf("the secrets are %v", spec.Secrets)
	}
	if spec.Desired.GetAttr("user_data").IsKnown() {
		t.Error("the value is known before the Secret was read")
	}
	v, diags := spec.Reveal(map[model.SecretRef]redact.Secret{token: redact.NewSecret("canary-token")}).Resolve(map[addr.Object]cty.Value{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	data, _ := v.GetAttr("user_data").Unmark()
	if data.AsString() != "canary-token canary-rabbit" {
		t.Errorf("user_data is %#v", data)
	}
	if shown := fmt.Sprint(unit.Visible(v)); strings.Contains(shown, "canary") {
		t.Errorf("shown is %s", shown)
	}
}
