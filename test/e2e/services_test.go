//go:build beds

package e2e_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/charts"
	"github.com/kupenstack/kupenstack-sync/test/composed"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// nodes are those of the cluster, with a use for each service. Two of what has a port of its node, such as
// the proxy of consoles, need two nodes.
const nodes = `
node "node-1" { roles = ["control-plane", "network"] }
node "node-2" { roles = ["control-plane", "network"] }
node "node-3" { roles = ["compute"] }
`

// mirror has all images pulled from one place.
const mirror = `  images {
    pull_secret = "mirror-login"
    registries = {
      "docker.io"       = "mirror.example.org/docker"
      "ghcr.io"         = "mirror.example.org/ghcr"
      "quay.io"         = "mirror.example.org/quay"
      "registry.k8s.io" = "mirror.example.org/kubernetes"
    }
  }
`

// outside has every API reached at a name, and networks of the data centre connected.
const outside = `  physical_network "public" {
    bridge = "br-public"
    device = "eth1"
    vlans  = ["100:199"]
  }
  exposure {
    domain        = "cloud.example.org"
    ingress_class = "nginx"
    certificate   = "wildcard"
  }
`

// TestServices deploys every service there is, one pass after another: they come up, stay at rest, are
// repaired, and go. What carries instances stays, as other tests have some in the cloud that they share.
// What charts bring is written as an account of its own, and at the end the roles in deploy/ are compared with what was asked.
// With the charts of OpenStack-Helm, where nothing else runs meanwhile, all services go, on every backend
// of the network and of storage.
func TestServices(t *testing.T) {
	backends, gone := []string{"ovn"}, []string{
		"barbican", "cinder", "designate", "heat", "horizon", "ironic", "magnum", "manila", "octavia",
		"prometheus-blackbox-exporter", "prometheus-kube-state-metrics", "prometheus-mysql-exporter", "prometheus-node-exporter", "prometheus-openstack-exporter", "prometheus-process-exporter", "skyline",
	} // the demo has the other backend
	// A pod of cinder-volume on each node that may have volumes on its disks.
	sources := map[string]string{
		"ovn": composed.Source("ovn", "ceph", mirror, outside),
		"ovs": composed.WithBackends("lvm", 2, `    anti_affinity = "required"`, mirror, outside),
	}
	alone := os.Getenv(charts.CheckoutVariable) != ""
	if alone {
		backends, gone = append(backends, "ovs"), nil
	} else {
		t.Parallel()
	}
	for _, backend := range backends {
		t.Run(backend, func(t *testing.T) {
			t.Parallel() // in a world of its own
			w := world.New(t)
			w.Describe(t, "cloud.hcl", composed.Without(sources[backend], "ceph-adapter-rook")+nodes) // there is no Rook
			s := &everything{story{World: w, all: t}}
			rights := func(*testing.T) {}
			if !alone { // exporters of OpenStack-Helm bind their pods to cluster-admin, which no account of charts may
				granted := w.Deployer(t, namespace)
				rights = func(t *testing.T) { s.rights(t, granted) }
			}
			s.commit = w.Push(t, "Describe the cloud")
			for _, chapter := range []struct {
				name string
				run  func(*testing.T)
			}{
				{"deploy", s.deploy},
				{"rest", s.rest},
				{"repair", s.repair},
				{"take away", func(t *testing.T) { s.takeAway(t, gone) }},
				{"rights", rights},
			} {
				if !t.Run(chapter.name, chapter.run) {
					return // what follows builds on it
				}
			}
		})
	}
}

type everything struct{ story }

// pass runs the command once, and wants what is pushed to be in force at its end.
func (s *everything) pass(t *testing.T, arguments ...string) {
	t.Helper()
	if r := s.Run(t, converges, arguments...); r.Code != 0 {
		t.Fatalf("the pass ended with %d:\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	if status, _ := s.ReadStatus(t); status.Verdict != "converged" || status.Applied.Hash != s.commit {
		t.Fatalf("the status branch says %s of %s", status.Verdict, status.Applied.Hash)
	}
}

func (s *everything) deploy(t *testing.T) {
	s.pass(t)
	status, _ := s.ReadStatus(t)
	for line := range strings.SplitSeq(s.Files.Content()["cloud.hcl"], "\n") {
		_, rest, isService := strings.Cut(line, `  service "`)
		name, _, _ := strings.Cut(rest, `"`)
		if u := status.Unit("service." + name); isService && (u == nil || u.Phase != "ready") {
			t.Errorf("%s is reported as %+v", name, u)
		}
	}
	s.mirrored(t)
	s.reached(t)
}

// reached wants each Ingress to lead to a port that a Service has, and every API to be told of its name.
func (s *everything) reached(t *testing.T) {
	client := s.Cluster.Client()
	ingresses, err := client.NetworkingV1().Ingresses(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(ingresses.Items) < 10 {
		t.Fatalf("%d Ingresses, %v", len(ingresses.Items), err)
	}
	for _, ingress := range ingresses.Items {
		to := ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service
		service, err := client.CoreV1().Services(namespace).Get(t.Context(), to.Name, metav1.GetOptions{})
		if err != nil || !slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == to.Port.Number }) {
			t.Errorf("%s leads to port %d of %s: %v", ingress.Name, to.Port.Number, to.Name, err)
		}
	}
	jobs, err := client.BatchV1().Jobs(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, job := range jobs.Items {
		for _, c := range job.Spec.Template.Spec.Containers {
			for _, v := range c.Env {
				if v.Name == "OS_SERVICE_ENDPOINT" && strings.HasPrefix(v.Value, "https://") && strings.Contains(v.Value, ".cloud.example.org") {
					told++
				}
			}
		}
	}
	if told < 8 {
		t.Errorf("%d jobs put a name outside into the catalogue", told)
	}
}

// mirrored wants no pod to pull an image from elsewhere than the mirror.
func (s *everything) mirrored(t *testing.T) {
	pods, err := s.Cluster.Client().CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(pods.Items) == 0 {
		t.Fatalf("%d pods, %v", len(pods.Items), err)
	}
	for _, pod := range pods.Items {
		for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
			if !strings.HasPrefix(c.Image, "mirror.example.org/") {
				t.Errorf("%s runs %s", pod.Name, c.Image)
			}
		}
		if pod.Labels["application"] == "prometheus-blackbox-exporter" {
			continue // its chart has no place for the Secret
		}
		if os.Getenv(charts.CheckoutVariable) != "" && !slices.ContainsFunc(pod.Spec.ImagePullSecrets, func(r corev1.LocalObjectReference) bool { return r.Name == "mirror-login" }) {
			t.Errorf("%s is pulled with %v", pod.Name, pod.Spec.ImagePullSecrets)
		}
	}
}

func (s *everything) rest(t *testing.T) {
	since, err := s.Cluster.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	reports := s.Repository.Hash(t, world.StatusBranch)
	s.pass(t)
	if writes := s.Writes(t, since); len(writes) > 0 {
		t.Errorf("an unchanged world was written to: %q", writes)
	}
	if now := s.Repository.Hash(t, world.StatusBranch); now != reports {
		t.Errorf("the status branch went from %s to %s", reports, now)
	}
}

// repair deletes a Deployment, and edits what another one's pods read.
func (s *everything) repair(t *testing.T) {
	revisions := s.releases(t)
	deployments := s.Cluster.Client().AppsV1().Deployments(namespace)
	if err := deployments.Delete(t.Context(), "heat-engine", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	services := s.Cluster.Client().CoreV1().Services(namespace)
	if err := services.Delete(t.Context(), "heat-api", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	const more = `{"spec":{"replicas":7}}`
	if _, err := deployments.Patch(t.Context(), "heat-api", types.MergePatchType, []byte(more), metav1.PatchOptions{FieldManager: "somebody"}); err != nil {
		t.Fatal(err)
	}
	jobs := s.jobs(t)
	edited := s.editConfigMap(t)
	s.pass(t)
	if _, err := services.Get(t.Context(), "heat-api", metav1.GetOptions{}); err != nil {
		t.Errorf("the Service that was deleted: %v", err)
	}
	if api, err := deployments.Get(t.Context(), "heat-api", metav1.GetOptions{}); err != nil || *api.Spec.Replicas == 7 {
		t.Errorf("heat-api was scaled by hand: %v", err)
	}
	if now := s.jobs(t); !maps.Equal(now, jobs) {
		t.Errorf("repairs ran Jobs: %v, before %v", now, jobs)
	}
	if engine, err := deployments.Get(t.Context(), "heat-engine", metav1.GetOptions{}); err != nil || engine.Status.AvailableReplicas == 0 {
		t.Errorf("heat-engine: %v", err)
	}
	if done, seen := edited(); !done {
		t.Errorf("the edited ConfigMap: %s", seen)
	}
	if now := s.releases(t); !slices.Equal(now, revisions) {
		t.Errorf("repairs made new revisions: %v, before %v", now, revisions)
	}
}

// jobs are the Jobs of hooks and charts, by name; those of CronJobs come by themselves.
func (s *everything) jobs(t *testing.T) map[string]types.UID {
	t.Helper()
	list, err := s.Cluster.Client().BatchV1().Jobs(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]types.UID{}
	for _, job := range list.Items {
		if len(job.OwnerReferences) == 0 {
			found[job.Name] = job.UID
		}
	}
	if len(found) == 0 {
		t.Fatal("there are no Jobs")
	}
	return found
}

// unreachable wants nothing to lead to services that are gone; nil for all.
func (s *everything) unreachable(t *testing.T, services []string) {
	ingresses, err := s.Cluster.Client().NetworkingV1().Ingresses(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, ingress := range ingresses.Items {
		if services == nil || slices.ContainsFunc(services, func(name string) bool { return strings.HasPrefix(ingress.Name, name+"-") }) {
			t.Errorf("the Ingress %s is left", ingress.Name)
		}
	}
}

// takeAway disables services, all of them where none is named.
func (s *everything) takeAway(t *testing.T, services []string) {
	var without strings.Builder
	depth := 0 // in the block of a service, whose settings go
	for line := range strings.Lines(s.Files.Content()["cloud.hcl"]) {
		_, rest, isService := strings.Cut(line, `  service "`)
		name, _, _ := strings.Cut(rest, `"`)
		switch {
		case depth > 0:
			depth += strings.Count(line, "{") - strings.Count(line, "}")
		case isService && (services == nil || slices.Contains(services, name)):
			without.WriteString("  service \"" + name + "\" {\n    enabled = false\n  }\n")
			depth = strings.Count(line, "{") - strings.Count(line, "}")
		default:
			without.WriteString(line)
		}
	}
	s.Files.Write("cloud.hcl", without.String())
	before := s.Released(t, namespace)
	s.commit = s.Push(t, "Take services away")
	s.pass(t, "--max-deletes", "40") // more go at once than is usual
	left := s.Released(t, namespace)
	s.unreachable(t, services)
	if services != nil {
		of := append(slices.Clone(services), "openstack-metrics", "kube-state-metrics", "node-exporter", "process-exporter", "mysql-exporter", "exporter-create-sql-user", "minidns", "nova-compute-ironic") // of exporters, Designate and Ironic
		// Nova goes on without Ironic in a revision of its own.
		left = slices.DeleteFunc(left, func(object string) bool { return object == "Secret sh.helm.release.v1.nova.v2" })
		isOf := func(object string) bool {
			_, object, _ = strings.Cut(object, " ")
			object = strings.TrimPrefix(object, "sh.helm.release.v1.")
			return slices.ContainsFunc(of, func(name string) bool { return strings.HasPrefix(object, name) })
		}
		if !slices.ContainsFunc(before, isOf) || !slices.Equal(left, slices.DeleteFunc(slices.Clone(before), isOf)) {
			t.Errorf("of %q\nthese are left: %q", before, left)
		}
		return
	}
	if strings.Contains(without.String(), `"lvm"`) && !slices.Contains(left, "PersistentVolumeClaim glance-images") {
		t.Errorf("the images are gone; left are %q", left)
	}
	left = slices.DeleteFunc(left, func(object string) bool { return strings.HasPrefix(object, "PersistentVolumeClaim ") })
	// Without the keys nothing could be read any more that they encrypt.
	if !slices.Equal(left, []string{"Secret keystone-credential-keys", "Secret keystone-fernet-keys"}) {
		t.Errorf("objects of releases are left: %q", left)
	}
}
