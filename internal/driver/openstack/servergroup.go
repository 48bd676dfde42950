package openstack

import (
	"context"
	"net/http"
	"net/url"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// serverGroupKind has no room for a mark, and Nova takes a name any number of times. Groups are created in the
// project of the token.
type serverGroupKind struct{ schema *schema.Block }

const (
	// groupVersion is from when on a group has one policy with rules.
	groupVersion = "2.64"
	groupPath    = "os-server-groups"
	keyPerHost   = "max_server_per_host"
)

func (k serverGroupKind) name() string         { return k.schema.Kind }
func (serverGroupKind) api() string            { return serviceCompute }
func (k serverGroupKind) marks() bool          { return false }
func (k serverGroupKind) unsigned()            {}
func (k serverGroupKind) block() *schema.Block { return k.schema }
func (k serverGroupKind) cost() string {
	return "its instances are in no group any more, and stay where they are"
}

func (k serverGroupKind) read(raw map[string]any) *object {
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), project: textAt(raw, "project_id"), raw: raw}
	o.scope = o.project
	o.values = readFields(k.schema, []field{{"id", "id"}, {"name", "name"}, {"project", "project_id"}, {"policy", "policy"}, {"members", "members"}}, raw)
	rules, _ := raw["rules"].(map[string]any)
	o.values.set(keyPerHost, fromJSON(rules[keyPerHost], cty.Number))
	return o
}

func (k serverGroupKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.read)(k.listRaw(ctx, s))
}

// listRaw asks page by page: Nova gives this list no links.
func (serverGroupKind) listRaw(ctx context.Context, s *session) ([]map[string]any, error) {
	return s.all(ctx, call{
		service: serviceCompute, path: groupPath, microversion: groupVersion, query: url.Values{"all_projects": {"True"}}, turns: byNumber,
	}, "server_groups")
}

func (k serverGroupKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(s.one(ctx, call{
		service: serviceCompute, method: http.MethodGet, path: pathOf(groupPath, id), microversion: groupVersion,
	}, "server_group"))
}

func (k serverGroupKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	scoped, err := s.inProject(ctx, w.project)
	if err != nil {
		return nil, err
	}
	body := map[string]any{"name": w.named, "policy": w.text("policy")}
	if most := w.plain(keyPerHost); most != nil {
		body["rules"] = map[string]any{keyPerHost: most}
	}
	return readOne(k.read)(scoped.one(ctx, call{
		service: serviceCompute, method: http.MethodPost, path: groupPath, microversion: groupVersion, body: map[string]any{"server_group": body},
	}, "server_group"))
}

// update has nothing to do: nothing of a group can be changed.
func (k serverGroupKind) update(context.Context, *session, *object, wanted, []string) error {
	return nil
}

func (k serverGroupKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	return false, s.erase(ctx, serviceCompute, pathOf(groupPath, o.id))
}
