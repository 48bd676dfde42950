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

// completeQuotas fills in what projects may have of types, for those that are written or were, and for all projects of
// types that are looked up for that.
func (k volumeTypeKind) completeQuotas(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	failures := map[addr.Object]error{}
	nested := k.schema.Nested(typeQuota)
	limited := slices.DeleteFunc(slices.Clone(objects), func(f found) bool { return len(k.limited(f)) == 0 && !f.used(typeQuota) })
	for i, got := range remembered(s, limited, typeQuota, "cinder", func(open []found) []answer[projectLimits] {
		return k.askQuotas(ctx, s, open)
	}) {
		f := limited[i]
		if got.err != nil {
			f.miss(failures, "cinder", fmt.Errorf("how much of it projects may have is not known: %w", got.err), typeQuota)
			continue
		}
		var blocks []cty.Value
		for _, project := range slices.Sorted(maps.Keys(got.value)) {
			block := map[string]any{"project": project}
			none := true
			for at, limit := range typeLimits() {
				n := got.value[project][at]
				if n != "" {
					block[limit] = n
				}
				none = none && (n == "" || n.String() == fmt.Sprint(noLimit))
			}
			if none && !slices.Contains(nested.KeysOf(unmarked(attribute(f.want, typeQuota))), project) {
				continue // there is nothing left to take away
			}
			blocks = append(blocks, fromMap(block, nested.ValueType().ElementType()))
		}
		f.object.values.set(typeQuota, collection(blocks, nested.ValueType()))
	}
	return failures
}

// projectLimits are what projects may have of a type, by the project and in the order of [typeLimits]; "" where nothing is told.
type projectLimits map[string][]json.Number

// limited are the projects whose limits are written of a type, or were.
func (k volumeTypeKind) limited(f found) []string {
	projects := append(k.schema.Nested(typeQuota).KeysOf(unmarked(attribute(f.want, typeQuota))), f.set[typeQuota]...)
	slices.Sort(projects)
	return slices.Compact(projects)
}

// askQuotas asks for the limits of types, by one request for each project.
func (k volumeTypeKind) askQuotas(ctx context.Context, s *session, types []found) []answer[projectLimits] {
	answers, limited := make([]answer[projectLimits], len(types)), make([][]string, len(types))
	var all, projects []string
	var unlisted error
	if slices.ContainsFunc(types, func(f found) bool { return f.used(typeQuota) }) {
		projects, unlisted = allProjects(ctx, s)
	}
	for i, f := range types {
		if limited[i] = k.limited(f); f.used(typeQuota) {
			limited[i], answers[i].err = projects, unlisted
		}
		all = append(all, limited[i]...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	asked := abreast(len(all), func(i int) (map[string]any, error) {
		return s.one(ctx, call{service: s.volumes(), method: http.MethodGet, path: pathOf("os-quota-sets", all[i])}, "quota_set")
	})
	for i, f := range types {
		limits := projectLimits{}
		for _, project := range limited[i] {
			at, _ := slices.BinarySearch(all, project)
			if answers[i].err = asked[at].err; answers[i].err != nil {
				break
			}
			for _, limit := range typeLimits() {
				n, _ := asked[at].value[typeLimitKey(limit, f.object.title)].(json.Number)
				limits[project] = append(limits[project], n)
			}
		}
		answers[i].value = limits
	}
	return answers
}

// allProjects are the ids of all projects.
func allProjects(ctx context.Context, s *session) ([]string, error) {
	raws, err := s.all(ctx, call{service: serviceIdentity, path: "projects"}, "projects")
	ids := make([]string, len(raws))
	for i, raw := range raws {
		ids[i] = textAt(raw, "id")
	}
	return ids, err
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
