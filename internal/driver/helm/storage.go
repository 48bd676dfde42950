package helm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"helm.sh/helm/v3/pkg/release"
	storagedriver "helm.sh/helm/v3/pkg/storage/driver"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// atATime is how many times the bounds of one revision those that are read at a time may have.
const atATime = 4

// boundedStore is Helm's own storage, but for how it reads: that unfolds whatever somebody has put into a Secret, into
// gigabytes as well, and panics when it is asked for one revision that is none.
type boundedStore struct {
	storagedriver.Driver
	ctx       context.Context //nolint:containedctx // Helm's interface has none, and it is that of the one call into Helm
	api       API
	namespace string
}

// Get returns a revision.
func (s *boundedStore) Get(key string) (*release.Release, error) {
	secret, err := s.api.Secret(s.ctx, s.namespace, key)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the Secret %s/%s: %w", s.namespace, key, err)
	case secret == nil:
		return nil, storagedriver.ErrReleaseNotFound
	}
	read, err := decode(secret.Data["release"])
	if err != nil {
		return nil, s.refused(key, err)
	}
	read.Labels = maps.Clone(secret.Labels)
	maps.DeleteFunc(read.Labels, func(label, _ string) bool { return slices.Contains(storagedriver.GetSystemLabels(), label) })
	return read, nil
}

// Delete deletes a revision, and returns it. Helm reads it again for that.
func (s *boundedStore) Delete(key string) (*release.Release, error) {
	if _, err := s.Get(key); err != nil {
		return nil, err
	}
	return s.Driver.Delete(key)
}

// supersedeTries is how often a revision is marked as superseded at most, and supersedePause the longest pause between.
const (
	supersedeTries = 4
	supersedePause = time.Second
)

// Update writes a revision. Where Helm marks the one before as superseded it passes over an error, and the two would be
// deployed side by side for good; so that is tried again.
func (s *boundedStore) Update(key string, r *release.Release) error {
	err := s.Driver.Update(key, r)
	for try := 1; try < supersedeTries && err != nil && r.Info != nil && r.Info.Status == release.StatusSuperseded; try++ {
		if errors.Is(err, storagedriver.ErrReleaseNotFound) {
			break
		}
		select {
		case <-s.ctx.Done():
			return err
		case <-time.After(supersedePause/2 + rand.N(supersedePause/2)): //nolint:gosec // spreads load, keeps no secret
		}
		err = s.Driver.Update(key, r)
	}
	return err
}

// List returns the revisions that a filter takes.
func (s *boundedStore) List(filter func(*release.Release) bool) ([]*release.Release, error) {
	all, err := s.read(labels.Set{"owner": "helm"})
	return slices.DeleteFunc(all, func(r *release.Release) bool { return !filter(r) }), err
}

// Query returns the revisions with these labels.
func (s *boundedStore) Query(wanted map[string]string) ([]*release.Release, error) {
	found, err := s.read(wanted)
	if err == nil && len(found) == 0 {
		err = storagedriver.ErrReleaseNotFound
	}
	return found, err
}

// read returns the revisions with these labels. It passes over what is none, as Helm does, and has no more in memory at
// a time than it may: whoever can write Secrets there can give as many as they like these labels.
func (s *boundedStore) read(wanted labels.Set) ([]*release.Release, error) {
	var found []*release.Release
	size, parts := 0, 0
	err := s.api.EachSecret(s.ctx, s.namespace, labels.SelectorFromSet(wanted).String(), func(secret *corev1.Secret) error {
		text, none := unpack(secret.Data["release"])
		if over := (*tooMuchError)(nil); errors.As(none, &over) {
			return s.refused(secret.Name, none)
		}
		if size, parts = size+len(text), parts+partsOf(text); size > atATime*maxRelease || parts > atATime*maxParts {
			return fmt.Errorf("the revisions in %s that Helm reads at a time are too much for it: delete the Secrets of the oldest ones, or those that Helm did not write", s.namespace)
		}
		if none == nil {
			if read, err := parse(text); err == nil {
				read.Labels = secret.Labels
				found = append(found, read)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the revisions in %s: %w", s.namespace, err)
	}
	return found, nil
}

func (s *boundedStore) refused(name string, err error) error {
	return fmt.Errorf("the Secret %s/%s is no revision of a release, %w: delete it if Helm did not write it", s.namespace, name, err)
}
