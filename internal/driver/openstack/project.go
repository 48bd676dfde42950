package openstack

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// projectKind keeps its mark as a tag, which Keystone takes in the creating request.
type projectKind struct{ schema *schema.Block }

func (k projectKind) name() string         { return k.schema.Kind }
func (projectKind) api() string            { return serviceIdentity }
func (k projectKind) marks() bool          { return true }
func (k projectKind) block() *schema.Block { return k.schema }
func (k projectKind) cost() string         { return "everything in the project is lost" }

// trims: the name alone.
func (k projectKind) trims(attribute string) bool { return attribute == "name" }

func projectFields() []field {
	return []field{{keyDescription, keyDescription}, {"domain", "domain_id"}, {"enabled", "enabled"}}
}

func (k projectKind) read(raw map[string]any) *object {
	others, mark := splitTags(textsAt(raw, "tags"))
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), mark: mark, scope: textAt(raw, "domain_id"), raw: raw}
	o.values = readFields(k.schema, projectFields(), raw)
	o.values.set("id", cty.StringVal(o.id))
	o.values.set("name", cty.StringVal(o.title))
	o.values.set("tags", texts(others, cty.Set(cty.String)))
	return o
}

// list asks for all projects, or for those that our user has a role in where it may not ask for more.
func (k projectKind) list(ctx context.Context, s *session) ([]*object, error) {
	raws, err := s.all(ctx, call{service: serviceIdentity, path: "projects"}, "projects")
	if statusIs(err, http.StatusForbidden) {
		raws, err = s.all(ctx, call{service: serviceIdentity, path: pathOf("auth", "projects")}, "projects")
	}
	return readAll(k.read)(raws, err)
}

func (k projectKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(s.one(ctx, call{service: serviceIdentity, method: http.MethodGet, path: pathOf("projects", id)}, "project"))
}

// markedTags are those that are written, and the mark, which nothing that is written passes for.
func markedTags(w wanted) []string {
	others, _ := splitTags(w.list("tags"))
	return append(others, w.mark)
}

func (projectKind) late() []string { return []string{quotaAttribute} }

// complete asks for the quotas of the projects that write one, and of those that are looked up for theirs.
func (k projectKind) complete(ctx context.Context, s *session, projects []found) map[addr.Object]error {
	var limited []found
	for _, p := range projects {
		if p.concerns(quotaAttribute) {
			limited = append(limited, p)
		}
	}
	return readQuotas(ctx, s, k.schema.Attribute(quotaAttribute).Type, limited)
}

func (k projectKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := w.body(projectFields(), nil)
	body["name"] = w.named
	body["tags"] = markedTags(w)
	if body["domain_id"] == nil {
		body["domain_id"] = s.domain
	}
	o, err := readOne(k.read)(s.one(ctx, call{
		service: serviceIdentity, method: http.MethodPost, path: "projects", body: map[string]any{"project": body},
	}, "project"))
	if err == nil && w.written(quotaAttribute) != cty.NilVal {
		// A new project has the quotas of the cloud: what they are does not matter, as ours follow.
		var later []quotaPlace
		for _, place := range s.connector.quotas {
			if slices.Contains(w.unserved, place.keeper) && place.writes(w.written(quotaAttribute)) {
				later = append(later, place)
			}
		}
		o.values.set(quotaAttribute, fromMap(nil, k.schema.Attribute(quotaAttribute).Type.WithoutOptionalAttributesDeep()))
		o.lacks(later, nil)
	}
	return o, err
}

func (k projectKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := w.body(projectFields(), attributes)
	if slices.Contains(attributes, "name") {
		body["name"] = w.named
	}
	if len(body) > 0 {
		_, err := s.do(ctx, call{
			service: serviceIdentity, method: http.MethodPatch, path: pathOf("projects", o.id), body: map[string]any{"project": body},
		})
		if err != nil {
			return err
		}
	}
	have := listOf(o.values.get("tags"))
	if o.mark != "" {
		have = append(have, o.mark)
	}
	err := addTags(markedTags(w), have, func(tag string) error {
		_, err := s.do(ctx, call{service: serviceIdentity, method: http.MethodPut, path: pathOf("projects", o.id, "tags", tag)})
		return err
	})
	if err == nil {
		err = takeAway(w.drop["tags"], func(tag string) error {
			return s.erase(ctx, serviceIdentity, pathOf("projects", o.id, "tags", tag))
		})
	}
	if err != nil || !slices.Contains(attributes, quotaAttribute) {
		return err
	}
	return writeQuota(ctx, s, o, w)
}

// remove refuses while something is left in the project: what is not marked is somebody's, and
// would be out of everybody's reach; what is marked goes before the project and is on its way.
// What counts is in [session.projectContents], in each region of the catalogue as it is now. Keystone may refuse all the same, and then nothing of
// the project is missing: its default security group, which has the rules of those who use it, goes after it, see [trailing].
func (k projectKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	if options, _ := o.raw["options"].(map[string]any); options["immutable"] == true {
		return false, unit.Blocked("somebody has made the project immutable, so that Keystone deletes it for nobody: take that option off it first")
	}
	s, err = s.current(ctx)
	if err != nil {
		return false, err
	}
	for _, content := range s.projectContents(func(service string) bool { return s.listed(service) != "" }, o.id) {
		if err := content.mustBeEmpty(ctx, s, "the project"); err != nil {
			return false, err
		}
	}
	if err := s.cellsAnswer(ctx); err != nil {
		return false, err
	}
	if err := s.emptyInOtherRegions(ctx, o.id); err != nil {
		return false, err
	}
	if err := s.erase(ctx, serviceIdentity, pathOf("projects", o.id)); err != nil {
		return false, err
	}
	s.connector.forget(o.id)
	return false, s.ungrant(ctx, o.id)
}

// defaultGroup is Neutron's name for the security group that it gives each project, which no other group can have.
const defaultGroup = schema.DefaultGroup

func (projectKind) trail() string { return "default security group" }

// trails asks for the groups of all projects: Neutron makes one for a project that is asked for.
func (projectKind) trails(ctx context.Context, s *session, projects []string) ([]string, error) {
	if s.listed(serviceNetwork) == "" {
		return nil, nil
	}
	groups, err := s.all(ctx, call{
		service: serviceNetwork, path: "security-groups", query: url.Values{"name": {defaultGroup}, "fields": {"id", "project_id"}},
	}, "security_groups")
	if err != nil {
		return nil, fmt.Errorf("look for the default security group of a project that is gone: %w", err)
	}
	var there []string
	for _, group := range groups {
		if project := textAt(group, "project_id"); slices.Contains(projects, project) {
			there = append(there, project)
		}
	}
	return there, nil
}

// sweep leaves a group that something has been put into since.
func (projectKind) sweep(ctx context.Context, s *session, project string) error {
	if s.listed(serviceNetwork) == "" {
		return nil
	}
	groups, err := s.all(ctx, call{
		service: serviceNetwork, path: "security-groups", query: url.Values{"project_id": {project}, "name": {defaultGroup}},
	}, "security_groups")
	if err != nil {
		return err
	}
	for _, group := range groups {
		err := s.erase(ctx, serviceNetwork, pathOf("security-groups", textAt(group, "id")))
		if err != nil && !statusIs(err, http.StatusConflict) {
			return err
		}
	}
	return nil
}
