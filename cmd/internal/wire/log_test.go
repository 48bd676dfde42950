package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What the cluster has of secrets is in no error that is logged, whoever's it is, once it is known.
func TestErrorsThatAreLogged(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	config := `{"clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}], "contexts": [{"name": "c", "context": {"cluster": "c"}}], "current-context": "c"}`
	if err := os.WriteFile(kubeconfig, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := Flags{Kubeconfig: kubeconfig, Masker: redact.NewMasker(), APIChecks: "all", APIConcurrency: 8}
	system, err := Open(&flags, "test", guard.Rights{}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(system.Close)
	logged := loggedBy(flags.Masker)
	failure := fmt.Errorf("nova says 500: login with canary-word: %w", unit.ErrNotWriter)
	if got := logged(failure); got != failure.Error() {
		t.Errorf("before it is known %v is logged", got)
	}
	system.masker.Add(redact.NewSecret("canary-word"))
	if got, want := logged(failure), "nova says 500: login with "+redact.Mask+": "+unit.ErrNotWriter.Error(); got != want {
		t.Errorf("logged is %v, want %s", got, want)
	}
	if got := logged(nil); got != nil {
		t.Errorf("without an error %v is logged", got)
	}
}
