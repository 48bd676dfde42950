package openstack_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// fault is a row of the matrix: what becomes of one request.
type fault struct {
	name   string
	action faultproxy.Action
	// bare takes the place of action where an answer has no body, as action would do nothing to such a one.
	bare *faultproxy.Action
	// late says that the client must give up for anything to go on.
	late bool
	// settling is how long what was not answered may still be carried out; 0 for as long as in all tests.
	settling time.Duration
}

// hung does what it is asked, and never answers.
func hung() faultproxy.Action {
	return faultproxy.Wrap("hung", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), time.Minute)
			defer cancel()
			next.ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		})
	})
}

// givenUp answers as a gateway does that waits no longer, and has what was asked done all the same, some time later.
func givenUp(later time.Duration) faultproxy.Action {
	return faultproxy.Wrap("given up", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), later+time.Minute)
			late := r.Clone(ctx)
			late.Body = io.NopCloser(bytes.NewReader(body))
			time.AfterFunc(later, func() {
				defer cancel()
				defer func() { _ = recover() }() // the proxy ends a handler so when the answer breaks off, which nobody waits for
				next.ServeHTTP(httptest.NewRecorder(), late)
			})
			w.WriteHeader(http.StatusGatewayTimeout)
		})
	})
}

// cutShort has done what it is asked, and breaks off within the first line of the answer.
func cutShort() faultproxy.Action {
	return faultproxy.Wrap("cut short", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			conn, out, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			defer conn.Close()
			_, _ = fmt.Fprintf(out, "HTTP/1.1 %d", answer.Code)
			_ = out.Flush()
		})
	})
}

// TestCutShort: the request is carried out, and its answer is none, although it has no body.
func TestCutShort(t *testing.T) {
	var done atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		done.Add(1)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	for _, f := range faults() {
		if f.bare == nil {
			continue
		}
		came := proxy.Add(faultproxy.Rule{Action: *f.bare, Limit: 1})
		request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, proxy.URL(), nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = answer.Body.Close()
			t.Errorf("%s: the answer is %s", f.name, answer.Status)
		}
		if done.Swap(0) != 1 || came.Fired() != 1 {
			t.Errorf("%s: it came %d times", f.name, came.Fired())
		}
	}
}

func faults() []fault {
	beheaded := cutShort()
	return []fault{
		{name: "429 with Retry-After", action: faultproxy.AnswerOpenStack(http.StatusTooManyRequests, "slow down", time.Second)},
		{name: "500", action: faultproxy.AnswerOpenStack(http.StatusInternalServerError, "the database is away", 0)},
		{name: "502", action: faultproxy.Answer(http.StatusBadGateway, nil, []byte("<html><body>Bad Gateway</body></html>"))},
		{name: "503", action: faultproxy.AnswerOpenStack(http.StatusServiceUnavailable, "later", 0)},
		{name: "504", action: faultproxy.Answer(http.StatusGatewayTimeout, nil, []byte("<html><body>Gateway Timeout</body></html>"))},
		{name: "504, and it comes all the same", action: givenUp(3 * time.Second), settling: 15 * time.Second},
		{name: "reset before it arrived", action: faultproxy.ResetBefore()},
		{name: "reset after it arrived", action: faultproxy.ResetAfter()},
		{name: "truncated answer", action: faultproxy.Truncate(10), bare: &beheaded},
		{name: "slow answer", action: faultproxy.Delay(time.Second)},
		{name: "no answer in time", action: hung(), late: true},
		{name: "401 of a token that ran out", action: faultproxy.AnswerOpenStack(http.StatusUnauthorized, "expired", 0)},
		{name: "409", action: faultproxy.AnswerOpenStack(http.StatusConflict, "something else is going on", 0)},
		{name: "409, though it was done", action: faultproxy.After(faultproxy.AnswerOpenStack(http.StatusConflict, "it is there already", 0))},
	}
}

// column is a column of the matrix: what is being done when the fault comes.
type column struct {
	state string
	on    faultproxy.Match
	// wanted is what is wanted from then on; the columns of a row follow each other in one installation.
	wanted []unit.Target
	first  func() // what somebody else does before, may be nil
	bare   bool   // the answer has no body
}

// columns are the states that a request can fail in, in an order in which one leads to the next.
func columns(t *testing.T, x *installation, server, disk string) []column {
	t.Helper()
	network := target(t, "network", x.prefix+"-net", values{"mtu": number(1400)})
	theirs := target(t, "network", x.prefix+"-theirs", values{"description": text("ours now")})
	changed := with(t, network, values{"mtu": number(1300)})
	volume := target(t, "volume", x.prefix+"-volume", values{"size": number(2)})
	smaller := with(t, volume, values{"size": number(1)})
	attachment := target(t, "volume_attachment", "data", values{"instance": text(server), "volume": text(disk)})
	rest := []unit.Target{changed, theirs}
	const attachments = "/v2.1/servers/{id}/os-volume_attachments"
	return []column{
		{state: "create", on: faultproxy.Match{Verb: "POST", Path: "/v2.0/networks"}, wanted: []unit.Target{network}},
		{state: "list", on: faultproxy.Match{Verb: "GET", Path: "/v2.0/networks"}, wanted: []unit.Target{network}},
		{state: "adopt", on: faultproxy.Match{Verb: "PUT", Path: "/v2.0/networks/{id}"}, wanted: []unit.Target{network, theirs}, first: func() {
			foreignNetwork(t, networks.CreateOpts{Name: x.prefix + "-theirs", Description: "theirs"})
		}},
		{state: "update", on: faultproxy.Match{Verb: "PUT", Path: "/v2.0/networks/{id}"}, wanted: rest},
		{state: "create what comes by and by", on: faultproxy.Match{Verb: "POST", Path: "/v3/{id}/volumes"}, wanted: append(rest, volume)},
		{state: "replace", on: faultproxy.Match{Verb: "POST", Path: "/v3/{id}/volumes"}, wanted: append(rest, smaller)},
		{state: "attach", on: faultproxy.Match{Verb: "POST", Path: attachments}, wanted: append(rest, smaller, attachment)},
		{state: "detach", on: faultproxy.Match{Verb: "DELETE", Path: attachments + "/{id}"}, wanted: append(rest, smaller), bare: true},
		{state: "delete what goes by and by", on: faultproxy.Match{Verb: "DELETE", Path: "/v3/{id}/volumes/{id}"}, wanted: rest, bare: true},
		{state: "delete", on: faultproxy.Match{Verb: "DELETE", Path: "/v2.0/networks/{id}"}, wanted: []unit.Target{theirs}, bare: true},
	}
}

// TestBedFaults has every fault come in every state, each once, and asserts that it did come, that all ends as it is
// wanted, and that there is one of everything and nothing besides. The rows go on at once, as most of their time goes
// by in pauses between two attempts.
func TestBedFaults(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	server := bareServer(t, b)
	type row struct {
		fault
		*installation
		disk    string
		columns []column
		came    *faultproxy.Fault
		err     error
	}
	var rows []*row
	for _, f := range faults() {
		r := &row{fault: f, installation: newInstallation(t, "fault"), disk: made(t, b, "volume", values{"size": number(1)})}
		if f.late {
			r.options.Timeout = 5 * time.Second
		}
		if f.settling > 0 {
			r.options.Settle = f.settling
		}
		r.columns = columns(t, r.installation, server, r.disk)
		rows = append(rows, r)
	}
	for i := range rows[0].columns {
		var all sync.WaitGroup
		for _, r := range rows {
			c := r.columns[i]
			if c.first != nil {
				c.first()
			}
			rule := faultproxy.Rule{Match: c.on, Action: r.action, Limit: 1}
			if r.bare != nil && c.bare {
				rule.Action = *r.bare
			}
			r.came = r.fleet.Add(rule)
			all.Go(func() { r.err = r.settle(t.Context(), c.wanted) })
		}
		all.Wait()
		for _, r := range rows {
			c := r.columns[i]
			r.came.Remove()
			t.Run(c.state+"/"+r.name, func(t *testing.T) {
				if r.err != nil || r.came.Fired() != 1 {
					t.Fatalf("the fault came %d times: %v\n%v", r.came.Fired(), r.err, r.fleet.Counts())
				}
				r.holds(t, c.wanted)
				want := slices.ContainsFunc(c.wanted, func(tg unit.Target) bool { return kindOfTarget(tg) == "volume_attachment" })
				if is := attached(t, server, r.disk); is != want {
					t.Errorf("the volume is attached: %t, want %t", is, want)
				}
			})
		}
	}
}

// attached tells whether the instance has the volume, asked for past the proxies.
func attached(t *testing.T, server, volume string) bool {
	t.Helper()
	all, _ := request(t, "compute", http.MethodGet, "servers/"+server+"/os-volume_attachments", nil)["volumeAttachments"].([]any)
	return slices.ContainsFunc(all, func(one any) bool {
		raw, _ := one.(map[string]any)
		return raw["volumeId"] == volume
	})
}

// bareServer makes an instance without networks, and returns its id.
func bareServer(t *testing.T, b *bench) string {
	t.Helper()
	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	url, checksum := b.disk(t, 1<<10)
	image := target(t, "image", unique("image"), values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	b.converge(t, &image)
	server := target(t, "instance", unique("vm"), values{"image": text(image.ID), "flavor": text(flavor.ID), "networks": cty.ListValEmpty(cty.String)})
	b.converge(t, &server)
	return server.ID
}
