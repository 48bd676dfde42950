package kube

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestExcerptsSeldomChange(t *testing.T) {
	e, start := newExcerpts(), time.Unix(1e9, 0)
	first := []string{"12:00:01 req-0a1b refused"}
	if got := e.put("x", first, start); !slices.Equal(got, first) {
		t.Errorf("at first %q", got)
	}
	if got, fresh := e.get("x", start.Add(excerptAge)); !fresh || !slices.Equal(got, first) {
		t.Errorf("soon after that %q, %v", got, fresh)
	}
	later := start.Add(excerptAge + time.Second)
	if _, fresh := e.get("x", later); fresh {
		t.Error("it is fresh for ever")
	}
	if got := e.put("x", []string{"12:10:02 req-9f9f refused"}, later); !slices.Equal(got, first) {
		t.Errorf("only numbers differ: %q", got)
	}
	other := []string{"12:20:01 req-0a1b accepted"}
	if got := e.put("x", other, later.Add(excerptAge)); !slices.Equal(got, other) {
		t.Errorf("something else is said: %q", got)
	}
	e.put("y", first, later.Add(2*excerptLife))
	if len(e.byKey) != 1 {
		t.Errorf("%d are kept", len(e.byKey))
	}
}

// TestLogsHaveNoKeysOfCeph has what the Job of a chart says whose script says its commands.
func TestLogsHaveNoKeysOfCeph(t *testing.T) {
	key := "AQ" + strings.Repeat("x", 34) + "/w=="
	said := "+ CEPH_ADMIN_KEY=" + key + "\n++ echo " + key + "\n+ ceph_activate_namespace openstack kubernetes.io/rbd key " + key
	want := "+ CEPH_ADMIN_KEY=(sensitive)\n++ echo (sensitive)\n+ ceph_activate_namespace openstack kubernetes.io/rbd key (sensitive)"
	if got := withoutKeysOfCeph(said); got != want {
		t.Errorf("it shows %s", got)
	}
	if said := "AQMP connection AQ== of req-AQ0123456789"; withoutKeysOfCeph(said) != said {
		t.Errorf("it hides what is no key: %s", withoutKeysOfCeph(said))
	}
}
