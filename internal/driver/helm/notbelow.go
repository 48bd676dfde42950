package helm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// versionTag is a tag that begins with a version, as 4.3.5-management does, and no date or name.
var versionTag = regexp.MustCompile(`^v?([0-9]{1,2}\.[0-9]+)`)

// goesBelow says which program that keeps data would get a version that cannot be relied on to read it, by the tags of images; ""
// for none, or where these tell no version. What runs is what the revision in force has, wherever that was written. An upgrade
// that failed since may have started the version that it was to bring, and that may have converted what is kept.
func (r *revision) goesBelow(next []*unstructured.Unstructured, containers []string) string {
	if r == nil || len(containers) == 0 {
		return ""
	}
	runs, tried := map[unit.ObjectRef]map[string]string{}, map[unit.ObjectRef][]map[string]string{}
	for _, h := range r.inForce {
		ref := refOf(h.object)
		runs[ref] = versionsOf(h.object, containers)
		for _, version := range h.tried {
			tried[ref] = append(tried[ref], versionsOf(version, containers))
		}
	}
	for _, object := range next {
		ref := refOf(object)
		for name, is := range versionsOf(object, containers) {
			switch was := runs[ref][name]; unit.VersionStepOf(was, is) {
			case unit.VersionDown:
				return fmt.Sprintf("%s runs %s of %s, and an older version (%s) cannot be relied on to read what it wrote: write the version that runs, or a newer one", ref, was, name, is)
			case unit.VersionSkips:
				return fmt.Sprintf("%s runs %s of %s, and what it keeps is converted by one major version after the other: write a version of the next one before %s", ref, was, name, is)
			case unit.VersionStays:
			}
			for _, versions := range tried[ref] {
				if to := versions[name]; unit.VersionStepOf(to, is) == unit.VersionDown {
					return fmt.Sprintf("an upgrade of %s to %s of %s failed and may have converted what it keeps, which an older version (%s) cannot be relied on to read: write %s, or a newer version; if no pod of that upgrade ever started, delete the Secrets of the revisions that failed since (the last one is %s) instead", ref, to, name, is, to, r.secret)
				}
			}
		}
	}
	return ""
}

// versionsOf are the versions of containers of a StatefulSet, as far as their images tell.
func versionsOf(object *unstructured.Unstructured, containers []string) map[string]string {
	found := map[string]string{}
	if object.GetKind() != kindStatefulSet {
		return found
	}
	list, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
	for _, item := range list {
		container, _ := item.(map[string]any)
		name, _ := container["name"].(string)
		image, _ := container["image"].(string)
		image, _, _ = strings.Cut(image, "@")
		_, tag, _ := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
		if version := versionTag.FindStringSubmatch(tag); version != nil && slices.Contains(containers, name) {
			found[name] = version[1]
		}
	}
	return found
}
