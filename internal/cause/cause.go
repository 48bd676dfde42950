package cause

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Evidence is what is known of the pods of a workload.
type Evidence struct {
	Pods []corev1.Pod
	// Down are the nodes that Kubernetes does not call ready: what pods there say of themselves is old.
	Down map[string]bool
	Now  time.Time
	// Logs lets messages be shown that containers take from their logs.
	Logs bool
}

// Finding is a cause, and the pods that have it.
type Finding struct {
	Text string
	Pods int
	// Pod is the one of them that comes first by its name: others can be asked about it.
	Pod *corev1.Pod
	// Container is the one that it is about, "" for none. Its log may tell more, that of the time before
	// its last restart when Previous is set.
	Container string
	Previous  bool
	// Waits are what an init container of OpenStack-Helm's charts waits for, met or not.
	Waits []Dependency
	// Events tells that events of the pod may say why.
	Events bool
	// Claims are the volumes that the pod cannot be put on a node without.
	Claims []string

	rank rank
}

// Explanation is what is told of an object that is not ready.
type Explanation struct {
	Causes []string // the most telling one first
	Log    []string // the last lines of a container's log, where these are wanted
}

// rank says how telling a finding is.
type rank int

const (
	rankStuck    rank = iota // nothing becomes of it by itself
	rankWaits                // for others
	rankNotReady             // it runs
	rankEnded                // a pod of the past
	rankBegins               // it is being made
)

// Of returns the distinct causes, the most telling ones first and among these that of most pods.
func Of(e Evidence) []Finding {
	pods := slices.Clone(e.Pods)
	slices.SortFunc(pods, func(a, b corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	var found []Finding
	for i := range pods {
		finding, ill := ofPod(e, &pods[i])
		if !ill {
			continue
		}
		if at := slices.IndexFunc(found, func(f Finding) bool { return f.Text == finding.Text }); at >= 0 {
			found[at].Pods++
			continue
		}
		finding.Pods, finding.Pod = 1, &pods[i]
		found = append(found, finding)
	}
	Sort(found)
	return found
}

// Sort puts the most telling findings first.
func Sort(found []Finding) {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.Pods, a.Pods), cmp.Compare(a.Text, b.Text))
	})
}

// Add says what was found out beside what the pod tells. A reason that is known makes more of it than that
// something has begun.
func (f *Finding) Add(text string) {
	if text == "" {
		return
	}
	f.Text += ": " + text
	if f.rank == rankBegins {
		f.rank = rankStuck
	}
}

// Line returns the finding with the pods that it is about, of several the one that comes first by its name. A pod without an
// owner is what somebody asks about, and was named.
func (f *Finding) Line() string {
	switch named := f.Pod.Name != "" && len(f.Pod.OwnerReferences) > 0; {
	case f.Pods > 1 && named:
		return fmt.Sprintf("%s (%s pods, such as %s)", f.Text, Coarse(f.Pods), f.Pod.Name)
	case f.Pods > 1:
		return fmt.Sprintf("%s (%s pods)", f.Text, Coarse(f.Pods))
	case !named:
		return f.Text
	}
	for _, owner := range f.Pod.OwnerReferences {
		if owner.Kind == "DaemonSet" && f.Pod.Spec.NodeName != "" {
			return fmt.Sprintf("%s (pod %s on node %s)", f.Text, f.Pod.Name, f.Pod.Spec.NodeName)
		}
	}
	return fmt.Sprintf("%s (pod %s)", f.Text, f.Pod.Name)
}

// Coarse tells how many there are in words that seldom change while the number grows.
func Coarse(n int) string {
	if n <= 5 {
		return fmt.Sprint(n)
	}
	floor := 5
	for _, step := range []int{10, 30, 100, 300, 1000} {
		if n > step {
			floor = step
		}
	}
	return fmt.Sprintf("more than %d", floor)
}
