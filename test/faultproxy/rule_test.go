//go:build beds

package faultproxy_test

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

func TestMatch(t *testing.T) {
	server, client := startTarget(t), newClient(t, nil)
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL, Classify: faultproxy.ClassifyKubernetes})
	other := faultproxy.Start(t, faultproxy.Options{Target: server.URL, Control: proxy.Control})
	const url = "/api/v1/namespaces/a/configmaps/b"
	tests := []struct {
		name  string
		match faultproxy.Match
		want  bool
	}{
		{"anything", faultproxy.Match{}, true},
		{"method", faultproxy.Match{Verb: "GET"}, true},
		{"classified verb", faultproxy.Match{Verb: "get"}, true},
		{"other verb", faultproxy.Match{Verb: "list"}, false},
		{"exact path", faultproxy.Match{Path: url}, true},
		{"classified path", faultproxy.Match{Path: "/api/v1/namespaces/{namespace}/configmaps/{name}"}, true},
		{"one segment", faultproxy.Match{Path: "/api/v1/namespaces/*/configmaps/?"}, true},
		{"a star is not two segments", faultproxy.Match{Path: "/api/v1/*/configmaps/b"}, false},
		{"two stars are", faultproxy.Match{Path: "/api/**/b"}, true},
		{"a glob is anchored", faultproxy.Match{Path: "/api"}, false},
		{"a dot is a dot", faultproxy.Match{Path: "/api/v./**"}, false},
		{"regexp", faultproxy.Match{Regexp: regexp.MustCompile(`configmaps/[a-c]$`)}, true},
		{"other regexp", faultproxy.Match{Regexp: regexp.MustCompile(`^configmaps`)}, false},
		{"func", faultproxy.Match{Request: func(r *http.Request) bool { return r.UserAgent() == "tester" }}, true},
		{"other func", faultproxy.Match{Request: func(r *http.Request) bool { return r.UserAgent() == "" }}, false},
		{"this proxy", faultproxy.Match{Proxy: proxy}, true},
		{"other proxy", faultproxy.Match{Proxy: other}, false},
		{"all must agree", faultproxy.Match{Verb: "GET", Path: "/nowhere"}, false},
	}
	faults := make([]*faultproxy.Fault, len(tests))
	for i, test := range tests {
		faults[i] = proxy.Add(faultproxy.Rule{Match: test.match})
	}
	if status, _, _, err := do(t, client, "GET", proxy.URL()+url, nil); status != 200 {
		t.Fatal(status, err)
	}
	for i, test := range tests {
		if got := faults[i].Fired() == 1 && faults[i].Seen() == 1; got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

func TestNthSequenceLimitAndRemove(t *testing.T) {
	server, client := startTarget(t), newClient(t, nil)
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	refuse := faultproxy.Answer(503, nil, nil)
	send := func(n int) (refused []int) {
		t.Helper()
		for i := 1; i <= n; i++ {
			status, _, _, err := do(t, client, "GET", proxy.URL()+"/"+[]string{"even", "odd"}[i%2], nil)
			if err != nil {
				t.Fatal(err)
			}
			if status == 503 {
				refused = append(refused, i)
			}
		}
		return refused
	}
	odd := faultproxy.Match{Path: "/odd"}
	tests := []struct {
		name string
		rule faultproxy.Rule
		want []int
	}{
		{"nth of the matching", faultproxy.Rule{Match: odd, Nth: 2, Action: refuse}, []int{3}},
		{"limit", faultproxy.Rule{Match: odd, Limit: 2, Action: refuse}, []int{1, 3}},
		{"all", faultproxy.Rule{Match: odd, Action: refuse}, []int{1, 3, 5}},
		{"number of the request", faultproxy.Rule{Sequence: 3*6 + 4, Action: refuse}, []int{4}},
		{"nth and number disagree", faultproxy.Rule{Nth: 1, Sequence: 1, Action: refuse}, nil},
	}
	for _, test := range tests {
		fault := proxy.Add(test.rule)
		if got := send(6); !slices.Equal(got, test.want) || fault.Fired() != len(test.want) {
			t.Errorf("%s: refused %v, fired %d times, want %v", test.name, got, fault.Fired(), test.want)
		}
		fault.Remove()
		fault.Remove()
	}
	if got := send(6); got != nil {
		t.Errorf("without rules: refused %v", got)
	}
}

// TestAlone: what a rule takes that is to be alone is taken by none after it, so that none is hidden from it or hides another one.
func TestAlone(t *testing.T) {
	server, client := startTarget(t), newClient(t, nil)
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	passes := proxy.Add(faultproxy.Rule{}) // as one does that changes the clock
	var alone []*faultproxy.Fault
	for _, status := range []int{500, 502, 503} {
		alone = append(alone, proxy.Add(faultproxy.Rule{Alone: true, Limit: 1, Action: faultproxy.Answer(status, nil, nil)}))
	}
	last := proxy.Add(faultproxy.Rule{Action: faultproxy.Answer(504, nil, nil)})
	for i, want := range []int{500, 502, 503, 504} {
		status, _, _, err := do(t, client, "GET", proxy.URL()+"/", nil)
		if err != nil || status != want {
			t.Errorf("request %d got %d, want %d, %v", i, status, want, err)
		}
	}
	for i, fault := range alone {
		if fault.Fired() != 1 || fault.Seen() != 4 {
			t.Errorf("rule %d was taken %d times of %d", i, fault.Fired(), fault.Seen())
		}
	}
	if passes.Fired() != 4 || last.Fired() != 1 || last.Seen() != 4 {
		t.Errorf("the rules beside them were taken %d and %d times, the last of %d", passes.Fired(), last.Fired(), last.Seen())
	}
}

// The decisions of one seed are the same whether requests come one by one or all at once,
// and another seed makes others.
func TestChanceIsReplayed(t *testing.T) {
	server := startTarget(t)
	decide := func(seed uint64, clients int) (refused []string) {
		t.Helper()
		control := faultproxy.NewControl(seed)
		proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL, Control: control})
		proxy.Add(faultproxy.Rule{Name: "unlucky", Probability: 0.4, Action: faultproxy.Answer(503, nil, nil)})
		paths := make(chan string)
		var all sync.WaitGroup
		for range clients {
			client := newClient(t, nil)
			all.Go(func() {
				for path := range paths {
					for range 3 { // three times the same request, always in this order
						if _, _, _, err := do(t, client, "GET", proxy.URL()+path, nil); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		for i := range 20 {
			paths <- "/" + strconv.Itoa(i)
		}
		close(paths)
		all.Wait()
		occurrence := map[string]int{}
		for _, request := range control.Requests() {
			occurrence[request.Path]++
			if request.Status == 503 {
				refused = append(refused, fmt.Sprint(request.Path, " ", occurrence[request.Path]))
			}
		}
		slices.Sort(refused)
		return refused
	}
	want := decide(42, 1)
	if len(want) < 10 || len(want) > 40 {
		t.Errorf("%d of 60 requests refused at a chance of 0.4", len(want))
	}
	if got := decide(42, 8); !slices.Equal(got, want) {
		t.Errorf("with concurrent clients the same seed decides\n%v instead of\n%v", got, want)
	}
	if got := decide(43, 1); slices.Equal(got, want) {
		t.Error("another seed decides the same")
	}
}

func TestImpossibleRulesPanic(t *testing.T) {
	for _, rule := range []faultproxy.Rule{{Probability: 1.5}, {Probability: -1}, {Nth: -1}, {Sequence: -1}, {Limit: -1}, {First: -1}, {Probability: 0.5, Latest: -1}, {Latest: 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was accepted", rule)
				}
			}()
			faultproxy.NewControl(1).Add(rule)
		}()
	}
}

func TestSeed(t *testing.T) {
	t.Setenv(faultproxy.SeedVariable, "123")
	if got := faultproxy.Seed(t); got != 123 {
		t.Errorf("got %d from the environment", got)
	}
	for runs, want := range map[string]string{"": "KUPENSTACK_TEST_SEED=5", "300": "KUPENSTACK_TEST_SEED=5 KUPENSTACK_TEST_RUNS=300"} {
		if t.Setenv(faultproxy.RunsVariable, runs); faultproxy.Replay(5) != want {
			t.Errorf("with %q runs it is replayed with %q", runs, faultproxy.Replay(5))
		}
	}
	if err := os.Unsetenv(faultproxy.SeedVariable); err != nil {
		t.Fatal(err)
	}
	if first, second := faultproxy.Seed(t), faultproxy.Seed(t); first == second {
		t.Error("two runs without the variable have the same seed")
	}
	if faultproxy.Rand(1, "ab", "c").Uint64() == faultproxy.Rand(1, "a", "bc").Uint64() {
		t.Error("different keys share their chance")
	}
}

func TestClassifyKubernetes(t *testing.T) {
	for _, test := range []struct{ method, url, verb, path string }{
		{"GET", "/api/v1/namespaces/a/pods", "list", "/api/v1/namespaces/{namespace}/pods"},
		{"GET", "/api/v1/namespaces/a/pods?watch=true", "watch", "/api/v1/namespaces/{namespace}/pods"},
		{"GET", "/api/v1/pods?watch=false", "list", "/api/v1/pods"},
		{"GET", "/api/v1/namespaces/a/pods/p", "get", "/api/v1/namespaces/{namespace}/pods/{name}"},
		{"PUT", "/api/v1/namespaces/a/pods/p/status", "update", "/api/v1/namespaces/{namespace}/pods/{name}/status"},
		{"GET", "/api/v1/namespaces", "list", "/api/v1/namespaces"},
		{"DELETE", "/api/v1/namespaces/a", "delete", "/api/v1/namespaces/{name}"},
		{"PUT", "/api/v1/namespaces/a/finalize", "update", "/api/v1/namespaces/{name}/finalize"},
		{"POST", "/apis/apps/v1/namespaces/a/deployments", "create", "/apis/apps/v1/namespaces/{namespace}/deployments"},
		{"PATCH", "/apis/apps/v1/namespaces/a/deployments/d", "patch", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}"},
		{"DELETE", "/apis/apps/v1/namespaces/a/deployments", "deletecollection", "/apis/apps/v1/namespaces/{namespace}/deployments"},
		{"GET", "/apis/storage.k8s.io/v1/storageclasses/general", "get", "/apis/storage.k8s.io/v1/storageclasses/{name}"},
		{"GET", "/api/v1", "GET", "/api/v1"},
		{"GET", "/apis/apps/v1", "GET", "/apis/apps/v1"},
		{"GET", "/readyz", "GET", "/readyz"},
		{"GET", "/", "GET", "/"},
	} {
		request, err := http.NewRequestWithContext(t.Context(), test.method, test.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if verb, path := faultproxy.ClassifyKubernetes(request); verb != test.verb || path != test.path {
			t.Errorf("%s %s: got %s %s", test.method, test.url, verb, path)
		}
	}
}
