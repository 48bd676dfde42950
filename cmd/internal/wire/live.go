package wire

import (
	"context"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Live lists all objects of some kinds in the OpenStack of --os-cloud, and tells which of the kinds our user may not list.
// Nothing is changed, and no cluster is asked. The caller may try again.
func Live(ctx context.Context, f *Flags, agent string, log zerolog.Logger, kinds []string) (live []unit.Live, refused []string, err error) {
	resources := openstack.New(openstack.Options{
		Connect: func(context.Context) (openstack.Credentials, error) {
			return refuse(openstack.FromCloudsFile("", f.OSCloud))
		},
		Guard:    func() error { return unit.ErrNotWriter },
		Language: f.Language, UserAgent: agent, Log: log,
	})
	defer resources.Close()
	return resources.Live(ctx, kinds)
}
