package compose_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestSecretsThatKeep what is made here are in the cloud's namespace unless another one is written, and on record.
func TestSecretsThatKeep(t *testing.T) {
	m, ev := composed.Text(t, `
cloud "c" {
  namespace = "lab"
  openstack { cloud = "c" }
}
keypair "near" { secret = "near-key" }
keypair "far" { secret = "tools/far-key" }
keypair "given" { public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v" }
data "keypair" "theirs" { name = "theirs" }
application_credential "backup" { secret = "backup" }
`)
	units := composed.Compose(t, m, ev, compose.Facts{})
	for address, want := range map[string]string{
		"keypair.near": "Secret lab/near-key", "keypair.far": "Secret tools/far-key", "keypair.given": "", "data.keypair.theirs": "",
		"application_credential.backup": "Secret lab/backup",
	} {
		r := units[address].Spec.(*unit.Resource)
		at := r.Locator().Objects
		switch {
		case want == "" && len(at) > 0:
			t.Errorf("%s has %v", address, at)
		case want != "" && (len(at) != 1 || at[0].String() != want || at[0] != r.Keeps):
			t.Errorf("%s has %v, want %s", address, at, want)
		}
	}
	// Nothing else is wanted in the cluster, and the namespaces of Secrets are made all the same.
	for address, want := range map[string]string{"keypair.near": "system.namespace", "keypair.far": `system.namespaces["tools"]`, "keypair.given": "", "data.keypair.theirs": ""} {
		got := ""
		for _, e := range units[address].Edges {
			if e.To.Kind() == "system" && e.Until == unit.Installed && e.Gate == unit.GateStart {
				got += e.To.String()
			}
		}
		if _, made := units[want]; got != want || want != "" && !made {
			t.Errorf("%s waits for %q, want %q", address, got, want)
		}
	}
}
