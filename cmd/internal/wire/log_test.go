package wire

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What the cluster has of secrets is in no log, whoever says it, once it is known.
func TestLogKnowsWhatTheClusterDoes(t *testing.T) {
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
	var out bytes.Buffer
	log, err := Logger(&out, "info", flags.Masker)
	if err != nil {
		t.Fatal(err)
	}
	logged := func() string {
		out.Reset()
		log.Info().Err(fmt.Errorf("nova says 500: login with canary-word: %w", unit.ErrNotWriter)).Msg("and the message canary-word")
		return out.String()
	}
	if said := logged(); strings.Count(said, "canary-word") != 2 {
		t.Errorf("before it is known there is %s", said)
	}
	system.masker.Add(redact.NewSecret("canary-word"))
	if said := logged(); strings.Contains(said, "canary") || !strings.Contains(said, "login with "+redact.Mask+": "+unit.ErrNotWriter.Error()) {
		t.Errorf("there is %s", said)
	}
}
