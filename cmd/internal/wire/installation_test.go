//go:build beds

package wire

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// While the engine works with an installation its loss is told, and once nobody wants to know any more that
// ends.
func TestTheLossOfTheInstallationIsTold(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	s := &System{}
	var err error
	if s.cluster, err = kube.New(kube.Options{Access: kube.NewAccess(&rest.Config{Host: server.URL}), SystemNamespace: "s"}); err != nil {
		t.Fatal(err)
	}
	defer s.cluster.Close()
	s.KeepInstallation(t.Context(), func(error) { t.Error("told though there is none yet") })

	s.kept = &installed{id: "the-id", key: redact.NewSecret("a key")}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var told []error
	s.KeepInstallation(ctx, func(err error) {
		told = append(told, err)
		cancel()
	})
	if len(told) != 1 || !errors.Is(told[0], kube.ErrLost) {
		t.Errorf("told %v", told)
	}
}
