package openstack

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// trunkKind adds the sub-ports, which cannot be changed: one with another tag takes the place of the old one.
type trunkKind struct{ neutron }

const (
	subPortBlock, keySubPorts = "sub_port", "sub_ports"
	inherits                  = "inherit"
	keySegmentNumber          = "provider:segmentation_id"
)

func neutronTrunks(language *schema.Definition) neutron {
	return neutron{
		schema: attributes(language, "trunk"), one: "trunk", many: "trunks", extension: true,
		fields:    []field{{portAttribute, keyPort}, {"admin_state_up", "admin_state_up"}},
		replacing: "the instance loses the networks of the sub-ports until the trunk is there again",
		kept:      []string{keySubPorts, "admin_state_up"},
	}
}

func (k trunkKind) read(raw map[string]any) *object {
	o := k.neutron.read(raw)
	t := k.schema.Nested(subPortBlock).ValueType()
	var values []cty.Value
	for _, p := range objectsAt(raw, keySubPorts) {
		values = append(values, fromMap(map[string]any{
			"port": p[keyPort], "segmentation_type": p["segmentation_type"], "segmentation_id": p["segmentation_id"],
		}, t.ElementType()))
	}
	o.values.set(subPortBlock, collection(values, t))
	return o
}

func (k trunkKind) list(ctx context.Context, s *session) ([]*object, error) {
	return k.listBy(ctx, s, k.read)
}

func (k trunkKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

// complete asks which numbers the networks of those sub-ports have that are to inherit theirs: one list of the ports,
// and one of their networks.
func (k trunkKind) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	failures := map[addr.Object]error{}
	heirs := map[addr.Object][]string{}
	var ports []string
	for _, f := range objects {
		for _, v := range valuesIn(unmarked(attribute(f.want, subPortBlock))) {
			if port := textOf(attribute(v, "port")); port != "" && textOf(attribute(v, "segmentation_type")) == inherits {
				heirs[f.address] = append(heirs[f.address], port)
			}
		}
		ports = append(ports, heirs[f.address]...)
	}
	numbers, err := numbersOf(ctx, s, ports)
	for _, f := range objects {
		switch {
		case heirs[f.address] == nil:
		case err == nil:
			f.object.detail = numbers
		default:
			err := fmt.Errorf("the networks of its sub-ports are not known: %w", err)
			f.object.unseen, f.object.obscured = append(f.object.unseen, "neutron"), brief(err.Error(), longestReason)
			failures[f.address] = err
		}
	}
	return failures
}

// segmentNumbers are the numbers of the networks that ports are in, as far as our user is told.
type segmentNumbers map[string]cty.Value

func numbersOf(ctx context.Context, s *session, ports []string) (segmentNumbers, error) {
	networks, numbers := map[string][]string{}, segmentNumbers{}
	for _, some := range portions(ports) {
		query := url.Values{"fields": {"id", "network_id"}, "id": some}
		raws, err := s.all(ctx, call{service: serviceNetwork, path: "ports", query: query}, "ports")
		if err != nil {
			return nil, err
		}
		for _, raw := range raws {
			network := textAt(raw, "network_id")
			networks[network] = append(networks[network], textAt(raw, "id"))
		}
	}
	for _, some := range portions(slices.Sorted(maps.Keys(networks))) {
		query := url.Values{"fields": {"id", keySegmentNumber}, "id": some}
		raws, err := s.all(ctx, call{service: serviceNetwork, path: "networks", query: query}, "networks")
		if err != nil {
			return nil, err
		}
		for _, raw := range raws {
			for _, port := range networks[textAt(raw, "id")] {
				if number := fromJSON(raw[keySegmentNumber], cty.Number); !number.IsNull() {
					numbers[port] = number
				}
			}
		}
	}
	return numbers, nil
}

// inherited tells whether a sub-port has the number of its network, as far as that is known.
func inherited(port string, have cty.Value, o *object) bool {
	numbers, _ := o.detail.(segmentNumbers)
	number, known := numbers[port]
	there := attribute(have, "segmentation_id")
	return !known || there == cty.NilVal || there.Equals(number).True()
}

// compare knows that a sub-port that inherits its tag shows type and number of its network.
func (k trunkKind) compare(name string, want cty.Value, o *object) (same, handled bool) {
	if name != subPortBlock {
		return false, false
	}
	missing, wrong := k.subPorts(want, o)
	return len(missing) == 0 && len(wrong) == 0, true
}

// subPorts returns the sub-ports that are wanted and not there, and the ports of those in their place.
func (k trunkKind) subPorts(want cty.Value, o *object) (missing []cty.Value, wrong []string) {
	there := map[string]cty.Value{}
	for _, v := range valuesIn(o.values.get(subPortBlock)) {
		there[textOf(attribute(v, "port"))] = v
	}
	for _, w := range valuesIn(want) {
		port := textOf(attribute(w, "port"))
		have, is := there[port]
		heir := textOf(attribute(w, "segmentation_type")) == inherits
		if is && (heir && inherited(port, have, o) || !heir && includes(w, have, true)) {
			continue
		}
		if missing = append(missing, w); is {
			wrong = append(wrong, port)
		}
	}
	return missing, wrong
}

func newSubPorts(wanted []cty.Value) []map[string]any {
	var list []map[string]any
	for _, v := range wanted {
		one := map[string]any{keyPort: textOf(attribute(v, "port")), "segmentation_type": first(textOf(attribute(v, "segmentation_type")), "vlan")}
		if n := attribute(v, "segmentation_id"); n != cty.NilVal {
			number, _ := n.AsBigFloat().Int64()
			one["segmentation_id"] = number
		}
		list = append(list, one)
	}
	return list
}

func (k trunkKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := k.newBody(w)
	if wanted := w.blocks(subPortBlock); len(wanted) > 0 {
		body[keySubPorts] = newSubPorts(wanted)
	}
	return readOne(k.read)(k.post(ctx, s, body))
}

// update lets a trunk carry its changes before it is taken out of service, and puts it into service before them:
// while admin_state_up is false Neutron changes no sub-ports.
func (k trunkKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := k.changedBody(o, w, attributes)
	late := map[string]any{}
	if body["admin_state_up"] == false {
		late["admin_state_up"] = false
		delete(body, "admin_state_up")
	}
	if err := k.put(ctx, s, o.id, body); err != nil {
		return err
	}
	if slices.Contains(attributes, subPortBlock) {
		if err := k.changeSubPorts(ctx, s, o, w); err != nil {
			return err
		}
	}
	if err := k.put(ctx, s, o.id, late); err != nil {
		return err
	}
	return k.writeTags(ctx, s, o, w)
}

func (k trunkKind) changeSubPorts(ctx context.Context, s *session, o *object, w wanted) error {
	missing, wrong := k.subPorts(w.written(subPortBlock), o)
	var gone []map[string]any
	for _, port := range slices.Concat(wrong, w.drop[subPortBlock]) {
		gone = append(gone, map[string]any{keyPort: port})
	}
	if len(gone) > 0 {
		if err := k.move(ctx, s, o, "remove_subports", gone); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return k.move(ctx, s, o, "add_subports", newSubPorts(missing))
	}
	return nil
}

func (k trunkKind) move(ctx context.Context, s *session, o *object, action string, ports []map[string]any) error {
	_, err := s.do(ctx, call{
		service: serviceNetwork, method: http.MethodPut, path: k.path(o.id, action), body: map[string]any{keySubPorts: ports},
	})
	return err
}

// maxOthers is how many ports of others are named.
const maxOthers = 10

// spare leaves a trunk with sub-ports of others, which their owners would be cut off from. Those that we have added, or that are
// written, are ours, whosever their ports are; of the others the marks of the ports tell. A port that our user is not shown is
// somebody's: Neutron deletes none that is a sub-port.
func (k trunkKind) spare(ctx context.Context, s *session, o *object, t unit.Target) error {
	ours := slices.Concat(t.Set[subPortBlock], k.schema.Nested(subPortBlock).KeysOf(unmarked(attribute(desiredOf(t), subPortBlock))))
	var ids []string
	for _, p := range objectsAt(o.raw, keySubPorts) {
		if id := textAt(p, keyPort); !slices.Contains(ours, id) {
			ids = append(ids, id)
		}
	}
	var marked []string
	for _, some := range portions(ids) {
		query := url.Values{"fields": {"id", keyDescription}, "id": some}
		ports, err := s.all(ctx, call{service: serviceNetwork, path: "ports", query: query}, "ports")
		if err != nil {
			return err
		}
		for _, p := range ports {
			if markInDescription(p) != "" {
				marked = append(marked, textAt(p, "id"))
			}
		}
	}
	others := slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(marked, id) })
	if len(others) == 0 {
		return nil
	}
	return unit.Blocked(fmt.Sprintf("the trunk has sub-ports that are not ours, by the ports %s: remove them first", strings.Join(others[:min(len(others), maxOthers)], ", ")))
}

// remove puts a trunk into service first: Neutron does not delete one that is out of service.
func (k trunkKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	if o.raw["admin_state_up"] == false {
		if err := k.put(ctx, s, o.id, map[string]any{"admin_state_up": true}); err != nil {
			return false, err
		}
	}
	return k.neutron.remove(ctx, s, o)
}
