package helm

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/release"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhoseWorkIsWaitedFor: what a killed process of ours left is taken over at once, and what somebody else began as soon as it has
// given no sign of life for long.
func TestWhoseWorkIsWaitedFor(t *testing.T) {
	const none = time.Duration(0)
	for name, c := range map[string]struct {
		status    release.Status
		ours, run string
		made      time.Duration // ago
		written   time.Duration // ago, by the clock of whoever runs Helm
		waits     time.Duration
	}{
		"ours":                           {status: release.StatusPendingUpgrade, ours: "2.upgrade.a", run: "upgrade.a"},
		"of an older program":            {status: release.StatusPendingUpgrade, run: "upgrade.a"},
		"helm upgrade":                   {status: release.StatusPendingUpgrade, ours: "1.install.a", run: "install.a", made: time.Minute, waits: 29 * time.Minute},
		"helm rollback":                  {status: release.StatusPendingRollback, ours: "1.install.a", run: "install.a", made: time.Minute, waits: 29 * time.Minute},
		"helm install":                   {status: release.StatusPendingInstall, made: time.Minute, waits: 29 * time.Minute},
		"cut off":                        {status: release.StatusPendingUpgrade, ours: "1.install.a", run: "install.a", made: 31 * time.Minute},
		"at a hook":                      {status: release.StatusPendingUpgrade, ours: "1.install.a", run: "install.a", made: time.Hour, written: 10 * time.Minute, waits: 20 * time.Minute},
		"cut off at a hook":              {status: release.StatusPendingUpgrade, ours: "1.install.a", run: "install.a", made: 2 * time.Hour, written: time.Hour},
		"a clock that is ahead":          {status: release.StatusPendingUpgrade, ours: "1.install.a", run: "install.a", made: time.Hour, written: -5 * time.Minute, waits: 35 * time.Minute},
		"a clock that is hours ahead":    {status: release.StatusPendingUpgrade, ours: "1.install.a", run: "install.a", made: time.Hour, written: -2 * time.Hour},
		"a clock that is behind":         {status: release.StatusPendingUpgrade, ours: "1.install.a", run: "install.a", made: time.Minute, written: 2 * time.Hour, waits: 29 * time.Minute},
		"helm upgrade that has failed":   {status: release.StatusFailed, ours: "1.install.a", run: "install.a", made: time.Minute},
		"helm upgrade that came to pass": {status: release.StatusDeployed, ours: "1.install.a", run: "install.a", made: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			shelf := newShelf()
			d, v := shelf.change(t, simple("apps/v1", "Deployment", "api", 1))
			v.newest.version, v.newest.status, v.newest.description = 2, c.status, "Preparing upgrade"
			v.newest.made = time.Now().Add(-c.made)
			v.newest.labels = map[string]string{labelSpec: "1"}
			for label, value := range map[string]string{labelOurs: c.ours, labelRun: c.run} {
				if value != "" {
					v.newest.labels[label] = value
				}
			}
			if c.written != 0 {
				v.newest.labels["modifiedAt"] = strconv.FormatInt(time.Now().Add(-c.written).Unix(), 10)
			}
			d.rendered["o/keystone"] = rendered{key: hashOf("3 false", "2", "", "")}
			if d.findTheirWork(v); (v.after - c.waits).Abs() > 2*time.Second {
				t.Errorf("it is waited for %s, want %s", v.after, c.waits)
			}
			if c.waits == none {
				if v.theirWork != "" || v.due().Waits {
					t.Errorf("it waits: %q", v.theirWork)
				}
				return
			}
			said := "helm " + strings.TrimPrefix(string(c.status), "pending-") + " is at work on revision 2 since "
			p := progress{Run: v.run(), attempts: attempts{Failures: maxFailures, Last: time.Now()}}
			if err := errors.Join(d.writeProgress(t.Context(), "o", "keystone", &p), d.judgeFailure(t.Context(), v)); err != nil {
				t.Fatal(err)
			}
			diff := v.due()
			if diff.Action != unit.ActionUpdate || !diff.Waits || !strings.Contains(diff.Reason, said) || !strings.Contains(diff.Reason, "(Preparing upgrade)") {
				t.Errorf("%+v", diff)
			}
			if (v.after - c.waits).Abs() > 2*time.Second {
				t.Errorf("after failures of ours it is waited for %s", v.after)
			}
			if state := d.state(t.Context(), v); state.Message != diff.Reason || state.Health != unit.HealthProgressing || state.Release != unit.ReleasePending || state.After != v.after {
				t.Errorf("%+v", state)
			}
			if err := d.step(t.Context(), v); err != nil || len(shelf.written) > 0 {
				t.Errorf("a step wrote %q, %v", shelf.written, err)
			}
		})
	}
}

// shelved is what Helm keeps of one release, which nobody writes to.
type shelved struct {
	archive
	listed metav1.PartialObjectMetadata
}

func (s shelved) Metadata(context.Context, schema.GroupVersionResource, string, string) ([]metav1.PartialObjectMetadata, error) {
	return []metav1.PartialObjectMetadata{s.listed}, nil
}

// TestADeletionWaitsForTheirWork: objects that somebody is about to make must not outlive the release.
func TestADeletionWaitsForTheirWork(t *testing.T) {
	meta := metav1.ObjectMeta{
		Namespace: "o", Name: "v2", ResourceVersion: "1", CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Minute)),
		Labels: map[string]string{"name": "app", "version": "2", "status": "pending-upgrade", labelOurs: "1.install.a", labelRun: "install.a"},
	}
	secret := &corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{
		"release": packed(t, []byte(`{"name":"app","version":2,"info":{"status":"pending-upgrade","description":"Preparing upgrade"}}`)),
	}}
	d := &Driver{
		cluster: newShelf(), api: shelved{archive{secrets: map[string]*corev1.Secret{"v2": secret}}, metav1.PartialObjectMetadata{ObjectMeta: meta}},
		revisions: map[string]*revision{}, rendered: map[string]rendered{}, index: map[unit.ObjectRef]addr.Object{},
		indexed: map[addr.Object][]unit.ObjectRef{}, releases: map[string]addr.Object{},
	}
	target := unit.Target{Locator: unit.Locator{Namespace: "o", Name: "app"}}
	state, err := d.Delete(t.Context(), target, unit.State{})
	if err != nil || state.Existence != unit.Present || state.Health != unit.HealthProgressing || !strings.Contains(state.Message, "helm upgrade is at work on revision 2") {
		t.Errorf("%+v, %v", state, err)
	}
}
