//go:build beds

package kube_test

import (
	"errors"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

func TestWatchesOutliveAnOutage(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	config := w.bed.RESTConfig()
	transport, err := rest.TransportFor(config)
	w.must(err)
	proxy := faultproxy.Start(t, faultproxy.Options{Target: config.Host, Transport: transport, Classify: faultproxy.ClassifyKubernetes})
	c, err := kube.New(kube.Options{Access: kube.NewAccess(&rest.Config{Host: proxy.URL()})})
	w.must(err)
	defer c.Close()

	live, err := w.cluster.Apply(w.ctx, kube.Manager, object(t, configMap(w.name, "a", "{k: v}")))
	w.must(err)
	ref := unit.RefOf(live.Object)
	if found, err := c.Get(w.ctx, ref); err != nil || found[ref] == nil {
		t.Fatalf("at first: %v %v", found, err)
	}
	told := make(chan unit.ObjectRef, 100)
	defer c.Subscribe(func(ref unit.ObjectRef) { told <- ref })()

	outage := proxy.Add(faultproxy.Rule{Action: faultproxy.ResetBefore()})
	proxy.EndWatches(faultproxy.Match{})
	w.until(func() bool {
		found, err := c.Get(w.ctx, ref)
		var partial *kube.PartialError
		return errors.As(err, &partial) && partial.Unknown(ref) != nil && found[ref] == nil
	})
	// What happens meanwhile is seen afterwards.
	w.edit("configmaps", "a", `{"data":{"k":"edited"}}`)
	outage.Remove()
	for got := (unit.ObjectRef{}); got != ref; {
		select {
		case got = <-told:
		case <-w.ctx.Done():
			t.Fatal("nobody told of the change")
		}
	}
	found, err := c.Get(w.ctx, ref)
	w.must(err)
	if fields := c.Compare(live, found[ref]); len(fields) != 1 || fields[0].Before != "edited" {
		t.Errorf("afterwards: %v", fields)
	}

	// A watch that ends goes on without anybody noticing.
	w.until(func() bool { return proxy.EndWatches(faultproxy.Match{}) > 0 })
	w.edit("configmaps", "a", `{"data":{"k":"again"}}`)
	w.until(func() bool {
		found, err := c.Get(w.ctx, ref)
		w.must(err)
		return len(c.Compare(live, found[ref])) == 1 && c.Compare(live, found[ref])[0].Before == "again"
	})
}

// until waits for what no channel tells of.
func (w *world) until(holds func() bool) {
	w.t.Helper()
	for look := time.Tick(20 * time.Millisecond); !holds(); {
		select {
		case <-look:
		case <-w.ctx.Done():
			w.t.Fatal("it does not happen")
		}
	}
}
