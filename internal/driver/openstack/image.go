package openstack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// imageKind creates an image without bytes first, and uploads these in the background. Where the
// bytes came from is kept as properties: of the source only a digest, as a URL may say more than
// the users of an image should read. An image that was not made by us has neither, and then
// nothing is known of its source.
type imageKind struct {
	schema  *schema.Block
	uploads *uploads
}

const (
	keySource   = schema.KeyPrefix + "source"
	keyChecksum = schema.KeyPrefix + "checksum"
	keyFormat   = schema.KeyPrefix + "format" // see converted
	keySelf     = schema.KeyPrefix + "self"   // the id that it was made with, which tells it from what has its properties from it
	keyOwner    = "owner"

	keyDisk, keyContainer = "disk_format", "container_format"

	patchType  = "application/openstack-images-v2.1-json-patch"
	imagePause = 2 * time.Second

	statusDeactivated = "deactivated"
)

func (k imageKind) name() string         { return k.schema.Kind }
func (imageKind) api() string            { return serviceImage }
func (k imageKind) marks() bool          { return true }
func (k imageKind) block() *schema.Block { return k.schema }
func (k imageKind) cost() string {
	return "the image has to be uploaded again; instances that were made from it stay"
}

func imageFields() []field {
	return []field{
		{"name", "name"},
		{keyDisk, keyDisk},
		{keyContainer, keyContainer},
		{"visibility", "visibility"},
		{"min_disk", "min_disk"},
		{"min_ram", "min_ram"},
		{"protected", "protected"},
		{hiddenAttribute, keyHidden},
		{"tags", "tags"},
	}
}

// reserved are the members of an image that are not properties which people wrote.
func reserved(key string) bool {
	return strings.HasPrefix(key, schema.KeyPrefix) || schema.BaseProperty(key)
}

func (k imageKind) read(raw map[string]any) *object {
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), project: textAt(raw, keyOwner), mark: textAt(raw, markKey), raw: raw}
	o.scope = o.project
	o.values = readFields(k.schema, append(imageFields(), field{"size", "size"}), raw)
	o.values.set("id", cty.StringVal(o.id))
	o.values.set("project", cty.StringVal(o.project))
	properties := map[string]any{}
	for key, v := range raw {
		if _, text := v.(string); text && !reserved(key) {
			properties[key] = v
		}
	}
	o.values.set("properties", fromMap(properties, cty.Map(cty.String)))
	if digest := textAt(raw, keySource); digest != "" {
		o.values.set("source", cty.NullVal(cty.String)) // only a digest is known; see compare
		o.values.set("web_download", cty.NullVal(cty.String))
	}
	if digest := hashed(o); digest != "" || textAt(raw, keySource) != "" {
		o.values.set(fileAttribute, cty.NullVal(cty.String))
		if digest != "" {
			o.values.set(fileAttribute, cty.StringVal(digest))
		}
	}
	if checksum, ok := raw[keyChecksum]; ok {
		o.values.set("checksum", fromJSON(checksum, cty.String))
	}
	k.fare(o, textAt(raw, "status"))
	return o
}

// lent: Nova and Cinder give the properties of an image, and so its mark, to images that they make of instances and volumes. These
// have ids of their own, and of an image that an older program made at least names.
func (imageKind) lent(from, other *object) bool {
	if self := textAt(other.raw, keySelf); self != "" {
		return self != other.id
	}
	return from.title != other.title
}

// made goes by the id that an image of ours says it has. What an older program made does not: then it goes by what Nova writes into
// images of instances, those that run from a volume included, unless the block does.
func (imageKind) made(want cty.Value, o *object) (copied, said bool) {
	if self := textAt(o.raw, keySelf); self != "" {
		return self != o.id, true
	}
	for _, key := range []string{"instance_uuid", "base_image_ref", "block_device_mapping"} {
		if value := textAt(o.raw, key); value != "" && value != writtenProperty(want, key) {
			return true, true
		}
	}
	return false, false
}

// writtenProperty is a property that a block writes, "" for none.
func writtenProperty(want cty.Value, key string) string {
	all := unmarked(attribute(want, "properties"))
	if all == cty.NilVal || all.IsNull() || !all.IsKnown() || !all.HasIndex(cty.StringVal(key)).True() {
		return ""
	}
	return textOf(all.Index(cty.StringVal(key)))
}

// fare tells how the image does: Glance has it as queued until bytes come.
func (k imageKind) fare(o *object, status string) {
	running := k.uploads.running(o.id)
	switch {
	case status == "active":
	case status == statusDeactivated: // whole, and what was made from it works
		o.lame = "somebody has deactivated the image, so that nothing can be made from it until it is activated again"
	case status == statusImporting && overdue(o.raw):
		o.health, o.message = unit.HealthFailed, fmt.Sprintf("Glance has been importing it for more than %v: when no import goes on any more, as after an end of glance-api, delete the image, and it is made anew", importLimit)
	case !running && overdue(o.raw) && (status == "saving" || status == "uploading"):
		o.health, o.message = unit.HealthFailed, fmt.Sprintf("Glance has been taking its bytes for more than %v: when nobody sends any any more, as after an end of glance-api, delete the image, and it is made anew", importLimit)
	case status == "queued" && !running:
		o.health, o.pending = unit.HealthProgressing, "the image has no bytes yet"
	case running || slices.Contains([]string{"queued", "saving", statusImporting, "uploading"}, status):
		o.health, o.after, o.message = unit.HealthProgressing, imagePause, "its bytes are being uploaded"
		o.busy = o.message
	default:
		o.health, o.message = unit.HealthFailed, "Glance says that the image is "+status
	}
}

func (k imageKind) list(ctx context.Context, s *session) ([]*object, error) {
	objects, err := readAll(k.read)(images(ctx, s, nil))
	return once(objects), err
}

// images asks for images of every visibility, which as administrator are all of them, or for those that a filter tells.
// Glance lists those that are hidden apart, and community images of other projects only where every visibility is asked for.
func images(ctx context.Context, s *session, filter url.Values) ([]map[string]any, error) {
	var all []map[string]any
	for _, hidden := range []bool{false, true} {
		query := url.Values{"visibility": {"all"}}
		maps.Copy(query, filter)
		if hidden {
			query.Set(keyHidden, "true")
		}
		some, err := s.all(ctx, call{service: serviceImage, path: "images", query: query}, "images")
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func (k imageKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(s.do(ctx, call{service: serviceImage, method: http.MethodGet, path: pathOf("images", id)}))
}

func digestOf(source string) string {
	sum := sha256.Sum256([]byte(source))
	return hex.EncodeToString(sum[:])
}

// unfit tells whether an image cannot be taken over as it is: it has no bytes, or never gets any, or somebody has
// deactivated it, which is a failure of an image of ours.
func (imageKind) unfit(o *object) bool {
	status := textAt(o.raw, "status")
	return status != "active" || textAt(o.raw, keyDisk) == "" || textAt(o.raw, keyContainer) == ""
}

// compare compares by a digest where the bytes came from. Who fetched them makes no other image.
func (k imageKind) compare(name string, want cty.Value, o *object) (same, handled bool) {
	if converted(name, want, o) {
		return true, true
	}
	switch digest := hashed(o); {
	case name == fileAttribute && digest != "":
		return textOf(want) == digest, true
	case name != "source" && name != "web_download" && name != fileAttribute:
		return false, false
	}
	return digestOf(textOf(want)) == textAt(o.raw, keySource), true
}

// makeable wants to know where the bytes come from, and that they may.
func (k imageKind) makeable(want cty.Value) string {
	if source := unmarked(attribute(want, "source")); source != cty.NilVal {
		if !source.IsKnown() {
			return ""
		}
		problem := k.uploads.sources.problem(textOf(source))
		if problem != "" && attribute(want, "source").IsMarked() {
			return "the source of the image, which is sensitive, is none that --image-sources allows"
		}
		return problem
	}
	if attribute(want, "web_download") != cty.NilVal || attribute(want, fileAttribute) != cty.NilVal {
		return ""
	}
	return "the image is not there, and neither source nor web_download or file says where its bytes come from: write one, or import the image that is meant"
}

// adoptable takes over an image only once it has its bytes, and with a checksum only where Glance
// does not say that they are others.
func (k imageKind) adoptable(want cty.Value, o *object) string {
	if o.health != unit.HealthUnknown {
		return fmt.Sprintf("there is an image %q that is not ours and not complete: wait for it, delete it, or write another name", o.title)
	}
	checksum := attribute(want, "checksum")
	if checksum == cty.NilVal {
		return ""
	}
	algorithm, digest, _ := strings.Cut(textOf(unmarked(checksum)), ":")
	if algorithm == textAt(o.raw, "os_hash_algo") && digest != textAt(o.raw, "os_hash_value") {
		return fmt.Sprintf("there is an image %q with other bytes: delete it, or write another name", o.title)
	}
	return ""
}

func (k imageKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := w.body(imageFields(), nil)
	for key, usual := range map[string]string{keyDisk: "qcow2", keyContainer: "bare"} { // Glance wants both once there are bytes
		if body[key] == nil {
			body[key] = usual
		}
	}
	for key, v := range properties(w) {
		body[key] = v
	}
	id := uuid.NewString()
	body["id"], body[keySelf] = id, id
	body["name"], body[markKey], body[keySource] = w.named, w.mark, digestOf(origin(w))
	if checksum := w.text("checksum"); checksum != "" {
		body[keyChecksum] = checksum
	}
	if w.text("web_download") != "" {
		body[keyFormat] = textAt(body, keyDisk) + "/" + textAt(body, keyContainer)
	}
	if w.project != s.project {
		body[keyOwner] = w.project
	}
	return readOne(k.read)(s.do(ctx, call{service: serviceImage, method: http.MethodPost, path: "images", body: body}))
}

// properties are those that are written; validation refuses what is none, and so never gets here.
func properties(w wanted) map[string]any {
	p, _ := w.plain("properties").(map[string]any)
	maps.DeleteFunc(p, func(key string, _ any) bool { return reserved(key) })
	return p
}

func (k imageKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	if textAt(o.raw, "visibility") == visibilityShared && slices.Contains(attributes, membersAttribute) {
		if err := k.withdraw(ctx, s, o, w); err != nil {
			return err
		}
	}
	if patch := k.patch(o, w, attributes); len(patch) > 0 {
		_, err := s.do(ctx, call{
			service: serviceImage, method: http.MethodPatch, path: pathOf("images", o.id), body: patch, contentType: patchType,
		})
		if err != nil {
			return err
		}
	}
	if slices.Contains(attributes, "tags") {
		if err := s.writeTags(ctx, o, w, k.tagged(s, o.id)); err != nil {
			return err
		}
	}
	if slices.Contains(attributes, membersAttribute) {
		if err := k.share(ctx, s, o, w); err != nil {
			return err
		}
	}
	if o.pending == "" {
		return nil
	}
	return k.uploads.begin(s, upload{
		image: o.id, source: origin(w), checksum: w.text("checksum"), remote: w.text("web_download") != "", content: w.content, address: w.address,
	})
}

// tagged are the tags, which are a member of the image: Glance has no list of them.
func (k imageKind) tagged(s *session, id string) tagged {
	return tagged{
		at: call{service: serviceImage, path: pathOf("images", id, "tags")},
		read: func(ctx context.Context) ([]string, error) {
			raw, err := s.do(ctx, call{service: serviceImage, method: http.MethodGet, path: pathOf("images", id)})
			return textsAt(raw, "tags"), err
		},
		write: func(ctx context.Context, all []string) error {
			_, err := s.do(ctx, call{
				service: serviceImage, method: http.MethodPatch, path: pathOf("images", id), contentType: patchType,
				body: []map[string]any{{"op": "replace", "path": pointerTo("tags"), "value": all}},
			})
			return err
		},
	}
}

// origin is where the bytes of an image come from, whoever fetches them; of a file its digest.
func origin(w wanted) string {
	return first(w.text("source"), w.text("web_download"), w.text(fileAttribute))
}

// patch is the list of changes that Glance takes.
func (k imageKind) patch(o *object, w wanted, attributes []string) []map[string]any {
	var patch []map[string]any
	set := func(key string, value any) {
		operation := "replace"
		if _, there := o.raw[key]; !there {
			operation = "add"
		}
		patch = append(patch, map[string]any{"op": operation, "path": pointerTo(key), "value": value})
	}
	for _, f := range imageFields() {
		if v := w.plain(f.attribute); v != nil && f.attribute != "tags" && slices.Contains(attributes, f.attribute) {
			set(f.key, v)
		}
	}
	if slices.Contains(attributes, "properties") {
		for key, v := range properties(w) {
			if o.raw[key] != v {
				set(key, v)
			}
		}
	}
	for _, key := range w.drop["properties"] {
		patch = append(patch, map[string]any{"op": "remove", "path": pointerTo(key)})
	}
	if self := textAt(o.raw, keySelf); o.mark != w.mark || self != "" && self != o.id { // from now on it is this one
		set(keySelf, o.id)
	}
	if o.mark != w.mark {
		set(markKey, w.mark)
		// Whoever has an image adopted says that these are the bytes; from now on a change counts.
		if _, known := o.raw[keySource]; !known && origin(w) != "" {
			set(keySource, digestOf(origin(w)))
			if checksum := w.text("checksum"); checksum != "" {
				set(keyChecksum, checksum)
			}
		}
	}
	slices.SortFunc(patch, func(a, b map[string]any) int { return strings.Compare(textAt(a, "path"), textAt(b, "path")) })
	return patch
}

// pointerTo is the JSON pointer to a member of an image.
func pointerTo(key string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

func (k imageKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	if o.raw["protected"] == true {
		return false, unit.Blocked("the image is protected: set protected = false first")
	}
	k.uploads.stop(o.id)
	return false, s.erase(ctx, serviceImage, pathOf("images", o.id))
}
