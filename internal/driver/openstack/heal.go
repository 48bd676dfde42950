package openstack

import (
	"context"
	"net/http"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const (
	healAttribute    = "heal"
	runningAttribute = "running"
	statusOff        = "SHUTOFF"
)

// healer is a kind whose objects are healed when they fail by themselves.
type healer interface {
	// heal returns what heals an object, false for one that ails nothing or that the block says to leave so. What is
	// ignored is not written in want, and is nobody's wish.
	heal(want cty.Value, o *object, t unit.Target, ignore []string) (unit.Diff, bool)
}

// heal mends what is in the state ERROR as its block says. What stopped by itself is only started, as nothing of it
// is broken; while that is not how it was left, the block is new and running is a change like others.
func (k instanceKind) heal(want cty.Value, o *object, t unit.Target, ignore []string) (unit.Diff, bool) {
	remedy := textOf(unmarked(attribute(want, healAttribute)))
	if remedy == "" || remedy == schema.HealNone {
		return unit.Diff{}, false
	}
	diff := unit.Diff{Action: unit.ActionUpdate, Heals: true}
	if o.health != unit.HealthFailed {
		running := unmarked(attribute(want, runningAttribute))
		if textAt(o.raw, "status") != statusOff || !t.Met || slices.Contains(ignore, runningAttribute) || running != cty.NilVal && !running.RawEquals(cty.True) {
			return diff, false
		}
		diff.Fields, diff.Reason = []unit.Field{{Path: runningAttribute, Before: "false", After: "true"}}, "it was stopped outside of the configuration, or by itself"
		return diff, true
	}
	diff.Fields, diff.Reason = []unit.Field{{Path: healAttribute, Before: statusError, After: remedy}}, "it failed: "+o.message
	host, told := o.raw[keyHost]
	switch {
	case remedy == schema.HealRecreate:
		diff.Action, diff.Cost = unit.ActionReplace, k.cost()
	case told && (host == nil || host == ""):
		diff.Action, diff.Heals = unit.ActionBlocked, false
		diff.Reason += `; it never ran on a host, so that only heal = "recreate" can help`
	case remedy == schema.HealRebuild:
		diff.Cost = "what is on the instance's disk is lost; its addresses stay"
	default:
		diff.Cost = "the instance is reset, as after a power failure"
	}
	// It stays in that state while it is rebooted, by us or by somebody else: that has to have its end first.
	if task := tasked(o); task != "" && diff.Action.Changes() {
		diff.Waits, diff.Reason = true, task+"; what it takes follows once that is over"
	}
	return diff, true
}

// mend takes the remedies that leave the instance what it is.
func (k instanceKind) mend(ctx context.Context, s *session, o *object, w wanted) error {
	if w.text(healAttribute) == schema.HealRebuild {
		return k.act(ctx, s, o, map[string]any{"rebuild": map[string]any{"imageRef": first(w.text("image"), textOf(o.values.get("image")))}})
	}
	return k.act(ctx, s, o, map[string]any{"reboot": map[string]any{"type": "HARD"}})
}

// power starts or stops the instance.
func (k instanceKind) power(ctx context.Context, s *session, o *object, on bool) error {
	return k.act(ctx, s, o, map[string]any{map[bool]string{true: "os-start", false: "os-stop"}[on]: nil})
}

func (k instanceKind) act(ctx context.Context, s *session, o *object, body map[string]any) error {
	_, err := s.do(ctx, call{
		service: serviceCompute, method: http.MethodPost, path: pathOf("servers", o.id, "action"), body: body, microversion: listVersion,
	})
	return err
}
