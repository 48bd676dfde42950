package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const (
	networksAttribute = "networks"

	// keyPlug is the metadata key with the time of a request for a port that Nova makes, the network, and how many there are
	// in that then. It is written ahead of the request and taken away after it, as nothing else tells of one whose answer was
	// lost before the port is there.
	keyPlug = schema.KeyPrefix + "plug"

	// plugSettle is for how long what is noted counts: an answer is waited for a minute, and what had none may still be
	// carried out for a while.
	plugSettle = headerLimit + settleTime

	// plugLost is when a request counts as lost that Nova has recorded and not come to an end with.
	plugLost = 10 * time.Minute

	// eventsVersion shows the events of an action to the owner of the instance, too.
	eventsVersion = "2.51"

	// plugLimit is how long a port is waited for in one step: it comes and goes as fast as the host, or the guest, has it.
	plugLimit = 30 * time.Second
)

var errPlugging = errors.New("nobody knows what became of the last request to attach it to a network, and Nova may still be at work on that: it is looked for once more before another one is sent")

// effect has another instance made where it is in a network that is not written, and none is on record: nobody knows whether
// that is of others, as Nova chose it, or it was written to an older program, or the instance is not ours yet.
func (k instanceKind) effect(name string, want cty.Value, o *object, usual unit.Effect) unit.Effect {
	detail, _ := o.detail.(instanceDetail)
	leaves := func(id string) bool { return !slices.Contains(listOf(want), id) }
	if name == networksAttribute && len(detail.named) == 0 && slices.ContainsFunc(listOf(o.values.get(networksAttribute)), leaves) {
		return unit.Replace
	}
	return usual
}

// plug attaches an instance to the networks that it lacks, and then gives it the ports, in the order of the block.
func (k instanceKind) plug(ctx context.Context, s *session, o *object, w wanted) error {
	if len(without(w.list(networksAttribute), listOf(o.values.get(networksAttribute)))) > 0 {
		if err := k.plugNetworks(ctx, s, o, w); err != nil {
			return err
		}
	}
	for _, id := range without(w.list(portsAttribute), listOf(o.values.get(portsAttribute))) {
		port, err := s.one(ctx, call{service: serviceNetwork, method: http.MethodGet, path: pathOf("ports", id)}, "port")
		if err != nil {
			return fmt.Errorf("the port %s: %w", id, err)
		}
		switch textAt(port, "device_id") {
		case o.id:
		case "":
			if err := k.plugOne(ctx, s, o, map[string]any{"port_id": id}, nil); err != nil {
				return err
			}
		default:
			return fmt.Errorf("the port %s is to be attached, and %s has it: it is waited for", id, textAt(port, "device_id"))
		}
	}
	return nil
}

// plugNetworks has Nova make the ports that are lacking in networks. It looks at what is there by now, as those that came
// since the last look may be what an earlier request has led to.
func (k instanceKind) plugNetworks(ctx context.Context, s *session, o *object, w wanted) error {
	raws, err := portsOf(ctx, s, []string{o.id})
	if err != nil {
		return err
	}
	var have []string
	for _, p := range serverPorts(raws[o.id]) {
		if !slices.Contains(w.list(portsAttribute), p.id) && !slices.Contains(w.drop[portsAttribute], p.id) {
			have = append(have, p.network)
		}
	}
	lacking := without(w.list(networksAttribute), have)
	if len(lacking) > 0 {
		if err := k.settled(ctx, s, o); err != nil {
			return err
		}
	}
	for _, network := range lacking {
		have = append(have, network)
		_, err := s.do(ctx, call{
			service: serviceCompute, method: http.MethodPost, path: pathOf("servers", o.id, "metadata"),
			body: map[string]any{"metadata": map[string]any{keyPlug: fmt.Sprintf("%d %s %d", time.Now().Unix(), network, timesIn(have, network))}},
		})
		if err != nil {
			return err
		}
		err = k.plugOne(ctx, s, o, map[string]any{"net_id": network}, w.list(groupsOfPorts))
		if answer := (*apiError)(nil); err != nil && (!errors.As(err, &answer) || answer.status >= http.StatusInternalServerError) {
			return err // and what is noted stays, as it may have been heard
		}
		if err := errors.Join(err, s.erase(ctx, serviceCompute, pathOf("servers", o.id, "metadata", keyPlug))); err != nil {
			return err
		}
	}
	return nil
}

// plugOne attaches one interface, and waits until it works: before, whoever is let on by this one would find it dead. A port
// that Nova makes for it has the project's default security group, as Nova takes no others there: it gets those that are
// wanted before anything is waited for.
func (k instanceKind) plugOne(ctx context.Context, s *session, o *object, what map[string]any, groups []string) error {
	made, err := s.one(ctx, call{
		service: serviceCompute, method: http.MethodPost, path: pathOf("servers", o.id, interfacesPath), body: map[string]any{"interfaceAttachment": what},
	}, "interfaceAttachment")
	id := textAt(made, "port_id")
	if err == nil && len(groups) > 0 {
		err = groupPort(ctx, s, id, groups)
	}
	if err != nil || textAt(o.raw, "status") != statusActive { // the ports of one that is stopped are down
		return err
	}
	return waitForPort(ctx, s, id, "attach", func(port map[string]any) bool {
		return port == nil || textAt(port, "status") == statusActive || port["admin_state_up"] == false
	})
}

// groupPort gives a port its security groups, unless its network has it without any filter. One that is gone has none.
func groupPort(ctx context.Context, s *session, id string, groups []string) error {
	port, err := s.one(ctx, call{service: serviceNetwork, method: http.MethodGet, path: pathOf("ports", id)}, "port")
	switch {
	case notFound(err):
		return nil
	case err != nil || port["port_security_enabled"] == false:
		return err
	}
	return setGroups(ctx, s, id, groups)
}

func setGroups(ctx context.Context, s *session, port string, groups []string) error {
	_, err := s.do(ctx, call{
		service: serviceNetwork, method: http.MethodPut, path: pathOf("ports", port),
		body: map[string]any{"port": map[string]any{groupsOfPorts: groups}},
	})
	return err
}

// waitForPort waits for a port, nil where it is gone, no longer than plugLimit: the next look sees how far it is.
func waitForPort(ctx context.Context, s *session, id, what string, done func(port map[string]any) bool) error {
	overdue := time.NewTimer(plugLimit)
	defer overdue.Stop()
	for {
		now, err := s.one(ctx, call{service: serviceNetwork, method: http.MethodGet, path: pathOf("ports", id)}, "port")
		if notFound(err) {
			now, err = nil, nil
		}
		if err != nil || done(now) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for Nova to %s the port %s: %w", what, id, context.Cause(ctx))
		case <-overdue.C:
			return nil
		case <-time.After(instancePause):
		}
	}
}

// plugNote is what is noted of a request for a port in a network. Of one that an older program noted the time alone is known.
type plugNote struct {
	since   time.Time // zero where it is none
	network string
	ports   int
}

// noted tells whether a request for a port in a network is noted.
func noted(o *object) (note plugNote, is bool) {
	metadata, _ := o.raw["metadata"].(map[string]any)
	text, is := metadata[keyPlug].(string)
	parts := strings.Fields(text)
	if len(parts) == 0 {
		return note, is
	}
	if seconds, err := strconv.ParseInt(parts[0], 10, 64); err == nil {
		note.since = time.Unix(seconds, 0)
	}
	if len(parts) == 3 {
		note.network = parts[1]
		note.ports, _ = strconv.Atoi(parts[2])
	}
	return note, is
}

// timesIn is how often a list has a name.
func timesIn(names []string, name string) int {
	return count(names, func(other string) bool { return other == name })
}

// underWay is for how long a request for a port may still be carried out, 0 where none is under way. A host that hangs carries
// it out once it goes on, so that Nova is asked whether it was: it records the request before the host is told, and the end
// once the host is through with it.
func (k instanceKind) underWay(ctx context.Context, s *session, o *object) (time.Duration, error) {
	note, _ := noted(o)
	if note.since.IsZero() {
		return 0, nil
	}
	age := time.Since(note.since)
	if left := plugSettle - age; left > 0 {
		return min(plugSettle, left), nil
	}
	if age > plugLost {
		return 0, nil
	}
	open, err := k.attaching(ctx, s, o.id)
	if err != nil || !open {
		return 0, err
	}
	return settleTime, nil
}

// settled returns an error as long as a request for a port may still be carried out.
func (k instanceKind) settled(ctx context.Context, s *session, o *object) error {
	left, err := k.underWay(ctx, s, o)
	if err == nil && left > 0 {
		err = &unit.RetryError{After: left, Err: errPlugging}
	}
	return err
}

// attaching tells whether Nova has begun to attach an interface to an instance and has not come to an end with it.
func (k instanceKind) attaching(ctx context.Context, s *session, id string) (bool, error) {
	action, err := k.lastAction(ctx, s, id, "attach_interface")
	if err != nil || action == nil {
		return false, err
	}
	return k.open(ctx, s, id, action)
}

// followPlug has what is noted of a request taken away where nothing is lacking any more. Where that is so because the network
// was taken out of the block, Nova may still be at the request: it has to be known of for as long as it is not lost, should
// the block ask for the network again. As long as that network is on record, so that what comes there is known to be ours, the
// instance is not as it is wanted, whatever else Nova does with it: the record would leave it out else.
func (k instanceKind) followPlug(f found) {
	o := f.object
	note, is := noted(o)
	detail, _ := o.detail.(instanceDetail)
	status := textAt(o.raw, "status")
	fit := o.busy == "" && (status == statusActive || status == statusOff)
	fit = fit || detail.unsure && (o.busy != "" || status == "PAUSED" || status == "SUSPENDED")
	if !is || attribute(f.want, flavorAttribute) == cty.NilVal || o.pending != "" || !fit {
		return
	}
	order, _ := namedIn(f.want, networksAttribute)
	have, seen := o.values.look(networksAttribute)
	came := timesIn(listOf(have), note.network) >= note.ports || time.Since(note.since) > plugLost
	if seen && (came || detail.unsure) && len(without(order, listOf(have))) == 0 {
		o.pending = "what is noted of its new interface is to be taken away"
	}
}
