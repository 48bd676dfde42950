//go:build beds

package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/test/await"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

func TestReadiness(t *testing.T) {
	t.Parallel()
	l := start(t, testbed.Cluster(t), directory, map[string]error{
		"ping": errors.New("no route"), "engine": errors.New("no inventory"), "source": errors.New("no repository"), "facts": errors.New("no nodes"),
	})
	if status, text := l.ask("/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("it is ready before it could start: %s", text)
	}
	await.Until(t, "the cluster's trouble", func() bool {
		_, text := l.ask("/readyz")
		return strings.Contains(text, "cluster: no route\n")
	})
	l.measures("kupenstack_leader 0")
	l.set("ping", nil)
	await.Until(t, "the inventory's trouble", func() bool {
		_, text := l.ask("/readyz")
		return strings.Contains(text, "cluster: no inventory\n")
	})
	l.set("engine", nil)
	l.unready("source: no repository")
	l.set("source", nil)
	l.unready("source: look at the cluster: no nodes")
	l.set("facts", nil)
	l.ready()
	l.measures("kupenstack_leader 1")
}

func TestDaemonFollows(t *testing.T) {
	t.Parallel()
	bed := testbed.Cluster(t)
	l := start(t, bed, directory, nil)
	l.measures(`kupenstack_units{class="resource",phase="ready"} 1`, "kupenstack_leader 1", `kupenstack_polls_total{result="new"} 1`)
	l.ready()
	l.published(`"verdict": "converged"`)

	l.describe(configuration + "project \"two\" {}\n")
	l.changes <- daemon.SourceChanged
	l.measures(`kupenstack_units{class="resource",phase="ready"} 2`, `kupenstack_polls_total{result="new"} 2`)
	if n := strings.Count(l.get200("/metrics"), "\nkupenstack_revision_info{"); n != 1 {
		t.Errorf("%d revisions are in force", n)
	}

	l.describe("nonsense {")
	l.measures(`kupenstack_polls_total{result="invalid"} 1`, `kupenstack_units{class="resource",phase="ready"} 2`)
	l.published(`"verdict": "invalid"`)
	l.ready() // the last good revision is kept up

	l.set("source", errors.New("no repository"))
	l.unready("source: no repository")
	l.measures(`kupenstack_units{class="resource",phase="ready"} 2`)

	// The next process gets the lease at once.
	next := leaseIn(l.namespace, "next", bed.RESTConfig())
	working, leave, ended := make(chan error, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- next.Hold(t.Context(), nil, func(context.Context) error {
			working <- next.Guard()
			<-leave
			return nil
		})
	}()
	l.stop()
	l.done <- await.Receive(t, l.done, "the end of the daemon")
	if holder, err := bed.LeaseHolder(t.Context(), l.namespace, "kupenstack"); err != nil || holder == "lab" {
		t.Errorf("%q has the lease after the end, which would expire 15 seconds after the last renewal: %v", holder, err)
	}
	if err := await.Receive(t, working, "the lease"); err != nil || l.lease.Guard() == nil {
		t.Errorf("the next one may write: %v; so may the one before: %v", err, l.lease.Guard())
	}
	close(leave)
	if err := await.Receive(t, ended, "the end of the next one"); err != nil {
		t.Error(err)
	}
}

// Facts that cannot be had when they change are asked for again, though the source has nothing new.
func TestFactsChange(t *testing.T) {
	t.Parallel()
	l := start(t, testbed.Cluster(t), directory, nil)
	l.ready()
	l.measures(`kupenstack_units{class="resource",phase="ready"} 1`)
	l.set("facts", errors.New("no nodes"))
	l.changes <- daemon.FactsChanged
	l.unready("facts: look at the cluster: no nodes")
	l.set("facts", nil)
	l.ready()
}

// A process whose lease was taken is a standby, and begins anew when it gets it back.
func TestDaemonLosesTheLease(t *testing.T) {
	t.Parallel()
	bed := testbed.Cluster(t)
	l := start(t, bed, directory, nil)
	l.measures(`kupenstack_units{class="resource",phase="ready"} 1`)
	l.published(`"verdict": "converged"`)
	l.set("source", errors.New("no repository"))
	l.unready("source: no repository")
	l.published(`"verdict": "degraded"`)
	reported := time.Now()
	l.set("source", errors.New("still no repository")) // a detail, which is reported later
	l.unready("source: still no repository")

	leases := bed.Client().CoordinationV1().Leases(l.namespace)
	if _, err := leases.Patch(t.Context(), "kupenstack", types.MergePatchType, []byte(theft), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	l.measures("kupenstack_leader 0")
	l.ready() // it does not know what the source is like, and need not
	if text := l.get200("/metrics"); strings.Contains(text, "kupenstack_units{") {
		t.Errorf("it speaks of units that are not its own any more:\n%s", text)
	}
	l.target.mutex.Lock()
	if text := string(l.target.files["status.json"]); strings.Contains(text, "still no repository") && time.Since(reported) < 25*time.Second {
		t.Error("it reported after it had lost the lease")
	}
	l.target.files = map[string][]byte{"status.json": []byte("by the other one")}
	l.target.mutex.Unlock()
	l.set("source", nil)
	l.set("facts", errors.New("no nodes"))

	if err := leases.Delete(t.Context(), "kupenstack", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	l.unready("facts: look at the cluster: no nodes")
	l.measures("kupenstack_leader 1")
	l.set("facts", nil)
	l.measures(`kupenstack_units{class="resource",phase="ready"} 1`)
	l.published(`"verdict": "converged"`)
}

func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	const token = "hunter2-hunter2"
	l := start(t, testbed.Cluster(t), func(l *lab) revision.Source {
		opened, err := gitrepo.Open(t.Context(), gitrepo.Options{
			URL: fmt.Sprintf("http://robot:%s@127.0.0.1:1/cloud.git", token), CacheDir: t.TempDir(),
		})
		if err != nil {
			l.t.Fatal(err)
		}
		return opened
	}, nil)
	await.Until(t, "the source's trouble", func() bool {
		status, text := l.ask("/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(text, "source: ") && strings.Contains(text, "127.0.0.1:1")
	})
	failed := regexp.MustCompile(`(?m)^kupenstack_polls_total\{result="failed"\} [1-9]`) // there may have been more by now
	await.Until(t, "polls that failed", func() bool { return failed.MatchString(l.get200("/metrics")) })
	for _, path := range []string{"/readyz", "/metrics"} {
		if _, text := l.ask(path); strings.Contains(text, token) {
			t.Errorf("%s shows a credential:\n%s", path, text)
		}
	}
	l.published("127.0.0.1:1")
	l.target.mutex.Lock()
	defer l.target.mutex.Unlock()
	for name, content := range l.target.files {
		if strings.Contains(string(content), token) {
			t.Errorf("%s of the report shows a credential", name)
		}
	}
}
