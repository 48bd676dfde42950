//go:build beds

package kube_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// TestWatchesOfALapsedProcess: they ask for nothing while the right to read is lost, nor does anything else but a ping, and who
// has it again need not wait until they try again by themselves.
func TestWatchesOfALapsedProcess(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	config := w.bed.RESTConfig()
	transport, err := rest.TransportFor(config)
	w.must(err)
	proxy := faultproxy.Start(t, faultproxy.Options{Target: config.Host, Transport: transport, Classify: faultproxy.ClassifyKubernetes})
	var lapsed atomic.Bool
	c, err := kube.New(kube.Options{Access: kube.NewAccess(&rest.Config{Host: proxy.URL()}), Reads: func() error {
		if lapsed.Load() {
			return unit.ErrNotWriter
		}
		return nil
	}})
	w.must(err)
	defer c.Close()
	live, err := w.cluster.Apply(w.ctx, kube.Manager, object(t, configMap(w.name, "a", "{k: v}")))
	w.must(err)
	ref := unit.RefOf(live.Object)
	if found, err := c.Get(w.ctx, ref); err != nil || found[ref] == nil {
		t.Fatalf("at first: %v %v", found, err)
	}

	lapsed.Store(true)
	before := len(proxy.Requests())
	proxy.EndWatches(faultproxy.Match{})
	for range 5 { // each try waits longer than the one before
		w.until(func() bool {
			_, err := c.Get(w.ctx, ref)
			var partial *kube.PartialError
			return errors.As(err, &partial) && errors.Is(partial.Unknown(ref), unit.ErrNotWriter)
		})
	}
	if _, _, err := c.Instructions(w.ctx, "suspensions"); !errors.Is(err, unit.ErrNotWriter) {
		t.Errorf("what is read by itself: %v", err)
	}
	w.must(c.Ping(w.ctx))
	for i, r := range proxy.Requests()[before:] {
		if i > 0 || r.URLPath != "/version" {
			t.Errorf("it sent %s", r)
		}
	}

	w.edit("configmaps", "a", `{"data":{"k":"edited"}}`)
	lapsed.Store(false)
	found, err := c.Get(w.ctx, ref)
	if err != nil || found[ref] == nil {
		t.Fatalf("when it may read again: %v, %v", found, err)
	}
	if fields := c.Compare(live, found[ref]); len(fields) != 1 || fields[0].Before != "edited" {
		t.Errorf("when it may read again: %v", fields)
	}
}
