package openstack

import (
	"context"
	"net/http"
)

// statusKept is that of an instance which Nova keeps for its reclaim_instance_interval after it was deleted.
const statusKept = "SOFT_DELETED"

// hasten deletes at once what Nova only keeps: what it is plugged into, such as ports and networks, would wait for as
// long. For others than administrators Nova may refuse that, and it is waited for.
func (k instanceKind) hasten(ctx context.Context, s *session, o *object) error {
	if textAt(o.raw, "status") != statusKept || textAt(o.raw, keyTask) != "" || !s.administrates() {
		return nil
	}
	_, err := s.do(ctx, call{
		service: serviceCompute, method: http.MethodPost, path: pathOf("servers", o.id, "action"), body: map[string]any{"forceDelete": nil},
	})
	if notFound(err) || statusIs(err, http.StatusConflict) { // it goes already
		return nil
	}
	return err
}
