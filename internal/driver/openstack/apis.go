package openstack

import "github.com/kupenstack/kupenstack-sync/schema"

// housed is a kind of a service that is known whatever kinds there are: see [served] for the others.
type housed interface {
	// api is the service, by a type of the catalogue.
	api() string
}

// APIOf returns what tells which service has a kind, by a type of the catalogue: "" for what is asked of several.
func APIOf(language *schema.Definition) func(kind string) string {
	apis := map[string]string{}
	for _, k := range kinds(language, nil, nil) {
		apis[k.name()] = apiOf(k)
	}
	return func(kind string) string { return apis[kind] }
}

func apiOf(k kind) string {
	switch by := k.(type) {
	case housed:
		return by.api()
	case served:
		return by.service().types[0]
	default:
		return ""
	}
}
