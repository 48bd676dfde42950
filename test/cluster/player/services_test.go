//go:build beds

package player

import (
	"context"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

func brokerMember() []runtime.Object {
	member := pod("rabbitmq-rabbitmq-0", corev1.RestartPolicyAlways, script("rabbitmq-start.sh"))
	member.Labels = map[string]string{"application": "rabbitmq"}
	member.Spec.InitContainers = []corev1.Container{script("rabbitmq-password-hash.py",
		fromSecret("RABBITMQ_ADMIN_USERNAME", "admin"), fromSecret("RABBITMQ_ADMIN_PASSWORD", "admin"))}
	return append(reachable("rabbitmq", map[string]string{"application": "rabbitmq"}), member,
		secret("admin", "RABBITMQ_ADMIN_USERNAME", "rabbitmq", "RABBITMQ_ADMIN_PASSWORD", "right"))
}

// users reads what the broker, which has no volume here, remembers in its pod.
func (b *bed) users() map[string]string {
	var data broker
	if err := json.Unmarshal([]byte(b.pod(context.Background(), "rabbitmq-rabbitmq-0").Annotations[brokerAnnotation]), &data); err != nil {
		b.t.Fatal(err)
	}
	return data.Users
}

func rabbitInit(name, admin, own string) *corev1.Pod {
	return pod(name, corev1.RestartPolicyOnFailure, script("rabbit-init.sh",
		plain("RABBITMQ_ADMIN_CONNECTION", "rabbit://rabbitmq:"+admin+"@rabbitmq.openstack.svc.cluster.local:15672/nova"),
		plain("RABBITMQ_USER_CONNECTION", "rabbit://nova:"+own+"@rabbitmq.openstack.svc.cluster.local:15672/nova")))
}

func TestBroker(t *testing.T) {
	b := newBed(t, brokerMember()...)
	b.expect("rabbitmq-rabbitmq-0", annotationInit, cluster.InitDone)
	b.initialized("rabbitmq-rabbitmq-0")
	b.expect("rabbitmq-rabbitmq-0", annotationRun, cluster.RunReady)
	b.makeReady("rabbitmq-rabbitmq-0")

	b.create(rabbitInit("wrong", "wrong", "own"))
	b.expectLog("wrong", "user 'rabbitmq': not_authorised")
	b.create(rabbitInit("first", "right", "own"))
	b.expect("first", annotationRun, cluster.RunCompleted)
	b.create(rabbitInit("second", "right", "other"))
	b.expect("second", annotationRun, cluster.RunCompleted)
	if users := b.users(); users["nova"] != "other" {
		t.Errorf("rabbit-init sets the password each time, users are %v", users)
	}

	conductor := pod("conductor", corev1.RestartPolicyAlways, corev1.Container{
		Name: "main", Command: []string{"nova-conductor"}, VolumeMounts: []corev1.VolumeMount{{Name: "etc", MountPath: "/etc/nova"}},
	})
	conductor.Spec.Volumes = []corev1.Volume{{Name: "etc", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "nova-etc"}}}}
	members := "@rabbitmq-rabbitmq-0.rabbitmq.openstack.svc.cluster.local:5672,nova:other@rabbitmq-rabbitmq-1.rabbitmq.openstack.svc.cluster.local:5672/nova"
	b.create(secret("nova-etc", "nova.conf", "[DEFAULT]\ntransport_url = rabbit://nova:own"+members+"\n"), conductor)
	b.expectLog("conductor", "ACCESS_REFUSED")
	b.set(secret("nova-etc", "nova.conf", "[DEFAULT]\ntransport_url = rabbit://nova:other"+members+"\n"))
	b.expect("conductor", annotationRun, cluster.RunReady)
}

// keystone is a served Keystone on a database whose volume has data.
func keystone() []runtime.Object {
	used := claim()
	used.Annotations = map[string]string{databaseAnnotation: `{"root":{"user":"root","password":"root"},"users":{"keystone":"own"}}`}
	api := pod("keystone-api", corev1.RestartPolicyAlways, script("keystone-api.sh"))
	api.Labels = map[string]string{"application": "keystone"}
	conf := secret("keystone-etc", "keystone.conf", "[database]\nconnection = "+connectionURL("keystone", "own")+"\n")
	objects := append(server("root"), used, conf, mounts(api, "keystone-etc", "/etc/keystone"))
	return append(objects, reachable("keystone-api", map[string]string{"application": "keystone"})...)
}

func mounts(p *corev1.Pod, secret, path string) *corev1.Pod {
	p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: secret, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secret}}})
	for i := range p.Spec.Containers {
		p.Spec.Containers[i].VolumeMounts = append(p.Spec.Containers[i].VolumeMounts, corev1.VolumeMount{Name: secret, MountPath: path})
	}
	return p
}

func ksUser(name, admin, user, password string) *corev1.Pod {
	return pod(name, corev1.RestartPolicyOnFailure, script("ks-user.sh",
		plain("OS_AUTH_URL", "http://keystone-api.openstack.svc.cluster.local:5000/v3"),
		plain("OS_USERNAME", "admin"), plain("OS_PASSWORD", admin), plain("OS_USER_DOMAIN_NAME", "default"),
		plain("SERVICE_OS_USERNAME", user), plain("SERVICE_OS_PASSWORD", password), plain("SERVICE_OS_USER_DOMAIN_NAME", "service")))
}

func TestKeystone(t *testing.T) {
	b := newBed(t, keystone()...)
	b.expect("mariadb-server-0", annotationRun, cluster.RunReady)
	b.create(ksUser("early", "admin-1", "glance", "g"))
	b.expectLog("early", "Unable to establish connection to http://keystone-api")
	b.makeReady("mariadb-server-0")
	b.expect("keystone-api", annotationRun, cluster.RunReady)
	b.makeReady("keystone-api")
	b.expectLog("early", "(HTTP 401)")

	sync := func(name, password string) *corev1.Pod {
		return mounts(pod(name, corev1.RestartPolicyOnFailure, script("db-sync.sh",
			plain("OS_BOOTSTRAP_USERNAME", "admin"), plain("OS_BOOTSTRAP_PASSWORD", password))), "keystone-etc", "/etc/keystone")
	}
	b.create(sync("keystone-db-sync", "admin-1"))
	b.expect("keystone-db-sync", annotationRun, cluster.RunCompleted)
	b.expect("early", annotationRun, cluster.RunCompleted)
	if users := b.database().Keystone; users["glance@service"] != "g" || users["admin@default"] != "admin-1" {
		t.Errorf("Keystone's users are %v", users)
	}

	// An upgrade of Keystone with another password: the other charts' hooks get 401.
	b.create(sync("keystone-db-sync-2", "admin-2"))
	b.expect("keystone-db-sync-2", annotationRun, cluster.RunCompleted)
	b.create(ksUser("late", "admin-1", "glance", "h"))
	b.expect("late", annotationRun, cluster.RunCrashLoop)
	b.expectLog("late", "(HTTP 401) (user admin")
	b.create(ksUser("later", "admin-2", "glance", "h"))
	b.expect("later", annotationRun, cluster.RunCompleted)
	if users := b.database().Keystone; users["glance@service"] != "h" {
		t.Errorf("ks-user sets the password each time, users are %v", users)
	}
}

// TestLogGoesWithPod checks that a deleted pod leaves no log file.
func TestLogGoesWithPod(t *testing.T) {
	b := newBed(t, dbInit("glance-db-init"))
	b.expectLog("glance-db-init", "not found")
	if err := b.client.CoreV1().Pods(namespace).Delete(context.Background(), "glance-db-init", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	b.eventually("the log file is gone", func(context.Context) bool { return b.logFiles() == 0 })
}
