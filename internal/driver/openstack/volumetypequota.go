package openstack

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// typeQuota is the nested block of a volume type that says how much of it a project may have. Cinder keeps it with the
// other limits of the project, below names that have the type's in them, and has no list of those.
const typeQuota = "quota"

// typeLimits are the limits of a block, as Cinder calls them before the name of the type.
func typeLimits() []string { return []string{"volumes", "gigabytes", "snapshots"} }

// typeLimitKey is what Cinder calls a limit of a volume type.
func typeLimitKey(limit, volumeType string) string { return limit + "_" + volumeType }

// noLimit is what Cinder has for a limit that nobody has set.
const noLimit = -1

// completeQuotas fills in what projects may have of types, for those that are written or were, by one request for each
// project.
func (k volumeTypeKind) completeQuotas(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	failures := map[addr.Object]error{}
	nested := k.schema.Nested(typeQuota)
	limited := func(f found) []string {
		projects := append(nested.KeysOf(unmarked(attribute(f.want, typeQuota))), f.set[typeQuota]...)
		slices.Sort(projects)
		return slices.Compact(projects)
	}
	var all []string
	for _, f := range objects {
		all = append(all, limited(f)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	limits, refused := map[string]map[string]any{}, map[string]error{}
	for i, got := range abreast(len(all), func(i int) (map[string]any, error) {
		return s.one(ctx, call{service: s.volumes(), method: http.MethodGet, path: pathOf("os-quota-sets", all[i])}, "quota_set")
	}) {
		limits[all[i]], refused[all[i]] = got.value, got.err
	}
	for _, f := range objects {
		projects := limited(f)
		var blocks []cty.Value
		var failed error
		for _, project := range projects {
			if err := refused[project]; err != nil {
				failed = err
				break
			}
			block := map[string]any{"project": project}
			none := true
			for _, limit := range typeLimits() {
				n, told := limits[project][typeLimitKey(limit, f.object.title)].(json.Number)
				if told {
					block[limit] = n
				}
				none = none && (!told || n.String() == fmt.Sprint(noLimit))
			}
			if none && !slices.Contains(nested.KeysOf(unmarked(attribute(f.want, typeQuota))), project) {
				continue // there is nothing left to take away
			}
			blocks = append(blocks, fromMap(block, nested.ValueType().ElementType()))
		}
		if failed != nil {
			failed = fmt.Errorf("how much of it projects may have is not known: %w", failed)
			f.object.unseen, f.object.obscured = append(f.object.unseen, "cinder"), brief(failed.Error(), longestReason)
			failures[f.address] = failed
			continue
		}
		if len(projects) > 0 {
			f.object.values.set(typeQuota, collection(blocks, nested.ValueType()))
		}
	}
	return failures
}

// writeQuotas sets the limits that are wanted, and takes those away that were ours and are not wanted any more.
func (k volumeTypeKind) writeQuotas(ctx context.Context, s *session, o *object, w wanted) error {
	put := func(project string, limits map[string]any) error {
		_, err := s.do(ctx, call{
			service: s.volumes(), method: http.MethodPut, path: pathOf("os-quota-sets", project), body: map[string]any{"quota_set": limits},
		})
		return err
	}
	there := valuesIn(o.values.get(typeQuota))
	for _, v := range w.blocks(typeQuota) {
		if slices.ContainsFunc(there, func(h cty.Value) bool { return includes(v, h, true) }) {
			continue
		}
		limits := map[string]any{}
		for _, limit := range typeLimits() {
			maps.Copy(limits, wanted{value: v}.body([]field{{limit, typeLimitKey(limit, o.title)}}, nil))
		}
		if err := put(textOf(attribute(v, "project")), limits); err != nil {
			return err
		}
	}
	return takeAway(w.drop[typeQuota], func(project string) error {
		limits := map[string]any{}
		for _, limit := range typeLimits() {
			limits[typeLimitKey(limit, o.title)] = noLimit
		}
		return put(project, limits)
	})
}
