package supervisor

import (
	"context"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/cluster/player"
)

// play acts out the containers of the cluster's applications until the beds stop.
func (b *Beds) play(c *cluster.Cluster) {
	stop := player.Start(c.RESTConfig(), player.Options{LogDir: c.PodLogDir()})
	b.onStop(func(context.Context) error { return stop() })
}
