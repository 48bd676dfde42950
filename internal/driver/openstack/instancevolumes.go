package openstack

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	bootAttribute    = "boot_volume"
	volumesAttribute = "volumes"
	keyRootDevice    = "OS-EXT-SRV-ATTR:root_device_name"
	keyAttached      = "os-extended-volumes:volumes_attached"
	keyAttachments   = "attachments"
	// attachVersion has volumes that several instances have at once, and takes them away from one that is shelved.
	attachVersion = "2.60"
)

// fromVolume tells whether an instance runs from a volume: Nova has an empty text in place of its image then.
func fromVolume(raw map[string]any) bool { return raw["image"] == "" }

// writtenVolumes are the volumes that a block writes beside the one to start from, and that one, as far as they are known.
func writtenVolumes(want cty.Value) (boot string, others []string) {
	others = slices.DeleteFunc(listOf(unmarked(attribute(want, volumesAttribute))), func(id string) bool { return id == "" })
	return textOf(unmarked(attribute(want, bootAttribute))), others
}

// volumesOf fills in the volumes of instances that write some, or wrote some: one list of all volumes has where they
// are attached, and what is still on its way. For an export only those are of interest that instances run from.
func (k instanceKind) volumesOf(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	failures := map[addr.Object]error{}
	var with []found
	for _, f := range objects {
		if f.concerns(bootAttribute) || f.concerns(volumesAttribute) || f.whole && fromVolume(f.object.raw) {
			with = append(with, f)
		}
	}
	if len(with) == 0 {
		return failures
	}
	listed, err := cinder{many: "volumes"}.list(ctx, s)
	volumes := map[string]map[string]any{}
	for _, volume := range listed {
		volumes[textAt(volume, "id")] = volume
	}
	for _, f := range with {
		switch {
		case err == nil || f.looked != nil && noVolumes(err): // in a cloud without any, it has none
			k.joinVolumes(f, volumes)
		case !f.whole:
			f.miss(failures, "cinder", fmt.Errorf("its volumes are not known: %w", err), bootAttribute, volumesAttribute)
		}
	}
	return failures
}

// joinVolumes takes from the volumes which ones an instance has, and what its own have to wait for.
func (k instanceKind) joinVolumes(f found, volumes map[string]map[string]any) {
	o := f.object
	boot, has := "", []string{}
	for _, attached := range objectsAt(o.raw, keyAttached) {
		if id := textAt(attached, "id"); fromVolume(o.raw) && boots(o.raw, deviceAt(volumes[id], o.id)) {
			boot = id
		} else {
			has = append(has, id)
		}
	}
	if o.partial { // they come one by one while it is being built
		return
	}
	switch {
	case !fromVolume(o.raw):
		o.values.set(bootAttribute, cty.NullVal(cty.String))
	case boot != "": // else which one is not told
		o.values.set(bootAttribute, cty.StringVal(boot))
	}
	if f.whole {
		return
	}
	o.values.set(volumesAttribute, texts(has, cty.Set(cty.String)))
	moving, loose, awaited := k.outstanding(f, boot, has, volumes)
	if moving != "" && o.health == unit.HealthUnknown && !shelved(o) {
		o.health, o.after, o.message = unit.HealthProgressing, cinderPause, moving
	}
	detail, _ := o.detail.(instanceDetail)
	detail.awaited, detail.loose = awaited, loose
	o.detail = detail
}

// shelved tells whether an instance is put away. Its volumes are kept for it meanwhile, and nothing comes or goes.
func shelved(o *object) bool { return strings.HasPrefix(textAt(o.raw, "status"), "SHELVED") }

// outstanding says which of its own volumes is on its way, "" for none, which ones can be detached that are wanted no longer,
// and by the names of the attributes what keeps volumes from being attached or detached.
func (k instanceKind) outstanding(f found, boot string, has []string, volumes map[string]map[string]any) (moving string, loose []string, awaited map[string]string) {
	awaited = map[string]string{}
	wantedBoot, others := writtenVolumes(f.want)
	for _, id := range has {
		status, wanted, surplus := textAt(volumes[id], "status"), slices.Contains(others, id), slices.Contains(f.set[volumesAttribute], id)
		if (wanted || surplus) && (status == "attaching" || status == "detaching" || status == "reserved" && wanted && !shelved(f.object)) {
			moving = fmt.Sprintf("the volume %s is %s", id, status)
		}
		switch {
		case !surplus || wanted:
		// Nova takes away only what is in use, or kept for one that is put away. It also goes on to name one for a moment
		// that Cinder has for free already.
		case volumes[id] == nil || status == "in-use" || status == "reserved" && shelved(f.object):
			loose = append(loose, id)
		default:
			awaited[volumesAttribute] = fmt.Sprintf("the volume %s is to be detached, and Cinder says that it is %s", id, status)
		}
	}
	lacks := func(id string) bool {
		return id != boot && !slices.Contains(has, id) && volumes[id] != nil && !free(volumes[id])
	}
	if i := slices.IndexFunc(others, lacks); i >= 0 {
		awaited[volumesAttribute] = takenBy(volumes[others[i]])
	}
	if lacks(wantedBoot) {
		awaited[bootAttribute] = takenBy(volumes[wantedBoot])
	}
	return moving, loose, awaited
}

// awaits holds back volumes alone until they are free for it. What can be detached is not held back by that: whoever has the
// volume that this one waits for may wait for one that this one has. An instance that is to be replaced keeps all that it has
// until another one can be made.
func (k instanceKind) awaits(o *object, fields []unit.Field) (why string, held []string) {
	detail, _ := o.detail.(instanceDetail)
	detaches := len(detail.loose) > 0 && worst(fields) == unit.InPlace
	for _, f := range fields {
		reason := detail.awaited[f.Path]
		if detaches && reason != "" && f.Path == volumesAttribute {
			why = cmp.Or(why, fmt.Sprintf("%s detached first; the rest waits: %s", disksAre(detail.loose), reason))
		} else if reason != "" {
			why, held = cmp.Or(why, reason), append(held, f.Path)
		}
	}
	return why, held
}

// disksAre begins a sentence about volumes.
func disksAre(ids []string) string {
	if len(ids) == 1 {
		return "the volume " + ids[0] + " is"
	}
	return "the volumes " + several(ids) + " are"
}

// deviceAt is the device that a volume is on an instance, "" where that is not told.
func deviceAt(volume map[string]any, instance string) string {
	for _, a := range objectsAt(volume, keyAttachments) {
		if textAt(a, "server_id") == instance {
			return textAt(a, "device")
		}
	}
	return ""
}

// boots tells whether an instance runs from a device. Nova tells those the name of that one who administer it.
func boots(raw map[string]any, device string) bool {
	if root := textAt(raw, keyRootDevice); root != "" {
		return device == root
	}
	return bootDevice(device)
}

// bootDevice tells whether a device has the name of the first one of an instance, which it runs from.
func bootDevice(device string) bool {
	return strings.HasPrefix(device, "/dev/") && strings.HasSuffix(device, "da")
}

// free tells whether an instance may get a volume.
func free(volume map[string]any) bool {
	status := textAt(volume, "status")
	return status == "available" || status == "in-use" && volume["multiattach"] == true
}

// takenBy says why a volume cannot be had.
func takenBy(volume map[string]any) string {
	var names []string
	for _, a := range objectsAt(volume, keyAttachments) {
		names = append(names, cmp.Or(textAt(a, "server_id"), textAt(a, "host_name")))
	}
	by := ""
	if names != nil {
		by = " by " + several(names)
	}
	return fmt.Sprintf("the volume %s is to be attached, and Cinder says that it is %s%s", textAt(volume, "id"), textAt(volume, "status"), by)
}

// allFree returns an error as long as an instance may not get one of the volumes. Nova would take the others all the same,
// and keep them for an instance that is never made.
func allFree(ctx context.Context, s *session, ids []string) error {
	for _, id := range ids {
		switch why, err := taken(ctx, s, id); {
		case err != nil:
			return err
		case why != "":
			return fmt.Errorf("%s: it is waited for", why)
		}
	}
	return nil
}

// taken says why an instance may not get a volume, "" where it may.
func taken(ctx context.Context, s *session, id string) (why string, err error) {
	volume, err := cinder{one: "volume", many: "volumes"}.get(ctx, s, id)
	if err != nil {
		return "", fmt.Errorf("the volume %s: %w", id, err)
	}
	if free(volume) {
		return "", nil
	}
	return takenBy(volume), nil
}

// newDisks are the volumes of a new server; nil where it has its own disk alone. They stay when the server goes.
func newDisks(w wanted) []map[string]any {
	var disks []map[string]any
	volume := func(id string, index int) {
		disks = append(disks, map[string]any{
			"boot_index": index, "uuid": id, "source_type": "volume", "destination_type": "volume", keyGoesAlong: false,
		})
	}
	boot, others := writtenVolumes(w.value)
	switch {
	case boot != "":
		volume(boot, 0)
	case len(others) > 0: // Nova wants to be told of all disks then
		disks = append(disks, map[string]any{
			"boot_index": 0, "uuid": w.text("image"), "source_type": "image", "destination_type": "local", keyGoesAlong: true,
		})
	}
	for _, id := range others {
		volume(id, -1)
	}
	return disks
}

// attach gives the instance the volumes that it lacks, and takes those away that are wanted no longer. Those go whatever
// becomes of the others, as somebody may wait for them. Where nothing is waited for they go last: the hypervisor reserves a
// place for a new volume only after it has detached what it was told to before, which takes as long as the guest likes.
func (k instanceKind) attach(ctx context.Context, s *session, o *object, w wanted) error {
	detail, _ := o.detail.(instanceDetail)
	var missed error
	if detail.awaited[volumesAttribute] == "" { // else the next look tells when they can be had
		missed = k.attachLacking(ctx, s, o, w)
	}
	loose := slices.DeleteFunc(slices.Clone(w.drop[volumesAttribute]), func(id string) bool { return !slices.Contains(detail.loose, id) })
	err := takeAway(loose, func(id string) error {
		if shelved(o) && slices.Contains(goingAlong(o), id) { // Nova would delete it as it does with the instance
			if err := k.keepVolume(ctx, s, o, id); err != nil {
				return err
			}
		}
		return s.delete(ctx, call{service: serviceCompute, path: pathOf("servers", o.id, attachmentsPath, id), microversion: attachVersion})
	})
	if missed != nil {
		return missed
	}
	return err
}

func (k instanceKind) attachLacking(ctx context.Context, s *session, o *object, w wanted) error {
	_, lacking := writtenVolumes(w.value)
	lacking = slices.DeleteFunc(lacking, func(id string) bool { return slices.Contains(listOf(o.values.get(volumesAttribute)), id) })
	if err := allFree(ctx, s, lacking); err != nil {
		return err
	}
	for _, id := range lacking {
		if _, err := attachVolume(ctx, s, o.id, id); err != nil {
			return err
		}
	}
	return nil
}

// attachVolume has Nova begin to attach a volume, which stays when the server goes.
func attachVolume(ctx context.Context, s *session, instance, volume string) (map[string]any, error) {
	return s.one(ctx, call{
		service: serviceCompute, method: http.MethodPost, path: pathOf("servers", instance, attachmentsPath), microversion: attachVersion,
		body: map[string]any{"volumeAttachment": map[string]any{"volumeId": volume}},
	}, "volumeAttachment")
}
