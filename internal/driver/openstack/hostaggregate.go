package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// hostAggregateKind keeps its mark in the metadata, which only a second request can set.
type hostAggregateKind struct{ schema *schema.Block }

const (
	aggregatePath = "os-aggregates"
	zoneAttribute = "availability_zone"
)

func (k hostAggregateKind) name() string         { return k.schema.Kind }
func (hostAggregateKind) api() string            { return serviceCompute }
func (k hostAggregateKind) marks() bool          { return true }
func (k hostAggregateKind) unsigned()            {}
func (k hostAggregateKind) block() *schema.Block { return k.schema }
func (k hostAggregateKind) cost() string {
	return "its hosts are in no aggregate until it is there again"
}

func (k hostAggregateKind) read(raw map[string]any) *object {
	o := &object{title: textAt(raw, "name"), mark: markInMetadata(raw), raw: raw}
	if id, ok := raw["id"].(json.Number); ok {
		o.id = id.String()
	}
	o.values = readFields(k.schema, []field{{"name", "name"}, {zoneAttribute, zoneAttribute}, {hostsAttribute, hostsAttribute}}, raw)
	o.values.set("id", cty.StringVal(o.id))
	metadata, _ := raw["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	delete(metadata, markKey)
	delete(metadata, zoneAttribute)
	o.values.set("metadata", fromMap(metadata, cty.Map(cty.String)))
	return o
}

// list asks for all at once: Nova has no pages of them.
func (k hostAggregateKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.read)(s.whole(ctx, call{service: serviceCompute, path: aggregatePath}, "aggregates"))
}

func (k hostAggregateKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(s.one(ctx, call{service: serviceCompute, method: http.MethodGet, path: pathOf(aggregatePath, id)}, "aggregate"))
}

func (k hostAggregateKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := w.body([]field{{zoneAttribute, zoneAttribute}}, nil)
	body["name"] = w.named
	return readOne(k.read)(s.one(ctx, call{
		service: serviceCompute, method: http.MethodPost, path: aggregatePath, body: map[string]any{"aggregate": body},
	}, "aggregate"))
}

// update has hosts leave before the zone changes, as Nova takes no zone while one of the hosts is in another by another
// aggregate, and has others join after it.
func (k hostAggregateKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	left := k.dropHosts(ctx, s, o, w)
	if err := k.describe(ctx, s, o, w, attributes); err != nil {
		return errors.Join(left, err)
	}
	return errors.Join(left, k.addHosts(ctx, s, o, w, attributes))
}

// describe writes all but the hosts.
func (k hostAggregateKind) describe(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	metadata := map[string]any{}
	if slices.Contains(attributes, "metadata") {
		written, _ := w.plain("metadata").(map[string]any)
		maps.Copy(metadata, written)
	}
	for _, key := range w.drop["metadata"] {
		metadata[key] = nil
	}
	if o.mark != w.mark {
		metadata[markKey] = w.mark
	}
	if len(metadata) > 0 {
		if err := k.act(ctx, s, o.id, "set_metadata", map[string]any{"metadata": metadata}); err != nil {
			return err
		}
	}
	body := w.body([]field{{zoneAttribute, zoneAttribute}}, attributes)
	if slices.Contains(attributes, "name") {
		body["name"] = w.named
	}
	if len(body) == 0 {
		return nil
	}
	_, err := s.do(ctx, call{
		service: serviceCompute, method: http.MethodPut, path: pathOf(aggregatePath, o.id), body: map[string]any{"aggregate": body},
	})
	return err
}

func (k hostAggregateKind) act(ctx context.Context, s *session, id, action string, body any) error {
	_, err := s.do(ctx, call{
		service: serviceCompute, method: http.MethodPost, path: pathOf(aggregatePath, id, "action"), body: map[string]any{action: body},
	})
	return err
}

// remove takes the hosts out, as Nova keeps an aggregate that has some.
func (k hostAggregateKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	for _, host := range textsAt(o.raw, hostsAttribute) {
		if err := k.act(ctx, s, o.id, "remove_host", map[string]any{"host": host}); err != nil && !notFound(err) {
			return false, err
		}
	}
	return false, s.erase(ctx, serviceCompute, pathOf(aggregatePath, o.id))
}
