package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// question is what a service is asked to find out whether it works: something that it cannot tell without its
// database, and small.
type question struct {
	path         string
	query        url.Values
	key          string // of the list in the answer
	microversion string
	// agents reads the agents of the service from that list, and lacks says what is missing among them. Nil where
	// there are none.
	agents func(map[string]any) (Agent, bool)
	lacks  func(agents []Agent, hosts []string) string
	// further says what is missing where there is more to ask than for the agents; nil where there is not.
	further func(ctx context.Context, s *session, nodes []string, agents []Agent) (string, error)
	// otherwise is asked where our user may not see the agents; nil for nothing.
	otherwise *question
}

// Ask finds out whether a service works, and takes no longer than ctx. It asks with our own user; Keystone, which
// there has to be before that user, and pages for people without one.
func (d *Driver) Ask(ctx context.Context, api unit.API) unit.Answer {
	if api.Service == unit.ServiceDashboard {
		return d.askDashboard(ctx, api)
	}
	known := d.connector.service(api.Service)
	if known.question == nil {
		return unit.Answer{}
	}
	q := known.question(api.Parts)
	if api.Service == serviceCompute {
		q.further = d.mapped.lack
	}
	s, err := d.connector.session(ctx)
	switch {
	case err != nil && api.Service == serviceIdentity:
		return d.askKeystone(ctx, api.Address, err)
	case err != nil:
		answer := unit.Answer{Reach: unit.ReachUnknown, Message: "nobody can log in to ask: " + err.Error()}
		if unreachable(err) {
			answer.Message += fromOutside
		}
		return answer
	default:
		return s.ask(ctx, api, q)
	}
}

// ask puts a question.
func (s *session) ask(ctx context.Context, api unit.API, q question) unit.Answer {
	service := s.called(api.Service)
	endpoint, err := s.endpoint(service)
	if err != nil {
		return unit.Answer{Reach: unit.ReachRefuses, Message: err.Error()}
	}
	what := http.MethodGet + " " + endpoint + q.path
	c := call{service: service, method: http.MethodGet, path: q.path, query: q.query, microversion: q.microversion}
	var lacks string
	if q.agents == nil {
		answer, failed := s.do(ctx, c)
		if _, list := answer[q.key].([]any); !list {
			lacks = "the answer has no " + q.key
		}
		err = failed
	} else {
		agents, failed := s.agents(ctx, c, q.key, q.agents)
		switch lacks = q.lacks(agents, api.Hosts); {
		case failed != nil:
		case len(agents) == 0 && !s.administrates():
			lacks = "" // our user may not see them: that it answers is all there is to know
		case lacks == "":
			var unknown error
			if lacks, unknown = neverCame(ctx, api, agents); unknown != nil {
				return unit.Answer{Reach: unit.ReachUnknown, Message: unknown.Error()}
			}
			if lacks == "" && q.further != nil {
				lacks, failed = q.further(ctx, s, api.Hosts, agents)
			}
		}
		err = failed
	}
	switch {
	case statusIs(err, http.StatusForbidden) && q.otherwise != nil:
		return s.ask(ctx, api, *q.otherwise)
	case statusIs(err, http.StatusForbidden): // it knows who asks, and by which rules
		return unit.Answer{Reach: unit.ReachAnswers}
	case unit.IsBlocked(err): // it does not believe in tokens
		return unit.Answer{Reach: unit.ReachRefuses, Message: err.Error()}
	case err != nil:
		return answerOf(err, what)
	case lacks != "":
		return unit.Answer{Reach: unit.ReachRefuses, Message: what + ": " + lacks}
	default:
		return unit.Answer{Reach: unit.ReachAnswers}
	}
}

// askKeystone asks without a login, which failed: there are no credentials yet, or Keystone does not know them. An
// error of Keystone itself counts all the same, and so does one of the administrator's login where Keystone is ours: a
// Keystone without keys for its tokens tells its version as well.
func (d *Driver) askKeystone(ctx context.Context, address string, failed error) unit.Answer {
	place, err := d.place(ctx)
	if err != nil {
		return unplaced(err)
	}
	answer := d.askPage(ctx, place, withVersion(first(place.AuthURL, address)), func(body io.Reader) string {
		var document struct {
			Version struct {
				ID string `json:"id"`
			} `json:"version"`
		}
		if err := json.NewDecoder(body).Decode(&document); err != nil || document.Version.ID == "" {
			return "the answer is not one of Keystone"
		}
		return ""
	})
	var no *apiError
	if answer.Reach == unit.ReachAnswers && errors.As(failed, &no) {
		return saysNo(http.MethodPost+" "+no.path, no)
	}
	if answer.Reach == unit.ReachAnswers && d.administrator != nil {
		return d.askForToken(ctx)
	}
	return answer
}

// askForToken tells whether the administrator gets a token. Where nobody knows who that is, as the chart's Secret is not
// there or Keystone is somebody else's, that Keystone answers is all there is to know.
func (d *Driver) askForToken(ctx context.Context) unit.Answer {
	if _, err := d.administrator.options.Connect(ctx); err != nil {
		return unit.Answer{Reach: unit.ReachAnswers}
	}
	_, err := d.administrator.session(ctx)
	switch {
	case err == nil:
		d.administrator.drop() // each question is for a token of its own
		return unit.Answer{Reach: unit.ReachAnswers}
	case unit.IsBlocked(err):
		return unit.Answer{Reach: unit.ReachRefuses, Message: "the administrator's login: " + err.Error()}
	}
	return answerOf(err, http.MethodPost+" "+loginCall().path)
}

// askDashboard asks for the page that people come to. Where Keystone is reached at an address that somebody gave, this
// may run outside of the cluster: there the page has its public name, or cannot be asked for.
func (d *Driver) askDashboard(ctx context.Context, api unit.API) unit.Answer {
	place, err := d.place(ctx)
	if err != nil {
		return unplaced(err)
	}
	address := api.Address
	if place.AuthURL != "" && first(place.Interface, publicInterface) == publicInterface {
		address = api.Public
	}
	if address == "" {
		return unit.Answer{}
	}
	return d.askPage(ctx, place, address, nil)
}

// place is where Keystone is as far as somebody says so, and whom to trust.
func (d *Driver) place(ctx context.Context) (Place, error) {
	if d.connector.options.Inside == nil {
		return Place{}, nil
	}
	return d.connector.options.Inside(ctx)
}

func unplaced(err error) unit.Answer {
	return unit.Answer{Reach: unit.ReachUnknown, Message: "how it is reached is not known: " + err.Error()}
}

// askPage asks for an address without a login. An address that leads to another host was answered.
func (d *Driver) askPage(ctx context.Context, place Place, address string, read func(io.Reader) string) unit.Answer {
	what := http.MethodGet + " " + address
	s, err := d.connector.prepare(&Credentials{Place: place}, login{})
	if err != nil {
		return unit.Answer{Reach: unit.ReachUnknown, Message: err.Error()}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return unit.Answer{Reach: unit.ReachUnknown, Message: fmt.Sprintf("%q is no address", address)}
	}
	request.Close = true // the connection is for this alone
	client := s.provider.HTTPClient
	client.CheckRedirect = func(next *http.Request, _ []*http.Request) error {
		if next.URL.Host != request.URL.Host {
			return http.ErrUseLastResponse
		}
		return nil
	}
	response, err := client.Do(request)
	if err != nil {
		return answerOf(fmt.Errorf("%s: %w", what, &quietError{text: shorten(cause(err)), err: err}), what)
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return saysNo(what, &apiError{status: response.StatusCode, request: requestID(response.Header)})
	}
	if read != nil {
		if wrong := read(response.Body); wrong != "" {
			return unit.Answer{Reach: unit.ReachRefuses, Message: what + ": " + wrong}
		}
	}
	return unit.Answer{Reach: unit.ReachAnswers}
}

// fromOutside says what to do where names of the cluster lead nowhere.
const fromOutside = "; what runs outside of the cluster reaches it with --os-cloud, or does without by --api-checks"

// answerOf makes an answer of what came of a question.
func answerOf(err error, what string) unit.Answer {
	var no *apiError
	var quiet *quietError
	switch {
	case errors.As(err, &no):
		return saysNo(what, no)
	case errors.Is(err, errUnreadable):
		return unit.Answer{Reach: unit.ReachRefuses, Message: what + ": " + errUnreadable.Error()}
	case errors.Is(err, context.DeadlineExceeded):
		return unit.Answer{Reach: unit.ReachUnknown, Message: what + ": no answer in time"}
	case unreachable(err) && errors.As(err, &quiet):
		return unit.Answer{Reach: unit.ReachUnknown, Message: what + ": " + quiet.text + fromOutside}
	case errors.As(err, &quiet):
		return unit.Answer{Reach: unit.ReachUnknown, Message: what + ": " + quiet.text}
	default:
		return unit.Answer{Reach: unit.ReachUnknown, Message: err.Error()}
	}
}

// saysNo is for a status that says no.
func saysNo(what string, no *apiError) unit.Answer {
	text := strings.TrimSpace(fmt.Sprintf("%s: %d %s", what, no.status, http.StatusText(no.status)))
	if no.message != "" {
		text += ": " + no.message
	}
	return unit.Answer{Reach: unit.ReachRefuses, Message: brief(text, longestMessage), Request: no.request}
}

// unreachable tells whether there was no connection.
func unreachable(err error) bool {
	var operation *net.OpError
	var lookup *net.DNSError
	return errors.As(err, &lookup) || errors.As(err, &operation) && operation.Op == "dial"
}
