package openstack

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// walledContents are those of services that show what is in a project to nobody who has no role there, whatever else the user may.
// They are asked for last in their region: for the look our user may have to give itself a role, which it keeps for the next one, see
// [Driver.Needs], and which goes with the project. Of what bears no mark, ours has gone before.
func (s *session) walledContents(serves func(service string) bool, project string) []content {
	var contents []content
	add := func(service string, c content) {
		if !serves(service) {
			return
		}
		c.call.service = service
		c.list = func(ctx context.Context, there *session) ([]map[string]any, error) {
			raws, err := s.shownInside(ctx, project, there, c)
			if unit.IsBlocked(err) || statusIs(err, http.StatusForbidden) {
				err = unit.Blocked(fmt.Sprintf("%s; only who works in a project is shown that: make it possible, or %s", err, insteadForget))
			}
			return raws, err
		}
		contents = append(contents, c)
	}
	add("orchestration", content{
		call: call{path: "stacks", query: url.Values{"show_hidden": {"True"}}}, key: "stacks",
		mark: func(stack map[string]any) string {
			if slices.Contains([]string{"DELETE_IN_PROGRESS", "DELETE_COMPLETE"}, textAt(stack, "stack_status")) {
				return textAt(stack, "id") // whosever it is, nobody has to delete it any more
			}
			return markInTags(stack)
		},
		ignore: func(stack map[string]any) bool { // an administrator of Heat is shown those of all projects, and whose each is
			in := textAt(stack, "project")
			return in != "" && in != project
		},
	})
	add("key-manager", content{call: call{path: "secrets", known: "secret_ref", turns: byNumber}, key: "secrets", mark: unmarkable})
	add("key-manager", content{call: call{path: "containers", known: "container_ref", turns: byNumber}, key: "containers", mark: unmarkable})
	add("object-store", content{call: call{query: url.Values{"format": {"json"}}, known: "name", turns: byMarker}, key: objectContainers, mark: unmarkable})
	return contents
}

// objectContainers are what Swift calls containers, as Barbican does its own.
const objectContainers = "object_containers"

// shownInside asks for what a project has as somebody who works there, in the region of another session. That Swift knows of no
// account of the project is an answer of its own; what stands before it answers 404 as well, and so does a Rados gateway that
// takes the account for a container, see [noAccount].
func (s *session) shownInside(ctx context.Context, project string, at *session, c content) ([]map[string]any, error) {
	scoped, err := s.inProject(ctx, project)
	if err != nil {
		return nil, err
	}
	key := c.key
	if key == objectContainers { // the answer is the list itself
		key = ""
	}
	raws, err := scoped.at(at.place.Region, at.face()).all(ctx, c.call, key)
	switch {
	case key != "" || !notFound(err) && !statusIs(err, http.StatusGone):
		return raws, err
	case noAccount(err):
		return nil, nil
	default:
		return nil, fmt.Errorf("%w; that is not how Swift tells that it has nothing of a project, so that nobody knows: correct the object store's endpoint in the catalogue, "+
			"or, for a Rados gateway, write rgw_swift_account_in_url = true", err)
	}
}

// noAccount tells whether Swift itself has answered that it knows of no such account: with its id of the request, and nothing else
// than the page of that status. A Rados gateway has such ids, too, but tells in JSON what it did not find. Of an account that was deleted
// Swift says until it has taken all out of it that it is gone, with either page (swift/proxy/controllers/account.py):
// whosever that was, nobody has to delete it any more.
func noAccount(err error) bool {
	var answer *apiError
	if !errors.As(err, &answer) || !swiftID.MatchString(answer.request) {
		return false
	}
	page := strings.Join(strings.Fields(answer.message), " ")
	lacks, deleted := page == "Not Found The resource could not be found.", page == "Gone This resource is no longer available."
	switch answer.status {
	case http.StatusNotFound:
		return answer.wordless || lacks
	case http.StatusGone:
		return answer.wordless || lacks || deleted
	}
	return false
}
