//go:build beds

package kube

import (
	"context"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

func TestApplyingLabelsNeverMakesANode(t *testing.T) {
	c, err := New(Options{Access: NewAccess(testbed.Cluster(t).RESTConfig())})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	gone := parse(t, "apiVersion: v1\nkind: Node\nmetadata: {name: gone-just-now, uid: 11111111-2222-4333-8444-555555555555}")
	labels := &nodeLabels{cluster: c, name: "gone-just-now"}
	if err := labels.set(ctx, gone, map[string]string{"a": "b"}, ""); err == nil {
		t.Error("it was applied")
	}
	if found, err := c.Confirm(ctx, labels.ref()); found != nil || err != nil {
		t.Errorf("got %v %v", found, err)
	}
}
