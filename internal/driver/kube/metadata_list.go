package kube

import (
	"context"
	"errors"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// acceptMetadata asks for lists of metadata alone.
const acceptMetadata = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," +
	"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

// errNoList says that an answer is no list. What it is stays untold: it may have anything in it.
var errNoList = errors.New("the answer of the API server is no list of the objects that were asked for")

// metadataLists list objects by their metadata. The client of client-go reads whatever is of another kind, such as
// a single object, as a list without items, which would make everything absent.
type metadataLists struct{ client rest.Interface }

func newMetadataLists(config *rest.Config, client *http.Client) (*metadataLists, error) {
	config = metadata.ConfigFor(config)
	config.GroupVersion = &schema.GroupVersion{} // the paths have it
	config.APIPath = "/"
	made, err := rest.RESTClientForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	return &metadataLists{client: made}, nil
}

// page returns a page of the objects of a resource. An empty namespace means all of them, or none for what is in
// no namespace.
func (m *metadataLists) page(ctx context.Context, of schema.GroupVersionResource, namespace string, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	way := []string{"/apis", of.Group, of.Version}
	if of.Group == "" {
		way = []string{"/api", of.Version}
	}
	if namespace != "" {
		way = append(way, "namespaces", namespace)
	}
	result := m.client.Get().AbsPath(append(way, of.Resource)...).SetHeader("Accept", acceptMetadata).
		SpecificallyVersionedParams(&options, metav1.ParameterCodec, schema.GroupVersion{Version: "v1"}).Do(ctx)
	if err := result.Error(); err != nil {
		return nil, err
	}
	answer, err := result.Get()
	list, ok := answer.(*metav1.PartialObjectMetadataList)
	if err != nil || !ok || list.ResourceVersion == "" {
		return nil, errNoList
	}
	return list, nil
}

// secretList takes the answer to a list of Secrets for one only if it is: the dynamic client, too, reads anything else
// as a list without items.
func secretList(list *unstructured.UnstructuredList, err error) (*unstructured.UnstructuredList, error) {
	switch {
	case runtime.IsMissingKind(err): // which has all of the answer in it
		return nil, errNoList
	case err == nil && (list.GetKind() != "SecretList" || list.GetResourceVersion() == ""):
		return nil, errNoList
	}
	return list, err
}
