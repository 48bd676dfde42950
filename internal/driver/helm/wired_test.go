//go:build beds

package helm_test

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
)

// wired is the cluster as the commands hand it to the driver.
type wired struct{ *kube.Cluster }

func (c wired) API(timeout time.Duration) (helm.API, error) {
	api, err := c.Cluster.API(timeout)
	if err != nil {
		return nil, err
	}
	return wiredAPI{api}, nil
}

// wiredAPI is the API server of that cluster.
type wiredAPI struct{ *kube.API }

func (a wiredAPI) Getter(ctx context.Context, namespace string) (helm.Getter, error) {
	getter, err := a.API.Getter(ctx, namespace)
	if err != nil {
		return nil, err
	}
	return getter, nil
}

func (a wiredAPI) Watch(of schema.GroupVersionResource, selector string, changed func(*metav1.PartialObjectMetadata)) helm.Watch {
	return a.API.Watch(of, selector, changed)
}
