package openstack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

const quotaAttribute = "quota"

// quotaPlace is the service that keeps some limits of a project.
type quotaPlace struct {
	keeper  string // as the configuration calls it
	service string // "" for that of volumes, whose name differs
	list    string // of the projects that have limits of their own; "" where the API has none
	path    func(project string) string
	used    func(project string) (path string, query url.Values) // where it tells what is taken of them; nil for nowhere
	key     string                                               // "" is the whole answer, or request
	set     string                                               // the method of requests that set limits; "" is PUT
	with    func(call) call                                      // what requests have besides, such as a microversion; nil for nothing
	limits  []field
}

// limiting is a kind whose service keeps limits of projects because of it.
type limiting interface {
	// limits is where. Of several kinds of one service one has to say how it is asked, and all that theirs are.
	limits() quotaPlace
}

// commonQuotas are those of the services that every cloud has, and of that for volumes.
func commonQuotas() []quotaPlace {
	return []quotaPlace{
		{
			keeper: "nova", service: serviceCompute, key: "quota_set", path: func(project string) string { return pathOf("os-quota-sets", project) },
			used: func(project string) (string, url.Values) { return pathOf("os-quota-sets", project, "detail"), nil },
			limits: []field{
				{"instances", "instances"},
				{"cores", "cores"},
				{"ram", "ram"},
				{"key_pairs", "key_pairs"},
				{"metadata_items", "metadata_items"},
				{"server_groups", "server_groups"},
				{"server_group_members", "server_group_members"},
			},
		},
		{
			keeper: "neutron", service: serviceNetwork, key: "quota", list: "quotas", path: func(project string) string { return pathOf("quotas", project) },
			used: func(project string) (string, url.Values) { return pathOf("quotas", project, "details.json"), nil },
			limits: []field{
				{"networks", "network"},
				{"subnets", "subnet"},
				{"routers", "router"},
				{"ports", "port"},
				{"floating_ips", "floatingip"},
				{"security_groups", "security_group"},
				{"security_group_rules", "security_group_rule"},
				{"subnet_pools", "subnetpool"},
				{"rbac_policies", "rbac_policy"},
				{"trunks", "trunk"},
			},
		},
		{
			keeper: "cinder", key: "quota_set", path: func(project string) string { return pathOf("os-quota-sets", project) },
			used: func(project string) (string, url.Values) {
				return pathOf("os-quota-sets", project), url.Values{"usage": {"True"}}
			},
			limits: []field{
				{"volumes", "volumes"},
				{"snapshots", "snapshots"},
				{"gigabytes", "gigabytes"},
				{"per_volume_gigabytes", "per_volume_gigabytes"},
				{"backups", "backups"},
				{"backup_gigabytes", "backup_gigabytes"},
			},
		},
	}
}

// at is the name of the service in the catalogue of a session.
func (p quotaPlace) at(s *session) string {
	if p.service == "" {
		return s.volumes()
	}
	return p.service
}

func (p quotaPlace) call(s *session, method, path string) call {
	c := call{service: p.at(s), method: method, path: path}
	if p.with != nil {
		c = p.with(c)
	}
	return c
}

// writes tells whether a quota has limits that are kept there; one that is not known yet may have.
func (p quotaPlace) writes(quota cty.Value) bool {
	quota = unmarked(quota)
	return !quota.IsKnown() || slices.ContainsFunc(p.limits, func(f field) bool { return attribute(quota, f.attribute) != cty.NilVal })
}

// concerns tells whether what is kept there of a project has to be known. What a cloud does not have has no limits.
func (p quotaPlace) concerns(s *session, project found) bool {
	return p.writes(attribute(project.want, quotaAttribute)) || project.used(quotaAttribute) && s.listed(p.at(s)) != ""
}

// readQuotas fills in the limits of projects that write some, as far as these are kept where written
// ones are. It returns why that failed, by project: what keeps limits that a project does not write
// does not concern it. A service that is not up yet is not asked.
func readQuotas(ctx context.Context, s *session, t cty.Type, projects []found) map[addr.Object]error {
	limits, failures := map[string]map[string]any{}, map[addr.Object]error{}
	unseen := map[addr.Object][]quotaPlace{}
	for _, place := range s.connector.quotas {
		var concerned []found
		for _, p := range projects {
			switch {
			case !place.concerns(s, p):
			case slices.Contains(p.unserved, place.keeper):
				unseen[p.address] = append(unseen[p.address], place)
			default:
				concerned = append(concerned, p)
			}
		}
		for a, err := range place.read(ctx, s, concerned, limits) {
			unseen[a] = append(unseen[a], place)
			failures[a] = errors.Join(failures[a], err)
		}
	}
	for _, p := range projects {
		p.object.values.set(quotaAttribute, fromMap(limits[p.object.id], t.WithoutOptionalAttributesDeep()))
		p.object.lacks(unseen[p.address], failures[p.address])
		if p.looked != nil && failures[p.address] != nil { // whoever refers to it waits, and nothing else does
			p.object.after = missedPause
			delete(failures, p.address)
		}
	}
	return failures
}

// lacks says that limits of a project could not be seen, and why; nil when that is only because they are
// kept where nothing is yet. These are unknown then.
func (o *object) lacks(places []quotaPlace, err error) {
	if len(places) == 0 {
		return
	}
	limits := o.values.get(quotaAttribute).AsValueMap()
	for _, place := range places {
		o.unseen = append(o.unseen, place.keeper)
		for _, f := range place.limits {
			limits[f.attribute] = cty.UnknownVal(limits[f.attribute].Type())
		}
	}
	o.values.set(quotaAttribute, cty.ObjectVal(limits))
	o.obscured = "its limits are set once these are ready: " + strings.Join(o.unseen, ", ")
	if err != nil {
		o.obscured = brief("observe its quota: "+err.Error(), longestReason)
	}
}

// read adds the limits of projects, by project and attribute. It returns whose limits could not be read.
func (p quotaPlace) read(ctx context.Context, s *session, projects []found, into map[string]map[string]any) map[addr.Object]error {
	if len(projects) == 0 {
		return nil
	}
	failures := map[addr.Object]error{}
	listed, err := p.listed(ctx, s)
	lacking := slices.DeleteFunc(slices.Clone(projects), func(f found) bool { return listed[f.object.id] != nil })
	ask := func(open []found) []answer[[]json.Number] { return p.ask(ctx, s, open, listed != nil, err) }
	add := func(id string, limits []json.Number) {
		if into[id] == nil {
			into[id] = map[string]any{}
		}
		for i, f := range p.limits {
			if limits[i] != "" {
				into[id][f.attribute] = limits[i]
			}
		}
	}
	var told []answer[[]json.Number]
	if listed == nil {
		told = remembered(s, lacking, quotaAttribute, p.keeper, ask)
	} else {
		told = ask(lacking)
	}
	for i, got := range told {
		if got.err != nil {
			failures[lacking[i].address] = got.err
			continue
		}
		add(lacking[i].object.id, got.value)
	}
	for _, project := range projects {
		if raw := listed[project.object.id]; raw != nil {
			add(project.object.id, p.told(raw))
		}
	}
	return failures
}

// told are the limits in an answer, in the order of [quotaPlace.limits]; "" where nothing is told.
func (p quotaPlace) told(raw map[string]any) []json.Number {
	limits := make([]json.Number, len(p.limits))
	for i, f := range p.limits {
		limits[i], _ = raw[f.key].(json.Number)
	}
	return limits
}

// ask returns the limits of projects that no list has. Those that a list lacks have what all have, which one request tells for
// several. Otherwise each is asked for by itself, but once the service does not answer it is not asked again for the others:
// hence the first goes ahead.
func (p quotaPlace) ask(ctx context.Context, s *session, projects []found, common bool, down error) []answer[[]json.Number] {
	path := func(i int) string { return p.path(projects[i].object.id) }
	if common && down == nil && len(projects) > 1 {
		raw, err := s.one(ctx, p.call(s, http.MethodGet, path(0)+"/default"), p.key)
		if err == nil {
			return abreast(len(projects), func(int) ([]json.Number, error) { return p.told(raw), nil })
		}
		if !answered(err) {
			down = err
		}
	}
	var off atomic.Pointer[error] // why the service is not asked any more
	if down != nil {
		off.Store(&down)
	}
	one := func(i int) ([]json.Number, error) {
		if err := off.Load(); err != nil {
			return nil, *err
		}
		raw, err := s.one(ctx, p.call(s, http.MethodGet, path(i)), p.key)
		if err != nil && !answered(err) {
			off.CompareAndSwap(nil, &err)
		}
		return p.told(raw), err
	}
	ahead := abreast(min(1, len(projects)), one)
	return append(ahead, abreast(len(projects)-len(ahead), func(i int) ([]json.Number, error) { return one(len(ahead) + i) })...)
}

// answered tells of an error whether it is the service's answer about the one thing that was asked for:
// it may answer otherwise about the next one.
func answered(err error) bool {
	var answer *apiError
	if !errors.As(err, &answer) {
		return false
	}
	switch answer.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return false
	default:
		return true
	}
}

// listed returns what the list has by project: nothing where there is none, or not for our user.
func (p quotaPlace) listed(ctx context.Context, s *session) (map[string]map[string]any, error) {
	if p.list == "" {
		return nil, nil
	}
	raws, err := s.all(ctx, p.call(s, "", p.list), p.list)
	if statusIs(err, http.StatusForbidden) {
		return nil, nil
	}
	byProject := map[string]map[string]any{}
	for _, raw := range raws {
		byProject[first(textAt(raw, "project_id"), textAt(raw, "tenant_id"))] = raw
	}
	return byProject, err
}

// writeQuota sets the limits that are written, but for those that could not be seen; the others stay.
func writeQuota(ctx context.Context, s *session, o *object, w wanted) error {
	limits, _ := w.plain(quotaAttribute).(map[string]any)
	for _, place := range s.connector.quotas {
		if slices.Contains(o.unseen, place.keeper) {
			continue
		}
		body := map[string]any{}
		for _, f := range place.limits {
			if limit := limits[f.attribute]; limit != nil {
				body[f.key] = limit
			}
		}
		if len(body) == 0 {
			continue
		}
		c := place.call(s, cmp.Or(place.set, http.MethodPut), place.path(o.id))
		if c.body = body; place.key != "" {
			c.body = map[string]any{place.key: body}
		}
		if _, err := s.do(ctx, c); err != nil {
			return err
		}
	}
	return nil
}
