package openstack

import (
	"net/url"
	"slices"
)

// furtherContents are those of services that not every cloud has, which show an administrator what is in all projects.
// What no kind is of bears no mark, and is somebody's.
func furtherContents(serves func(service string) bool, project string) []content {
	elsewhere := func(raw map[string]any) bool { // where a filter is not known
		in := textAt(raw, "project_id")
		return in != "" && in != project
	}
	everywhere := func() url.Values { // in the order in which they came, as pages begin at a number
		return url.Values{"all_tenants": {"1"}, "project_id": {project}, "sort_key": {"created_at"}, "sort_dir": {"asc"}}
	}
	var contents []content
	add := func(types []string, all ...content) {
		i := slices.IndexFunc(types, serves)
		if i < 0 { // a service that is not in the catalogue has nothing
			return
		}
		for _, c := range all {
			c.call.service = types[i]
			contents = append(contents, c)
		}
	}
	add(
		[]string{"sharev2", "shared-file-system"},
		content{call: call{path: pathOf("shares", "detail"), query: everywhere(), turns: byNumber}, key: "shares", mark: markInMetadata, ignore: elsewhere},
		content{call: call{path: pathOf("share-networks", "detail"), query: everywhere(), turns: byNumber}, key: "share_networks", mark: unmarkable, ignore: elsewhere},
	)
	add([]string{"dns"}, content{
		call: call{path: "zones", header: map[string]string{"X-Auth-Sudo-Project-ID": project}}, key: "zones", ignore: elsewhere,
		mark: func(zone map[string]any) string {
			if textAt(zone, "action") == "DELETE" {
				return textAt(zone, "id") // whosever it is, nobody has to delete it any more
			}
			return markInDescription(zone)
		},
	})
	add([]string{"load-balancer"}, content{
		call: call{path: pathOf("lbaas", "loadbalancers"), query: url.Values{"project_id": {project}}}, key: "loadbalancers", mark: markInDescription, ignore: elsewhere,
	})
	for _, many := range []string{"clusters", "clustertemplates"} {
		add([]string{"container-infra"}, content{ // Magnum does not filter them, and tells only in detail whose they are
			call: call{path: pathOf(many, "detail"), known: "uuid"}, key: many, mark: unmarkable,
			ignore: func(raw map[string]any) bool { return textAt(raw, "project_id") != project },
		})
	}
	return contents
}
