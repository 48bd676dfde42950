package helm

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// yielded is controlled with the fields as well that the configuration leaves to others.
func (d *Driver) yielded(ctx context.Context, v *view, desired, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	paths, err := d.controlledPaths(ctx, v, desired, live)
	if err != nil {
		return nil, err
	}
	for _, rule := range v.rules() {
		if about(rule, desired) {
			paths = append(paths, rule.Path)
		}
	}
	if len(paths) == 0 {
		return desired, nil
	}
	return d.cluster.Yield(desired, live, paths), nil
}

// rules returns the fields that the configuration leaves to others.
func (v *view) rules() []unit.DriftRule {
	if spec, ok := v.target.Spec.(*unit.Release); ok && spec != nil {
		return spec.IgnoreDrift
	}
	return nil
}

func about(rule unit.DriftRule, object *unstructured.Unstructured) bool {
	return rule.Kind == object.GetKind() && (rule.Name == "" || rule.Name == object.GetName())
}

// idleRules tells of a rule that no object of the release has a field for: it may have been misspelt. "" for
// none.
func (d *Driver) idleRules(v *view) string {
	if v.want == nil || v.newest == nil || v.outdated() {
		return ""
	}
	for _, rule := range v.rules() {
		named, found := false, false
		for _, object := range v.newest.objects {
			if !about(rule, object) {
				continue
			}
			live := v.live[refOf(object)]
			named = true
			found = found || d.cluster.HasField(object, rule.Path) || live != nil && d.cluster.HasField(live, rule.Path)
		}
		what := rule.Kind
		if rule.Name != "" {
			what += " " + rule.Name
		}
		switch {
		case !named:
			return fmt.Sprintf("ignore_drift is about %s, and the release has no such object", what)
		case !found:
			return fmt.Sprintf("ignore_drift is about %s of %s, which has no such field", rule.Path, what)
		}
	}
	return ""
}
