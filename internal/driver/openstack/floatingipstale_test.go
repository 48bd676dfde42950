package openstack_test

import (
	"maps"
	"testing"
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
