package openstack

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

const (
	membersAttribute = "members"
	hiddenAttribute  = "hidden"
	keyHidden        = "os_hidden"
	visibilityShared = "shared"
)

func (imageKind) late() []string { return []string{membersAttribute} }

// complete reads which projects an image is shared with, of those that write it, or which we have shared, and where
// everything is asked for: no list says it. Of an image that is not shared Glance has no members.
func (k imageKind) complete(ctx context.Context, s *session, objects []found) map[addr.Object]error {
	failures := map[addr.Object]error{}
	var sharing []found
	for _, f := range objects {
		o := f.object
		if textAt(o.raw, "visibility") != visibilityShared {
			continue
		}
		// Of what others share with us, Glance tells nothing but that.
		told := s.administrates() || o.project == s.project
		if f.concerns(membersAttribute) && (told || f.looked == nil) || f.whole && told {
			sharing = append(sharing, f)
		}
	}
	for i, got := range remembered(s, sharing, membersAttribute, "glance", func(open []found) []answer[[]string] {
		return abreast(len(open), func(i int) ([]string, error) { return k.members(ctx, s, open[i].object) })
	}) {
		f, o := sharing[i], sharing[i].object
		if err := got.err; err != nil {
			f.miss(failures, "glance", fmt.Errorf("which projects it is shared with is not known: %w", err), membersAttribute)
			continue
		}
		o.values.set(membersAttribute, texts(got.value, cty.Set(cty.String)))
	}
	return failures
}

// members asks which projects an image is shared with.
func (k imageKind) members(ctx context.Context, s *session, o *object) (projects []string, err error) {
	raws, err := s.whole(ctx, call{service: serviceImage, path: pathOf("images", o.id, "members")}, "members")
	for _, raw := range raws {
		projects = append(projects, textAt(raw, "member_id"))
	}
	return projects, err
}

// withdraw no longer shares the image with projects of ours that are not wanted. That comes before all else: once the
// image is not shared any more Glance refuses it, yet keeps them, and shares with them again when the image is.
func (k imageKind) withdraw(ctx context.Context, s *session, o *object, w wanted) error {
	return takeAway(w.drop[membersAttribute], func(project string) error {
		return s.erase(ctx, serviceImage, pathOf("images", o.id, "members", project))
	})
}

// share shares the image with projects that are wanted.
func (k imageKind) share(ctx context.Context, s *session, o *object, w wanted) error {
	return addTags(w.list(membersAttribute), listOf(o.values.get(membersAttribute)), func(project string) error {
		_, err := s.do(ctx, call{
			service: serviceImage, method: http.MethodPost, path: pathOf("images", o.id, "members"), body: map[string]any{"member": project},
		})
		if statusIs(err, http.StatusConflict) { // it is already
			return nil
		}
		return err
	})
}

// conceals tells of an image that is hidden, as those mostly are that have been replaced by others of their name. Such
// a one is meant only where that is written.
func (k imageKind) conceals(want cty.Value, o *object) bool {
	if o.raw[keyHidden] != true {
		return false
	}
	hidden := unmarked(attribute(want, hiddenAttribute))
	return hidden == cty.NilVal || hidden.IsKnown() && hidden.False()
}

// once leaves out what comes twice: an image that somebody hides between two lists is in both.
func once(objects []*object) []*object {
	seen := map[string]bool{}
	return slices.DeleteFunc(objects, func(o *object) bool {
		again := seen[o.id]
		seen[o.id] = true
		return again
	})
}
