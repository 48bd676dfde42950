package compose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const gated = `cloud "edge" {
  namespace = "openstack"
}
chart "extra" {
  repository = "./charts"
  namespace  = "extras"
  gates      = GATES
}
`

// What a block says is asked, and with nothing to ask nothing is.
func TestGates(t *testing.T) {
	m, ev := composed.Text(t, strings.Replace(gated, "GATES", `[
    { url = "http://extra.extras.svc:3000/healthz" },
    { url = "https://extra.example.org", status = 302 },
    { api_version = "cert-manager.io/v1", kind = "Certificate", name = "ca", condition = "Ready" },
    { api_version = "v1", kind = "Node", namespace = "other", name = "one", condition = "Ready" },
  ]`, 1))
	of := func(checks compose.Checks) *unit.API {
		t.Helper()
		extra, ok := composed.Compose(t, m, ev, compose.Facts{Checks: checks})["chart.extra"].Spec.(*unit.Release)
		if !ok {
			t.Fatal("there is no release of the chart")
		}
		return extra.API
	}
	want := []unit.Check{
		{URL: "http://extra.extras.svc:3000/healthz"},
		{URL: "https://extra.example.org", Status: 302},
		{Object: unit.ObjectRef{APIVersion: "cert-manager.io/v1", Kind: "Certificate", Namespace: "extras", Name: "ca"}, Condition: "Ready"},
		{Object: unit.ObjectRef{APIVersion: "v1", Kind: "Node", Namespace: "other", Name: "one"}, Condition: "Ready"},
	}
	for _, checks := range []compose.Checks{{}, {Only: []string{"keystone"}}} {
		if api := of(checks); api == nil || api.Service != "" || !slices.Equal(api.Checks, want) {
			t.Errorf("with %+v: got %+v", checks, api)
		}
	}
	if api := of(compose.Checks{Off: true}); api != nil {
		t.Errorf("though nothing is to be asked: %+v", api)
	}
}

func TestGatesThatAreNone(t *testing.T) {
	for written, want := range map[string]string{
		`[null]`: "gates[0] is null",
		`[{}]`:   "gates[0] has neither a url nor an object",
		`[{ url = "http://a" }, { url = "http://a", kind = "Node" }]`:                              "gates[1] has a url, and kind, which an object has",
		`[{ kind = "Node", name = "one" }]`:                                                        "gates[0] is about an object, and lacks api_version, condition",
		`[{ api_version = "v1", kind = "Node", name = "one", condition = "Ready", status = 200 }]`: "gates[0] is about an object, and has status or ca",
		`[for i in range(21) : { url = "http://a/${i}" }]`:                                         "there can be at most 20, and these are 21",
	} {
		m, ev := composed.Text(t, strings.Replace(gated, "GATES", written, 1))
		_, diags := compose.Compose(m, ev, compose.Facts{Unlocked: true})
		if len(diags) != 1 || !strings.Contains(diags[0].Detail, want) || diags[0].Subject == nil || diags[0].Subject.Start.Line != 7 {
			t.Errorf("%s: got %v, want %q", written, diags, want)
		}
	}
}
