package kube

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

const (
	// apiPage bounds how many objects are in one answer.
	apiPage = 500
	// contentPage bounds it for Secrets with their content: each may have 1 MiB.
	contentPage = 20
)

// API asks the API server itself, whatever the labels of an object: no watch answers. Its requests go by the
// guard and the deadlines of the [Cluster] that it is from, see [Cluster.API]. The errors are those of the API
// server.
type API struct {
	config   *rest.Config // of what a Getter gives
	client   kubernetes.Interface
	metadata *metadataLists
	watcher  metadata.Interface
}

// API returns a client none of whose requests takes longer than timeout, but for watches. It sends nothing, so
// it fails only for options of the cluster that can never work.
func (c *Cluster) API(timeout time.Duration) (*API, error) {
	config := rest.CopyConfig(c.config)
	watching := rest.CopyConfig(config) // without a timeout, which would end watches
	writer := rest.CopyConfig(c.writer)
	config.Timeout, writer.Timeout = timeout, timeout
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("access to the cluster: %w", err)
	}
	bounded, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("access to the cluster: %w", err)
	}
	objects, err := newMetadataLists(config, bounded)
	if err != nil {
		return nil, fmt.Errorf("access to the cluster: %w", err)
	}
	watcher, err := metadata.NewForConfig(watching)
	if err != nil {
		return nil, fmt.Errorf("access to the cluster: %w", err)
	}
	return &API{config: writer, client: client, metadata: objects, watcher: watcher}, nil
}

// Metadata returns the metadata of the objects of a resource that a selector of labels takes, "" for all. An
// empty namespace means all of them.
func (a *API) Metadata(ctx context.Context, of schema.GroupVersionResource, namespace, selector string) ([]metav1.PartialObjectMetadata, error) {
	return pages(selector, apiPage, func(options metav1.ListOptions) ([]metav1.PartialObjectMetadata, metav1.ListMeta, error) {
		page, err := a.metadata.page(ctx, of, namespace, options)
		if err != nil {
			return nil, metav1.ListMeta{}, err
		}
		return page.Items, page.ListMeta, nil
	})
}

// Secret returns a Secret; nil without an error means that it is certainly not there.
func (a *API) Secret(ctx context.Context, namespace, name string) (*corev1.Secret, error) {
	secret, err := a.client.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return secret, nil
}

// EachSecret hands over the Secrets of a namespace, "" for all of them, that a selector of labels takes, a page of them
// in memory at a time. An error of take ends that, and is returned.
func (a *API) EachSecret(ctx context.Context, namespace, selector string, take func(*corev1.Secret) error) error {
	return eachPage(selector, contentPage, func(options metav1.ListOptions) ([]corev1.Secret, metav1.ListMeta, error) {
		page, err := a.client.CoreV1().Secrets(namespace).List(ctx, options)
		if err != nil {
			return nil, metav1.ListMeta{}, err
		}
		return page.Items, page.ListMeta, nil
	}, each(take))
}

// EachPod does the same with pods.
func (a *API) EachPod(ctx context.Context, namespace, selector string, take func(*corev1.Pod) error) error {
	return eachPage(selector, apiPage, a.pods(ctx, namespace), each(take))
}

// Pods returns the pods of a namespace that a selector of labels takes.
func (a *API) Pods(ctx context.Context, namespace, selector string) ([]corev1.Pod, error) {
	return pages(selector, apiPage, a.pods(ctx, namespace))
}

// pods returns what lists a page of the pods of a namespace.
func (a *API) pods(ctx context.Context, namespace string) func(metav1.ListOptions) ([]corev1.Pod, metav1.ListMeta, error) {
	return func(options metav1.ListOptions) ([]corev1.Pod, metav1.ListMeta, error) {
		page, err := a.client.CoreV1().Pods(namespace).List(ctx, options)
		if err != nil {
			return nil, metav1.ListMeta{}, err
		}
		return page.Items, page.ListMeta, nil
	}
}

// ControllerRevisions returns the revisions of DaemonSets and StatefulSets that a selector of labels takes.
func (a *API) ControllerRevisions(ctx context.Context, namespace, selector string) ([]appsv1.ControllerRevision, error) {
	return pages(selector, contentPage, func(options metav1.ListOptions) ([]appsv1.ControllerRevision, metav1.ListMeta, error) {
		page, err := a.client.AppsV1().ControllerRevisions(namespace).List(ctx, options)
		if err != nil {
			return nil, metav1.ListMeta{}, err
		}
		return page.Items, page.ListMeta, nil
	})
}

// Autoscalers returns the HorizontalPodAutoscalers of a namespace, none where the server serves no such kind.
func (a *API) Autoscalers(ctx context.Context, namespace string) ([]autoscalingv2.HorizontalPodAutoscaler, error) {
	all, err := pages("", apiPage, func(options metav1.ListOptions) ([]autoscalingv2.HorizontalPodAutoscaler, metav1.ListMeta, error) {
		page, err := a.client.AutoscalingV2().HorizontalPodAutoscalers(namespace).List(ctx, options)
		if err != nil {
			return nil, metav1.ListMeta{}, err
		}
		return page.Items, page.ListMeta, nil
	})
	if apierrors.IsNotFound(err) { // no list lacks anything else
		return nil, nil
	}
	return all, err
}

// errEndless says that a page of a list leads to itself.
var errEndless = errors.New("the list does not end: a page is followed by itself")

// pages returns what all pages of a list have.
func pages[T any](selector string, size int64, list func(metav1.ListOptions) ([]T, metav1.ListMeta, error)) ([]T, error) {
	var all []T
	err := eachPage(selector, size, list, func(page []T) error {
		all = append(all, page...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// each hands over what a page has.
func each[T any](take func(*T) error) func([]T) error {
	return func(page []T) error {
		for i := range page {
			if err := take(&page[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

// eachPage hands over a list page by page. list returns one of them, with what it says of itself: what is no list is
// read as an empty one that says nothing.
func eachPage[T any](selector string, size int64, list func(metav1.ListOptions) ([]T, metav1.ListMeta, error), take func([]T) error) error {
	options := metav1.ListOptions{LabelSelector: selector, Limit: size}
	for {
		items, page, err := list(options)
		if err != nil {
			return err
		}
		if page.ResourceVersion == "" {
			return errNoList
		}
		if err := take(items); err != nil || page.Continue == "" {
			return err
		}
		if page.Continue == options.Continue {
			return errEndless
		}
		options.Continue = page.Continue
	}
}
