package helm

import (
	"context"
	"testing"
	"testing/fstest"

	"helm.sh/helm/v3/pkg/release"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestSecretsOfAReleaseAreTakenOutOfAllTexts: what a release has of secrets, wherever from, is known to what masks texts about others,
// before it is installed and from its revision. What is short, or only has the name of a secret, is known to its own texts alone.
func TestSecretsOfAReleaseAreTakenOutOfAllTexts(t *testing.T) {
	digester, err := redact.NewDigester(redact.NewSecret("a key of the digester"))
	if err != nil {
		t.Fatal(err)
	}
	password := unit.ValueSecret{Path: []string{"auth", "password"}, Namespace: "o", Name: "copied", Key: "password"}
	spec := &unit.Release{
		Namespace: "o", Name: "app", Chart: unit.Chart{Name: "app", Repository: "charts", Tree: fstest.MapFS{
			"charts/app/Chart.yaml": {Data: []byte("apiVersion: v2\nname: app\nversion: 1.2.3\n")}, "charts/app/values.yaml": {Data: []byte("auth: {}\n")},
		}},
		Secrets: []unit.ValueSecret{
			password,
			{Path: []string{"auth", "given"}, Given: redact.NewSecret(`"canary-of-a-sensitive-variable"`)},
			{Path: []string{"auth", "short"}, Given: redact.NewSecret(`"canary-word"`)},
		},
	}
	const text = "denied: canary-long-enough-of-a-copy, canary-of-a-sensitive-variable, canary-word, canary-that-is-guessed-by-name, canary-that-was-installed"
	for _, test := range []struct {
		name      string
		look      func(*testing.T, *Driver, *redact.Masker)
		all, ours string
	}{
		{
			"what is wanted", func(t *testing.T, d *Driver, masker *redact.Masker) {
				if _, err := d.prepare(t.Context(), unit.Target{}, spec, nil, masker); err != nil {
					t.Fatal(err)
				}
			},
			"denied: " + redact.Mask + ", " + redact.Mask + ", canary-word, canary-that-is-guessed-by-name, canary-that-was-installed",
			"denied: " + redact.Mask + ", " + redact.Mask + ", " + redact.Mask + ", canary-that-is-guessed-by-name, canary-that-was-installed",
		},
		{
			"what is installed", func(_ *testing.T, d *Driver, masker *redact.Masker) {
				values := map[string]any{"auth": map[string]any{
					"password": "canary-that-was-installed", "given": "canary-of-a-sensitive-variable", "short": "canary-word", "token": "canary-that-is-guessed-by-name",
				}}
				noteSensitive(values, spec.Secrets)
				v := viewOf(d, release.StatusDeployed, nil, nil)
				v.masker, v.newest = masker, &revision{config: values}
				d.learnSecrets(v, &unit.Release{Secrets: []unit.ValueSecret{password}})
			},
			"denied: canary-long-enough-of-a-copy, " + redact.Mask + ", canary-word, canary-that-is-guessed-by-name, " + redact.Mask,
			"denied: canary-long-enough-of-a-copy, " + redact.Mask + ", " + redact.Mask + ", " + redact.Mask + ", " + redact.Mask,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			all, ours := redact.NewMasker(), redact.NewMasker()
			d := &Driver{
				cluster: copiedSecret{newShelf()}, charts: newCharts(Options{CacheDir: t.TempDir()}), options: Options{Digester: digester, Masker: all},
				revisions: map[string]*revision{}, rendered: map[string]rendered{},
			}
			test.look(t, d, ours)
			if told := all.Text(text).String(); told != test.all {
				t.Errorf("of others is told: %s, want %s", told, test.all)
			}
			if told := ours.Text(text).String(); told != test.ours {
				t.Errorf("of the release is told: %s, want %s", told, test.ours)
			}
		})
	}
}

// copiedSecret is a cluster where each Secret has the same value.
type copiedSecret struct{ *shelf }

func (copiedSecret) Secret(context.Context, string, string, string) (redact.Secret, bool, error) {
	return redact.NewSecret("canary-long-enough-of-a-copy"), true, nil
}
