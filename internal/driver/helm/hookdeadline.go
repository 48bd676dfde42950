package helm

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// defaultHookTimeout is far beyond what hooks take. The Jobs of OpenStack-Helm never fail by themselves: each
// starts a thousand pods before it does.
const defaultHookTimeout = 30 * time.Minute

// overtime says how long a hook has been running that should be done by now, "" for one that has time. The text
// changes rarely, as reports would with it.
func (d *Driver) overtime(live *unstructured.Unstructured) string {
	limit := d.options.HookTimeout
	began := live.GetCreationTimestamp()
	if limit <= 0 || began.IsZero() {
		return ""
	}
	age := d.cluster.Now().Sub(began.Time)
	if age < limit {
		return ""
	}
	over := limit
	for age >= 2*over {
		over *= 2
	}
	return fmt.Sprintf("not done after %s", over)
}

// hangs tells whether a hook that runs counts as failed. That of an installation never does: what it waits for may
// take as long to come. Nor does what changes a schema right now, which would be left half changed.
func (d *Driver) hangs(run string, live *unstructured.Unstructured) bool {
	if !strings.HasPrefix(run, "upgrade.") && !isReturn(run) || stays(live) || d.overtime(live) == "" {
		return false
	}
	return !hasReadyPod(live) || !migrates(live.GetName())
}
