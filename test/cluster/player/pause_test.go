//go:build beds

package player

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
)

// TestPauseSurvivesAnEarlyLook: of two times for one pod the queue keeps the earlier one. What looks then,
// before the pause after a failure is over, must not be the last look.
func TestPauseSurvivesAnEarlyLook(t *testing.T) {
	failing := pod("failing", corev1.RestartPolicyAlways, script("fails.sh"))
	custom := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{logsResource(): "LogsList"})
	p := newPlayer(t.Context(), fake.NewClientset(failing), custom, Options{FirstPause: time.Second, LastPause: time.Second})
	defer p.queue.ShutDown()
	looks := make(chan podKey)
	go func() {
		for {
			key, shutdown := p.queue.Get()
			if shutdown {
				return
			}
			p.queue.Done(key)
			looks <- key
		}
	}()
	p.queue.AddAfter(keyOf(failing), time.Millisecond) // something changed
	for range 2 {
		if err := p.fail(t.Context(), failing, "no"); err != nil {
			t.Fatal(err)
		}
		select {
		case <-looks:
		case <-time.After(time.Minute):
			t.Fatal("nobody looks again")
		}
	}
}
