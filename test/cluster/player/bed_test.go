//go:build beds

package player_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"helm.sh/helm/v3/pkg/chart"

	"github.com/kupenstack/kupenstack-sync/test/charts"
)

// order is how OpenStack-Helm documents an installation. The charts of a line need each other
// and are installed at the same time.
func order() [][]string {
	return [][]string{
		{"mariadb", "rabbitmq", "memcached"},
		{"keystone"},
		{"glance", "placement"},
		{"cinder", "heat", "horizon"},
		{"openvswitch", "ovn"},
		{"libvirt", "neutron", "nova"},
	}
}

// installAll installs charts in order and says how long each took.
func (b bed) installAll(t *testing.T, namespace string, loadChart func(string) (*chart.Chart, map[string]any)) {
	t.Helper()
	for _, group := range order() {
		var waiting sync.WaitGroup
		failures := make([]error, len(group))
		for i, name := range group {
			waiting.Go(func() {
				loaded, values := loadChart(name)
				began := time.Now()
				failures[i] = b.install(namespace, loaded, values, 4*time.Minute)
				t.Logf("%s: %v, error %v", name, time.Since(began).Round(100*time.Millisecond), failures[i])
			})
		}
		waiting.Wait()
		if err := errors.Join(failures...); err != nil {
			t.Fatal(err)
		}
	}
	b.running(t, namespace)
}

// TestBed installs the charts on a cluster and breaks them as people do.
func TestBed(t *testing.T) {
	b := newBed(t)
	t.Run("all charts", func(t *testing.T) {
		b.namespace(t, "openstack")
		// Read before, because a goroutine cannot end the test.
		ours := map[string]*chart.Chart{}
		for _, name := range charts.Names() {
			ours[name] = load(t, name)
		}
		b.installAll(t, "openstack", func(name string) (*chart.Chart, map[string]any) {
			return ours[name], passwords(ours[name])
		})
		b.allJobsSucceeded(t, "openstack")
	})
	t.Run("init dependency", b.initDependency)
	t.Run("database password", b.databasePassword)
	t.Run("service passwords", b.servicePasswords)
}

func (b bed) allJobsSucceeded(t *testing.T, namespace string) {
	t.Helper()
	b.eventually(t, "all jobs have succeeded", func() (string, bool) {
		jobs, err := b.Client().BatchV1().Jobs(namespace).List(b.ctx, metav1.ListOptions{})
		if err != nil {
			return err.Error(), false
		}
		var others []string
		for _, job := range jobs.Items {
			if job.Status.Succeeded != 1 {
				others = append(others, fmt.Sprintf("%s %+v", job.Name, job.Status))
			}
		}
		return fmt.Sprintf("of %d: %s", len(jobs.Items), strings.Join(others, "\n")), len(others) == 0 && len(jobs.Items) > 40
	})
}

// initDependency has a pod wait for a Service until that has an endpoint.
func (b bed) initDependency(t *testing.T) {
	const namespace = "waits"
	b.namespace(t, namespace)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "waiting", Labels: map[string]string{"application": "waiting"}},
		Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{{
				Name: "init", Image: "entrypoint", Command: []string{"kubernetes-entrypoint"},
				Env: []corev1.EnvVar{{Name: "DEPENDENCY_SERVICE", Value: namespace + ":late"}},
			}},
			Containers: []corev1.Container{{Name: "main", Image: "main", Command: []string{"/tmp/run.sh"}}},
		},
	}
	// The ServiceAccount appears a moment after its namespace.
	b.eventually(t, "the pod can be created", func() (string, bool) {
		_, err := b.Client().CoreV1().Pods(namespace).Create(b.ctx, pod, metav1.CreateOptions{})
		return fmt.Sprint(err), err == nil
	})
	b.says(t, namespace, "application=waiting", "init", "Service late has no endpoints")
	b.eventually(t, "its init container runs", func() (string, bool) {
		seen, err := b.Client().CoreV1().Pods(namespace).Get(b.ctx, "waiting", metav1.GetOptions{})
		if err != nil {
			return err.Error(), false
		}
		init := seen.Status.InitContainerStatuses
		return fmt.Sprintf("%+v", seen.Status), seen.Status.Phase == corev1.PodPending && len(init) == 1 && init[0].State.Running != nil
	})
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "late"}, Spec: corev1.ServiceSpec{ClusterIP: "None"}}
	if _, err := b.Client().CoreV1().Services(namespace).Create(b.ctx, service, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	slice := &discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: "late", Labels: map[string]string{discoveryv1.LabelServiceName: "late"}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{"10.244.1.1"}}},
	}
	if _, err := b.Client().DiscoveryV1().EndpointSlices(namespace).Create(b.ctx, slice, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	b.running(t, namespace)
}

// databasePassword gives glance a wrong administrator's password, and a database that is
// installed again another one.
func (b bed) databasePassword(t *testing.T) {
	const namespace = "passwords"
	b.namespace(t, namespace)
	root := func(password string) map[string]any {
		values := passwords(load(t, "mariadb"))
		auth := values["endpoints"].(map[string]any)["oslo_db"].(map[string]any)["auth"].(map[string]any)
		auth["admin"] = map[string]any{"password": password}
		values["pod"] = map[string]any{"replicas": map[string]any{"server": 1}}
		return values
	}
	glance := func(password string, hooks time.Duration) error {
		values := passwords(load(t, "glance"))
		values["endpoints"].(map[string]any)["oslo_db"].(map[string]any)["auth"].(map[string]any)["admin"] = map[string]any{"password": password}
		return b.install(namespace, load(t, "glance"), values, hooks)
	}
	const dbInit = "application=glance,component=db-init"
	if err := b.install(namespace, load(t, "mariadb"), root("first"), time.Minute); err != nil {
		t.Fatal(err)
	}
	b.running(t, namespace)

	if err := glance("wrong", 5*time.Second); err == nil || !strings.Contains(err.Error(), "timed out") {
		t.Errorf("with a wrong password glance's hooks end with %v", err)
	}
	b.says(t, namespace, dbInit, "glance-db-init-0", "Access denied for user 'root'")
	job, err := b.Client().BatchV1().Jobs(namespace).Get(b.ctx, "glance-db-init", metav1.GetOptions{})
	if err != nil || job.Status.Succeeded != 0 || job.Status.Failed != 0 {
		t.Errorf("db-init must hang as the real one does: %+v, %v", job.Status, err)
	}

	// Correcting the Secret heals it.
	_, err = b.Client().CoreV1().Secrets(namespace).Update(b.ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "glance-db-admin"},
		StringData: map[string]string{"DB_CONNECTION": "mysql+pymysql://root:first@mariadb." + namespace + ".svc.cluster.local:3306/glance"},
	}, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.eventually(t, "db-init completes", func() (string, bool) {
		job, err := b.Client().BatchV1().Jobs(namespace).Get(b.ctx, "glance-db-init", metav1.GetOptions{})
		return fmt.Sprint(err), err == nil && job.Status.Succeeded == 1
	})

	// The claim survives, and so does the password.
	b.uninstall(t, namespace, "glance", true)
	b.uninstall(t, namespace, "mariadb", false)
	if err := b.install(namespace, load(t, "mariadb"), root("second"), time.Minute); err != nil {
		t.Fatal(err)
	}
	b.eventually(t, "mariadb runs", func() (string, bool) {
		pod, err := b.Client().CoreV1().Pods(namespace).Get(b.ctx, "mariadb-server-0", metav1.GetOptions{})
		return fmt.Sprint(err), err == nil && isReady(pod)
	})
	if err := glance("second", 5*time.Second); err == nil || !strings.Contains(err.Error(), "timed out") {
		t.Errorf("with the password of the second installation glance's hooks end with %v", err)
	}
	b.says(t, namespace, dbInit, "glance-db-init-0", "Access denied for user 'root'")
}

// servicePasswords gives glance administrators' passwords that RabbitMQ and Keystone, installed
// from their own charts, do not have.
func (b bed) servicePasswords(t *testing.T) {
	const namespace = "credentials"
	b.namespace(t, namespace)
	for _, name := range []string{"mariadb", "rabbitmq", "memcached", "keystone"} {
		if err := b.install(namespace, load(t, name), passwords(load(t, name)), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	b.running(t, namespace)
	tests := []struct {
		name, endpoint string
		// hook is the first that logs in with the password.
		hook, container, refusal string
		secret, correction       string
	}{
		{
			name: "rabbitmq", endpoint: "oslo_messaging",
			hook: "rabbit-init", container: "rabbit-init", refusal: "401 Unauthorized: user 'rabbitmq'",
			secret:     "glance-rabbitmq-admin",
			correction: `{"RABBITMQ_CONNECTION":"rabbit://rabbitmq:oslo_messaging-rabbitmq@rabbitmq.credentials.svc.cluster.local:15672/glance"}`,
		},
		{
			name: "keystone", endpoint: "identity",
			hook: "ks-service", container: "image-ks-service-registration", refusal: "(HTTP 401) (user admin",
			secret:     "glance-keystone-admin",
			correction: `{"OS_PASSWORD":"identity-admin"}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			values := passwords(load(t, "glance"))
			auth := values["endpoints"].(map[string]any)[test.endpoint].(map[string]any)["auth"].(map[string]any)
			auth["admin"] = map[string]any{"password": "wrong"}
			// The hooks before it must be done within the limit.
			err := b.install(namespace, load(t, "glance"), values, 15*time.Second)
			if err == nil || !strings.Contains(err.Error(), "timed out") {
				t.Errorf("with a wrong password glance's hooks end with %v", err)
			}
			// Cleaning up needs no hook: the one before deletion would log in as well.
			defer b.uninstall(t, namespace, "glance", true)
			b.says(t, namespace, "application=glance,component="+test.hook, test.container, test.refusal)
			job, err := b.Client().BatchV1().Jobs(namespace).Get(b.ctx, "glance-"+test.hook, metav1.GetOptions{})
			if err != nil || job.Status.Succeeded != 0 {
				t.Fatalf("%s must not complete: %+v, %v", test.hook, job, err)
			}

			// Correcting the Secret heals it, so that nothing else was wrong.
			patch := fmt.Appendf(nil, `{"stringData":%s}`, test.correction)
			if _, err := b.Client().CoreV1().Secrets(namespace).Patch(b.ctx, test.secret, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
			b.eventually(t, test.hook+" completes", func() (string, bool) {
				job, err := b.Client().BatchV1().Jobs(namespace).Get(b.ctx, "glance-"+test.hook, metav1.GetOptions{})
				return fmt.Sprint(err), err == nil && job.Status.Succeeded == 1
			})
		})
	}
}
