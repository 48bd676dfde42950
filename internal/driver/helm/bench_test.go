//go:build beds

package helm_test

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// What the benchmark below wants, in processor time of the same run.
const (
	maxOfHelm  = 1.3  // of what Helm takes for the same charts of OpenStack-Helm and values
	maxOfSmall = 1.6  // and for ours, which are small, so that what is the same for each weighs more
	maxOfFirst = 0.15 // of the first look, for a second one: it reads the directories of charts again, and renders nothing
)

// mainServices are the 14 of a cloud that people begin with.
func mainServices() []string {
	return []string{
		"mariadb", "rabbitmq", "memcached", "keystone", "glance", "placement", "openvswitch", "ovn", "libvirt", "neutron", "nova", "cinder", "heat", "horizon",
	}
}

// BenchmarkRender composes the main services and looks at them while none is installed, which renders each of
// them, as a plan does. Helm's part is what `helm template` does with the same charts and values. With a checkout in
// OSH_CHARTS the charts are those of OpenStack-Helm.
func BenchmarkRender(b *testing.B) {
	const rounds = 6 // the least of which other work on the machine has not made dearer
	dir, most := os.Getenv(charts.CheckoutVariable), maxOfHelm
	if dir == "" {
		dir, most = charts.Dir(), maxOfSmall
	}
	on := newBed(b, nil)
	m, ev := composed.Text(b, composed.Source("ovn", "ceph"))
	on.keep(credentials(b, m, ev))
	var helm, ours, again time.Duration
	for b.Loop() {
		helm, ours, again = time.Hour, time.Hour, time.Hour
		for range rounds {
			on.restart() // which remembers nothing
			began := spent(b)
			targets := on.composed(m, ev, os.DirFS(dir))
			on.absent(targets)
			ours = min(ours, spent(b)-began)
			if n := int(on.rendered.Swap(0)); n != len(targets) {
				b.Fatalf("%d charts were rendered %d times", len(targets), n)
			}

			began = spent(b)
			on.absent(targets)
			again = min(again, spent(b)-began)
			if n := on.rendered.Swap(0); n > 0 {
				b.Fatalf("a second look at what is unchanged rendered %d charts", n)
			}

			began = spent(b)
			for _, target := range targets {
				template(b, dir, target.Spec.(*unit.Release))
			}
			helm = min(helm, spent(b)-began)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(helm.Seconds(), "cpu-s/helm")
	b.ReportMetric(ours.Seconds()/helm.Seconds(), "x-helm")
	b.ReportMetric(again.Seconds()/ours.Seconds(), "x-first")
	if ours.Seconds() > most*helm.Seconds() || again.Seconds() > maxOfFirst*ours.Seconds() {
		b.Errorf("it takes %v, once more %v, and Helm %v; want at most %v of Helm, and then %v of the first time", ours, again, helm, most, maxOfFirst)
	}
}

// composed are the main services as they are composed, in the bed's namespace, with charts of a tree.
func (b *bed) composed(m *model.Model, ev compose.Evaluator, tree fs.FS) []unit.Target {
	b.t.Helper()
	units, diags := compose.Compose(m, ev, compose.Facts{})
	if diags.HasErrors() {
		b.t.Fatal(diags)
	}
	var targets []unit.Target
	for _, u := range units {
		spec, ok := u.Spec.(*unit.Release)
		if !ok || !slices.Contains(mainServices(), spec.Name) {
			continue
		}
		spec.Namespace, spec.Chart.Tree, spec.Chart.Repository = b.namespace, tree, "."
		for i := range spec.Secrets {
			spec.Secrets[i].Namespace = b.namespace
		}
		target := unit.Target{Address: u.Address, UID: spec.Name, Mark: "mark-" + spec.Name, Fresh: true, Spec: spec, Locator: spec.Locator()}
		targets = append(targets, target)
	}
	if len(targets) != len(mainServices()) {
		b.t.Fatalf("there are %d of %d services", len(targets), len(mainServices()))
	}
	return targets
}

// absent looks at releases that are not there and could be made.
func (b *bed) absent(targets []unit.Target) {
	b.t.Helper()
	states, err := b.driver.Observe(b.t.Context(), targets)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, target := range targets {
		if diff := b.driver.Compare(target, cty.NilVal, states[target.Address]); diff.Action != unit.ActionCreate {
			b.t.Fatalf("%s: %+v", target.Address, diff)
		}
	}
}

// keep puts values into the Secrets that releases take theirs from.
func (b *bed) keep(secrets []unit.ValueSecret) {
	b.t.Helper()
	byName := map[string]map[string]string{}
	for _, s := range secrets {
		if byName[s.Name] == nil {
			byName[s.Name] = map[string]string{}
		}
		byName[s.Name][s.Key] = "a-value-of-a-benchmark-" + s.Key
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: b.namespace, Labels: map[string]string{"app.kubernetes.io/managed-by": "kupenstack"}},
			StringData: byName[name],
		}
		if _, err := b.client.CoreV1().Secrets(b.namespace).Create(b.t.Context(), secret, metav1.CreateOptions{}); err != nil {
			b.t.Fatal(err)
		}
	}
}

func credentials(tb testing.TB, m *model.Model, ev compose.Evaluator) []unit.ValueSecret {
	tb.Helper()
	units, diags := compose.Compose(m, ev, compose.Facts{})
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	var all []unit.ValueSecret
	for _, u := range units {
		if spec, ok := u.Spec.(*unit.Release); ok {
			all = append(all, spec.Secrets...)
		}
	}
	return all
}

// template renders a release as `helm template` does, with the toolkit beside the chart.
func template(tb testing.TB, dir string, spec *unit.Release) {
	tb.Helper()
	loaded := read(tb, filepath.Join(dir, spec.Name))
	if len(loaded.Metadata.Dependencies) > 0 {
		loaded.SetDependencies(read(tb, filepath.Join(dir, "helm-toolkit")))
	}
	install := action.NewInstall(&action.Configuration{})
	install.ReleaseName, install.Namespace, install.DryRun, install.ClientOnly, install.IncludeCRDs = spec.Name, spec.Namespace, true, true, true
	if _, err := install.RunWithContext(context.WithoutCancel(tb.Context()), loaded, maps.Clone(spec.Values)); err != nil {
		tb.Fatalf("%s: %v", spec.Name, err)
	}
}

func read(tb testing.TB, dir string) *chart.Chart {
	tb.Helper()
	loaded, err := loader.LoadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return loaded
}

// spent is the processor time of this process so far.
func spent(tb testing.TB) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
