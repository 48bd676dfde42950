package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// volumeQoSKind bears no mark: all the room that Cinder has is among the specs, and drivers of storages refuse volumes
// for a key that they do not know. Cinder takes a name once only.
type volumeQoSKind struct{ schema *schema.Block }

const (
	volumeQoSPath    = "qos-specs"
	volumeQoSKey     = "qos_specs"
	consumerKey      = "consumer"
	volumeQoSSpecs   = "specs"
	volumeQoSOfAType = "qos"
)

func (k volumeQoSKind) name() string         { return k.schema.Kind }
func (volumeQoSKind) api() string            { return serviceVolume }
func (k volumeQoSKind) marks() bool          { return false }
func (k volumeQoSKind) unsigned()            {}
func (k volumeQoSKind) block() *schema.Block { return k.schema }
func (k volumeQoSKind) cost() string {
	return "volume types that have it stand in the way of deleting it"
}

// trims: names are all that it has of texts.
func (k volumeQoSKind) trims(string) bool { return true }

// lacking tells of a cloud without volumes.
func (k volumeQoSKind) lacking(err error) bool { return noVolumes(err) }

func (k volumeQoSKind) read(raw map[string]any) *object {
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), raw: raw}
	o.values = readFields(k.schema, []field{{"id", "id"}, {"name", "name"}, {consumerKey, consumerKey}, {volumeQoSSpecs, volumeQoSSpecs}}, raw)
	return o
}

func (k volumeQoSKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.read)(s.all(ctx, call{service: s.volumes(), path: volumeQoSPath}, volumeQoSKey))
}

func (k volumeQoSKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(s.one(ctx, call{service: s.volumes(), method: http.MethodGet, path: pathOf(volumeQoSPath, id)}, volumeQoSKey))
}

// specs are those that are wanted, which lie beside the consumer in what Cinder takes.
func (k volumeQoSKind) specs(w wanted) map[string]any {
	specs, _ := w.plain(volumeQoSSpecs).(map[string]any)
	if specs == nil {
		return map[string]any{}
	}
	return specs
}

func (k volumeQoSKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := k.specs(w)
	body["name"] = w.named
	if consumer := w.text(consumerKey); consumer != "" {
		body[consumerKey] = consumer
	}
	return readOne(k.read)(s.one(ctx, call{
		service: s.volumes(), method: http.MethodPost, path: volumeQoSPath, body: map[string]any{volumeQoSKey: body},
	}, volumeQoSKey))
}

func (k volumeQoSKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := map[string]any{}
	if slices.Contains(attributes, volumeQoSSpecs) {
		body = k.specs(w)
	}
	if slices.Contains(attributes, consumerKey) {
		body[consumerKey] = w.text(consumerKey)
	}
	if len(body) > 0 {
		_, err := s.do(ctx, call{
			service: s.volumes(), method: http.MethodPut, path: pathOf(volumeQoSPath, o.id), body: map[string]any{volumeQoSKey: body},
		})
		if err != nil {
			return err
		}
	}
	if surplus := w.drop[volumeQoSSpecs]; len(surplus) > 0 {
		_, err := s.do(ctx, call{
			service: s.volumes(), method: http.MethodPut, path: pathOf(volumeQoSPath, o.id, "delete_keys"), body: map[string]any{"keys": surplus},
		})
		return err
	}
	return nil
}

// remove refuses while volume types have it: without force, so does Cinder, should one get it meanwhile.
func (k volumeQoSKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	c := call{service: s.volumes(), path: pathOf(volumeQoSPath, o.id, "associations")}
	types, err := s.whole(ctx, c, "qos_associations")
	if notFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for the volume types that have it: %w", err)
	}
	if len(types) > 0 {
		var names []string
		for _, t := range types {
			names = append(names, textAt(t, "name"))
		}
		slices.Sort(names)
		return false, unit.Blocked(fmt.Sprintf("volume types have it: %s; take it from them first, which a block of theirs does with qos = \"\"", several(names)))
	}
	return false, s.erase(ctx, s.volumes(), pathOf(volumeQoSPath, o.id))
}

// The ends of the paths by which Cinder gives a volume type its QoS and takes it away.
const (
	pathAssociate    = "associate"
	pathDisassociate = "disassociate"
)

// writeQoS gives a volume type the QoS that is wanted. It can have one only, and the old one goes first.
func (k volumeTypeKind) writeQoS(ctx context.Context, s *session, o *object, w wanted) error {
	change := func(qos, how string) error { // both are asked for by GET
		_, err := s.do(ctx, call{
			service: s.volumes(), method: http.MethodGet, path: pathOf(volumeQoSPath, qos, how), query: url.Values{"vol_type_id": {o.id}},
		})
		return err
	}
	have, want := textOf(o.values.get(volumeQoSOfAType)), w.text(volumeQoSOfAType)
	if have != "" {
		if err := change(have, pathDisassociate); err != nil && !notFound(err) {
			return fmt.Errorf("take the QoS %s from it: %w", have, err)
		}
	}
	if want == "" {
		return nil
	}
	err := change(want, pathAssociate)
	if notFound(err) {
		return errors.New("there is no volume QoS with the id " + want)
	}
	return err
}

// readQoS is the QoS of a volume type, null for none. Who may not see it is not told of it at all.
func readQoS(raw map[string]any, values *traits) {
	if id, told := raw["qos_specs_id"]; told {
		values.set(volumeQoSOfAType, fromJSON(id, cty.String))
	}
}
