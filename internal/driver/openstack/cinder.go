package openstack

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// cinder is what volumes and snapshots have in common: they are created in the project of the token, with the mark
// in their metadata, and take a while to come and to go.
type cinder struct {
	schema    *schema.Block
	one, many string // the keys of the API
	fields    []field
	replacing string // the cost
}

// keyVolumeProject is where Cinder tells the project of a volume.
const keyVolumeProject = "os-vol-tenant-attr:tenant_id"

// cinderPause is when to look again at what takes a while.
const cinderPause = 500 * time.Millisecond

func (c cinder) name() string         { return c.schema.Kind }
func (cinder) api() string            { return serviceVolume }
func (c cinder) marks() bool          { return true }
func (c cinder) block() *schema.Block { return c.schema }
func (c cinder) cost() string         { return c.replacing }

// trims: names and descriptions (validate_name_and_description in cinder/api/openstack/wsgi.py).
func (c cinder) trims(string) bool { return true }

// lacking tells of a cloud without volumes.
func (c cinder) lacking(err error) bool { return noVolumes(err) }

// noVolumes tells whether an error says that the catalogue has no service for volumes.
func noVolumes(err error) bool {
	var no *noService
	return errors.As(err, &no) && slices.Contains(volumeServices(), no.service)
}

func (c cinder) read(raw map[string]any) *object {
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), mark: markInMetadata(raw), raw: raw}
	o.project = first(textAt(raw, keyVolumeProject), textAt(raw, "os-extended-snapshot-attributes:project_id"))
	o.scope = o.project
	o.values = readFields(c.schema, c.fields, raw)
	o.values.set("id", cty.StringVal(o.id))
	o.values.set("name", cty.StringVal(o.title))
	o.values.set(keyDescription, cty.StringVal(textAt(raw, keyDescription)))
	if o.project != "" {
		o.values.set("project", cty.StringVal(o.project))
	}
	metadata, _ := raw["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	delete(metadata, markKey)
	o.values.set("metadata", fromMap(metadata, cty.Map(cty.String)))
	c.fare(o, textAt(raw, "status"))
	return o
}

// fare tells how something in Cinder does.
func (c cinder) fare(o *object, status string) {
	switch status {
	case "available", "in-use":
	case "deleting":
		o.health, o.after, o.going, o.message = unit.HealthProgressing, cinderPause, true, "it is being deleted"
		o.busy = o.message
	case "error", "error_deleting", "error_extending", "error_restoring", "error_backing-up", "error_managing":
		o.health, o.message = unit.HealthFailed, "Cinder says that the "+c.one+" is in the state "+status+"; see the log of the service"
	default:
		o.health, o.after, o.message = unit.HealthProgressing, cinderPause, "Cinder says that the "+c.one+" is in the state "+status
		o.busy, o.partial = o.message, status == "creating" || status == "downloading"
	}
}

// list asks for those of all projects, or of the session's where our user may not ask for more.
func (c cinder) list(ctx context.Context, s *session) ([]map[string]any, error) {
	return s.all(ctx, call{service: s.volumes(), path: pathOf(c.many, "detail"), query: s.everywhere()}, c.many)
}

func (c cinder) get(ctx context.Context, s *session, id string) (map[string]any, error) {
	return s.one(ctx, call{service: s.volumes(), method: http.MethodGet, path: pathOf(c.many, id)}, c.one)
}

func (c cinder) create(ctx context.Context, s *session, w wanted, body map[string]any) (map[string]any, error) {
	scoped, err := s.inProject(ctx, w.project)
	if err != nil {
		return nil, err
	}
	body["name"], body["metadata"] = w.named, newMetadata(w)
	if text := w.text(keyDescription); text != "" {
		body[keyDescription] = text
	}
	raw, err := scoped.one(ctx, call{service: s.volumes(), method: http.MethodPost, path: c.many, body: map[string]any{c.one: body}}, c.one)
	if err != nil {
		return nil, err
	}
	for _, key := range []string{keyVolumeProject, "os-extended-snapshot-attributes:project_id"} {
		raw[key] = w.project // the answer lacks it
	}
	return raw, nil
}

func (c cinder) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := w.body([]field{{keyDescription, keyDescription}}, attributes)
	if slices.Contains(attributes, "name") {
		body["name"] = w.named
	}
	if len(body) > 0 {
		_, err := s.do(ctx, call{service: s.volumes(), method: http.MethodPut, path: pathOf(c.many, o.id), body: map[string]any{c.one: body}})
		if err != nil {
			return err
		}
	}
	if slices.Contains(attributes, "metadata") || o.mark != w.mark {
		_, err := s.do(ctx, call{
			service: s.volumes(), method: http.MethodPost, path: pathOf(c.many, o.id, "metadata"), body: map[string]any{"metadata": newMetadata(w)},
		})
		if err != nil {
			return err
		}
	}
	return c.takeKeys(ctx, s, o.id, w.drop["metadata"])
}

// takeKeys takes keys of the metadata away one by one, as replacing all of it would take away those that somebody adds
// meanwhile. Where a path takes one of them for something else there is no other way: then all are asked for right before.
func (c cinder) takeKeys(ctx context.Context, s *session, id string, keys []string) error {
	path := pathOf(c.many, id, "metadata")
	if !slices.ContainsFunc(keys, pathless) {
		return takeAway(keys, func(key string) error { return s.erase(ctx, s.volumes(), path+"/"+pathOf(key)) })
	}
	metadata, err := s.one(ctx, call{service: s.volumes(), method: http.MethodGet, path: path}, "metadata")
	if err != nil {
		return err
	}
	maps.DeleteFunc(metadata, func(key string, _ any) bool { return slices.Contains(keys, key) })
	_, err = s.do(ctx, call{service: s.volumes(), method: http.MethodPut, path: path, body: map[string]any{"metadata": metadata}})
	return err
}

func (c cinder) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	o.after = cinderPause
	return true, s.erase(ctx, s.volumes(), pathOf(c.many, o.id))
}
