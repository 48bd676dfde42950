//go:build beds

package e2e_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

const sharingCloud = `cloud "edge" {}

variable "password" {
  default   = "canary/of/the/vault" # which is no label
  sensitive = true
}

chart "vault" {
  repository = "more"
  namespace  = "sharing"
  values     = { auth = { given = var.password } }
}

chart "quoting" {
  repository = "more"
  namespace  = "sharing"
  depends_on = [chart.vault]
}
`

// TestSecretOfAReleaseInTheErrorOfAnother has a server quote, of one release, what is a secret of another one: it is told without.
func TestSecretOfAReleaseInTheErrorOfAnother(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	w.Describe(t, "edge.hcl", sharingCloud)
	w.Files.Write("more/vault/Chart.yaml", "apiVersion: v2\nname: vault\nversion: 1.0.0\n")
	w.Files.Write("more/vault/values.yaml", "auth: {given: none}\n")
	w.Files.Write("more/vault/templates/all.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: vault}\nstringData: {given: {{ .Values.auth.given | quote }}}\n")
	w.Files.Write("more/quoting/Chart.yaml", "apiVersion: v2\nname: quoting\nversion: 1.0.0\n")
	w.Files.Write("more/quoting/templates/all.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: quoting, labels: {login: canary/of/the/vault}}\n")
	w.Push(t, "Describe two releases")
	d := w.StartDaemon(t, "sharing")
	var told string
	world.Await(t, converges, func() (bool, string) {
		s, _ := w.ReadStatus(t)
		u := s.Unit("chart.quoting")
		if u != nil {
			told = u.Reason
		}
		return strings.Contains(told, "nvalid"), told
	})
	for what, text := range map[string]string{"the report": w.Status(t, "status.json"), "the log": d.LogTail(1 << 20), "the reason": told} {
		if strings.Contains(text, "canary") {
			t.Errorf("%s has it: %s", what, text)
		}
	}
	if !strings.Contains(told, redact.Mask) {
		t.Errorf("told is %s", told)
	}
}
