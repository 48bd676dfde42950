package openstack

import (
	"context"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// snapshotKind says of which volume a snapshot is.
type snapshotKind struct{ cinder }

func cinderSnapshots(language *schema.Definition) cinder {
	return cinder{
		schema: attributes(language, "snapshot"), one: "snapshot", many: "snapshots",
		fields:    []field{{"volume", "volume_id"}, {"size", "size"}},
		replacing: "what the volume had on it then is lost, and the new snapshot has what is on it now",
	}
}

func (k snapshotKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.read)(k.cinder.list(ctx, s))
}

func (k snapshotKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.cinder.get(ctx, s, id))
}

// create has a volume that is in use taken as well, which newer versions of the API do anyway.
func (k snapshotKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	return readOne(k.read)(k.cinder.create(ctx, s, w, map[string]any{"volume_id": w.text("volume"), "force": true}))
}
