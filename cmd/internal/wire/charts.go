package wire

import (
	"context"
	"fmt"
	"os"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// charts are the options of the driver of releases, as far as they are about getting charts.
func (f *Flags) charts() (helm.Options, error) {
	dir, err := f.cache("charts")
	if err != nil {
		return helm.Options{}, err
	}
	if f.ChartCredentials != "" {
		if info, err := os.Stat(f.ChartCredentials); err != nil || !info.Mode().IsRegular() {
			return helm.Options{}, fmt.Errorf("%w: --chart-credentials-file: there is no file %s", ErrUsage, f.ChartCredentials)
		}
	}
	// The key for ssh is shown to nobody, so that of the configuration serves; the password for https is not sent elsewhere.
	files := gitrepo.CredentialFiles{SSHKey: f.SSHKey, Passphrase: f.SSHPassphrase, KnownHosts: f.KnownHosts, CABundle: f.ChartCA}
	options := helm.Options{CacheDir: dir, CredentialsFile: f.ChartCredentials, Git: files.Read}
	if f.ChartCA == "" {
		return options, nil
	}
	from := &authorities{file: f.ChartCA}
	if _, err := from.now(); err != nil {
		return helm.Options{}, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	options.Transport = from
	return options, nil
}

// Lock finds out what charts of repositories stand for now; see [helm.Lock].
func (f *Flags) Lock(ctx context.Context, wanted []chartlock.Wanted) ([]chartlock.Entry, error) {
	options, err := f.charts()
	if err != nil {
		return nil, err
	}
	return helm.Lock(ctx, options, wanted)
}

// Images are the images that releases would run; see [helm.Images].
func (f *Flags) Images(ctx context.Context, releases []*unit.Release) ([][]string, error) {
	options, err := f.charts()
	if err != nil {
		return nil, err
	}
	return helm.Images(ctx, options, releases)
}

// Digests finds out what images stand for now; see [helm.Digests].
func (f *Flags) Digests(ctx context.Context, images []chartlock.Image) ([]chartlock.Image, error) {
	options, err := f.charts()
	if err != nil {
		return nil, err
	}
	return helm.Digests(ctx, options, images)
}

// CheckRegistries warns of what stands in for registries that no service has an image of, where the charts of all
// of them are at hand; see [compose.IdleRegistries].
func (f *Flags) CheckRegistries(ctx context.Context, m *model.Model, units []unit.Unit) (diag.Diagnostics, error) {
	options, err := f.charts()
	if err != nil {
		return nil, err
	}
	if images, all := helm.RedirectableImages(ctx, options, units); all {
		return compose.IdleRegistries(m, images), nil
	}
	return nil, nil
}

// CheckCharts looks at the charts that are at hand, and at what is written for them; see [helm.Check].
func (f *Flags) CheckCharts(ctx context.Context, units []unit.Unit) (diag.Diagnostics, []string, error) {
	options, err := f.charts()
	if err != nil {
		return nil, nil, err
	}
	return helm.Check(ctx, options, units)
}
