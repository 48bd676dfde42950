package openstack

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/rs/zerolog"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestSensitiveNamesStayHidden: what is there under a name that is sensitive is told of without it, by whatever it was found.
func TestSensitiveNamesStayHidden(t *testing.T) {
	d := testDriver(t)
	read := func(kind, id, mark string) *object {
		raw := map[string]any{"id": id, "name": "canary-name", "description": "[" + mark + "]", "domain_id": "default", "public_key": "ssh-ed25519 other"}
		return d.kinds[kind].(interface{ read(map[string]any) *object }).read(raw)
	}
	secret := cty.StringVal("canary-name").Mark(model.Sensitive)
	for kind, want := range map[string]cty.Value{
		"network": wantValue("network", map[string]cty.Value{"name": secret}),
		"project": wantValue("project", map[string]cty.Value{"name": secret}),
	} {
		for name, objects := range map[string][]*object{
			"one":          {read(kind, "n1", "")},
			"several":      {read(kind, "n1", ""), read(kind, "n2", "")},
			"another mark": {read(kind, "n1", "kupenstack:fedcba9876543210")},
			"ours twice":   {read(kind, "n1", testMark), read(kind, "n2", testMark)},
		} {
			for _, ruled := range []bool{false, true} {
				target := testTarget(t, kind, want)
				target.Spec.(*unit.Resource).ByMark = ruled
				m, _ := find(d.kinds[kind], &session{domain: "default"}, target, want, indexed(objects))
				st := state(target, m)
				diff := d.Compare(target, want, st)
				shown := fmt.Sprintf("%q %q %q %+v %+v", st.Message, st.Candidates, st.Notice, st.Marked, diff)
				if strings.Contains(shown, "canary") || !strings.Contains(shown, unit.TextSensitive) {
					t.Errorf("%s %s: %s", name, kind, shown)
				}
			}
		}
	}
}

// TestSensitiveNamesInWhatIsCutStayHidden: why something failed is cut before it is known what of it is sensitive, and has nothing of
// that left where the cut is.
func TestSensitiveNamesInWhatIsCutStayHidden(t *testing.T) {
	d := testDriver(t)
	want := wantValue("network", map[string]cty.Value{"name": cty.StringVal("CANARY-NAME").Mark(model.Sensitive)})
	target := testTarget(t, "network", want)
	for begins := longestMessage - 20; begins < longestMessage+2; begins++ {
		o := d.kinds["network"].(interface{ read(map[string]any) *object }).read(map[string]any{"id": "n1", "name": "CANARY-NAME", "description": "[" + testMark + "]"})
		o.message = faultIn(map[string]any{keyFault: map[string]any{"message": strings.Repeat("x", begins) + "CANARY-NAME is in use, and more of that"}})
		m, _ := find(d.kinds["network"], &session{domain: "default"}, target, want, indexed([]*object{o}))
		if st := state(target, m); !strings.Contains(st.Message, "xxx") || strings.Contains(st.Message, "CANARY-NAME"[:redact.MinLength]) {
			t.Errorf("begins behind %d characters: %s", begins, st.Message)
		}
	}
}

// TestSensitivePathsStayHidden: what a path has that is sensitive, as that of a key pair its name, is neither in an error nor in the log.
func TestSensitivePathsStayHidden(t *testing.T) {
	masker := redact.NewMasker()
	masker.Add(redact.NewSecret("canary name"))
	var log bytes.Buffer
	refusing := roundTripper(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusForbidden, Body: http.NoBody, Request: r}, nil
	})
	path := pathOf("os-keypairs", "canary name")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, "http://nova.example.org/"+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&transport{base: refusing, log: zerolog.New(&log), masker: masker}).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	s := &session{masker: masker}
	for _, err := range []error{gophercloud.ErrUnexpectedResponseCode{Actual: http.StatusForbidden}, http.ErrHandlerTimeout} {
		fmt.Fprintln(&log, s.explain(err, call{service: serviceCompute, method: http.MethodDelete, path: path}))
	}
	if told := log.String(); strings.Contains(told, "canary") || strings.Count(told, "os-keypairs/"+redact.Mask) != 3 {
		t.Error(told)
	}
}
