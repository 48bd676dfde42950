package openstack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// timesOfNova is how Nova writes when an action began.
const timesOfNova = "2006-01-02T15:04:05.999999"

var errUnplugging = errors.New("an interface is still being detached from it: that is waited for before another one is detached")

// portsLeaving are those that go with networks which are written no longer, or less often than they are on record: the
// youngest of a network. Only those go that look as Nova makes them. Where there are more of these than on record some are
// of others, and nothing tells which: alike says so, and none goes.
func portsLeaving(ports []serverPort, order, record []string) (ids []string, alike string) {
	for _, network := range slices.Compact(slices.Sorted(slices.Values(record))) {
		of := func(id string) bool { return id == network }
		had, wanted := count(record, of), count(order, of)
		if had <= wanted {
			continue
		}
		var made []serverPort
		for _, p := range ports {
			if p.network == network && !p.declared && !p.named && !p.marked {
				made = append(made, p)
			}
		}
		slices.SortFunc(made, func(a, b serverPort) int { return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id)) })
		var all []string
		for _, p := range made {
			all = append(all, p.id)
		}
		switch {
		case len(made) > had:
			alike = fmt.Sprintf("which of the ports %s in the network %s are of this block, and which of others, cannot be told: give those of others a name in Neutron, then the rest is detached", strings.Join(all, ", "), network)
		case len(made) > wanted:
			ids = append(ids, all[wanted:]...)
		}
	}
	return ids, alike
}

func count(names []string, is func(string) bool) int {
	n := 0
	for _, name := range names {
		if is(name) {
			n++
		}
	}
	return n
}

// ownNetworks are the networks that an instance is in by its block, "" where that is not known.
func ownNetworks(o *object) string {
	detail, _ := o.detail.(instanceDetail)
	if len(detail.named) == 0 || detail.alike != "" {
		return ""
	}
	var own []string
	for _, p := range detail.ports {
		if !p.declared && (!p.theirs || slices.Contains(detail.leaving, p.id)) {
			own = append(own, p.network)
		}
	}
	return show(texts(own, cty.List(cty.String)))
}

// hindrance holds back what Nova refuses in the state that an instance is in, and what would take an interface from it that
// may be of others.
func (instanceKind) hindrance(_ cty.Value, o *object, fields []unit.Field) (problem string, held []string) {
	problem, held = unfitState(o, fields)
	detail, _ := o.detail.(instanceDetail)
	changes := slices.ContainsFunc(fields, func(f unit.Field) bool { return f.Path == networksAttribute })
	if detail.alike == "" || !changes || slices.Contains(held, networksAttribute) {
		return problem, held
	}
	if problem != "" {
		problem += "; "
	}
	return problem + detail.alike, append(held, networksAttribute)
}

// unplug takes an instance out of networks, one by one. Nova deletes the ports that it made there, and a second request
// for one of them finds none.
func (k instanceKind) unplug(ctx context.Context, s *session, o *object) error {
	detail, _ := o.detail.(instanceDetail)
	for _, port := range detail.leaving {
		busy, err := k.detaching(ctx, s, o.id)
		if err != nil {
			return err
		}
		if busy {
			return &unit.RetryError{After: settleTime, Err: errUnplugging}
		}
		if err := s.erase(ctx, serviceCompute, pathOf("servers", o.id, interfacesPath, port)); err != nil {
			return err
		}
		gone := false
		err = waitForPort(ctx, s, port, "detach", func(now map[string]any) bool {
			gone = textAt(now, "device_id") != o.id
			return gone
		})
		if err == nil && !gone {
			err = fmt.Errorf("it still has the port %s, which Nova was asked to detach: its host, or what runs in it, does not let go of that", port)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// detaching tells whether Nova has begun to detach an interface from an instance and has not come to an end with it. One
// that it began long ago is lost.
func (k instanceKind) detaching(ctx context.Context, s *session, id string) (bool, error) {
	action, err := k.lastAction(ctx, s, id, "detach_interface")
	if err != nil || action == nil {
		return false, err
	}
	began, err := time.Parse(timesOfNova, textAt(action, "start_time"))
	if err != nil || time.Since(began) > plugLost {
		return false, nil //nolint:nilerr // to ask again does no harm, to wait for ever does
	}
	return k.open(ctx, s, id, action)
}

// lastAction is the last one of a kind that Nova has on record of an instance, nil for none.
func (k instanceKind) lastAction(ctx context.Context, s *session, id string, kinds ...string) (map[string]any, error) {
	answer, err := s.do(ctx, call{service: serviceCompute, method: http.MethodGet, path: pathOf("servers", id, "os-instance-actions"), microversion: listVersion})
	if err != nil {
		return nil, err
	}
	actions := objectsAt(answer, "instanceActions") // the newest first
	i := slices.IndexFunc(actions, func(a map[string]any) bool { return slices.Contains(kinds, textAt(a, "action")) })
	if i < 0 {
		return nil, nil
	}
	return actions[i], nil
}

// open tells whether no host has come to an end with an action.
func (k instanceKind) open(ctx context.Context, s *session, id string, action map[string]any) (bool, error) {
	one, err := s.one(ctx, call{
		service: serviceCompute, method: http.MethodGet, path: pathOf("servers", id, "os-instance-actions", textAt(action, "request_id")), microversion: eventsVersion,
	}, "instanceAction")
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(objectsAt(one, "events"), func(e map[string]any) bool { return textAt(e, "finish_time") != "" }), nil
}
