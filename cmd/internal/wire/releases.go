package wire

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
)

// releasesCluster is the cluster as the driver of releases wants it. Neither driver knows the other's types.
type releasesCluster struct{ *kube.Cluster }

func (c releasesCluster) API(timeout time.Duration) (helm.API, error) {
	api, err := c.Cluster.API(timeout)
	if err != nil {
		return nil, err
	}
	return releasesAPI{api}, nil
}

// releasesAPI is the API server of that cluster.
type releasesAPI struct{ *kube.API }

func (a releasesAPI) Getter(ctx context.Context, namespace string) (helm.Getter, error) {
	getter, err := a.API.Getter(ctx, namespace)
	if err != nil {
		return nil, err
	}
	return getter, nil
}

func (a releasesAPI) Watch(of schema.GroupVersionResource, selector string, changed func(*metav1.PartialObjectMetadata)) helm.Watch {
	return a.API.Watch(of, selector, changed)
}
