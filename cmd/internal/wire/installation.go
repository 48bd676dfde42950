package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// installed is what an installation keeps in the cluster. It is made once and never changes.
type installed struct {
	id      string
	key     redact.Secret
	noted   bool // the id is also where the loss of the Secret does not reach it
	settled bool // the Secret says in which cluster it is
}

// peek returns it as Ping has found it, or asks; nil when there is none.
func (s *System) peek(ctx context.Context) (*installed, error) {
	s.mutex.Lock()
	known := s.found
	s.found = nil
	s.mutex.Unlock()
	if known != nil {
		return known, nil
	}
	return s.look(ctx)
}

// look asks the cluster for it. nil is for a cluster that nothing was ever installed in: where this is
// another namespace than before, or what is there was lost or is that of another cluster, that is an error.
func (s *System) look(ctx context.Context) (*installed, error) {
	found, err := s.cluster.Look(ctx)
	if err == nil && found == nil {
		err = s.alone(ctx)
	}
	if err != nil {
		return nil, err
	}
	if found == nil {
		_, err = s.cluster.Remembers(ctx, "")
		return nil, err
	}
	noted, err := s.cluster.Remembers(ctx, found.ID)
	if err != nil {
		return nil, err
	}
	settled, err := s.cluster.Resides(ctx, found.Cluster)
	if err != nil {
		return nil, err
	}
	return &installed{found.ID, found.Key, noted, settled}, nil
}

// InstallationName returns what reports call this installation by; "" while there is none. Nobody can tell its
// id by it.
func (s *System) InstallationName(ctx context.Context) (string, error) {
	s.mutex.Lock()
	id := s.id
	s.mutex.Unlock()
	if id == "" {
		var err error
		if id, _, _, err = s.cluster.PeekInstallation(ctx); err != nil || id == "" {
			return "", err
		}
	}
	sum := sha256.Sum256([]byte("installation " + id))
	return hex.EncodeToString(sum[:8]), nil
}

// installation returns the marker and the key for digests. Where nothing was ever installed, a plan
// works with a key of its own: there is nothing yet that it could fit. There is one cloud per cluster: what
// another namespace has the inventory of is not taken over, as it would be for a namespace that was misspelt.
func (s *System) installation(ctx context.Context, readOnly bool) (inventory.Marker, redact.Secret, error) {
	found, err := s.peek(ctx)
	switch {
	case err != nil:
		return inventory.Marker{}, redact.Secret{}, err
	case found == nil && readOnly:
		found = &installed{id: "none", key: redact.NewSecret("there is no installation yet, and so no mark to compare with")}
	case found == nil:
		found = &installed{settled: true}
		if found.id, found.key, err = s.cluster.Installation(ctx); err != nil {
			return inventory.Marker{}, redact.Secret{}, err
		}
		s.mutex.Lock()
		s.id = found.id
		s.mutex.Unlock()
	}
	if !readOnly && !found.noted {
		if err := s.cluster.Note(ctx, found.id); err != nil {
			return inventory.Marker{}, redact.Secret{}, err
		}
	}
	if !readOnly && !found.settled {
		if err := s.cluster.Settle(ctx); err != nil {
			return inventory.Marker{}, redact.Secret{}, err
		}
	}
	if !readOnly {
		s.mutex.Lock()
		s.kept = found
		s.mutex.Unlock()
	}
	return inventory.NewMarker(found.id, found.key), found.key, nil
}

// keepPause is the time between two looks at the installation that nothing was heard of, which cost no request while its
// watches are in order, and keepRetry that after one that found something wrong.
const (
	keepPause = 5 * time.Minute
	keepRetry = 30 * time.Second
)

// KeepInstallation sees to it, until ctx ends, that what the engine works with stays in the cluster, see
// [kube.Cluster.KeepInstallation], and so does its inventory. It tells what it finds wrong, and nil when all is well.
func (s *System) KeepInstallation(ctx context.Context, tell func(error)) {
	s.mutex.Lock()
	kept := s.kept
	s.mutex.Unlock()
	if kept == nil {
		return
	}
	var others struggle
	s.listen(ctx, func(f func()) (func(), error) { return s.cluster.InstallationChanged(ctx, f) }, "the loss of the installation is noticed later", func() time.Duration {
		if wait := time.Until(others.again); wait > 0 {
			return wait
		}
		restored, err := s.cluster.KeepInstallation(ctx, kept.id, kept.key)
		if ctx.Err() != nil {
			return keepPause
		}
		if err == nil { // else the inventory may be somebody else's
			var shards []string
			if shards, err = s.keepInventory(ctx); len(shards) > 0 {
				s.Log.Warn().Strs("shards", shards).Msg("wrote pieces of the inventory again: somebody deleted them")
				others.restored("pieces of the inventory", time.Now(), shards...)
			}
		}
		if ctx.Err() != nil {
			return keepPause
		}
		if restored != "" {
			s.Log.Warn().Str("what", restored).Msg("restored what the installation is known by: somebody deleted it")
			others.restored(restored, time.Now())
		}
		if found := others.finding(time.Now()); err == nil && found != nil {
			tell(found)
			if wait := time.Until(others.again); wait > 0 {
				return wait
			}
			return keepRetry
		}
		tell(err)
		if err != nil {
			s.Log.Warn().Err(err).Msg("the installation is not kept")
			return keepRetry
		}
		return keepPause
	})
}

// keepInventory writes again what the cluster has lost of the inventory, and returns the names of that. Nothing is sent
// as long as the watches show all of it.
func (s *System) keepInventory(ctx context.Context) ([]string, error) {
	entries := s.inventory()
	if entries == nil || s.cluster.ShowsShards(ctx, entries.Known()) {
		return nil, nil
	}
	return entries.Restore(ctx)
}

// inventory returns that of the engine that was made last, nil before the first.
func (s *System) inventory() *inventory.Inventory {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.entries
}

// alone returns an error when this cluster is looked after from another namespace.
func (s *System) alone(ctx context.Context) error {
	other, err := s.cluster.Elsewhere(ctx)
	if err == nil && other != "" {
		err = fmt.Errorf("%w: there is no inventory in the namespace %s, and one in %s, from where this cluster is looked after: give --namespace %[3]s", ErrUsage, s.Flags.Namespace, other)
	}
	return err
}
