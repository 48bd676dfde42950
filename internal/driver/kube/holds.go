package kube

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// longestSays is how many characters of a condition's message are shown.
const longestSays = 300

// Holds tells whether a gate's object has its condition. What cannot be read is unknown, not refused; another
// attempt may succeed in either case.
func (c *Cluster) Holds(ctx context.Context, g unit.Check) unit.Answer {
	object, err := c.Confirm(ctx, g.Object)
	switch {
	case err != nil:
		return unit.Answer{Reach: unit.ReachUnknown, Message: fmt.Sprintf("%s: %v", g, err)}
	case object == nil:
		return unit.Answer{Reach: unit.ReachRefuses, Message: fmt.Sprintf("%s: there is no such object", g)}
	}
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil {
		return unit.Answer{Reach: unit.ReachRefuses, Message: fmt.Sprintf("%s: it has no conditions", g)}
	}
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		if text(condition, "type") != g.Condition {
			continue
		}
		status := text(condition, "status")
		switch {
		case !current(object, condition):
			return unit.Answer{Reach: unit.ReachRefuses, Message: fmt.Sprintf("%s is %s of what the object was before it was changed", g, status)}
		case status == "True":
			return unit.Answer{Reach: unit.ReachAnswers}
		}
		message := fmt.Sprintf("%s is %s", g, status)
		if reason := text(condition, "reason"); reason != "" {
			message += ": " + reason
		}
		return unit.Answer{Reach: unit.ReachRefuses, Message: message, Detail: text(condition, "message")}
	}
	return unit.Answer{Reach: unit.ReachRefuses, Message: fmt.Sprintf("%s is not told yet", g)}
}

// current tells whether a condition is about the object as it is now, as far as that, or the status as a whole, says.
func current(object *unstructured.Unstructured, condition map[string]any) bool {
	observed, ok, _ := unstructured.NestedInt64(condition, "observedGeneration")
	if !ok {
		observed, ok, _ = unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	}
	return !ok || observed >= object.GetGeneration()
}

// text returns a field of a condition in one line.
func text(condition map[string]any, field string) string {
	value, _ := condition[field].(string)
	value = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(value, ""), func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) }), " ")
	if runes := []rune(value); len(runes) > longestSays {
		value = string(runes[:longestSays]) + "…"
	}
	return value
}
