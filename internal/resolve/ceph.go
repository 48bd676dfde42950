package resolve

import (
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// ceph reads how Ceph is reached.
func (r *resolver) ceph(b *config.Block) *model.Ceph {
	r.excludes(b)
	user := func(name string) model.CephUser {
		fields := r.fields(b, name)
		return model.CephUser{Pool: fields["pool"], User: fields["user"], Secret: fields["secret"]}
	}
	return &model.Ceph{
		Monitors: r.list(b, "mon_hosts"), Conf: r.text(b, "conf"), Rook: r.text(b, "rook_namespace"), Admin: r.text(b, "admin_secret"),
		Images: user("images"), Volumes: user("volumes"), Backups: user("backups"), Instances: r.fields(b, "instances")["pool"],
		Range: b.Range, Ranges: ranges(b),
	}
}
