package openstack

import (
	"context"
	"net/http"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const (
	flavorAttribute = "flavor"
	statusActive    = "ACTIVE"
	statusResized   = "VERIFY_RESIZE"

	// keyResize is the metadata key with the flavor of a resize of ours. It is written ahead of the request, so that
	// whoever goes on after us knows which resize is to be confirmed, and taken away last.
	keyResize = schema.KeyPrefix + "resize"

	// detailsVersion has what went wrong with an action.
	detailsVersion = "2.84"

	actionResize  = "resize"
	actionConfirm = "confirmResize"
	actionRevert  = "revertResize"
)

// resize asks Nova for another flavor, which it moves the instance to by itself until that is to be confirmed.
func (k instanceKind) resize(ctx context.Context, s *session, o *object, flavor string) error {
	if resizeOf(o) != flavor {
		_, err := s.do(ctx, call{
			service: serviceCompute, method: http.MethodPost, path: pathOf("servers", o.id, "metadata"),
			body: map[string]any{"metadata": map[string]any{keyResize: flavor}},
		})
		if err != nil {
			return err
		}
	}
	return k.act(ctx, s, o, map[string]any{actionResize: map[string]any{"flavorRef": flavor}})
}

// resizeOf is the flavor of a resize of ours that has not come to its end, "" without one.
func resizeOf(o *object) string {
	metadata, _ := o.raw["metadata"].(map[string]any)
	return textAt(metadata, keyResize)
}

// finishResize takes the step that is left of a resize.
func (k instanceKind) finishResize(ctx context.Context, s *session, o *object) error {
	if _, is := noted(o); is && resizeOf(o) == "" {
		// Nobody would know a port any more that comes in a network which was taken out meanwhile.
		if detail, _ := o.detail.(instanceDetail); detail.unsure {
			if err := k.settled(ctx, s, o); err != nil {
				return err
			}
			raws, err := portsOf(ctx, s, []string{o.id})
			if err == nil && len(serverPorts(raws[o.id])) != len(detail.ports) { // it came since the last look
				err = &unit.RetryError{After: instancePause, Err: errPlugging}
			}
			if err != nil {
				return err
			}
		}
		return s.erase(ctx, serviceCompute, pathOf("servers", o.id, "metadata", keyPlug))
	}
	if textAt(o.raw, "status") != statusResized {
		return s.erase(ctx, serviceCompute, pathOf("servers", o.id, "metadata", keyResize))
	}
	err := k.act(ctx, s, o, map[string]any{actionConfirm: nil})
	if statusIs(err, http.StatusBadRequest) { // somebody was faster, and the next look tells what it is now
		return nil
	}
	return err
}

// followResize tells how far a resize of ours is. That costs requests only while there is one.
func (k instanceKind) followResize(ctx context.Context, s *session, f found) error {
	o, flavor := f.object, resizeOf(f.object)
	status, now := textAt(o.raw, "status"), textOf(o.values.get(flavorAttribute))
	wanted := unmarked(attribute(f.want, flavorAttribute))
	switch {
	case flavor == "" || f.want == cty.NilVal || wanted == cty.NilVal: // a look-up writes none
	case status == statusResized && now == flavor:
		action, err := k.lastOfResize(ctx, s, o.id)
		o.health, o.after, o.busy, o.byHand = unit.HealthProgressing, instancePause, "", false
		switch {
		case err != nil:
			o.busy = "whether its resize is being confirmed is not known: " + brief(err.Error(), longestReason)
		case textAt(action, "action") == actionConfirm && textAt(action, "message") == "":
			o.busy = "its resize is being confirmed"
		default:
			o.pending = "it was resized, which is to be confirmed"
		}
		o.message = o.busy
		return err
	case o.busy != "" || status != statusActive && status != statusOff:
	case now == flavor || wanted.IsKnown() && textOf(wanted) != flavor:
		o.pending = "what is noted of its resize is to be taken away"
	case wanted.IsKnown():
		why, err := k.whyNotResized(ctx, s, o.id)
		if err != nil {
			o.busy = "what became of its resize is not known: " + brief(err.Error(), longestReason)
			return err
		}
		detail, _ := o.detail.(instanceDetail)
		detail.unresized = why
		o.detail = detail
	}
	return nil
}

// lastOfResize is the last action of an instance that has to do with a resize, nil for none.
func (k instanceKind) lastOfResize(ctx context.Context, s *session, id string) (map[string]any, error) {
	return k.lastAction(ctx, s, id, actionResize, actionConfirm, actionRevert)
}

// whyNotResized says why an instance that is at rest has not the flavor that it was to be resized to: "" where Nova
// was not asked for that yet.
func (k instanceKind) whyNotResized(ctx context.Context, s *session, id string) (string, error) {
	action, err := k.lastOfResize(ctx, s, id)
	if err != nil {
		return "", err
	}
	switch textAt(action, "action") {
	case actionRevert:
		return "somebody has reverted its resize", nil
	case actionResize:
	default:
		return "", nil
	}
	const why = "Nova gave its resize up"
	// What went wrong is good to know and no more: a Nova that is too old does not tell.
	answer, err := s.do(ctx, call{
		service: serviceCompute, method: http.MethodGet, path: pathOf("servers", id, "os-instance-actions", textAt(action, "request_id")), microversion: detailsVersion,
	})
	if err != nil {
		return why, nil //nolint:nilerr // see above
	}
	inner, _ := answer["instanceAction"].(map[string]any)
	for _, event := range objectsAt(inner, "events") {
		if details := textAt(event, "details"); details != "" && textAt(event, "result") == "Error" {
			return why + ": " + shorten(s.masker.Text(details).String()), nil
		}
	}
	return why, nil
}

// gaveUp tells of a resize that had no effect.
func (k instanceKind) gaveUp(o *object) (name, why string) {
	detail, _ := o.detail.(instanceDetail)
	return flavorAttribute, detail.unresized
}
