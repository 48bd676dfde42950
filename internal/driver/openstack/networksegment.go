package openstack

import (
	"context"

	"github.com/zclconf/go-cty/cty"
)

const segmentsAttribute = "segments"

// segmentFields are the attributes of a segment, each as the attribute of a network that has one segment only, and as
// Neutron calls it in both.
func segmentFields() []field {
	return []field{
		{"network_type", "provider:network_type"}, {"physical_network", "provider:physical_network"}, {"segmentation_id", "provider:segmentation_id"},
	}
}

// read adds the segments. Neutron shows either the list of several, or the attributes of a single one, and neither to
// who is no administrator.
func (k networkKind) read(raw map[string]any) *object {
	o := k.neutron.read(raw)
	several, only := raw[segmentsAttribute], raw[segmentFields()[0].key]
	if several == nil && only == nil {
		return o
	}
	list := objectsAt(raw, segmentsAttribute)
	if several == nil {
		list = []map[string]any{raw}
	}
	t := k.schema.Attribute(segmentsAttribute).Type.WithoutOptionalAttributesDeep()
	var segments []cty.Value
	for _, one := range list {
		segment := map[string]any{}
		for _, f := range segmentFields() {
			segment[f.attribute] = one[f.key]
			if name := "provider_" + f.attribute; several != nil {
				o.values.set(name, cty.NullVal(k.schema.Attribute(name).Type))
			}
		}
		segments = append(segments, fromMap(segment, t.ElementType()))
	}
	o.values.set(segmentsAttribute, collection(segments, t))
	return o
}

func (k networkKind) list(ctx context.Context, s *session) ([]*object, error) {
	return k.listBy(ctx, s, k.read)
}

func (k networkKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

func (k networkKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := k.newBody(w)
	var segments []map[string]any
	for _, v := range valuesIn(w.written(segmentsAttribute)) {
		segments = append(segments, wanted{value: v}.body(segmentFields(), nil))
	}
	if segments != nil {
		body[segmentsAttribute] = segments
	}
	return readOne(k.read)(k.post(ctx, s, body))
}
