package statusbranch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/signature"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// Git itself finds the signature of our commits good.
func TestReportsAreSigned(t *testing.T) {
	t.Parallel()
	over(t, []string{"ssh"}, func(t *testing.T, b *bed) {
		pair := gitserver.NewKey(t)
		key, err := signature.ParseKey(redact.NewSecret(string(pair.PEM)))
		if err != nil {
			t.Fatal(err)
		}
		b.options.Sign = key.Sign
		result, err := b.open(t).Publish(t.Context(), map[string][]byte{"README.md": []byte("fine\n")}, "Report", nil)
		if err != nil {
			t.Fatal(err)
		}
		allowed := filepath.Join(t.TempDir(), "allowed")
		if err := os.WriteFile(allowed, []byte("us@example.org "+pair.AuthorizedKey()+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		git := exec.CommandContext(t.Context(), "git", "--git-dir", b.repo.Dir, "-c", "gpg.ssh.allowedSignersFile="+allowed, "verify-commit", result.Commit)
		if out, err := git.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
}
