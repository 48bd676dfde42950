package openstack

import (
	"context"
	"fmt"
	"maps"
	"net/url"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const sharedAttribute, externalAttribute = "shared", "external"

// sharedWithAll finds out whether what Neutron shows as shared is so for every project, of objects that write it and where
// everything is asked for: it shows administrators, too, what a right shares with the project of who asks
// (is_network_shared in neutron/objects/rbac_db.py). Others than administrators are told of no right of others, and write no
// such attribute.
func (n neutron) sharedWithAll(ctx context.Context, s *session, objects []found, called string) map[addr.Object]error {
	failures := map[addr.Object]error{}
	var shown []found
	for _, f := range objects {
		if s.administrates() && showsShared(f.object) && (f.whole || writesShared(f.want, f.object)) {
			shown = append(shown, f)
		}
	}
	for i, got := range remembered(s, shown, sharedAttribute, "neutron", func(open []found) []answer[bool] {
		return withAll(ctx, s, open, called, "access_as_shared")
	}) {
		f, o := shown[i], shown[i].object
		switch err := got.err; {
		case err == nil:
			o.values.set(sharedAttribute, cty.BoolVal(got.value))
		case !notFound(err): // there are clouds without such rights
			err = fmt.Errorf("whether every project can use it is not known: %w", err)
			o.values.drop(sharedAttribute)
			o.unseen, o.obscured = append(o.unseen, "neutron"), brief(err.Error(), longestReason)
			failures[f.address] = err
		}
	}
	return failures
}

// showsShared tells what Neutron shows of an object, as long as nothing else is known.
func showsShared(o *object) bool {
	is := o.values.get(sharedAttribute)
	return is != cty.NilVal && !is.IsNull() && is.True()
}

func writesShared(want cty.Value, o *object) bool {
	return showsShared(o) && attribute(want, sharedAttribute) != cty.NilVal
}

// withAll asks which objects every project has a right to.
func withAll(ctx context.Context, s *session, objects []found, called, action string) []answer[bool] {
	answers, ids, there := make([]answer[bool], len(objects)), make([]string, len(objects)), map[string]bool{}
	for i, f := range objects {
		ids[i] = f.object.id
	}
	var failure error
	for _, some := range portions(ids) {
		query := url.Values{"fields": {"id", "object_id"}, "object_type": {called}, "action": {action}, "target_tenant": {"*"}, "object_id": some}
		raws, err := s.all(ctx, call{service: serviceNetwork, path: "rbac-policies", query: query}, "rbac_policies")
		if err != nil {
			failure = err
			break
		}
		for _, raw := range raws {
			there[textAt(raw, "object_id")] = true
		}
	}
	for i, id := range ids {
		answers[i] = answer[bool]{value: there[id], err: failure}
	}
	return answers
}

func (networkKind) completes(want cty.Value, o *object) bool      { return writesShared(want, o) }
func (qosPolicyKind) completes(want cty.Value, o *object) bool    { return writesShared(want, o) }
func (subnetPoolKind) completes(want cty.Value, o *object) bool   { return writesShared(want, o) }
func (addressScopeKind) completes(want cty.Value, o *object) bool { return writesShared(want, o) }

func (k networkKind) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	failures := k.sharedWithAll(ctx, s, objects, "network")
	maps.Copy(failures, k.externalForAll(ctx, s, objects))
	return failures
}

// externalForAll leaves out, where everything is asked for, that a network is external where no right lets every project use
// it as such: Neutron makes it so with the first right of a single project, and gives all that right where the attribute is
// written (external_net_db.py). The rights of single projects are objects of their own.
func (k networkKind) externalForAll(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	failures := map[addr.Object]error{}
	var shown []found
	for _, f := range objects {
		is := f.object.values.get(externalAttribute)
		if f.whole && s.administrates() && is != cty.NilVal && !is.IsNull() && is.True() {
			shown = append(shown, f)
		}
	}
	for i, got := range withAll(ctx, s, shown, "network", "access_as_external") {
		switch {
		case got.err == nil && !got.value:
			shown[i].object.values.drop(externalAttribute)
		case got.err != nil && !notFound(got.err):
			failures[shown[i].address] = got.err
		}
	}
	return failures
}

func (k qosPolicyKind) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	return k.sharedWithAll(ctx, s, objects, "qos_policy")
}

func (k subnetPoolKind) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	return k.sharedWithAll(ctx, s, objects, "subnetpool")
}

// complete keeps what Neutron shows, which goes by it when it shares a scope with all: see hindrance.
func (k addressScopeKind) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	shown := map[*object]bool{}
	for _, f := range objects {
		shown[f.object] = showsShared(f.object)
	}
	failures := k.sharedWithAll(ctx, s, objects, "address_scope")
	for _, f := range objects {
		is := f.object.values.get(sharedAttribute)
		f.object.detail = sharedWithUs(shown[f.object] && is != cty.NilVal && is.False())
	}
	return failures
}

// sharedWithUs says that an address scope is shared with our project, and not with every one.
type sharedWithUs bool

// hindrance is that Neutron takes a scope for shared already.
func (addressScopeKind) hindrance(_ cty.Value, o *object, fields []unit.Field) (problem string, held []string) {
	us, _ := o.detail.(sharedWithUs)
	for _, f := range fields {
		if bool(us) && f.Path == sharedAttribute {
			return "a right shares it with our own project, and as long as that is so Neutron shares it with no other by this attribute: take the right away, or write an rbac_policy with target = \"*\" in its place", []string{sharedAttribute}
		}
	}
	return "", nil
}
