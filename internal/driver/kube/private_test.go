//go:build beds

package kube_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// TestPrivate has what must not happen on a shared cluster: nodes get labels, and kinds come and go.
func TestPrivate(t *testing.T) {
	bed := testbed.PrivateCluster(t, cluster.Options{Nodes: 2})
	t.Run("labels of nodes", func(t *testing.T) { testNodeLabels(t, bed) })
	t.Run("labels that pods have read", func(t *testing.T) { testRelabelled(t, bed) })
	t.Run("what kubectl prints", func(t *testing.T) { testShownToKubectl(t, bed) })
	t.Run("how nodes are shown", func(t *testing.T) { testShownNodes(t, bed) })
	t.Run("a definition, then its objects", func(t *testing.T) { testDefinitionThenObjectWithStatus(t, bed) })
}
