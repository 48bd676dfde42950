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

// volumeKind adds what a volume is made from, its size, and what uses it.
type volumeKind struct{ cinder }

// extendVersion is from when on a volume grows while it is attached.
const extendVersion = "3.42"

func cinderVolumes(language *schema.Definition) cinder {
	return cinder{
		schema: attributes(language, "volume"), one: "volume", many: "volumes", replacing: "the data on the volume is lost",
		fields: []field{{"size", "size"}, {typeAttribute, "volume_type"}, {"snapshot", "snapshot_id"}, {"source_volume", "source_volid"}, {zoneAttribute, zoneAttribute}},
	}
}

func (k volumeKind) read(raw map[string]any) *object {
	o := k.cinder.read(raw)
	image, _ := raw["volume_image_metadata"].(map[string]any)
	if id := textAt(image, "image_id"); id != "" || o.health == unit.HealthUnknown {
		o.values.set("image", fromJSON(image["image_id"], cty.String))
	}
	switch textAt(raw, "bootable") {
	case "true":
		o.values.set("bootable", cty.True)
	case "false":
		o.values.set("bootable", cty.False)
	}
	return o
}

func (k volumeKind) list(ctx context.Context, s *session) ([]*object, error) {
	raws, err := k.cinder.list(ctx, s)
	return readAll(k.read)(slices.DeleteFunc(raws, migrating), err)
}

func (k volumeKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.cinder.get(ctx, s, id))
}

// effect tells growing, which a volume does as it is, from shrinking, which none does.
func (k volumeKind) effect(name string, want cty.Value, o *object, usual unit.Effect) unit.Effect {
	if have := o.values.get("size"); name == "size" && !have.IsNull() && want.LessThan(have).True() {
		return unit.Replace
	}
	return usual
}

func (k volumeKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := w.body([]field{
		{"size", "size"}, {typeAttribute, "volume_type"}, {"image", "imageRef"}, {"snapshot", "snapshot_id"}, {"source_volume", "source_volid"}, {zoneAttribute, zoneAttribute},
	}, nil)
	return readOne(k.read)(k.cinder.create(ctx, s, w, body))
}

func (k volumeKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	if err := k.cinder.update(ctx, s, o, w, attributes); err != nil {
		return err
	}
	if slices.Contains(attributes, "bootable") {
		if err := k.act(ctx, s, o.id, "os-set_bootable", map[string]any{"bootable": w.plain("bootable")}, ""); err != nil {
			return err
		}
	}
	if slices.Contains(attributes, "size") { // it takes no other type meanwhile
		return k.act(ctx, s, o.id, "os-extend", map[string]any{"new_size": w.plain("size")}, extendVersion)
	}
	if slices.Contains(attributes, typeAttribute) {
		return k.retype(ctx, s, o, w)
	}
	return nil
}

func (k volumeKind) act(ctx context.Context, s *session, id, action string, body any, microversion string) error {
	_, err := s.do(ctx, call{
		service: s.volumes(), method: http.MethodPost, path: pathOf("volumes", id, "action"), body: map[string]any{action: body}, microversion: microversion,
	})
	return err
}

// remove refuses while an instance has the volume, or there are snapshots of it. Those that are ours go before it.
func (k volumeKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	switch status := textAt(o.raw, "status"); status {
	case "attaching", "detaching", "reserved":
		return false, errors.New("the volume is " + status)
	case "in-use":
		var users []string
		for _, a := range objectsAt(o.raw, "attachments") {
			users = append(users, textAt(a, "server_id"))
		}
		return false, unit.Blocked(fmt.Sprintf("the volume is attached to %s: detach it first", several(users)))
	}
	snapshots := content{
		call: call{service: s.volumes(), path: pathOf("snapshots", "detail"), query: url.Values{"all_tenants": {"1"}, "volume_id": {o.id}}},
		key:  "snapshots", mark: markInMetadata,
	}
	if err := snapshots.mustBeEmpty(ctx, s, "the volume"); err != nil {
		return false, err
	}
	return k.cinder.remove(ctx, s, o)
}
