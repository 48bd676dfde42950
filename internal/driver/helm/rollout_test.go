package helm

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// rolled are the pods that a text describes: "w1 old, w2 new unready, w3 old ending". A DaemonSet wants one on
// each of n nodes.
func rolled(name string, n int64, text string) daemons {
	set := daemons{ref: unit.ObjectRef{Kind: kindDaemonSet, Name: name}, desired: n, hash: "new"}
	for one := range strings.SplitSeq(text, ", ") {
		words := strings.Fields(one)
		if len(words) < 2 {
			continue
		}
		node := strings.TrimPrefix(words[0], "-")
		pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name + "-" + node, Labels: map[string]string{appsv1.DefaultDaemonSetUniqueLabelKey: words[1]}}}
		pod.Spec.NodeName = node
		ready := corev1.ConditionTrue
		for _, word := range words[2:] {
			switch word {
			case "unready":
				ready = corev1.ConditionFalse
			case "ending":
				now := metav1.Now()
				pod.DeletionTimestamp = &now
			}
		}
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}
		set.pods = append(set.pods, pod)
	}
	return set
}

func TestNextNode(t *testing.T) {
	ready := map[string]bool{"w1": true, "w2": true, "w3": true}
	for _, test := range []struct {
		name string
		sets []daemons
		left int
		want string // the node and the pods, or after "waits" a part of the reason
	}{
		{"nothing to do", []daemons{rolled("a", 2, "w1 new, w2 new")}, 0, ""},
		{"nothing old, and one that does not work", []daemons{rolled("a", 2, "w1 new, w2 new unready")}, 0, ""},
		{"the first by name", []daemons{rolled("a", 3, "w1 new, w2 old, w3 old")}, 2, "w2 a-w2"},
		{"all of a node at once", []daemons{rolled("a", 2, "w1 old, w2 old"), rolled("b", 2, "w1 old, w2 old")}, 4, "w1 a-w1 b-w1"},
		{"what of a node is left", []daemons{rolled("a", 2, "w1 new, w2 old"), rolled("b", 2, "w1 old, w2 old")}, 3, "w1 b-w1"},
		{"what does not work first", []daemons{rolled("a", 3, "w1 old, w2 old, w3 old unready")}, 3, "w3 a-w3"},
		{"a new one that does not work", []daemons{rolled("a", 3, "w1 new unready, w2 old, w3 old")}, 2, "waits the new pod of DaemonSet a on w1 is not ready"},
		{"one that does not work of another", []daemons{rolled("a", 2, "w1 new, w2 old"), rolled("b", 2, "w1 new unready, w2 new")}, 1, "waits DaemonSet b on w1"},
		{"one that ends", []daemons{rolled("a", 3, "w1 old ending, w2 old, w3 old")}, 2, "waits is ending"},
		{"one that is not made yet", []daemons{rolled("a", 3, "w2 old, w3 old")}, 2, "waits on 1 of its nodes"},
		{"a new one without a node", []daemons{rolled("a", 2, "- new unready, w2 old")}, 1, "waits has no node"},
		{"an old one without a node", []daemons{rolled("a", 2, "- old unready, w2 old")}, 2, " a-"},
		{"nodes that are away hold back nobody", []daemons{rolled("a", 3, "dead new unready, w2 old, w3 old")}, 2, "w2 a-w2"},
		{"and end nothing", []daemons{rolled("a", 4, "dead old unready ending, w1 old, w2 old, w3 new")}, 2, "w1 a-w1"},
		{"only nodes that are away", []daemons{rolled("a", 2, "w1 new, dead old unready")}, 1, "waits are not ready"},
		{"an unknown revision", []daemons{{ref: unit.ObjectRef{Kind: kindDaemonSet, Name: "a"}, desired: 1, pods: rolled("a", 1, "w1 old").pods}}, 1, "waits which revision"},
	} {
		t.Run(test.name, func(t *testing.T) {
			next := nextNode(test.sets, ready)
			got := next.node
			for _, pod := range next.pods {
				got += " " + pod.Name
			}
			if reason, waits := strings.CutPrefix(test.want, "waits "); waits {
				if !strings.Contains(next.waits, reason) || got != "" {
					t.Errorf("waits %q and replaces %q", next.waits, got)
				}
			} else if got != test.want || next.waits != "" {
				t.Errorf("replaces %q, want %q; waits %q", got, test.want, next.waits)
			}
			if next.left != test.left {
				t.Errorf("%d are left, want %d", next.left, test.left)
			}
		})
	}
}

// A pod that read labels of its node which changed since is replaced as one of an earlier revision is, and one that
// was made in the same second may have read either.
func TestPodsThatReadOtherLabels(t *testing.T) {
	changed := time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC)
	ready := map[string]bool{"w1": true, "w2": true, "w3": true}
	for _, test := range []struct {
		made time.Duration // the pod on w2
		want string
	}{{-time.Hour, "w2"}, {0, "w2"}, {time.Second, ""}} {
		set := rolled("a", 3, "w1 new, w2 new, w3 new")
		for i := range set.pods {
			set.pods[i].CreationTimestamp = metav1.NewTime(changed.Add(-2 * time.Hour))
		}
		set.pods[1].CreationTimestamp = metav1.NewTime(changed.Add(test.made))
		set.changed = map[string]time.Time{"w2": changed}
		if next := nextNode([]daemons{set, rolled("b", 3, "w1 new, w2 new, w3 new")}, ready); next.node != test.want || next.waits != "" || next.left != len(next.pods) {
			t.Errorf("made %s later: %+v", test.made, next)
		}
		if _, updated := updatedNodes([]daemons{set}, ready)["w2"]; updated != (test.want == "") {
			t.Errorf("made %s later, it counts as new: %t", test.made, updated)
		}
	}
}
