//go:build beds

package player

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

func TestWhatIsPlayed(t *testing.T) {
	unlabelled := pod("unlabelled", corev1.RestartPolicyAlways, script("run.sh"))
	unlabelled.Labels = nil
	behaving := pod("behaving", corev1.RestartPolicyAlways, script("run.sh"))
	behaving.Annotations = map[string]string{cluster.AnnotationBehave: cluster.BehaveNeverReady}
	unscheduled := pod("unscheduled", corev1.RestartPolicyAlways, script("run.sh"))
	unscheduled.Spec.NodeName = ""
	b := newBed(t, unlabelled, behaving, unscheduled,
		pod("long", corev1.RestartPolicyAlways, script("run.sh")),
		pod("short", corev1.RestartPolicyOnFailure, script("run.sh")),
		pod("once", corev1.RestartPolicyNever, script("run.sh")))
	b.expect("long", annotationRun, cluster.RunReady)
	b.expect("short", annotationRun, cluster.RunCompleted)
	b.expect("once", annotationRun, cluster.RunCompleted)
	for _, name := range []string{"unlabelled", "behaving", "unscheduled"} {
		if run := b.pod(context.Background(), name).Annotations[annotationRun]; run != "" {
			t.Errorf("%s was played: %s", name, run)
		}
	}
}

func TestDependencies(t *testing.T) {
	other := pod("other", corev1.RestartPolicyAlways, script("run.sh"))
	other.Labels = map[string]string{"application": "libvirt", "component": "libvirt"}
	daemon := pod("daemon", corev1.RestartPolicyAlways, script("run.sh"))
	controller := true
	daemon.OwnerReferences = []metav1.OwnerReference{{Kind: "DaemonSet", Name: "agent", Controller: &controller}}
	for name, test := range map[string]struct {
		env   corev1.EnvVar
		unmet string
		meet  func(*bed)
	}{
		"service": {
			plain("DEPENDENCY_SERVICE", "openstack:mariadb"), "Service mariadb has no endpoints",
			func(b *bed) { b.create(reachable("mariadb", nil)...) },
		},
		"job": {
			plain("DEPENDENCY_JOBS", "glance-db-sync,glance-ks-user"), "Job glance-db-sync in namespace openstack failed: it does not exist",
			func(b *bed) {
				b.create(job("glance-db-sync", 0), job("glance-ks-user", 1))
				b.complete("glance-db-sync")
			},
		},
		"jobs by label": {
			plain("DEPENDENCY_JOBS_JSON", `[{"labels":{"job":"sync"}}]`), "no matching jobs found",
			func(b *bed) { b.create(job("sync", 0)); b.complete("sync") },
		},
		"pod on the same node": {
			plain("DEPENDENCY_POD_JSON", `[{"labels":{"application":"libvirt","component":"libvirt"},"requireSameNode":true}]`), "found no ready pod with labels",
			func(b *bed) { b.create(other.DeepCopy()); b.makeReady("other") },
		},
		"daemonset": {
			plain("DEPENDENCY_DAEMONSET", "agent"), "no pod of it is ready on node-1",
			func(b *bed) { b.create(daemon.DeepCopy()); b.makeReady("daemon") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			waiting := pod("waiting", corev1.RestartPolicyAlways, script("run.sh"))
			waiting.Spec.InitContainers = []corev1.Container{{Name: "init", Command: []string{"kubernetes-entrypoint"}, Env: []corev1.EnvVar{test.env}}}
			b := newBed(t, waiting)
			b.expectLog("waiting", test.unmet)
			if annotations := b.pod(context.Background(), "waiting").Annotations; annotations[annotationInit] != "" {
				t.Fatalf("the dependency is not met, but the pod has %v", annotations)
			}
			test.meet(b)
			b.expect("waiting", annotationInit, cluster.InitDone)
			if run := b.pod(context.Background(), "waiting").Annotations[annotationRun]; run != "" {
				t.Errorf("containers run (%s) before the init containers have completed", run)
			}
			b.initialized("waiting")
			b.expect("waiting", annotationRun, cluster.RunReady)
		})
	}
}

func (b *bed) complete(name string) {
	b.t.Helper()
	if _, err := b.client.BatchV1().Jobs(namespace).UpdateStatus(context.Background(), job(name, 1), metav1.UpdateOptions{}); err != nil {
		b.t.Fatal(err)
	}
	b.seen(job(name, 1))
}

func TestCustomResources(t *testing.T) {
	waiting := pod("waiting", corev1.RestartPolicyAlways, script("run.sh"))
	waiting.Spec.InitContainers = []corev1.Container{{Name: "init", Command: []string{"kubernetes-entrypoint"}, Env: []corev1.EnvVar{
		plain("DEPENDENCY_CUSTOM_RESOURCE", `[{"apiVersion":"example.org/v1","kind":"Workflow","name":"wf","fields":[{"key":"status.phase","value":"Succeeded"}]}]`),
	}}}
	b := newBed(t, waiting)
	b.expectLog("waiting", "Workflow wf in namespace openstack failed: it does not exist")
}

// server is a MariaDB member and its claim.
func server(password string) []runtime.Object {
	member := pod("mariadb-server-0", corev1.RestartPolicyAlways, script("start.py",
		plain("MYSQL_DBADMIN_USERNAME", "root"), fromSecret("MYSQL_DBADMIN_PASSWORD", "dbadmin")))
	member.Labels = map[string]string{"application": "mariadb"}
	member.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-0"},
	}}}
	return append(reachable("mariadb", map[string]string{"application": "mariadb"}), member,
		secret("dbadmin", "MYSQL_DBADMIN_PASSWORD", password))
}

func claim() *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "data-0"}}
}

func (b *bed) database() database {
	b.t.Helper()
	object, err := b.client.CoreV1().PersistentVolumeClaims(namespace).Get(context.Background(), "data-0", metav1.GetOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	var data database
	if text := object.Annotations[databaseAnnotation]; text != "" {
		if err := json.Unmarshal([]byte(text), &data); err != nil {
			b.t.Fatal(err)
		}
	}
	return data
}

func connectionURL(user, password string) string {
	return fmt.Sprintf("mysql+pymysql://%s:%s@mariadb.openstack.svc.cluster.local:3306/%s", user, password, user)
}

func dbInit(name string) *corev1.Pod {
	return pod(name, corev1.RestartPolicyOnFailure, corev1.Container{
		Name: "glance-db-init-0", Command: []string{"/tmp/db-init.py"},
		Env: []corev1.EnvVar{
			{Name: "ROOT_DB_CONNECTION", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: "glance-db-admin"}, Key: "DB_CONNECTION",
			}}},
			plain("OPENSTACK_CONFIG_FILE", "/etc/glance/glance-api.conf"),
			plain("OPENSTACK_CONFIG_DB_SECTION", "database"),
			plain("OPENSTACK_CONFIG_DB_KEY", "connection"),
		},
	})
}

func withConfig(p *corev1.Pod, secret string) *corev1.Pod {
	p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "conf", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secret}}})
	for i := range p.Spec.Containers {
		// As the charts mount it: one file of the Secret.
		p.Spec.Containers[i].VolumeMounts = []corev1.VolumeMount{{Name: "conf", MountPath: "/etc/glance/glance-api.conf", SubPath: "glance-api.conf"}}
	}
	return p
}

func etc(password string) *corev1.Secret {
	return secret("glance-etc", "glance-api.conf", "[database]\nconnection = "+connectionURL("glance", password)+"\n")
}

// TestDatabase is the life of a password: fixed at the first start, wrong in a chart, healed.
func TestDatabase(t *testing.T) {
	b := newBed(t, append(server("right"), claim(), etc("own"), secret("glance-db-admin", "DB_CONNECTION", connectionURL("root", "wrong")))...)
	b.expect("mariadb-server-0", annotationRun, cluster.RunReady)
	b.makeReady("mariadb-server-0")
	if root := b.database().Root; root != (credential{"root", "right"}) {
		t.Fatalf("the data was initialized with %v", root)
	}

	b.create(withConfig(dbInit("glance-db-init"), "glance-etc"))
	b.expect("glance-db-init", annotationRun, cluster.RunCrashLoop)
	b.expectLog("glance-db-init", "Access denied for user 'root'")
	b.eventually("restarts grow", func(ctx context.Context) bool {
		restarts, _ := strconv.Atoi(b.pod(ctx, "glance-db-init").Annotations[cluster.AnnotationRestarts])
		return restarts >= 3
	})
	if users := b.database().Users; len(users) != 0 {
		t.Fatalf("a refused db-init made %v", users)
	}

	b.set(secret("glance-db-admin", "DB_CONNECTION", connectionURL("root", "right")))
	b.expect("glance-db-init", annotationRun, cluster.RunCompleted)
	if users := b.database().Users; users["glance"] != "own" || len(users) != 1 {
		t.Fatalf("users are %v", users)
	}

	// Another password of the user is not applied: CREATE USER IF NOT EXISTS.
	b.set(etc("other"))
	b.create(withConfig(dbInit("again"), "glance-etc"))
	b.expectLog("again", "Access denied for user 'glance'")
	b.create(withConfig(pod("glance-db-sync", corev1.RestartPolicyOnFailure, script("db-sync.sh")), "glance-etc"))
	b.expect("glance-db-sync", annotationRun, cluster.RunCrashLoop)
	b.create(withConfig(pod("glance-api", corev1.RestartPolicyAlways, script("glance-api.sh")), "glance-etc"))
	b.expect("glance-api", annotationRun, cluster.RunCrashLoop)
	purge := withConfig(pod("glance-purge", corev1.RestartPolicyNever, script("purge.sh")), "glance-etc")
	purge.Annotations = map[string]string{annotationInit: cluster.InitDone}
	purge.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodInitialized, Status: corev1.ConditionTrue}}
	purge.Spec.InitContainers = []corev1.Container{{Name: "init", Env: []corev1.EnvVar{plain("DEPENDENCY_JOBS", "glance-db-sync")}}}
	b.create(purge)
	b.expect("glance-purge", annotationRun, cluster.RunFailed)
	b.create(withConfig(pod("glance-storage-init", corev1.RestartPolicyNever, script("storage-init.sh")), "glance-etc"))
	b.expect("glance-storage-init", annotationRun, cluster.RunCompleted)

	b.set(etc("own"))
	b.expect("glance-db-sync", annotationRun, cluster.RunCompleted)
	b.expect("glance-api", annotationRun, cluster.RunReady)
}

// TestDatabaseKeepsPassword starts a server with another Secret on a volume that has data.
func TestDatabaseKeepsPassword(t *testing.T) {
	used := claim()
	used.Annotations = map[string]string{databaseAnnotation: `{"root":{"user":"root","password":"first"},"users":{"glance":"own"}}`}
	b := newBed(t, append(server("second"), used)...)
	b.expect("mariadb-server-0", annotationRun, cluster.RunReady)
	if root := b.database().Root.Password; root != "first" {
		t.Errorf("a later Secret changed the root password to %s", root)
	}
}

func TestMissingSecret(t *testing.T) {
	b := newBed(t, dbInit("glance-db-init"))
	b.expectLog("glance-db-init", `secret "glance-db-admin" not found`)
	b.create(secret("glance-db-admin", "other", ""))
	b.expectLog("glance-db-init", "couldn't find key DB_CONNECTION in Secret openstack/glance-db-admin")
}
