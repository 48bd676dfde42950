package kube

import (
	"slices"
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
