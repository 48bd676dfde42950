package helm

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// API is what the driver asks of the API server itself: no watch of a [Cluster] answers.
type API interface {
	// Metadata returns the metadata of the objects of a resource that a selector of labels takes, "" for all;
	// an empty namespace means all of them.
	Metadata(ctx context.Context, of schema.GroupVersionResource, namespace, selector string) ([]metav1.PartialObjectMetadata, error)
	// Secret returns a Secret; nil without an error means that it is certainly not there.
	Secret(ctx context.Context, namespace, name string) (*corev1.Secret, error)
	// EachSecret hands over the Secrets that a selector of labels takes, a page of them in memory at a time; an empty
	// namespace means all of them. An error of take ends it, and is returned.
	EachSecret(ctx context.Context, namespace, selector string, take func(*corev1.Secret) error) error
	// Pods returns the pods of a namespace that a selector of labels takes.
	Pods(ctx context.Context, namespace, selector string) ([]corev1.Pod, error)
	// EachPod hands over the pods of a namespace that a selector of labels takes, a page of them in memory at a time. An
	// error of take ends it, and is returned.
	EachPod(ctx context.Context, namespace, selector string, take func(*corev1.Pod) error) error
	// ControllerRevisions returns the revisions of DaemonSets and StatefulSets that a selector of labels takes.
	ControllerRevisions(ctx context.Context, namespace, selector string) ([]appsv1.ControllerRevision, error)
	// Autoscalers returns the HorizontalPodAutoscalers of a namespace.
	Autoscalers(ctx context.Context, namespace string) ([]autoscalingv2.HorizontalPodAutoscaler, error)
	// Watch prepares to tell of objects of a resource that a selector of labels takes, when one is made,
	// changed or deleted. changed returns at once.
	Watch(of schema.GroupVersionResource, selector string, changed func(*metav1.PartialObjectMetadata)) Watch
	// Getter returns access for Helm. When ctx has a deadline no request goes on after it, and one that is
	// made then fails with the cause of ctx.
	Getter(ctx context.Context, namespace string) (Getter, error)
}

// Watch tells of changes to objects.
type Watch interface {
	// Begin has changes in a namespace told from now on, in all of them for "". It waits some seconds at most
	// for what is there to be known: without a watch, changes are seen later, and nothing else depends on it.
	Begin(ctx context.Context, namespace string)
	// Close ends it: nothing is told afterwards.
	Close()
}

// Getter is how Helm reaches a cluster.
type Getter interface {
	genericclioptions.RESTClientGetter
	// Untold are the versions of groups that the cluster has, and did not tell the kinds of. It asks once, as who else looks at kinds.
	Untold() (map[schema.GroupVersion]error, error)
}

// secrets is the resource that Helm keeps the revisions of releases in.
func secrets() schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
}
