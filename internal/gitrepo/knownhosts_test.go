package gitrepo

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// TestKnownHostsThatCannotBeRead: a line that is none of a known_hosts file may be the one that was to revoke a key, and is not passed
// over beside good ones. One with a key of a kind that is not supported says nothing about the others.
func TestKnownHostsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	key := gitserver.NewKey(t).AuthorizedKey()
	good := "git.example.org " + key + "\n"
	const dsa = "git.example.org ssh-dss AAAAB3NzaC1kc3M="
	for name, c := range map[string]struct{ lines, says string }{
		"good":                  {"# of the forge\n\n" + good + "\t@cert-authority *.example.org " + key + " of the forge\r\n@revoked * " + key, ""},
		"a key that is cut":     {good + "@revoked * " + key[:len(key)-3] + "\n", "line 2: "},
		"no key":                {good + "\n@revoked\n", "line 3: it has no key"},
		"half a key":            {good + "git.example.org ssh-ed25519\n", "line 2: "},
		"a key of another kind": {good + "@revoked * ssh-rsa " + strings.Fields(key)[1], "line 2: "},
		"a marker misspelt":     {good + "@revokd * " + key, "line 2: there is no marker @revokd"},
		"an old kind of key":    {dsa + "\n" + good, ""},
		"nothing but that":      {dsa, "cannot be read: no valid entries, line 1"},
	} {
		_, err := knownHosts([]byte(c.lines), t.TempDir())
		if (err != nil) != (c.says != "") || err != nil && (!strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), t.TempDir())) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
