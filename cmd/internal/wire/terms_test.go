package wire

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/request"
)

// TestRequestsAreReadAgain: what was read of requests does not count as known in the next term, as who knew of it is gone, nor
// beside a write, as others may have asked since the last look and nothing of that may be left to be written.
func TestRequestsAreReadAgain(t *testing.T) {
	t.Parallel()
	const path = "/api/v1/namespaces/s/configmaps/kupenstack-requests"
	before, err := request.Encode([]request.Request{
		{ID: "nova", Targets: []addr.Address{addr.MustParseObject("service.nova")}, At: time.Now(), Taken: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&told{data: map[string]string{path: string(before)}})
	t.Cleanup(server.Close)
	s := &System{Flags: &Flags{Namespace: "s"}, told: map[string]string{}}
	if s.cluster, err = kube.New(kube.Options{Access: kube.NewAccess(&rest.Config{Host: server.URL}), SystemNamespace: "s"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.cluster.Close)
	known := func() bool {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		_, read := s.told[requests]
		return read
	}
	if list, _, err := s.readRequests(t.Context()); err != nil || len(list) != 1 || !known() {
		t.Fatalf("read %v, known %t: %v", list, known(), err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	s.FollowRequests(Follower{})(ended, func(error) {})
	if known() {
		t.Error("the next term does not read what is asked for")
	}

	if _, _, err := s.readRequests(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = keptRequests{s}.change(t.Context(), func(list []request.Request) []request.Request { return request.Without(list, "withdrawn") })
	if err != nil || known() {
		t.Errorf("what was read to be changed counts as known: %v", err)
	}
}
