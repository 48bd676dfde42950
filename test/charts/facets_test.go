//go:build beds

package charts_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"helm.sh/helm/v3/pkg/chart"
)

// facets are an object's properties by "KIND/NAME PROPERTY".
func facets(t *testing.T, c *chart.Chart, values string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, o := range loosely(t, c, values) {
		put := func(property string, value any) {
			encoded, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(encoded); text != "null" && text != `""` && text != "{}" && text != "0" {
				found[o.String()+" "+property] = text
			}
		}
		put("exists", true)
		for key, value := range o.meta.GetAnnotations() {
			if strings.HasPrefix(key, "helm.sh/") {
				put("annotation "+key, value)
			}
		}
		objectFacets(o, put)
		if pod, _ := o.pods(); pod != nil {
			put("labels", o.meta.GetLabels())
			podFacets(pod, put)
			if o.kind == "CronJob" {
				delete(found, o.String()+" labels")
			}
		}
	}
	return found
}

// loosely decodes what the API's types know, and nothing else of custom kinds but the name.
func loosely(t *testing.T, c *chart.Chart, values string) []object {
	t.Helper()
	var objects []object
	for _, text := range manifests(t, c, values) {
		if o, ok := decodeLoosely(t, text); ok {
			objects = append(objects, o)
		}
	}
	return objects
}

func objectFacets(o object, put func(string, any)) {
	switch typed := o.typed.(type) {
	case *appsv1.Deployment:
		put("replicas", typed.Spec.Replicas)
		put("selector", typed.Spec.Selector)
		put("strategy", typed.Spec.Strategy)
		put("history", typed.Spec.RevisionHistoryLimit)
	case *appsv1.StatefulSet:
		put("replicas", typed.Spec.Replicas)
		put("selector", typed.Spec.Selector)
		put("service", typed.Spec.ServiceName)
		put("management", typed.Spec.PodManagementPolicy)
		for _, claim := range typed.Spec.VolumeClaimTemplates {
			put("claim "+claim.Name, claim.Spec)
		}
	case *appsv1.DaemonSet:
		put("selector", typed.Spec.Selector)
		put("strategy", typed.Spec.UpdateStrategy)
	case *batchv1.Job:
		put("backoff", typed.Spec.BackoffLimit)
	case *batchv1.CronJob:
		spec := typed.Spec.DeepCopy()
		put("jobs' labels", spec.JobTemplate.Labels)
		spec.JobTemplate = batchv1.JobTemplateSpec{}
		put("schedule", spec)
	case *corev1.Service:
		put("selector", typed.Spec.Selector)
		put("headless", typed.Spec.ClusterIP)
		ports := map[string]int32{}
		for _, port := range typed.Spec.Ports {
			ports[port.Name] = port.Port
		}
		put("ports", ports)
	case *corev1.Secret:
		for key, value := range typed.Data {
			// Not the files of configurations: ours are shorter.
			if !strings.Contains(key, ".") || strings.HasSuffix(o.meta.GetName(), "-ks-etc") {
				put("key "+key, string(value))
			}
		}
	case *policyv1.PodDisruptionBudget:
		put("budget", typed.Spec)
	}
}

func podFacets(pod *corev1.PodTemplateSpec, put func(string, any)) {
	put("pods' labels", pod.Labels)
	put("restart", pod.Spec.RestartPolicy)
	put("nodes", pod.Spec.NodeSelector)
	put("account", pod.Spec.ServiceAccountName)
	put("host network", pod.Spec.HostNetwork)
	put("grace", pod.Spec.TerminationGracePeriodSeconds)
	put("tolerations", pod.Spec.Tolerations)
	put("affinity", pod.Spec.Affinity)
	for kind, containers := range map[string][]corev1.Container{"init": pod.Spec.InitContainers, "container": pod.Spec.Containers} {
		for _, c := range containers {
			put(fmt.Sprintf("%s %s image", kind, c.Name), c.Image)
			var ports []int32
			for _, port := range c.Ports {
				ports = append(ports, port.ContainerPort)
			}
			slices.Sort(ports)
			put(fmt.Sprintf("%s %s ports", kind, c.Name), ports)
			put(fmt.Sprintf("%s %s command", kind, c.Name), append(slices.Clone(c.Command), c.Args...))
			for _, variable := range c.Env {
				value := any(variable.Value)
				if variable.ValueFrom != nil {
					value = variable.ValueFrom
				}
				put(fmt.Sprintf("%s %s env %s", kind, c.Name, variable.Name), value)
			}
		}
	}
}
