package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// NamesOf returns the texts in a set or list, sorted.
func NamesOf(v cty.Value) []string {
	var names []string
	for it := v.ElementIterator(); it.Next(); {
		if _, name := it.Element(); !name.IsNull() {
			names = append(names, name.AsString())
		}
	}
	slices.Sort(names)
	return names
}

// cleanUp checks that what is to be taken away with a service is there, and that the service goes: it would be
// forgotten otherwise, until one day somebody disables the service and loses its data.
func (c *checker) cleanUp(cloud *Cloud, s *Service) {
	at := slices.IndexFunc(s.Settings, func(setting Setting) bool { return setting.Name == schema.CleanUp })
	service, known := c.definition.Service(s.Name)
	if at < 0 || !known {
		return
	}
	where := s.Settings[at].Range
	if !service.Takes(schema.CleanUp) {
		c.fail(codeService, where, "nothing to clean up", fmt.Sprintf("%s leaves nothing behind in other services, so clean_up means nothing to it", s.Name), "take the line away")
		return
	}
	for _, name := range s.CleanUp {
		if !slices.Contains(service.Leaves, name) {
			c.fail(codeService, where, "nothing of that kind", fmt.Sprintf("%q is nothing that can be taken away with %s", name, s.Name), "there are: "+strings.Join(service.Leaves, ", "))
		}
	}
	if why := cloud.foreignPools(s.Name); why != "" && slices.Contains(s.CleanUp, schema.LeftPools) {
		c.fail(codeService, where, "no pools of its own", fmt.Sprintf("no pools were made for %s: %s", s.Name, why), fmt.Sprintf("take %q out of the list", schema.LeftPools))
	}
	if s.Enabled && len(s.CleanUp) > 0 {
		c.fail(codeService, where, "the service stays", fmt.Sprintf("clean_up says what is taken away with %s, and the service is enabled", s.Name),
			"take the line away, or write enabled = false beside it")
	}
}

// foreignPools says why a service has made no pools in Ceph, "" when it has.
func (c *Cloud) foreignPools(service string) string {
	switch {
	case c.StorageBackend != storageCeph:
		return "the cloud keeps nothing in Ceph"
	case c.Ceph != nil && c.Ceph.Admin == "":
		return "the block ceph has no admin_secret, so the pools were there before"
	case service == images && !c.ImagesInCeph():
		return "images are kept elsewhere"
	default:
		return ""
	}
}
