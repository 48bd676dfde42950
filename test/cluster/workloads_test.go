//go:build beds

package cluster_test

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

func newDeployment(name string, replicas int32, annotations map[string]string) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas:                &replicas,
			Selector:                selector(name),
			Template:                template(name, annotations),
			ProgressDeadlineSeconds: new(int32(600)),
		},
	}
}

// rolledOut waits until a Deployment's controller has seen its newest generation and all its
// replicas are available and of that generation.
func rolledOut(t *testing.T, client kubernetes.Interface, namespace, name string) {
	t.Helper()
	eventually(t, "Deployment "+name+" is rolled out", func(ctx context.Context) error {
		d, err := client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		want, s := *d.Spec.Replicas, d.Status
		if s.ObservedGeneration < d.Generation || s.UpdatedReplicas != want || s.AvailableReplicas != want || s.Replicas != want {
			return fmt.Errorf("status is %+v", s)
		}
		return nil
	})
}

func podNames(ctx context.Context, client kubernetes.Interface, namespace, app string) (map[string]corev1.Pod, error) {
	pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=" + app})
	if err != nil {
		return nil, err
	}
	byName := map[string]corev1.Pod{}
	for _, pod := range pods.Items {
		byName[pod.Name] = pod
	}
	return byName, nil
}

func TestDeployment(t *testing.T) {
	t.Parallel()
	client := testbed.Cluster(t).Client()
	namespace := newNamespace(t, client)
	const name, replicas = "web", 3
	if _, err := client.AppsV1().Deployments(namespace).Create(t.Context(), newDeployment(name, replicas, nil), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ServiceSpec{
		Selector: map[string]string{"app": name}, Ports: []corev1.ServicePort{{Port: 80}},
	}}
	if _, err := client.CoreV1().Services(namespace).Create(t.Context(), service, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	rolledOut(t, client, namespace, name)

	t.Run("its Service has the addresses of its pods", func(t *testing.T) {
		eventually(t, "three different ready addresses", func(ctx context.Context) error {
			slices, err := client.DiscoveryV1().EndpointSlices(namespace).List(ctx,
				metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + name})
			if err != nil {
				return err
			}
			addresses := map[string]bool{}
			for _, slice := range slices.Items {
				for _, endpoint := range slice.Endpoints {
					if endpoint.Conditions.Ready != nil && *endpoint.Conditions.Ready {
						addresses[endpoint.Addresses[0]] = true
					}
				}
			}
			if len(addresses) != replicas {
				return fmt.Errorf("addresses are %v", addresses)
			}
			return nil
		})
	})

	t.Run("a deleted pod is replaced", func(t *testing.T) {
		before, err := podNames(t.Context(), client, namespace, name)
		if err != nil {
			t.Fatal(err)
		}
		var victim string
		for victim = range before {
		}
		if err := client.CoreV1().Pods(namespace).Delete(t.Context(), victim, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "another pod runs in its place", func(ctx context.Context) error {
			now, err := podNames(ctx, client, namespace, name)
			if err != nil {
				return err
			}
			if _, there := now[victim]; there || len(now) != replicas {
				return fmt.Errorf("%s is there: %t, %d pods", victim, there, len(now))
			}
			for _, pod := range now {
				if err := running(&pod); err != nil {
					return err
				}
			}
			return nil
		})
	})

	t.Run("a rolling update replaces all pods", func(t *testing.T) {
		const image = "registry.example/app:2"
		patch := fmt.Sprintf(`{"spec":{"template":{"spec":{"containers":[{"name":"main","image":%q}]}}}}`, image)
		_, err := client.AppsV1().Deployments(namespace).Patch(t.Context(), name, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		rolledOut(t, client, namespace, name)
		eventually(t, "only pods with the new image are left", func(ctx context.Context) error {
			now, err := podNames(ctx, client, namespace, name)
			if err != nil {
				return err
			}
			for _, pod := range now {
				if got := pod.Spec.Containers[0].Image; got != image {
					return fmt.Errorf("%s has image %s", pod.Name, got)
				}
			}
			if len(now) != replicas {
				return fmt.Errorf("%d pods", len(now))
			}
			return nil
		})
	})

	t.Run("foreground deletion takes its dependents first", func(t *testing.T) {
		err := client.AppsV1().Deployments(namespace).Delete(t.Context(), name,
			metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationForeground)})
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the Deployment is gone", func(ctx context.Context) error {
			_, err := client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return fmt.Errorf("still there (%w)", err)
		})
		sets, err := client.AppsV1().ReplicaSets(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		pods, err := podNames(t.Context(), client, namespace, name)
		if err != nil {
			t.Fatal(err)
		}
		if len(sets.Items) != 0 || len(pods) != 0 {
			t.Errorf("%d ReplicaSets and %d pods outlived it", len(sets.Items), len(pods))
		}
	})
}

func TestStatefulSetBindsItsClaims(t *testing.T) {
	t.Parallel()
	client := testbed.Cluster(t).Client()
	namespace := newNamespace(t, client)
	const name, replicas = "db", 2
	// The second claim names the class, the first takes the default.
	claim := func(name string, class *string) corev1.PersistentVolumeClaim {
		return corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: class,
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		}}
	}
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.StatefulSetSpec{
		ServiceName: name, Replicas: new(int32(replicas)), Selector: selector(name), Template: template(name, nil),
		VolumeClaimTemplates: []corev1.PersistentVolumeClaim{claim("data", nil), claim("backup", new(cluster.StorageClass))},
	}}
	set.Spec.Template.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}, {Name: "backup", MountPath: "/backup"}}
	if _, err := client.AppsV1().StatefulSets(namespace).Create(t.Context(), set, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all replicas are ready", func(ctx context.Context) error {
		set, err := client.AppsV1().StatefulSets(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if set.Status.ReadyReplicas != replicas {
			return fmt.Errorf("%d replicas are ready", set.Status.ReadyReplicas)
		}
		return nil
	})
	claims, err := client.CoreV1().PersistentVolumeClaims(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(claims.Items) != 2*replicas {
		t.Fatalf("%d claims, want %d", len(claims.Items), 2*replicas)
	}
	for _, claim := range claims.Items {
		capacity := claim.Status.Capacity[corev1.ResourceStorage]
		if claim.Status.Phase != corev1.ClaimBound || *claim.Spec.StorageClassName != cluster.StorageClass || capacity.String() != "1Gi" {
			t.Errorf("claim %s is %s with %s of class %s", claim.Name, claim.Status.Phase, capacity.String(), *claim.Spec.StorageClassName)
		}
	}

	// A volume goes with its claim, once no pod uses that.
	volume := claims.Items[0].Spec.VolumeName
	if err := client.AppsV1().StatefulSets(namespace).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := client.CoreV1().PersistentVolumeClaims(namespace).Delete(t.Context(), claims.Items[0].Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the volume is gone", func(ctx context.Context) error {
		_, err := client.CoreV1().PersistentVolumes().Get(ctx, volume, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("still there (%w)", err)
	})
}

func TestJobs(t *testing.T) {
	t.Parallel()
	client := testbed.Cluster(t).Client()
	namespace := newNamespace(t, client)
	create := func(name string, completions int32, annotations map[string]string) {
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: batchv1.JobSpec{
			Completions: &completions, Parallelism: &completions, BackoffLimit: new(int32), Template: template(name, annotations),
		}}
		job.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
		if _, err := client.BatchV1().Jobs(namespace).Create(t.Context(), job, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	finished := func(name string, want batchv1.JobConditionType) *batchv1.Job {
		var job *batchv1.Job
		eventually(t, fmt.Sprintf("Job %s is %s", name, want), func(ctx context.Context) (err error) {
			if job, err = client.BatchV1().Jobs(namespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
				return err
			}
			for _, c := range job.Status.Conditions {
				if c.Type == want && c.Status == corev1.ConditionTrue {
					return nil
				}
			}
			return fmt.Errorf("status is %+v", job.Status)
		})
		return job
	}
	create("good", 2, nil)
	create("bad", 1, map[string]string{cluster.AnnotationBehave: cluster.BehaveFail})
	create("stuck", 1, map[string]string{cluster.AnnotationBehave: cluster.BehaveCrashLoop, cluster.AnnotationRestarts: "0"})

	if job := finished("good", batchv1.JobComplete); job.Status.Succeeded != 2 {
		t.Errorf("%d pods succeeded, want 2", job.Status.Succeeded)
	}
	if job := finished("bad", batchv1.JobFailed); job.Status.Failed != 1 {
		t.Errorf("%d pods failed, want 1", job.Status.Failed)
	}
	eventually(t, "the stuck Job's pod is in a crash loop", func(ctx context.Context) error {
		pods, err := podNames(ctx, client, namespace, "stuck")
		if err != nil {
			return err
		}
		if len(pods) != 1 {
			return fmt.Errorf("%d pods", len(pods))
		}
		for _, pod := range pods {
			return verify(&pod, phase(corev1.PodRunning), crashing(0, ""))
		}
		return nil
	})
	job, err := client.BatchV1().Jobs(namespace).Get(t.Context(), "stuck", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(job.Status.Conditions) != 0 {
		t.Errorf("the stuck Job has finished: %+v", job.Status)
	}
}
