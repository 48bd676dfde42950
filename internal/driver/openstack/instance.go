package openstack

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// instanceKind lists servers and their ports. Servers are created in the project of the token.
type instanceKind struct{ schema *schema.Block }

const (
	// listVersion has tags and user data, and still the flavor's id, which later versions hide.
	listVersion = "2.42"
	// createVersion takes tags.
	createVersion = "2.52"
	keyHost       = "OS-EXT-SRV-ATTR:host"
	keyUserData   = "OS-EXT-SRV-ATTR:user_data"
	keyZone       = "OS-EXT-AZ:availability_zone"
	keyTask       = "OS-EXT-STS:task_state"
	statusError   = "ERROR"
	instancePause = 500 * time.Millisecond // grows while nothing changes
)

func (k instanceKind) name() string         { return k.schema.Kind }
func (instanceKind) api() string            { return serviceCompute }
func (k instanceKind) marks() bool          { return true }
func (k instanceKind) block() *schema.Block { return k.schema }
func (k instanceKind) cost() string {
	return "the instance's disk is lost, and it gets another address"
}

func (k instanceKind) read(raw map[string]any) *object {
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), project: textAt(raw, "tenant_id"), mark: markInMetadata(raw), raw: raw}
	o.scope = o.project
	o.values = readFields(k.schema, []field{{"tags", "tags"}, {"host", keyHost}}, raw)
	o.values.set("id", cty.StringVal(o.id))
	o.values.set("name", cty.StringVal(o.title))
	o.values.set("project", cty.StringVal(o.project))
	for name, key := range map[string]string{"image": "image", flavorAttribute: "flavor"} {
		// An instance that runs from a volume has an empty text in place of an image: not known.
		if inner, ok := raw[key].(map[string]any); ok {
			o.values.set(name, fromJSON(inner["id"], cty.String))
		}
	}
	o.values.set("keypair", fromJSON(raw["key_name"], cty.String))
	if zone := textAt(raw, keyZone); zone != "" { // "" before it has a host
		o.values.set("availability_zone", cty.StringVal(zone))
	}
	switch textAt(raw, "status") { // of what is paused, put away or rescued it means nothing
	case "ACTIVE":
		o.values.set(runningAttribute, cty.True)
	case statusOff:
		o.values.set(runningAttribute, cty.False)
	}
	o.values.set("config_drive", cty.BoolVal(textAt(raw, "config_drive") == "True"))
	metadata, _ := raw["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	maps.DeleteFunc(metadata, func(key string, _ any) bool { return strings.HasPrefix(key, schema.KeyPrefix) })
	o.values.set("metadata", fromMap(metadata, cty.Map(cty.String)))
	if encoded, ok := raw[keyUserData]; ok {
		text, _ := encoded.(string)
		if plain, err := base64.StdEncoding.DecodeString(text); err == nil {
			o.values.set("user_data", cty.StringVal(string(plain)))
		}
	}
	fare(o, textAt(raw, "status"))
	return o
}

// fare tells how a server does. What was stopped, paused or suspended is as its users want it.
func fare(o *object, status string) {
	switch status {
	case "ACTIVE", statusOff, "PAUSED", "SUSPENDED", "SHELVED", "SHELVED_OFFLOADED", "RESCUE":
		o.busy = tasked(o) // it works meanwhile
	case statusResized: // it works, and those who have resized it look whether it does so well
		o.busy, o.byHand = "somebody else has resized it, and has to confirm or to revert that", true
	case statusError:
		o.health, o.message = unit.HealthFailed, first(faultIn(o.raw), "Nova does not say why the instance failed")
	default:
		o.health, o.after, o.message = unit.HealthProgressing, instancePause, "Nova says that the instance is in the state "+status
		o.busy, o.partial = o.message, status == "BUILD"
	}
	o.sealed = markless(o, status)
	if departing(o.raw) || status == statusKept {
		o.health, o.after, o.going, o.message = unit.HealthProgressing, instancePause, true, "it is being deleted"
		if status == statusKept {
			o.message = "it is deleted, and Nova keeps it until the reclaim_instance_interval of its configuration is over: restore it, or delete it with force"
		}
		o.busy, o.partial = o.message, true
	}
}

// markless says that an instance without a mark can be given none for now, as Nova writes no metadata then; "" where it can. How
// long that lasts is up to people.
func markless(o *object, status string) string {
	if o.mark != "" || !slices.Contains([]string{"SHELVED", "SHELVED_OFFLOADED", "RESCUE", statusResized, statusError}, status) {
		return ""
	}
	return "it is in the state " + status + ", in which Nova takes no mark of ours"
}

func (instanceKind) stays(o *object) string {
	if o.sealed == "" {
		return ""
	}
	return ": " + o.sealed + "; keep its block until one pass after that is over, or delete it yourself"
}

// departing tells whether a server is about to be gone. Nova takes its metadata away before, and our mark with that.
func departing(server map[string]any) bool {
	return textAt(server, keyTask) == "deleting" || textAt(server, "status") == "DELETED"
}

// tasked says what Nova does with an instance at the moment, "" for nothing.
func tasked(o *object) string {
	if task := textAt(o.raw, keyTask); task != "" {
		return "Nova says that the instance has the task " + task
	}
	return ""
}

// unfitState holds back what Nova refuses of an instance that does not simply run or is stopped, other than the rest
// (check_instance_state in nova/compute/api.py, _check_instance_in_valid_state in server_tags.py).
func unfitState(o *object, fields []unit.Field) (problem string, held []string) {
	status := textAt(o.raw, "status")
	back := map[string]string{"SHELVED": "unshelve", "SHELVED_OFFLOADED": "unshelve", "RESCUE": "unrescue", "PAUSED": "unpause", "SUSPENDED": "resume"}[status]
	if back == "" {
		return "", nil
	}
	away := status != "PAUSED" && status != "SUSPENDED"
	fixed := status == "SUSPENDED" || status == "RESCUE"
	for _, f := range fields {
		if f.Path == flavorAttribute || fixed && f.Path == volumesAttribute || (fixed || away) && (f.Path == portsAttribute || f.Path == networksAttribute) || away && (f.Path == "metadata" || f.Path == "tags") {
			held = append(held, f.Path)
		}
	}
	if held == nil {
		return "", nil
	}
	return fmt.Sprintf("Nova changes no %s of an instance in the state %s; %s it, then that follows", strings.Join(held, ", "), status, back), held
}

// withholds tells of what Nova refuses of an instance that has failed: all but its name, and what lies in its ports.
func (instanceKind) withholds(o *object, fields []unit.Field) string {
	if textAt(o.raw, "status") != statusError {
		return ""
	}
	var held []string
	for _, f := range fields {
		if f.Path != "name" && f.Path != groupsOfPorts {
			held = append(held, f.Path)
		}
	}
	if held == nil {
		return ""
	}
	return fmt.Sprintf("Nova changes no %s of an instance in the state ERROR (%s); write in the block what it has, or bring it out of that state first", strings.Join(held, ", "), o.message)
}

// list asks for the servers of all projects, or of the session's where our user may not ask for more.
func (k instanceKind) list(ctx context.Context, s *session) ([]*object, error) {
	c := call{service: serviceCompute, path: pathOf("servers", "detail"), query: s.everywhere(), microversion: listVersion}
	return readAll(k.read)(s.all(ctx, c, "servers"))
}

func (k instanceKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(k.getRaw(ctx, s, id))
}

func (k instanceKind) getRaw(ctx context.Context, s *session, id string) (map[string]any, error) {
	return s.one(ctx, call{
		service: serviceCompute, method: http.MethodGet, path: pathOf("servers", id), microversion: listVersion,
	}, "server")
}

func (instanceKind) late() []string {
	return []string{groupAttribute, bootAttribute, volumesAttribute, portsAttribute, networksAttribute, groupsOfPorts, "addresses", "access_ip"}
}

// complete fills in what the list of servers does not tell.
func (k instanceKind) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	failures := k.group(ctx, s, objects)
	maps.Copy(failures, k.volumesOf(ctx, s, objects))
	k.askedFor(ctx, s, objects)
	k.faults(ctx, s, objects)
	for _, f := range objects {
		if err := k.followResize(ctx, s, f); err != nil {
			failures[f.address] = err
		}
	}
	return failures
}

// compare handles what is spelled otherwise by Nova or comes from the ports.
func (k instanceKind) compare(name string, want cty.Value, o *object) (same, handled bool) {
	switch name {
	case "availability_zone": // may name a host, too: zone:host
		zone, _, _ := strings.Cut(textOf(want), ":")
		return zone == textOf(o.values.get(name)), true
	case driveAttribute:
		forced := forcedDrive(want, o)
		return forced, forced
	case networksAttribute: // what others have attached beside them stays
		have, seen := o.values.look(name)
		detail, _ := o.detail.(instanceDetail)
		return !seen || len(without(listOf(want), listOf(have))) == 0 && len(detail.leaving) == 0 && detail.alike == "", true
	case portsAttribute:
		have, seen := o.values.look(name)
		return !seen || !slices.ContainsFunc(listOf(want), func(id string) bool { return !slices.Contains(listOf(have), id) }), true
	case "security_groups":
		return len(portsToChange(listOf(want), o)) == 0, true
	}
	return false, false
}

// create makes the server in its project.
func (k instanceKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	scoped, err := s.inProject(ctx, w.project)
	if err != nil {
		return nil, err
	}
	server := w.body([]field{
		{"image", "imageRef"},
		{flavorAttribute, "flavorRef"},
		{"keypair", "key_name"},
		{"availability_zone", "availability_zone"},
		{"config_drive", "config_drive"},
		{"tags", "tags"},
	}, nil)
	server["name"] = w.named
	server[networksAttribute] = newNetworks(w)
	metadata := newMetadata(w)
	if drive := w.written(driveAttribute); drive != cty.NilVal && drive.False() {
		metadata[driveKey] = "no"
	}
	server["metadata"] = metadata
	if data := w.text("user_data"); data != "" {
		server["user_data"] = base64.StdEncoding.EncodeToString([]byte(data))
	}
	if groups := w.list("security_groups"); len(groups) > 0 {
		var refs []map[string]string
		for _, id := range groups {
			refs = append(refs, map[string]string{"name": id}) // Nova takes ids there, too
		}
		server["security_groups"] = refs
	}
	version := createVersion
	if boot, others := writtenVolumes(w.value); boot != "" || len(others) > 0 {
		all := slices.DeleteFunc(append(others, boot), func(id string) bool { return id == "" })
		if err := allFree(ctx, s, all); err != nil {
			return nil, err
		}
		server["block_device_mapping_v2"], version = newDisks(w), attachVersion
	}
	body := map[string]any{"server": server}
	if hints := newHints(w); len(hints) > 0 {
		body["os:scheduler_hints"] = hints
	}
	made, err := scoped.one(ctx, call{
		service: serviceCompute, method: http.MethodPost, path: "servers", body: body, microversion: version,
	}, "server")
	if err != nil {
		return nil, err
	}
	o := &object{ // Nova's answer has little more than the id
		id: textAt(made, "id"), title: w.named, project: w.project, mark: w.mark, raw: made,
		health: unit.HealthProgressing, partial: true, after: instancePause, message: "it was created and is being built",
	}
	o.busy = o.message
	o.values = traits{{"id", cty.StringVal(o.id)}, {"name", cty.StringVal(w.named)}, {"project", cty.StringVal(w.project)}}
	return o, nil
}

// newMetadata is what is written with the mark, which nothing that is written wins over.
func newMetadata(w wanted) map[string]any {
	metadata := map[string]any{}
	written, _ := w.plain("metadata").(map[string]any)
	maps.Copy(metadata, written)
	metadata[markKey] = w.mark
	return metadata
}

// newNetworks are the networks and ports of a new server. Without any written, Nova takes the project's only
// network.
func newNetworks(w wanted) any {
	if w.written(networksAttribute) == cty.NilVal && w.written(portsAttribute) == cty.NilVal {
		return "auto"
	}
	var networks []map[string]string
	for _, id := range w.list(networksAttribute) {
		networks = append(networks, map[string]string{"uuid": id})
	}
	for _, id := range w.list(portsAttribute) {
		networks = append(networks, map[string]string{"port": id})
	}
	if networks == nil {
		return "none"
	}
	return networks
}

func (k instanceKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	if slices.Contains(attributes, healAttribute) {
		return k.mend(ctx, s, o, w) // which is alone
	}
	if o.pending != "" {
		return k.finishResize(ctx, s, o) // the rest follows, as an instance that is to be confirmed takes little else
	}
	marks := o.mark != w.mark && o.sealed == ""
	if marks {
		if err := k.keepWritten(ctx, s, o, w); err != nil {
			return err
		}
	}
	if slices.Contains(attributes, "name") {
		_, err := s.do(ctx, call{
			service: serviceCompute, method: http.MethodPut, path: pathOf("servers", o.id), microversion: listVersion,
			body: map[string]any{"server": map[string]any{"name": w.named}},
		})
		if err != nil {
			return err
		}
	}
	if slices.Contains(attributes, "metadata") || marks {
		_, err := s.do(ctx, call{
			service: serviceCompute, method: http.MethodPost, path: pathOf("servers", o.id, "metadata"), body: map[string]any{"metadata": newMetadata(w)},
		})
		if err != nil {
			return err
		}
	}
	err := takeAway(w.drop["metadata"], func(key string) error {
		return s.erase(ctx, serviceCompute, pathOf("servers", o.id, "metadata", key))
	})
	if err != nil {
		return err
	}
	if slices.Contains(attributes, "security_groups") {
		for _, port := range portsToChange(w.list("security_groups"), o) {
			if err := setGroups(ctx, s, port, w.list("security_groups")); err != nil {
				return err
			}
		}
	}
	err = s.writeTags(ctx, o, w, s.tagsAt(call{service: serviceCompute, path: pathOf("servers", o.id, "tags"), microversion: listVersion}))
	if err == nil && slices.Contains(attributes, portsAttribute) {
		err = k.detach(ctx, s, o, w.drop[portsAttribute])
	}
	if err == nil && (slices.Contains(attributes, portsAttribute) || slices.Contains(attributes, networksAttribute)) {
		err = k.plug(ctx, s, o, w)
	}
	if err == nil && slices.Contains(attributes, networksAttribute) {
		err = k.unplug(ctx, s, o)
	}
	switch { // one of these and the last one, as the instance takes nothing meanwhile
	case err != nil:
		return err
	case slices.Contains(attributes, volumesAttribute):
		return k.attach(ctx, s, o, w)
	case slices.Contains(attributes, flavorAttribute):
		return k.resize(ctx, s, o, w.text(flavorAttribute))
	case slices.Contains(attributes, runningAttribute):
		return k.power(ctx, s, o, w.plain(runningAttribute) != false)
	}
	return nil
}

// remove asks Nova to delete the server, which takes a while.
func (k instanceKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	o.after = instancePause
	return true, s.erase(ctx, serviceCompute, pathOf("servers", o.id))
}
