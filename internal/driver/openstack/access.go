package openstack

import (
	"context"
	"fmt"
	"net/http"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// accessAttribute are the projects that can use what is not public.
const accessAttribute = "access"

// access is how an API tells and changes which projects can use an object. No list has that, so that each object
// that says who costs a request of its own.
type access struct {
	keeper     string // the service, as it is known by its name
	service    func(*session) string
	collection string // the path of the objects
	list       string // the path below an object
	key        string // of the answer
	add, take  string // the actions
	argument   string // the key of the project in an action
}

func flavorAccessPlace() access {
	return access{
		keeper: "nova", service: func(*session) string { return serviceCompute }, collection: "flavors", list: "os-flavor-access", key: "flavor_access",
		add: "addTenantAccess", take: "removeTenantAccess", argument: "tenant",
	}
}

func volumeTypeAccess() access {
	return access{
		keeper: "cinder", service: (*session).volumes, collection: "types", list: "os-volume-type-access", key: "volume_type_access",
		add: "addProjectAccess", take: "removeProjectAccess", argument: "project",
	}
}

// complete reads who can use the objects that not everybody can, of those that write it, or for which we have let somebody
// in, and where everything is asked for. No list says it.
func (a access) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	failures := map[addr.Object]error{}
	var private []found
	for _, f := range objects {
		if public := f.object.values.get("public"); public == cty.NilVal || public.IsNull() || public.True() {
			continue
		}
		if f.whole || f.concerns(accessAttribute) {
			private = append(private, f)
		}
	}
	for i, got := range remembered(s, private, accessAttribute, a.keeper, func(open []found) []answer[[]string] {
		return abreast(len(open), func(i int) ([]string, error) { return a.who(ctx, s, open[i].object) })
	}) {
		f, o := private[i], private[i].object
		if err := got.err; err != nil {
			f.miss(failures, a.keeper, fmt.Errorf("which projects can use it is not known: %w", err), accessAttribute)
			continue
		}
		o.values.set(accessAttribute, texts(got.value, cty.Set(cty.String)))
	}
	return failures
}

// who asks which projects can use an object.
func (a access) who(ctx context.Context, s *session, o *object) (projects []string, err error) {
	raws, err := s.whole(ctx, call{service: a.service(s), path: pathOf(a.collection, o.id, a.list)}, a.key)
	for _, raw := range raws {
		projects = append(projects, first(textAt(raw, "tenant_id"), textAt(raw, "project_id")))
	}
	return projects, err
}

// follows notes of a new object that no project can use it yet: no creating request takes those that can.
func (a access) follows(o *object, w wanted) {
	if w.written(accessAttribute) != cty.NilVal {
		o.values.set(accessAttribute, cty.SetValEmpty(cty.String))
	}
}

// act lets a project in, or takes it out.
func (a access) act(ctx context.Context, s *session, o *object, action, project string) error {
	_, err := s.do(ctx, call{
		service: a.service(s), method: http.MethodPost, path: pathOf(a.collection, o.id, "action"),
		body: map[string]any{action: map[string]any{a.argument: project}},
	})
	return err
}

// let lets projects in that are wanted.
func (a access) let(ctx context.Context, s *session, o *object, w wanted) error {
	return addTags(w.list(accessAttribute), listOf(o.values.get(accessAttribute)), func(project string) error {
		if err := a.act(ctx, s, o, a.add, project); !statusIs(err, http.StatusConflict) { // it can already
			return err
		}
		return nil
	})
}

// withdraw takes projects of ours out that are not wanted any more. That comes before an object becomes public: then the
// services refuse it, yet keep who could use it, and let them in again when it is not public any more.
func (a access) withdraw(ctx context.Context, s *session, o *object, w wanted) error {
	return takeAway(w.drop[accessAttribute], func(project string) error {
		if err := a.act(ctx, s, o, a.take, project); !notFound(err) {
			return err
		}
		return nil
	})
}
