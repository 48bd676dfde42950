package openstack

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	keyGoesAlong = "delete_on_termination"
	// keepVersion changes what becomes of a volume as its instance goes.
	keepVersion = "2.85"
)

// spare has the volumes of an instance outlive it. Only those go along that Nova has made for it, as for one that somebody
// started from an image onto a new volume: nobody named them, they bear no mark, and no block writes them.
func (k instanceKind) spare(ctx context.Context, s *session, o *object, t unit.Target) error {
	boot, others := writtenVolumes(desiredOf(t))
	written := append(append(others, t.Set[volumesAttribute]...), boot)
	for _, id := range goingAlong(o) {
		if !slices.Contains(written, id) {
			volume, err := cinder{one: "volume", many: "volumes"}.get(ctx, s, id)
			if err == nil && madeByNova(volume, o.id) {
				continue
			}
			if err != nil && !notFound(err) { // who may not see a volume is told that there is none
				return fmt.Errorf("whose the volume %s is, which Nova would delete with it, is not known: %w", id, err)
			}
		}
		if err := k.keepVolume(ctx, s, o, id); err != nil {
			return err
		}
	}
	return nil
}

// keepWritten has those volumes outlive an instance that its block writes, as it comes to us: of a block that is taken
// out nobody knows any more what it wrote.
func (k instanceKind) keepWritten(ctx context.Context, s *session, o *object, w wanted) error {
	boot, others := writtenVolumes(w.value)
	for _, id := range goingAlong(o) {
		if id == boot || slices.Contains(others, id) {
			if err := k.keepVolume(ctx, s, o, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// goingAlong are the volumes that Nova deletes with an instance, or does not say to keep.
func goingAlong(o *object) []string {
	var ids []string
	for _, attached := range objectsAt(o.raw, keyAttached) {
		if attached[keyGoesAlong] != false {
			ids = append(ids, textAt(attached, "id"))
		}
	}
	return ids
}

// madeByNova tells whether a volume is of those that Nova makes for an instance, which have no name but of empty ones.
func madeByNova(volume map[string]any, instance string) bool {
	name := textAt(volume, "name")
	return markInMetadata(volume) == "" && (name == "" || name == instance+"-blank-vol")
}

func (k instanceKind) keepVolume(ctx context.Context, s *session, o *object, id string) error {
	_, err := s.do(ctx, call{
		service: serviceCompute, method: http.MethodPut, path: pathOf("servers", o.id, attachmentsPath, id), microversion: keepVersion,
		body: map[string]any{"volumeAttachment": map[string]any{"volumeId": id, keyGoesAlong: false}},
	})
	switch {
	case err == nil, notFound(err): // it has been detached meanwhile
		return nil
	case statusIs(err, http.StatusBadRequest), statusIs(err, http.StatusForbidden), statusIs(err, http.StatusNotAcceptable):
		return unit.Blocked(fmt.Sprintf("Nova would delete the volume %s with the instance, and refuses to keep it, which it does since the release Ussuri: %v; detach it, or see to the refusal", id, err))
	}
	return fmt.Errorf("the volume %s would go with the instance, as Nova could not be told to keep it: %w", id, err)
}
