package openstack

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// What each service can be asked for was tried with the real ones: see TestBedFewOfMany.

// seek asks Neutron for ids and names. It cannot look for a part of a description, the end of which is the mark: so it is
// asked for the whole as we would have written it.
func (n neutron) seek(ctx context.Context, s *session, few *sought) ([]map[string]any, error) {
	var descriptions []string
	for _, sign := range few.signed {
		for _, text := range sign.descriptions {
			descriptions = append(descriptions, joinMark(text, sign.mark))
		}
	}
	var all []map[string]any
	for _, by := range []struct {
		key   string
		texts []string
	}{{"id", few.ids}, {"name", few.names}, {keyDescription, descriptions}} {
		for _, texts := range portions(by.texts) {
			some, err := s.all(ctx, call{service: serviceNetwork, path: n.path(), query: url.Values{by.key: texts}}, n.many)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	return all, nil
}

// seek asks Glance for ids and names: of what bears the mark of an image, what has another name is none that we made (see
// lent).
func (k imageKind) seek(ctx context.Context, s *session, few *sought) ([]map[string]any, error) {
	names := slices.Concat(few.names, few.signedNames())
	if slices.ContainsFunc(names, func(name string) bool { return strings.ContainsAny(name, `"\\`) }) { // it has its own rules for these
		return nil, errUnaskable
	}
	var all []map[string]any
	for _, by := range []struct {
		key   string
		texts []string
	}{{"id", few.ids}, {"name", names}} {
		for _, texts := range portions(by.texts) {
			some, err := images(ctx, s, url.Values{by.key: {amongThese(texts)}})
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
	}
	return all, nil
}

// amongThese is how Glance is asked for one of several texts.
func amongThese(texts []string) string {
	var quoted []string
	for _, text := range texts {
		quoted = append(quoted, `"`+text+`"`)
	}
	return "in:" + strings.Join(quoted, ",")
}

// seek asks Nova for names, of which it takes a pattern that stands for several. It refuses to look for metadata, and
// takes one id at a time.
func (k instanceKind) seek(ctx context.Context, s *session, few *sought) ([]map[string]any, error) {
	var patterns []string
	for _, names := range portions(slices.Concat(few.names, few.signedNames())) {
		for i := range names {
			names[i] = regexp.QuoteMeta(names[i])
		}
		patterns = append(patterns, "^("+strings.Join(names, "|")+")$")
	}
	return oneByOne(few, patterns, func(pattern string) ([]map[string]any, error) {
		query := s.everywhere()
		query.Set("name", pattern)
		return s.all(ctx, call{service: serviceCompute, path: pathOf("servers", "detail"), query: query, microversion: listVersion}, "servers")
	}, func(id string) (map[string]any, error) { return k.getRaw(ctx, s, id) })
}

// metadataVersion is from when on snapshots are found by their metadata.
const metadataVersion = "3.22"

// seek asks Cinder for one mark, or one name, at a time: it documents no filter that takes several.
func (c cinder) seek(ctx context.Context, s *session, few *sought) ([]map[string]any, error) {
	var filters []url.Values
	for _, sign := range few.signed {
		filters = append(filters, url.Values{"metadata": {fmt.Sprintf("{%q: %q}", markKey, sign.mark)}})
	}
	for _, name := range few.names {
		filters = append(filters, url.Values{"name": {name}})
	}
	return oneByOne(few, filters, func(query url.Values) ([]map[string]any, error) {
		query.Set("all_tenants", "1")
		return s.all(ctx, call{service: s.volumes(), path: pathOf(c.many, "detail"), query: query, microversion: metadataVersion}, c.many)
	}, func(id string) (map[string]any, error) { return c.get(ctx, s, id) })
}

func (k volumeKind) seek(ctx context.Context, s *session, few *sought) ([]map[string]any, error) {
	raws, err := k.cinder.seek(ctx, s, few)
	return slices.DeleteFunc(raws, migrating), err
}

// seek asks Keystone for any of several tags, which hold the marks.
func (k projectKind) seek(ctx context.Context, s *session, few *sought) ([]map[string]any, error) {
	var marks []string
	for _, sign := range few.signed {
		marks = append(marks, sign.mark)
	}
	var filters []string
	for _, some := range portions(marks) {
		filters = append(filters, strings.Join(some, ","))
	}
	return oneByOne(few, filters, func(tags string) ([]map[string]any, error) {
		return s.all(ctx, call{service: serviceIdentity, path: "projects", query: url.Values{"tags-any": {tags}}}, "projects")
	}, func(id string) (map[string]any, error) {
		return s.one(ctx, call{service: serviceIdentity, method: http.MethodGet, path: pathOf("projects", id)}, "project")
	})
}

func (projectKind) pageless() {}
