package openstack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
)

// call is one request to a service.
type call struct {
	service, method string
	path            string // below the endpoint, escaped; see join
	query           url.Values
	body            any
	contentType     string // of body, when it is not JSON as such
	microversion    string
	subject         string // a token that the request is about, which where it was had tells, whatever the catalogue says
}

// pathOf makes a path of parts that may contain anything.
func pathOf(parts ...string) string {
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// do sends the request and decodes the answer into an object, which is nil when there is none.
// Any status of success will do: services differ in which they choose.
func (s *session) do(ctx context.Context, c call) (map[string]any, error) {
	endpoint, err := s.provider.IdentityEndpoint, error(nil)
	if c.subject == "" {
		endpoint, err = s.endpoint(c.service)
	}
	if err != nil {
		return nil, err
	}
	client := &gophercloud.ServiceClient{ProviderClient: s.provider, Endpoint: endpoint, Type: c.service, Microversion: c.microversion}
	address := endpoint + c.path
	if len(c.query) > 0 {
		address += "?" + c.query.Encode()
	}
	options := &gophercloud.RequestOpts{JSONBody: c.body, OkCodes: []int{
		http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent,
	}, KeepResponseBody: true, MoreHeaders: map[string]string{}}
	if c.contentType != "" {
		options.MoreHeaders["Content-Type"] = c.contentType
	}
	if c.subject != "" {
		options.MoreHeaders["X-Subject-Token"] = c.subject
	}
	response, err := client.Request(ctx, c.method, address, options)
	if err != nil {
		return nil, s.explain(err, c)
	}
	defer response.Body.Close()
	var answer map[string]any
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	// An empty answer is one, as to most requests that delete.
	err = decoder.Decode(&answer)
	if err == nil {
		_, err = decoder.Token() // nothing may follow
	}
	if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s %s of the %s service: %w", c.method, c.path, c.service, errUnreadable)
	}
	return answer, nil
}

// errUnreadable says of an answer that it is none of an API.
var errUnreadable = errors.New("the answer could not be read")

// errCutShort says of a list that it lacks some, and has no pages that have them.
var errCutShort = errors.New("the list is cut short by list_limit")

// erase sends a deleting request. That there is nothing to delete is no error.
func (s *session) erase(ctx context.Context, service, path string) error {
	return s.delete(ctx, call{service: service, path: path})
}

// delete is [session.erase] for a request that needs a microversion.
func (s *session) delete(ctx context.Context, c call) error {
	c.method = http.MethodDelete
	_, err := s.do(ctx, c)
	if notFound(err) {
		return nil
	}
	return err
}

// one sends the request and returns the object below a key of the answer.
func (s *session) one(ctx context.Context, c call, key string) (map[string]any, error) {
	answer, err := s.do(ctx, c)
	if err != nil {
		return nil, err
	}
	inner, ok := answer[key].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s %s of the %s service: the answer has no %s", c.method, c.path, c.service, key)
	}
	return inner, nil
}

// whole returns the objects below a key of a list that has no pages.
func (s *session) whole(ctx context.Context, c call, key string) ([]map[string]any, error) {
	c.method = http.MethodGet
	answer, err := s.do(ctx, c)
	if err != nil {
		return nil, err
	}
	if _, more := nextPage(answer, key); more {
		return nil, fmt.Errorf("GET %s of the %s service: the list has pages, which it has nowhere else", c.path, c.service)
	}
	return listIn(c, answer, key)
}

// listIn returns the objects below a key of an answer. A list with anything else in it is an error: what could not be
// read must never count as absent.
func listIn(c call, answer map[string]any, key string) ([]map[string]any, error) {
	list, ok := answer[key].([]any)
	if !ok {
		return nil, fmt.Errorf("GET %s of the %s service: the answer has no %s", c.path, c.service, key)
	}
	if truncated, _ := answer["truncated"].(bool); truncated {
		return nil, fmt.Errorf("GET %s of the %s service: %w", c.path, c.service, errCutShort)
	}
	objects := objectsAt(answer, key)
	if len(objects) < len(list) {
		return nil, fmt.Errorf("GET %s of the %s service: not all of the %s are objects: %w", c.path, c.service, key, errUnreadable)
	}
	return objects, nil
}

// errMorePages says of a list that was to have one page that there are others.
var errMorePages = errors.New("the list has more than one page")

const (
	pageSize = 1000
	maxPages = 1000
)

// all follows the pages of a list and returns the objects below a key.
func (s *session) all(ctx context.Context, c call, key string) ([]map[string]any, error) {
	var objects []map[string]any
	err := s.pages(ctx, c, key, func(page []map[string]any) { objects = append(objects, page...) })
	if err != nil {
		return nil, err
	}
	return objects, nil
}

// pages follows the pages of a list, and has the objects of each taken. An answer that is cut short
// is an error: what was not seen must never count as absent.
func (s *session) pages(ctx context.Context, c call, key string, take func(page []map[string]any)) error {
	c.method = http.MethodGet
	if c.query == nil {
		c.query = url.Values{}
	}
	if c.service != serviceIdentity { // Keystone has no pages unless its administrator limits lists
		c.query.Set("limit", strconv.Itoa(cmp.Or(s.connector.options.Page, pageSize)))
	}
	seen := map[string]bool{}
	for range maxPages {
		answer, err := s.do(ctx, c)
		if err != nil {
			return err
		}
		some, err := listIn(c, answer, key)
		if err != nil {
			return err
		}
		if s.needed != nil {
			some = slices.DeleteFunc(some, func(raw map[string]any) bool { return !s.needed(raw) })
		}
		take(some)
		next, more := nextPage(answer, key)
		if !more {
			return nil
		}
		if next == nil {
			return fmt.Errorf("GET %s of the %s service: the address of the next page: %w", c.path, c.service, errUnreadable)
		}
		if s.onePage {
			return errMorePages
		}
		if seen[next.Encode()] {
			return fmt.Errorf("GET %s of the %s service: the pages go in a circle", c.path, c.service)
		}
		seen[next.Encode()] = true
		c.query = next
	}
	return fmt.Errorf("GET %s of the %s service: more than %d pages", c.path, c.service, maxPages)
}

// nextPage tells whether there is another page, and returns its query, nil where that cannot be read. Only the query
// counts: behind a proxy, services often give an address that leads nowhere.
func nextPage(answer map[string]any, key string) (query url.Values, more bool) {
	next := answer["next"] // Glance
	for _, link := range objectsAt(answer, key+"_links") {
		if textAt(link, "rel") == "next" {
			next = link["href"]
		}
	}
	if links, ok := answer["links"].(map[string]any); ok && next == nil { // Keystone
		next = links["next"]
	}
	address, ok := next.(string)
	if next == nil || address == "" && ok {
		return nil, false
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.RawQuery == "" {
		return nil, true
	}
	return parsed.Query(), true
}
