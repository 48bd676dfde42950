package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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
	text            string // sent as it stands, in place of a body
	contentType     string // of the body or text, when it is not JSON as such
	header          map[string]string
	microversion    string
	subject         string // a token that the request is about, which where it was had tells, whatever the catalogue says
	creates         bool   // it makes an object, though it is no POST
	mute            bool   // what comes back says nothing: it need not be JSON
	known           string // of a list: the key of what tells its objects apart; "" is id
	turns           turns  // of a list: how the next page is asked for
}

// reply is what came back to a request.
type reply struct {
	header http.Header
	body   any // as encoding/json decodes it with UseNumber, nil for none
}

// object is the body, or what is below a key of it; nil where that is none.
func (r reply) object(key string) map[string]any {
	whole, _ := r.body.(map[string]any)
	if key == "" {
		return whole
	}
	inner, _ := whole[key].(map[string]any)
	return inner
}

// list is the body, or what is below a key of it.
func (r reply) list(key string) (list []any, ok bool) {
	if key == "" {
		list, ok = r.body.([]any)
		return list, ok
	}
	list, ok = r.object("")[key].([]any)
	return list, ok
}

// pathOf makes a path of parts that may contain anything.
func pathOf(parts ...string) string {
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// do sends the request and decodes the answer into an object, which is nil when there is none.
func (s *session) do(ctx context.Context, c call) (map[string]any, error) {
	got, err := s.send(ctx, c)
	if err != nil {
		return nil, err
	}
	answer := got.object("")
	if answer == nil && got.body != nil {
		return nil, c.unreadable()
	}
	return answer, nil
}

// send sends the request and decodes the answer. Any status of success will do: services differ in which they choose.
func (s *session) send(ctx context.Context, c call) (reply, error) {
	endpoint, err := s.provider.IdentityEndpoint, error(nil)
	if c.subject == "" {
		endpoint, err = s.endpoint(c.service)
	}
	if err != nil {
		return reply{}, err
	}
	if c.creates {
		ctx = context.WithValue(ctx, createsKey{}, true)
	}
	client := &gophercloud.ServiceClient{ProviderClient: s.provider, Endpoint: endpoint, Type: c.service, Microversion: c.microversion}
	address := endpoint + c.path
	if len(c.query) > 0 {
		address += "?" + c.query.Encode()
	}
	response, err := client.Request(ctx, c.method, address, c.options())
	if err != nil {
		return reply{}, s.explain(err, c)
	}
	defer response.Body.Close()
	got := reply{header: response.Header}
	if c.mute {
		return got, nil
	}
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	// An empty answer is one, as to most requests that delete.
	err = decoder.Decode(&got.body)
	if err == nil {
		_, err = decoder.Token() // nothing may follow
	}
	if !errors.Is(err, io.EOF) {
		return reply{}, c.unreadable()
	}
	return got, nil
}

// options are how the library sends it.
func (c call) options() *gophercloud.RequestOpts {
	options := &gophercloud.RequestOpts{JSONBody: c.body, OkCodes: []int{
		http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent,
	}, KeepResponseBody: true, MoreHeaders: map[string]string{}}
	maps.Copy(options.MoreHeaders, c.header)
	if c.text != "" {
		options.RawBody = strings.NewReader(c.text)
	}
	if c.contentType != "" {
		options.MoreHeaders["Content-Type"] = c.contentType
	}
	if c.subject != "" {
		options.MoreHeaders["X-Subject-Token"] = c.subject
	}
	return options
}

func (c call) unreadable() error {
	return fmt.Errorf("%s %s of the %s service: %w", c.method, c.path, c.service, errUnreadable)
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

// one sends the request and returns the object below a key of the answer, "" being the answer itself.
func (s *session) one(ctx context.Context, c call, key string) (map[string]any, error) {
	got, err := s.send(ctx, c)
	if err != nil {
		return nil, err
	}
	switch inner := got.object(key); {
	case inner != nil:
		return inner, nil
	case got.object("") == nil && got.body != nil:
		return nil, c.unreadable()
	case key == "":
		return nil, fmt.Errorf("%s %s of the %s service: the answer is empty", c.method, c.path, c.service)
	}
	return nil, fmt.Errorf("%s %s of the %s service: the answer has no %s", c.method, c.path, c.service, key)
}

// whole returns the objects below a key of a list that has no pages.
func (s *session) whole(ctx context.Context, c call, key string) ([]map[string]any, error) {
	c.method = http.MethodGet
	got, err := s.send(ctx, c)
	if err != nil {
		return nil, err
	}
	if _, more := nextPage(got.object(""), key); more {
		return nil, fmt.Errorf("GET %s of the %s service: the list has pages, which it has nowhere else", c.path, c.service)
	}
	return listIn(c, got, key)
}

// listIn returns the objects below a key of an answer, "" being the answer itself. A list with anything else in it is an
// error: what could not be read must never count as absent.
func listIn(c call, got reply, key string) ([]map[string]any, error) {
	list, ok := got.list(key)
	switch answer := got.object(""); {
	case !ok && answer == nil && got.body != nil:
		return nil, c.unreadable()
	case !ok:
		return nil, fmt.Errorf("GET %s of the %s service: the answer has no %s", c.path, c.service, first(key, "list"))
	case answer["truncated"] == true:
		return nil, fmt.Errorf("GET %s of the %s service: %w", c.path, c.service, errCutShort)
	}
	objects := objectsOf(list)
	if len(objects) < len(list) {
		return nil, fmt.Errorf("GET %s of the %s service: not all of the %s are objects: %w", c.path, c.service, first(key, "list"), errUnreadable)
	}
	return objects, nil
}
