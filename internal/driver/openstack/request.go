package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
