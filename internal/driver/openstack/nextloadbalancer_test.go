package openstack

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// loadBalancerKind knows the load balancers of all projects. Each change takes a while, and meanwhile Octavia takes no other.
type loadBalancerKind struct{ schema *schema.Block }

const (
	serviceBalancer  = "load-balancer"
	pathBalancers    = "lbaas/loadbalancers"
	keyBalancer      = "loadbalancer"
	balancerPause    = time.Millisecond
	statusOfBalancer = "provisioning_status"
)

func (k loadBalancerKind) name() string         { return k.schema.Kind }
func (k loadBalancerKind) marks() bool          { return true }
func (k loadBalancerKind) block() *schema.Block { return k.schema }
func (k loadBalancerKind) cost() string         { return "its address changes unless one is written" }

func (k loadBalancerKind) fields() []field {
	return []field{{"subnet", "vip_subnet_id"}, {"address", "vip_address"}, {"enabled", "admin_state_up"}}
}

func (k loadBalancerKind) read(raw map[string]any) *object {
	text, mark := splitMark(textAt(raw, keyDescription))
	o := &object{id: textAt(raw, "id"), title: textAt(raw, "name"), project: textAt(raw, "project_id"), mark: mark, raw: raw}
	o.scope, o.values = o.project, readFields(k.schema, k.fields(), raw)
	for name, v := range map[string]string{"id": o.id, "name": o.title, "project": o.project, keyDescription: text} {
		o.values.set(name, cty.StringVal(v))
	}
	switch status := textAt(raw, statusOfBalancer); status {
	case "ACTIVE":
	case "ERROR":
		o.health, o.message = unit.HealthFailed, "Octavia says that the load balancer is in the state ERROR; see the log of the service"
	default:
		o.health, o.after, o.message = unit.HealthProgressing, balancerPause, "Octavia says that the load balancer is in the state "+status
		o.busy, o.going, o.partial = o.message, status == "PENDING_DELETE", status == "PENDING_CREATE"
	}
	return o
}

func (k loadBalancerKind) list(ctx context.Context, s *session) ([]*object, error) {
	return readAll(k.read)(s.all(ctx, call{service: serviceBalancer, path: pathBalancers}, "loadbalancers"))
}

func (k loadBalancerKind) get(ctx context.Context, s *session, id string) (*object, error) {
	return readOne(k.read)(s.one(ctx, call{service: serviceBalancer, method: http.MethodGet, path: pathBalancers + "/" + pathOf(id)}, keyBalancer))
}

func (k loadBalancerKind) create(ctx context.Context, s *session, w wanted) (*object, error) {
	body := w.body(k.fields(), nil)
	body["name"], body["project_id"], body[keyDescription] = w.named, w.project, joinMark(w.text(keyDescription), w.mark)
	return readOne(k.read)(s.one(ctx, call{service: serviceBalancer, method: http.MethodPost, path: pathBalancers, body: map[string]any{keyBalancer: body}}, keyBalancer))
}

func (k loadBalancerKind) update(ctx context.Context, s *session, o *object, w wanted, attributes []string) error {
	body := w.body(append(k.fields(), field{"name", "name"}), attributes)
	if description, changed := newDescription(o, w, attributes); changed {
		body[keyDescription] = description
	}
	_, err := s.do(ctx, call{service: serviceBalancer, method: http.MethodPut, path: pathBalancers + "/" + pathOf(o.id), body: map[string]any{keyBalancer: body}})
	if statusIs(err, http.StatusConflict) { // something has begun since it was looked at
		return &unit.RetryError{After: balancerPause, Err: err}
	}
	return err
}

func (k loadBalancerKind) remove(ctx context.Context, s *session, o *object) (lasting bool, err error) {
	return true, s.erase(ctx, serviceBalancer, pathBalancers+"/"+pathOf(o.id))
}

func (k loadBalancerKind) contents(project string) content {
	return content{
		call: call{service: serviceBalancer, path: pathBalancers, query: url.Values{"project_id": {project}}}, key: "loadbalancers", mark: markInDescription,
	}
}
