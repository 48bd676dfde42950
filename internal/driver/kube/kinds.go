package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// kindsAge is how long the absence of a kind is believed. It bounds the requests that a
// configuration with unknown kinds costs.
const kindsAge = 2 * time.Second

// kind is how the API server serves a kind of object.
type kind struct {
	resource   schema.GroupVersionResource
	namespaced bool
}

// kinds knows what the API server serves, by one request per group and version. The mappers of
// client-go leave out groups that could not be read; here that is an error, as absence must be
// certain.
type kinds struct {
	client rest.Interface

	mu     sync.Mutex
	served map[schema.GroupVersion]*groupKinds
}

type groupKinds struct {
	mu    sync.Mutex // held while the server is asked
	kinds map[string]kind
	asked time.Time // zero: ask again
}

func newKinds(client rest.Interface) *kinds {
	return &kinds{client: client, served: map[schema.GroupVersion]*groupKinds{}}
}

// lookup returns how a kind is served; false means that it certainly is not.
func (k *kinds) lookup(ctx context.Context, apiVersion, name string) (kind, bool, error) {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || gv.Version == "" || name == "" {
		return kind{}, false, fmt.Errorf("%q %q is no kind of object", apiVersion, name)
	}
	group := k.group(gv)
	group.mu.Lock()
	defer group.mu.Unlock()
	if found, ok := group.kinds[name]; ok || time.Since(group.asked) < kindsAge {
		return found, ok, nil
	}
	served, err := k.ask(ctx, gv)
	if err != nil {
		return kind{}, false, err
	}
	group.kinds, group.asked = served, time.Now()
	found, ok := served[name]
	return found, ok, nil
}

// forget makes the next lookup in the group ask the server.
func (k *kinds) forget(gv schema.GroupVersion) {
	group := k.group(gv)
	group.mu.Lock()
	defer group.mu.Unlock()
	group.kinds, group.asked = nil, time.Time{}
}

// forgetAbsence makes the next lookup of any kind that was not there ask the server.
func (k *kinds) forgetAbsence() {
	k.mu.Lock()
	groups := make([]*groupKinds, 0, len(k.served))
	for _, group := range k.served {
		groups = append(groups, group)
	}
	k.mu.Unlock()
	for _, group := range groups {
		group.mu.Lock()
		group.asked = time.Time{}
		group.mu.Unlock()
	}
}

func (k *kinds) group(gv schema.GroupVersion) *groupKinds {
	k.mu.Lock()
	defer k.mu.Unlock()
	group, ok := k.served[gv]
	if !ok {
		group = &groupKinds{}
		k.served[gv] = group
	}
	return group
}

func (k *kinds) ask(ctx context.Context, gv schema.GroupVersion) (map[string]kind, error) {
	path := "/apis/" + gv.String()
	if gv.Group == "" {
		path = "/api/" + gv.Version
	}
	text, err := k.client.Get().AbsPath(path).Do(ctx).Raw()
	if apierrors.IsNotFound(err) {
		return map[string]kind{}, nil // a group that is not there serves no kinds
	}
	if err != nil {
		return nil, err
	}
	var list metav1.APIResourceList
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("the kinds of %s: %w", gv, err)
	}
	if list.Kind != "APIResourceList" || list.GroupVersion != gv.String() {
		return nil, fmt.Errorf("the kinds of %s: the answer is no list of them", gv) // which does not make them absent
	}
	served := make(map[string]kind, len(list.APIResources))
	for _, r := range list.APIResources {
		if r.Name == "" || r.Kind == "" {
			return nil, fmt.Errorf("the kinds of %s: one of them has no name", gv)
		}
		if !strings.Contains(r.Name, "/") { // a subresource
			served[r.Kind] = kind{resource: gv.WithResource(r.Name), namespaced: r.Namespaced}
		}
	}
	return served, nil
}
