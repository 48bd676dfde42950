package helm

import (
	"context"
	"fmt"
	"slices"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/kube"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// pathReplicas is what a HorizontalPodAutoscaler writes of what it scales.
const pathReplicas = "spec.replicas"

// injected is a field that a controller writes where an annotation of the object asks for it.
type injected struct {
	group, kind string
	path        string
}

// injectedFields are those of the authorities that clients of webhooks and aggregated APIs trust. What a chart
// has there is nothing or stands in for it.
func injectedFields() []injected {
	return []injected{
		{"admissionregistration.k8s.io", "MutatingWebhookConfiguration", "webhooks[*].clientConfig.caBundle"},
		{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "webhooks[*].clientConfig.caBundle"},
		{"apiextensions.k8s.io", "CustomResourceDefinition", "spec.conversion.webhook.clientConfig.caBundle"},
		{"apiregistration.k8s.io", "APIService", "spec.caBundle"},
	}
}

// injectors are the annotations that ask for it: those of cert-manager, and of OpenShift's service CA.
func injectors() []string {
	return []string{
		"cert-manager.io/inject-ca-from", "cert-manager.io/inject-ca-from-secret", "cert-manager.io/inject-apiserver-ca",
		"service.beta.openshift.io/inject-cabundle",
	}
}

// scalers are the HorizontalPodAutoscalers of namespaces that were asked for, so that one look asks once.
type scalers map[string][]autoscalingv2.HorizontalPodAutoscaler

// controlledPaths returns the fields of an object that a controller in the cluster writes, as it does now. No
// revision and no repair writes these: what the chart says of them holds until the controller takes over. The
// API server is asked only while an object has other replicas than the chart says.
func (d *Driver) controlledPaths(ctx context.Context, v *view, desired, live *unstructured.Unstructured) ([]string, error) {
	var paths []string
	kind := desired.GroupVersionKind().GroupKind()
	for _, field := range injectedFields() {
		if field.group == kind.Group && field.kind == kind.Kind && (isInjected(desired) || isInjected(live)) {
			paths = append(paths, field.path)
		}
	}
	if len(paths) == 0 && keepsAuthorities(desired) {
		paths = append(paths, d.rotated(v, desired, live)...)
	}
	wanted, written, _ := unstructured.NestedInt64(desired.Object, "spec", "replicas")
	has, present, _ := unstructured.NestedInt64(live.Object, "spec", "replicas")
	if !written || !present || wanted == has {
		return paths, nil
	}
	scaled, err := d.scaled(ctx, v, kind, live.GetNamespace(), live.GetName(), has)
	if scaled {
		paths = append(paths, pathReplicas)
	}
	return paths, err
}

func isInjected(object *unstructured.Unstructured) bool {
	annotations := object.GetAnnotations()
	return slices.ContainsFunc(injectors(), func(name string) bool { return annotations[name] != "" })
}

// scaled tells whether a HorizontalPodAutoscaler says how many replicas an object has. One leaves alone what
// somebody scaled to nothing, unless nothing is its own minimum.
func (d *Driver) scaled(ctx context.Context, v *view, kind schema.GroupKind, namespace, name string, has int64) (bool, error) {
	all, known := v.scalers[namespace]
	if !known {
		var err error
		if all, err = d.api.Autoscalers(ctx, namespace); err != nil {
			return false, fmt.Errorf("look which HorizontalPodAutoscalers there are in the namespace %s: %w", namespace, err)
		}
		if v.scalers == nil {
			v.scalers = scalers{}
		}
		v.scalers[namespace] = all
	}
	return slices.ContainsFunc(all, func(scaler autoscalingv2.HorizontalPodAutoscaler) bool {
		target := scaler.Spec.ScaleTargetRef
		of, err := schema.ParseGroupVersion(target.APIVersion)
		least := scaler.Spec.MinReplicas
		return err == nil && of.Group == kind.Group && target.Kind == kind.Kind && target.Name == name &&
			(has > 0 || least != nil && *least == 0)
	}), nil
}

// controlled returns an object as it is wanted, with what controllers write of the live one.
func (d *Driver) controlled(ctx context.Context, v *view, desired, live *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	paths, err := d.controlledPaths(ctx, v, desired, live)
	if err != nil || len(paths) == 0 {
		return desired, err
	}
	return d.cluster.Yield(desired, live, paths), nil
}

// revising is operation for what makes a revision of these objects: Helm would set back what controllers write.
// What is stored of the revision is what the chart says.
func (d *Driver) revising(ctx context.Context, v *view, next []*unstructured.Unstructured) (*action.Configuration, context.CancelFunc, error) {
	yields, err := d.yields(ctx, v, next)
	if err != nil {
		return nil, nil, err
	}
	configuration, cancel, err := d.operation(ctx, v.namespace, v.name)
	if err != nil {
		return nil, nil, err
	}
	if client, ok := configuration.KubeClient.(careful); ok {
		client.yield = func(target kube.ResourceList) {
			for _, info := range target {
				object, _ := info.Object.(*unstructured.Unstructured)
				if object == nil {
					continue
				}
				if yield := yields[refOf(object)]; yield != nil {
					object.Object = yield(object).Object
				}
			}
		}
		configuration.KubeClient = client
	}
	return configuration, cancel, nil
}

// yields returns what makes objects of the next revision leave alone what controllers write of them now.
func (d *Driver) yields(ctx context.Context, v *view, next []*unstructured.Unstructured) (map[unit.ObjectRef]func(*unstructured.Unstructured) *unstructured.Unstructured, error) {
	there, err := d.cluster.Get(ctx, refsOf(next)...)
	if err != nil {
		return nil, fmt.Errorf("look at the objects of release %s/%s: %w", v.namespace, v.name, err)
	}
	found := map[unit.ObjectRef]func(*unstructured.Unstructured) *unstructured.Unstructured{}
	for _, object := range next {
		ref := refOf(object)
		if there[ref] == nil {
			continue
		}
		paths, err := d.controlledPaths(ctx, v, object, there[ref])
		if err != nil {
			return nil, err
		}
		if len(paths) == 0 {
			continue
		}
		live, err := d.cluster.Confirm(ctx, ref) // a watch may be behind
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", ref, err)
		}
		if live != nil {
			found[ref] = func(object *unstructured.Unstructured) *unstructured.Unstructured {
				return d.cluster.Yield(object, live, paths)
			}
		}
	}
	return found, nil
}
