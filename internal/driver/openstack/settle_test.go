package openstack

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestOutcomes(t *testing.T) {
	failed := errors.New("no answer")
	attempt := func(a *outcomes, uid string, unknown bool, err error) {
		_, _ = a.attempt(t.Context(), unit.Target{UID: uid}, func(ctx context.Context) (*object, error) {
			if unknown {
				request, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://neutron.example/v2.0/networks", http.NoBody)
				noteOutcome(request, nil, failed)
			}
			return &object{}, err
		})
	}
	for _, test := range []struct {
		name  string
		begin func(*outcomes)
		first time.Duration
	}{
		{"of a process before", func(*outcomes) {}, time.Minute},
		{"of a process before, and asked for later", func(*outcomes) { time.Sleep(40 * time.Second) }, 20 * time.Second},
		{"nothing was sent", func(a *outcomes) { a.none("u") }, 0},
		{"turned down", func(a *outcomes) { attempt(a, "u", false, failed) }, 0},
		{"unknown", func(a *outcomes) { attempt(a, "u", true, failed) }, time.Minute},
		{"unknown, whatever comes then", func(a *outcomes) { attempt(a, "u", true, failed); a.none("u") }, time.Minute},
		{"of another", func(a *outcomes) { a.none("u"); attempt(a, "v", true, failed) }, 0},
		{"unknown, and turned down after that", func(a *outcomes) { attempt(a, "u", true, failed); attempt(a, "u", false, failed) }, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, tg := newOutcomes(time.Minute), unit.Target{UID: "u", Attempted: true}
				test.begin(a)
				if left := a.left(tg); left != test.first {
					t.Errorf("%v is left, want %v", left, test.first)
				}
				time.Sleep(40 * time.Second)
				if left := a.left(tg); left != max(0, test.first-40*time.Second) {
					t.Errorf("after 40 s, %v is left", left)
				}
				time.Sleep(time.Minute)
				if left := a.left(tg); left != 0 {
					t.Errorf("in the end, %v is left", left)
				}
			})
		})
	}
	a := newOutcomes(time.Minute)
	attempt(a, "u", true, nil)
	if left := a.left(unit.Target{UID: "u"}); left != 0 || len(a.open) > 0 {
		t.Errorf("after it was created %v is left, and known are %v", left, a.open)
	}
}

func TestWhatAnAnswerTells(t *testing.T) {
	lost := errors.New("the connection ended")
	for _, test := range []struct {
		method, path string
		status       int
		err          error
		unknown      bool // whether it may still be carried out
		nothing      bool // whether nothing came of it for sure
	}{
		{http.MethodPost, "/v2.0/networks", http.StatusGatewayTimeout, nil, true, false},
		{http.MethodPost, "/v2.0/networks", http.StatusBadGateway, nil, true, false},
		{http.MethodPost, "/v2.0/networks", http.StatusRequestTimeout, nil, true, false},
		{http.MethodPost, "/v2.0/networks", 0, lost, true, false},
		{http.MethodPost, "/v2.0/networks", 0, &net.OpError{Op: "dial", Err: lost}, false, true},
		{http.MethodPost, "/v2.0/networks", http.StatusCreated, nil, false, false}, // by an answer that cannot be read
		{http.MethodPost, "/v2.0/networks", http.StatusBadRequest, nil, false, true},
		{http.MethodPost, "/v2.0/networks", http.StatusForbidden, nil, false, true},
		{http.MethodPost, "/v2.0/networks", http.StatusConflict, nil, false, false},
		{http.MethodPost, "/v2.0/networks", http.StatusInternalServerError, nil, false, false},
		{http.MethodPost, "/v2.0/networks", http.StatusServiceUnavailable, nil, true, false}, // of a gateway
		{http.MethodPost, "/v2.0/networks", http.StatusTooManyRequests, nil, false, true},
		{http.MethodPost, "/v3/auth/tokens", 0, lost, false, true},
		{http.MethodPut, "/v3/projects/p/users/u/roles/r", 0, lost, false, false}, // a second one makes nothing
		{http.MethodGet, "/v2.0/networks", http.StatusGatewayTimeout, nil, false, true},
	} {
		synctest.Test(t, func(t *testing.T) { // as there are pauses between attempts
			answers := roundTripper(func(r *http.Request) (*http.Response, error) {
				if test.err != nil {
					return nil, test.err
				}
				return &http.Response{StatusCode: test.status, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
			})
			a := newOutcomes(time.Minute)
			_, _ = a.attempt(t.Context(), unit.Target{UID: "u"}, func(ctx context.Context) (*object, error) {
				request, _ := http.NewRequestWithContext(ctx, test.method, "http://openstack.example"+test.path, http.NoBody)
				response, err := (&transport{base: answers}).RoundTrip(request)
				if err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
					response.Body.Close()
				}
				return nil, lost
			})
			if left := a.left(unit.Target{UID: "u"}); left > 0 != test.unknown {
				t.Errorf("%s %s, %d, %v: %v is left", test.method, test.path, test.status, test.err, left)
			}
			if a.nothing("u") != test.nothing {
				t.Errorf("%s %s, %d, %v: nothing came of it: %t", test.method, test.path, test.status, test.err, !test.nothing)
			}
		})
	}
}

// A service that turns a request down gives its id; a gateway in its place may have sent the request on before.
func TestWhoSaysUnavailable(t *testing.T) {
	for id, unknown := range map[string]bool{"": true, "req-00000000-0000-0000-0000-000000000001": false} {
		response := &http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"X-Openstack-Request-Id": {id}}}
		if abandoned(response) != unknown {
			t.Errorf("the id is %q, and the outcome unknown: %t", id, !unknown)
		}
	}
}

// lateKind is a kind whose service takes its time over a request after its gateway has given that up.
type lateKind struct {
	networkKind
	there *arrivals
	sent  *int
	takes time.Duration
}

// arrivals are what there is by now.
type arrivals struct {
	mutex   sync.Mutex
	objects []*object
}

func (a *arrivals) add(o *object) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.objects = append(a.objects, o)
}

func (a *arrivals) clear() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.objects = nil
}

func (k lateKind) list(context.Context, *session) ([]*object, error) {
	k.there.mutex.Lock()
	defer k.there.mutex.Unlock()
	return slices.Clone(k.there.objects), nil
}

func (k lateKind) create(ctx context.Context, _ *session, w wanted) (*object, error) {
	*k.sent++
	made := k.read(map[string]any{"id": "n1", "name": w.named, "project_id": "p1", "description": joinMark("", w.mark)})
	time.AfterFunc(k.takes, func() { k.there.add(made) })
	request, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://neutron.example/v2.0/networks", http.NoBody)
	noteOutcome(request, &http.Response{StatusCode: http.StatusGatewayTimeout}, nil)
	return nil, &apiError{status: http.StatusGatewayTimeout}
}

// What comes late is found, and no second one is made.
func TestALateAnswerMakesNoSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := testDriver(t)
		var there arrivals
		sent := 0
		k := lateKind{d.kinds["network"].(networkKind), &there, &sent, 5 * time.Second}
		want := wantValue("network", map[string]cty.Value{"name": cty.StringVal("web")})
		tg := testTarget(t, "network", want)
		tg.UID, tg.Fresh = "u", true
		s := &session{project: "p1", home: "p1", roles: []string{adminRole}}
		absent := unit.State{Existence: unit.Absent}
		if _, err := d.create(t.Context(), s, k, tg, want, absent); !statusIs(err, http.StatusGatewayTimeout) {
			t.Fatal(err)
		}
		tg.Fresh, tg.Attempted = false, true
		time.Sleep(time.Second)
		_, err := d.create(t.Context(), s, k, tg, want, absent)
		if after := unit.RetryAfter(err); after != settleTime-time.Second || !strings.Contains(err.Error(), "may still be at work") {
			t.Fatalf("the second attempt: %v, after %v", err, after)
		}
		time.Sleep(unit.RetryAfter(err))
		if st, err := d.create(t.Context(), s, k, tg, want, absent); err != nil || st.ID != "n1" || !st.Owned || sent != 1 {
			t.Errorf("the third attempt: %+v, %v; %d requests", st, err, sent)
		}
		vanished := tg // had nobody wanted it any more by then
		vanished.Spec, vanished.Locator = nil, tg.Spec.Locator()
		vanished.Locator.Project = "p1"
		if st, left, err := d.sought(t.Context(), s, k, vanished, cty.NilVal); err != nil || left > 0 || st.ID != "n1" || !st.Owned {
			t.Errorf("what came late is %+v, %v; %v is left", st, err, left)
		}
		there.clear() // had it never come
		if _, err := d.create(t.Context(), s, k, tg, want, absent); !statusIs(err, http.StatusGatewayTimeout) || sent != 2 {
			t.Errorf("the next attempt: %v; %d requests", err, sent)
		}
		there.clear()
		time.Sleep(time.Second)
		if st, left, err := d.sought(t.Context(), s, k, vanished, cty.NilVal); err != nil || left != settleTime-time.Second || !st.Gone() {
			t.Errorf("what may come late is %+v, %v; %v is left", st, err, left)
		}
		time.Sleep(time.Minute) // so that nothing is left running
	})
}
