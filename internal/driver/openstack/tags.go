package openstack

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// tagged is where a service has the tags of an object.
type tagged struct {
	at    call // their collection
	read  func(ctx context.Context) ([]string, error)
	write func(ctx context.Context, all []string) error
}

// tagsAt are tags that are a list of their own, as Neutron's and Nova's are.
func (s *session) tagsAt(at call) tagged {
	return tagged{
		at: at,
		read: func(ctx context.Context) ([]string, error) {
			c := at
			c.method = http.MethodGet
			answer, err := s.do(ctx, c)
			return textsAt(answer, "tags"), err
		},
		write: func(ctx context.Context, all []string) error {
			c := at
			c.method, c.body = http.MethodPut, map[string]any{"tags": all}
			_, err := s.do(ctx, c)
			return err
		},
	}
}

// writeTags adds the tags that are missing and takes ours away, one by one: replacing all of them would take away those
// that somebody adds meanwhile. Where one cannot be told in a path there is no other way: then all are asked for right before.
func (s *session) writeTags(ctx context.Context, o *object, w wanted, tags tagged) error {
	there, drop := listOf(o.values.get("tags")), w.drop["tags"]
	missing := slices.DeleteFunc(slices.Clone(w.list("tags")), func(tag string) bool { return slices.Contains(there, tag) })
	if slices.ContainsFunc(slices.Concat(missing, drop), pathless) {
		now, err := tags.read(ctx)
		if err != nil {
			return err
		}
		all := append([]string{}, now...)
		for _, tag := range missing {
			if !slices.Contains(all, tag) {
				all = append(all, tag)
			}
		}
		return tags.write(ctx, slices.DeleteFunc(all, func(tag string) bool { return slices.Contains(drop, tag) }))
	}
	below := func(method, tag string) call {
		c := tags.at
		c.method, c.path = method, c.path+"/"+pathOf(tag)
		return c
	}
	for _, tag := range missing {
		if _, err := s.do(ctx, below(http.MethodPut, tag)); err != nil {
			return err
		}
	}
	return takeAway(drop, func(tag string) error { return s.delete(ctx, below(http.MethodDelete, tag)) })
}

// pathless tells whether services cannot be told a name as a part of a path: they take what is not ASCII for Latin-1, and a
// slash for the end of the part, however it is escaped; Neutron and Cinder take .json at its end for the format of the answer.
func pathless(name string) bool {
	return strings.HasSuffix(name, ".json") || name == "" || name == "." || name == ".." || strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r > unicode.MaxASCII })
}

func addTags(want, have []string, add func(tag string) error) error {
	for _, tag := range want {
		if slices.Contains(have, tag) {
			continue
		}
		if err := add(tag); err != nil {
			return err
		}
	}
	return nil
}
