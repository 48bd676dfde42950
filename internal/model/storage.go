package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// storageCeph is the storage_backend that has pools.
const storageCeph = "ceph"

// volumes is the service that has backends.
const volumes = "cinder"

// chartBackend is the name of a backend that Cinder's chart has options for.
const chartBackend = "rbd1"

// longestBackend is how long the name of a backend may be: containers have it in theirs.
const longestBackend = 40

// sectionsOfCinder are names that mean another section of Cinder's configuration.
func sectionsOfCinder() []string {
	return []string{"barbican", "coordination", "cors", "database", "default", "healthcheck", "nova", "profiler", "vault"}
}

// backends checks what belongs together in the backends of a service.
func (c *checker) backends(cloud *Cloud, s *Service) {
	if len(s.Backends) > 0 && s.Name != volumes {
		c.fail(codeService, s.Backends[0].Range, "no backends", fmt.Sprintf("%s keeps no volumes, so a backend means nothing to it", s.Name), "take the block away; volumes are of cinder")
		return
	}
	var defaults []string
	taken := map[string]string{} // by what volumes are in
	for i := range s.Backends {
		b := &s.Backends[i]
		c.backend(cloud, b)
		if b.Default {
			defaults = append(defaults, b.Name)
		}
		in := strings.Join([]string{b.Type, cloud.PoolOf(b), b.GroupOf(), b.Share}, " ")
		if other, found := taken[in]; found && b.Type != "" {
			c.fail(codeInvalid, b.Range, "used twice", fmt.Sprintf("the backends %s and %s would keep their volumes in the same place, whose room both count", other, b.Name), "give each of them its own")
		}
		taken[in] = b.Name
	}
	switch {
	case len(defaults) > 1:
		i := slices.IndexFunc(s.Backends, func(b Backend) bool { return b.Name == defaults[1] })
		c.fail(codeInvalid, orElse(s.Backends[i].Ranges["default"], s.Backends[i].Range), "more than one default",
			"the backends "+strings.Join(defaults, ", ")+" all have default = true", "keep it for the one that volumes are kept in of which nobody says where")
	case len(defaults) == 0 && len(s.Backends) > 1:
		c.fail(codeIncomplete, s.Backends[0].Range, "no default", "there are several backends, and none says that it is the default", "write in one of them: default = true")
	}
}

// backend checks one backend by itself.
func (c *checker) backend(cloud *Cloud, b *Backend) {
	switch {
	case len(b.Name) > longestBackend:
		c.fail(codeInvalid, b.Range, "name is too long", fmt.Sprintf("the name of a backend has at most %d characters, and this one has %d", longestBackend, len(b.Name)), "write a shorter one")
	case b.Name == chartBackend && b.Type != schema.BackendRBD:
		c.fail(codeInvalid, b.Range, "name is taken", b.Name+" is the backend of Ceph that the chart has, whose options this one would get", "write another name")
	case slices.Contains(sectionsOfCinder(), b.Name):
		c.fail(codeInvalid, b.Range, "name is taken", fmt.Sprintf("%s is a section of Cinder's own configuration, which the options of the backend would be part of", b.Name), "write another name")
	}
	for _, of := range []struct {
		attribute, kind string
		written         bool
	}{
		{"pool", schema.BackendRBD, b.Pool != ""},
		{"volume_group", schema.BackendLVM, b.VolumeGroup != ""},
		{"share", schema.BackendNFS, b.Share != ""},
	} {
		if !of.written || b.Type == of.kind {
			continue
		}
		c.fail(codeInvalid, orElse(b.Ranges[of.attribute], b.Range), "not for this type",
			fmt.Sprintf("%s is for the type %s, and this backend is something else", of.attribute, of.kind), "take the line away")
	}
	switch {
	case b.Type == "" && b.Driver == "":
		c.fail(codeIncomplete, b.Range, "neither type nor driver", "the backend does not say what it is", `write, for example: type = "rbd"`)
	case b.Type == schema.BackendNFS && b.Share == "":
		c.fail(codeIncomplete, b.Range, "no share", "a backend of the type nfs has to say which share of which server", `write, for example: share = "nfs.example.org:/volumes"`)
	case b.Type == schema.BackendRBD && cloud.StorageBackend != storageCeph:
		c.fail(codeInvalid, orElse(b.Ranges["type"], b.Range), "no Ceph", "a backend of the type rbd is a pool of Ceph, and the cloud has another storage_backend", `write in the cloud: storage_backend = "ceph"`)
	}
	c.options(b)
}

// options checks that Cinder's configuration can hold them: a section of it has texts.
func (c *checker) options(b *Backend) {
	if b.Options == cty.NilVal {
		return
	}
	options, _ := b.Options.Unmark()
	if !options.IsKnown() || options.IsNull() || !options.CanIterateElements() {
		return
	}
	elements := options.AsValueMap()
	for _, key := range slices.Sorted(maps.Keys(elements)) {
		at := orElse(b.Origin.At(key), b.Range)
		switch key {
		case "volume_backend_name":
			c.fail(codeInvalid, at, "not an option", "volume_backend_name is the name of the backend, by which Cinder finds its volumes and the volume type finds it", fmt.Sprintf("take it away; the name is what is behind the word: backend %q", b.Name))
		case "volume_driver":
			hint := "take it away, and write the class as driver in place of type, with what it needs in options"
			if b.Driver != "" {
				hint = "take it away, and write the class as driver"
			}
			c.fail(codeInvalid, at, "not an option", "volume_driver is what type or driver of the backend lead to", hint)
		}
		if t := elements[key].Type(); t.IsObjectType() || t.IsMapType() {
			c.fail(codeInvalid, orElse(b.Origin.At(key), b.Range), "not an option", fmt.Sprintf("the option %s is a map, and one of Cinder is a text, a number, true, false or a list of these", key), "write each option by itself")
		}
	}
}

// What volumes are in where nothing else is written. The pool is that of the charts.
const (
	DefaultPool  = "cinder.volumes"
	DefaultGroup = "cinder-volumes"
)

// PoolOf is the pool of Ceph that a backend keeps its volumes in; "" for one of another type.
func (c *Cloud) PoolOf(b *Backend) string {
	if b.Type != schema.BackendRBD {
		return ""
	}
	if c.Ceph != nil {
		return cmp.Or(b.Pool, c.Ceph.Volumes.Pool, DefaultPool)
	}
	return cmp.Or(b.Pool, DefaultPool)
}

// GroupOf is the volume group of a backend; "" for one of another type.
func (b *Backend) GroupOf() string {
	if b.Type != schema.BackendLVM {
		return ""
	}
	return cmp.Or(b.VolumeGroup, DefaultGroup)
}

// ReachedByISCSI tells whether instances reach volumes by iSCSI.
func (b *Backend) ReachedByISCSI() bool { return b.Type == schema.BackendLVM || b.ISCSI }

// stores tells whether a service keeps its data where storage_backend says.
func stores(s *Service, known schema.Service) bool { return known.Stores && len(s.Backends) == 0 }

// DefaultBackend is the name of the backend for volumes of which nobody says where they are kept; "" without backends.
func (s *Service) DefaultBackend() string {
	for _, b := range s.Backends {
		if b.Default || len(s.Backends) == 1 {
			return b.Name
		}
	}
	return ""
}
