package helm

import (
	"context"
	"fmt"
	"slices"

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

// idleRules tells of each rule that no object of the release has a field for: it may have been misspelt.
func (d *Driver) idleRules(v *view) []string {
	if v.want == nil || v.newest == nil || v.outdated() {
		return nil
	}
	var idle []string
	for _, rule := range v.rules() {
		if text := d.idleRule(v, rule); text != "" && !slices.Contains(idle, text) {
			idle = append(idle, text)
		}
	}
	return idle
}

// idleRule says what is missing for a rule, "" for nothing.
func (d *Driver) idleRule(v *view, rule unit.DriftRule) string {
	named := false
	for _, object := range v.newest.objects {
		if !about(rule, object) {
			continue
		}
		named = true
		live := v.live[refOf(object)]
		if d.cluster.HasField(object, rule.Path) || live != nil && d.cluster.HasField(live, rule.Path) {
			return ""
		}
	}
	what := rule.Kind
	if rule.Name != "" {
		what += " " + rule.Name
	}
	if !named {
		return fmt.Sprintf("ignore_drift is about %s, and the release has no such object", what)
	}
	return fmt.Sprintf("ignore_drift is about %s of %s, which has no such field", rule.Path, what)
}
