package openstack_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const fuzzedPassword = "canary-pretended"

// fuzzedCall is what one answer is to.
type fuzzedCall string

const (
	callLogin   fuzzedCall = "login"
	callCatalog fuzzedCall = "catalogue"
	callGet     fuzzedCall = "get"
	callPost    fuzzedCall = "post"
	callPut     fuzzedCall = "put" // or PATCH
	callDelete  fuzzedCall = "delete"
)

// fuzzedCalls are all of them.
func fuzzedCalls() []fuzzedCall {
	return []fuzzedCall{callLogin, callCatalog, callGet, callPost, callPut, callDelete}
}

// fuzzedStatuses are the statuses that an answer may have.
func fuzzedStatuses() []int {
	return []int{200, 201, 202, 204, 200, 201, 202, 300, 400, 401, 403, 404, 409, 410, 413, 429, 500, 503}
}

// oneAnswer is a cloud that answers one kind of call with a status and a body, to no end, and lists as [whole] does.
type oneAnswer struct {
	lists map[string]func(*http.Request) any

	mutex  sync.Mutex
	call   fuzzedCall
	status int
	body   []byte
	list   fuzzedList // whose own answer is given
	asked  map[fuzzedCall]int
}

// serve answers what is sent through pipes, in the time of the bubble that it is called in. It ends with the test.
func (s *oneAnswer) serve(t *testing.T) (dial func(context.Context, string, string) (net.Conn, error)) {
	l := &piped{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l) // it has ended with the listener
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	return l.dial
}

// piped is a listener that is reached without a network.
type piped struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *piped) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *piped) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *piped) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *piped) Addr() net.Addr { return &net.UnixAddr{Name: "piped", Net: "unix"} }

// says has a call be answered with a status and a body from now on, and all others as usual.
func (s *oneAnswer) says(list fuzzedList, call fuzzedCall, status int, body []byte) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.list, s.call, s.status, s.body, s.asked = list, call, status, body, map[fuzzedCall]int{}
}

func (s *oneAnswer) count(call fuzzedCall) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.asked[call]
}

// catalog is what a login leads to.
func catalog(address string) []any {
	var all []any
	for service, path := range map[string]string{"identity": "/v3", "compute": "/v2.1", "network": "/v2.0", "image": "/v2", "block-storage": "/v3/p1"} {
		all = append(all, map[string]any{"type": service, "endpoints": []any{
			map[string]any{"interface": "public", "region_id": "RegionOne", "region": "RegionOne", "url": address + path},
		}})
	}
	return all
}

// token is a login's answer.
func token(address string) map[string]any {
	return map[string]any{"token": map[string]any{
		"user": map[string]any{"id": "u1", "domain": map[string]any{"id": "default"}}, "project": map[string]any{"id": "p1"}, "catalog": catalog(address),
		"roles": []any{map[string]any{"name": "admin"}},
	}}
}

func (s *oneAnswer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	list := s.lists[r.URL.Path]
	call, usual := callGet, any(nil)
	switch {
	case r.URL.Path == "/v3/auth/tokens" && r.Method == http.MethodPost:
		call, usual = callLogin, token("http://"+r.Host)
	case r.URL.Path == "/v3/auth/catalog":
		call, usual = callCatalog, map[string]any{"catalog": catalog("http://" + r.Host)}
	case r.Method == http.MethodPost:
		call = callPost
	case r.Method == http.MethodPut || r.Method == http.MethodPatch:
		call = callPut
	case r.Method == http.MethodDelete:
		call = callDelete
	case list != nil:
		call, usual = "", list(r)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.asked[call]++
	if s.list.answer != "" && r.URL.Path == s.list.path && r.URL.Query().Has("marker") {
		usual = map[string]any{s.list.key: []any{}}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Subject-Token", "token")
	switch {
	case call == s.call:
		w.WriteHeader(s.status)
		_, _ = w.Write(s.body)
	case call == "" && r.URL.Path == s.list.path && s.list.answer != "" && !r.URL.Query().Has("marker"):
		_, _ = w.Write([]byte(s.list.answer))
	case usual != nil:
		if call == callLogin {
			w.WriteHeader(http.StatusCreated)
		}
		_ = json.NewEncoder(w).Encode(usual)
	case call == callDelete:
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// FuzzSingleAnswers has a cloud answer logins, catalogues, and requests about a single object with anything. Whatever it is,
// nothing panics or goes on for ever, no error tells our password, what was created has an id, nothing is taken for
// deleted without its deletion being answered, and what cannot be asked for is not deleted. Nothing waits for a clock or a
// network, as many an answer has requests repeated after pauses.
func FuzzSingleAnswers(f *testing.F) {
	const address = "http://127.0.0.1:5000" // of nobody
	lists, known, all := fuzzedLists(), map[string]unit.Target{}, language()
	answers := whole()
	login, err := json.Marshal(token(address))
	if err != nil {
		f.Fatal(err)
	}
	catalogue, err := json.Marshal(map[string]any{"catalog": catalog(address)})
	if err != nil {
		f.Fatal(err)
	}
	for i, l := range lists {
		tg := target(f, l.kind, "known", values{})
		tg.Mark, tg.ID, tg.Fresh, tg.Complete = "kupenstack:fuzzed", l.id, false, true
		known[l.kind] = tg
		whole, err := json.Marshal(answers[l.path](&http.Request{URL: &url.URL{Path: l.path}}))
		if err != nil {
			f.Fatal(err)
		}
		for c, call := range fuzzedCalls() {
			switch call {
			case callGet, callPost, callPut: // whose answers have an object in them
				f.Add(uint8(i), uint8(c), uint8(0), onlyOne(whole, l.key))
			case callLogin, callCatalog, callDelete:
			}
		}
	}
	n := 0
	for c, call := range fuzzedCalls() {
		bodies := []string{
			``, `null`, `{}`, `[]`, `""`, `{"`, `{} {}`, `{"NeutronError":{"message":"` + fuzzedPassword + `","type":"OverQuota"}}`, `{"error":{"message":["x"],"code":404}}`,
			`{"message":"<br />no"}`, `<html><body>gone ` + fuzzedPassword + `</body></html>`, `{"badRequest":{"message":7}}`,
		}
		switch call {
		case callLogin, callCatalog:
			bodies = append(bodies, string(login), string(login[:len(login)/2]), string(catalogue), `{"token":null}`, `{"token":{"catalog":null,"project":null,"user":[]}}`,
				`{"token":{"catalog":[null,{"type":7},{"type":"network","endpoints":[null,{"url":":%"}]}],"user":{"id":"u1"},"project":{"id":"p1"}}}`)
		case callGet, callPost, callPut:
			for _, body := range []string{`{"network":null}`, `{"network":{"id":7}}`, `{"network":{"id":""}}`, `{"network":{"id":"` + idOf("a4") + `","status":[],"tags":7,"description":"kupenstack:fuzzed","subnets":{}}}`} {
				f.Add(uint8(0), uint8(c), uint8(0), []byte(body))
			}
		case callDelete:
		}
		for _, body := range bodies { // with each status, about each kind
			f.Add(uint8(n%len(lists)), uint8(c), uint8(n), []byte(body))
			n++
		}
	}
	f.Fuzz(func(t *testing.T, n, c, status uint8, answer []byte) {
		given := saying{lists[int(n)%len(lists)], fuzzedCalls()[int(c)%len(fuzzedCalls())], fuzzedStatuses()[int(status)%len(fuzzedStatuses())], answer}
		synctest.Test(t, func(t *testing.T) {
			s := &oneAnswer{lists: answers}
			d := openstack.New(openstack.Dialing(openstack.Options{Language: all, Connect: func(context.Context) (openstack.Credentials, error) {
				return openstack.FromVariables(map[string]string{
					"OS_AUTH_URL": address, "OS_REGION_NAME": "RegionOne", "OS_USERNAME": "ops", "OS_PASSWORD": fuzzedPassword, "OS_USER_DOMAIN_ID": "default", "OS_PROJECT_ID": "p1",
				}), nil
			}}, s.serve(t)))
			defer d.Close()
			s.fuzzed(t, d, known[given.list.kind], given, address)
		})
	})
}

// saying is the answer to one kind of call.
type saying struct {
	list   fuzzedList
	call   fuzzedCall
	status int
	body   []byte
}

// fuzzed has an object created, looked at, changed and deleted where one kind of call has an answer.
func (s *oneAnswer) fuzzed(t *testing.T, d *openstack.Driver, known unit.Target, given saying, address string) {
	l, call, code, answer := given.list, given.call, given.status, given.body
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	told := func(doing string, err error) {
		if err != nil && strings.Contains(err.Error(), fuzzedPassword) {
			t.Errorf("to %s tells the password: %v", doing, err)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("to %s does not end: %v", doing, err)
		}
	}
	s.says(l, call, code, answer)
	fresh := known
	fresh.ID, fresh.Fresh, fresh.Complete = "", true, false

	if l.kind != "application_credential" { // which takes a Secret to keep it in
		made, err := d.Apply(ctx, fresh, cty.NilVal, unit.State{Existence: unit.Absent})
		told("create", err)
		if err == nil && made.Existence == unit.Present && made.Owned && made.ID == "" {
			t.Errorf("%s was created without an id by %d %q", l.kind, code, answer)
		}
	}
	states, err := d.Observe(ctx, []unit.Target{known})
	told("observe", err)
	st := states[known.Address]
	if st.Existence == unit.Absent && call != callGet {
		t.Errorf("%s is absent by %s %d %q", l.kind, call, code, answer)
	}
	if st.Existence == unit.Present {
		_, err = d.Apply(ctx, known, cty.NilVal, st)
		told("update", err)
	}
	s.says(l, call, code, answer)
	st.Existence, st.Owned, st.ID = unit.Present, true, l.id
	after, err := d.Delete(ctx, known, st)
	told("delete", err)
	deleted := s.count(callDelete) + s.count(callPost) + s.count(callPut) // Cinder has actions; an aggregate loses its hosts first
	// Of a role a list tells, and nothing else is asked.
	if call == callGet && s.count(callGet) > 0 && code < 300 && !json.Valid(answer) && (deleted > 0 || err == nil && after.Gone()) {
		t.Errorf("%s is deleted though nobody told what it is: %q", l.kind, answer)
	}
	if err == nil && after.Gone() && deleted == 0 && call != callGet && s.count(callGet) == 0 {
		t.Errorf("%s is gone, and nobody was asked: %s %d %q", l.kind, call, code, answer)
	}
	if reach := d.Ask(ctx, unit.API{Service: "identity", Address: address + "/v3"}); strings.Contains(reach.Message+reach.Detail, fuzzedPassword) {
		t.Errorf("Keystone's answer tells the password: %+v", reach)
	}
}

// onlyOne makes an answer about one object of one about several.
func onlyOne(list []byte, key string) []byte {
	var answer map[string]json.RawMessage
	var objects []json.RawMessage
	if json.Unmarshal(list, &answer) != nil || json.Unmarshal(answer[key], &objects) != nil || len(objects) == 0 {
		return list
	}
	one := strings.TrimSuffix(key, "s")
	if strings.HasSuffix(key, "ies") {
		one = strings.TrimSuffix(key, "ies") + "y"
	}
	return []byte(`{"` + one + `":` + string(objects[0]) + `}`)
}
