package openstack

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// attachmentKind reads from the volumes which instances have them: one list tells of all. Its objects are known by
// what they connect, and bear no mark.
type attachmentKind struct{ schema *schema.Block }

const attachmentsPath = "os-volume_attachments"

func (k attachmentKind) name() string         { return k.schema.Kind }
func (attachmentKind) api() string            { return serviceCompute }
func (k attachmentKind) marks() bool          { return false }
func (k attachmentKind) block() *schema.Block { return k.schema }
func (k attachmentKind) cost() string {
	return "the instance loses the disk until it is attached again"
}

func (k attachmentKind) key(want cty.Value) string {
	instance, volume := textOf(unmarked(attribute(want, "instance"))), textOf(unmarked(attribute(want, "volume")))
	if instance == "" || volume == "" {
		return ""
	}
	return instance + "/" + volume
}

// adoptable takes over any attachment: it is what is wanted.
func (k attachmentKind) adoptable(cty.Value, *object) string { return "" }

// object is in the project of its volume, which is where it is listed.
func (k attachmentKind) object(instance, volume, project, device, status string) *object {
	o := &object{id: instance + "/" + volume, title: instance + "/" + volume, project: project, values: traits{
		{"instance", cty.StringVal(instance)},
		{"volume", cty.StringVal(volume)},
		{"device", cty.StringVal(device)},
	}}
	o.values.set("id", cty.StringVal(o.id))
	switch status {
	case "in-use":
	case "detaching":
		o.health, o.after, o.going, o.message = unit.HealthProgressing, cinderPause, true, "the volume is being detached"
	default:
		o.health, o.after, o.message = unit.HealthProgressing, cinderPause, "Cinder says that the volume is in the state "+status
		o.busy = o.message
	}
	return o
}

// lacking tells of a cloud without volumes.
func (k attachmentKind) lacking(err error) bool { return noVolumes(err) }

// list leaves out attachments to hosts, such as those of backups: no instance has them.
func (k attachmentKind) list(ctx context.Context, s *session) ([]*object, error) {
	volumes, err := cinder{many: "volumes"}.list(ctx, s)
	var objects []*object
	for _, volume := range volumes {
		for _, a := range objectsAt(volume, "attachments") {
			if textAt(a, "server_id") == "" {
				continue
			}
			objects = append(objects, k.object(textAt(a, "server_id"), textAt(volume, "id"), textAt(volume, keyVolumeProject), textAt(a, "device"), textAt(volume, "status")))
		}
	}
	return objects, err
}

// get asks Nova, which knows of an attachment from the first moment on, and Cinder how far it is.
func (k attachmentKind) get(ctx context.Context, s *session, id string) (*object, error) {
	instance, volume, _ := strings.Cut(id, "/")
	raw, err := s.one(ctx, call{
		service: serviceCompute, method: http.MethodGet, path: pathOf("servers", instance, attachmentsPath, volume),
	}, "volumeAttachment")
	if err != nil {
		return nil, err
	}
	state, err := cinder{one: "volume", many: "volumes"}.get(ctx, s, volume)
	if err != nil {
		return nil, err
	}
	return k.object(instance, volume, textAt(state, keyVolumeProject), textAt(raw, "device"), textAt(state, "status")), nil
}

// create looks first for what an attempt of ours may have begun, which the list does not show yet. What another instance
// has is refused with Cinder's words, and tried again once something else was done: that one may let go of it.
func (k attachmentKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	instance, volume := w.text("instance"), w.text("volume")
	if o, err := k.get(ctx, s, instance+"/"+volume); !notFound(err) {
		return o, err
	}
	switch why, err := taken(ctx, s, volume); {
	case err != nil:
		return nil, err
	case why != "":
		return nil, unit.Blocked(why)
	}
	raw, err := attachVolume(ctx, s, instance, volume)
	if err != nil {
		return nil, err
	}
	return k.object(instance, volume, "", textAt(raw, "device"), "attaching"), nil
}

// update has nothing to do: nothing of an attachment can be changed.
func (k attachmentKind) update(context.Context, *session, *object, wanted, []string) error {
	return nil
}

func (k attachmentKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	o.after = cinderPause
	instance := textOf(o.values.get("instance"))
	err = s.erase(ctx, serviceCompute, pathOf("servers", instance, attachmentsPath, textOf(o.values.get("volume"))))
	if statusIs(err, http.StatusConflict) {
		err = k.heldFast(ctx, s, instance, err)
	}
	return true, err
}

// heldFast says how a volume gets off an instance of which Nova detaches none for its state (detach_volume in
// nova/compute/api.py). It deletes such instances, and detaches all then.
func (k attachmentKind) heldFast(ctx context.Context, s *session, instance string, refusal error) error {
	server, err := instanceKind{}.getRaw(ctx, s, instance)
	if err != nil { // the next attempt finds out
		return refusal
	}
	switch status := textAt(server, "status"); status {
	case statusError, "SUSPENDED", "RESCUE":
		return &unit.FollowsError{With: instance, Err: fmt.Errorf("no volume is detached from an instance in the state %s: that follows once it has another one, or is deleted: %w", status, refusal)}
	}
	return refusal
}
