package openstack_test

import (
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A floating IP was to lead elsewhere, was refused, and is to stay after all: nobody makes way for it any more.
func TestNobodyMakesWayForWhatStays(t *testing.T) {
	cloud := &crossing{ips: map[string]map[string]any{}}
	k := newKeeper(t, driverOf(t, cloud))
	k.converge(t, leading(t, map[string]string{"a": "1", "b": "2"})...)
	k.pass(t, leading(t, map[string]string{"a": "2", "b": "2"})...)
	k.pass(t, leading(t, map[string]string{"a": "1", "b": "1"})...)
	if got := cloud.connects(); !maps.Equal(got, map[string]string{"a": "1", "b": "2"}) {
		t.Errorf("they lead to %v, and %d were disconnected", got, cloud.freed)
	}
}

// What has made way leads nowhere until the other one has left, however long something else takes that is made beside them.
func TestFloatingIPsChangePlacesBesideWhatIsSlow(t *testing.T) {
	t.Parallel()
	for name, places := range map[string][2]map[string]string{
		"two":   {{"a": "1", "b": "2"}, {"a": "2", "b": "1"}},
		"three": {{"a": "1", "b": "2", "c": "3"}, {"a": "2", "b": "3", "c": "1"}},
		"six": {
			{"a": "1", "b": "2", "c": "3", "d": "4", "e": "5", "f": "6"},
			{"a": "2", "b": "3", "c": "4", "d": "5", "e": "6", "f": "1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud := &crossing{ips: map[string]map[string]any{}}
			k := newKeeper(t, driverOf(t, cloud))
			before, after := places[0], maps.Clone(places[1])
			k.converge(t, leading(t, before)...)
			changed, once, late := make(chan struct{}), sync.Once{}, atomic.Bool{}
			k.driver = driverOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					select {
					case <-changed:
					case <-time.After(time.Minute):
						late.Store(true)
					}
				}
				cloud.ServeHTTP(w, r)
				if r.Method == http.MethodPut && maps.Equal(cloud.connects(), places[1]) {
					once.Do(func() { close(changed) })
				}
			}))
			after["n"] = "9"
			k.converge(t, leading(t, after)...)
			if got := cloud.connects(); late.Load() || !maps.Equal(got, after) || cloud.freed != 1 {
				t.Errorf("they lead to %v, %d were disconnected, and the places were changed after what is slow: %v", got, cloud.freed, late.Load())
			}
		})
	}
}

// One that has left between the refusal and the look for it is in nobody's way.
func TestAFloatingIPFollowsOneThatHasJustLeft(t *testing.T) {
	t.Parallel()
	theirs := map[string]any{"id": "theirs", "project_id": "p1", "floating_network_id": "ext", "floating_ip_address": "192.0.2.99", "description": "theirs", "tags": []any{}, "port_forwardings": []any{}, "port_id": "port9", "fixed_ip_address": addressOf("port9")}
	cloud := &crossing{ips: map[string]map[string]any{"theirs": theirs}}
	k := newKeeper(t, driverOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Query().Has("port_id") {
			cloud.mutex.Lock()
			cloud.connect(theirs, nil)
			cloud.mutex.Unlock()
		}
		cloud.ServeHTTP(w, r)
	})))
	k.converge(t, leading(t, map[string]string{"a": "9"})...)
}
